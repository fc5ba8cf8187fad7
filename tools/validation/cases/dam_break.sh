about "Dam break" "Martin and Moyce 1952, An experimental study of the collapse of liquid columns on a rigid horizontal plane, column of width a and height 2 a, a = 5.7 cm" \
    "The front of a collapsing column, z / a over t sqrt(2 g / a). The water of the experiment is held back by its walls and by the membrane that is taken away; calculations without friction are a little ahead of it."
d=0.05
cat > "$folder/martin_moyce.dat" <<'DATA'
0.41 1.11
0.84 1.22
1.19 1.44
1.43 1.67
1.63 1.89
1.83 2.11
1.98 2.33
2.20 2.56
2.32 2.78
2.51 3.00
2.65 3.22
2.83 3.44
2.98 3.67
3.11 3.89
3.33 4.11
DATA
scene() { # TIME_STEP
    echo "spacing: $d
tank: {size: [5, 0.3, 4]}
water: [{box: {min: [0, 0, 0], max: [1, 0.3, 2]}}]
solver: {time_step: $1}
output: {duration: 0.85, fps: 20}
probes:"
    for z in 1.11 1.22 1.44 1.67 1.89 2.11 2.33 2.56 2.78 3.00 3.22 3.44 3.67 3.89 4.11; do
        echo "  - {name: at_$(num "100 * $z"), level: {position: [$z, 0.15]}}"
    done
}
front() { # RUN: when the water first came to each place
    calc "$1" '{ for (k in v) if (k ~ /^at_/ && v[k] != "nan" && !(k in t)) { t[k] = v["time"]; split(k, part, "_"); print v["time"] * sqrt(2 * g), part[2] / 100 } }' |
        sort -n -k2 > "$folder/$1.dat"
}
steps="0.006"
full && steps="0.006 0.003 0.0015"
plot=""
for step in $steps; do
    run=step_$(num "10000 * $step")
    scene "$step" | simulate "$run" --log-every step
    front "$run"
    plot="$plot'$run.dat' with lines lw 2 title 'pbf, $(num "1000 * $step") ms', "
done
when() { awk -v z="$2" '$2 == z { print $1 }' "$folder/$1.dat"; }
near "front at 2.11 a" "$(when step_60 2.11)" 1.83 10 ""
near "front at 3.22 a" "$(when step_60 3.22)" 2.65 10 ""
near "front at 4.11 a" "$(when step_60 4.11)" 3.33 10 ""
if full; then
    near "front at 4.11 a, half the step" "$(when step_30 4.11)" "$(when step_60 4.11)" 1 ""
    near "front at 4.11 a, a quarter" "$(when step_15 4.11)" "$(when step_30 4.11)" 1 ""
fi
chart "Dam break, a / 20" "t sqrt(2 g / a)" "front, z / a" "$plot'martin_moyce.dat' with points pt 6 lc rgb '#c04a20' title 'Martin and Moyce'"
