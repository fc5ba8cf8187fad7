about "Pressure in a drop" "Young and Laplace: p = 2 sigma / R" \
    "Drops of water at rest, 0.0728 N/m, spacing 1 mm."
radii=6
full && radii="6 9 12"
: > "$folder/pressure.dat"
for n in $radii; do
    simulate "radius_$n" --set fluid.surface_tension=0.0728 <<YAML
spacing: 0.001
fluid: {gravity: [0, 0, 0]}
solver: {time_step: 0.001}
water: [{sphere: {center: [0, 0, 0], radius: $(num "0.001 * $n")}}]
probes: [{name: core, pressure: {position: [0, 0, 0]}}]
output: {duration: 0.6, fps: 100}
YAML
    value=$(calc "radius_$n" 'v["time"] > 0.3 { sum += v["core_pressure"]; n++ } END { printf "%.6g", sum / n }')
    near "pressure, radius $n spacings" "$value" "2 * 0.0728 / (0.001 * $n)" 5 Pa
    echo "$n $value" >> "$folder/pressure.dat"
done
chart "Pressure in a drop" "radius, spacings" "pressure, Pa" "'pressure.dat' with points pt 7 title 'pbf', 2 * 0.0728 / (0.001 * x) lc rgb '#c04a20' title '2 sigma / R'" "set xrange [4:14]; set yrange [0:*]"
