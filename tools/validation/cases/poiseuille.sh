about "Flow between plates" "Poiseuille: u = g z (H - z) / (2 nu)" \
    "Water between two plates to which it sticks, driven by a weight along them, after it has become steady."
depths=20
full && depths="20 40"
plot=""
for n in $depths; do
    for nu in 0.05 0.5; do
        d=$(num "1 / $n") pull=$(num "8 * $nu * 0.5") end=$(num "0.5 / $nu") run=nu_${nu}_$n
        probes=""
        for k in 1 2 3 4 5 6 7 8 9; do
            probes="$probes  - {name: u$k, velocity: {position: [$(num "4 * $d"), $(num "4 * $d"), 0.$k]}}
"
        done
        simulate "$run" --set "fluid.viscosity=$nu" --set fluid.surface_tension=0 <<YAML
spacing: $d
tank: {size: [$(num "8 * $d"), $(num "8 * $d"), 1], periodic: [x, y], no_slip: true}
fluid: {gravity: [$pull, 0, 0]}
water: [{box: {min: [0, 0, 0], max: [$(num "8 * $d"), $(num "8 * $d"), 1]}}]
probes:
  - {name: walls, force: {obstacle: tank}}
${probes}output: {duration: $end, fps: $(num "40 / $end")}
YAML
        mean() { calc "$run" "v[\"time\"] > 0.8 * $end { sum += $1; n++ } END { printf \"%.8g\", sum / n }"; }
        for k in 1 2 3 4 5 6 7 8 9; do echo "0.$k $(mean "v[\"u${k}_vx\"]")"; done > "$folder/$run.dat"
        near "speed in the middle, $nu m^2/s, $n spacings" "$(mean 'v["u5_vx"]')" 0.5 3 m/s
        near "drag on the walls, $nu m^2/s, $n spacings" "$(mean 'v["walls_fx"]')" "1000 * $pull * 64 * $d * $d" 3 N
        plot="$plot'$run.dat' with points pt 7 title '$nu m^2/s, $n', "
    done
done
chart "Flow between plates" "height, m" "speed, m/s" "${plot}2 * x * (1 - x) lc rgb '#c04a20' title 'Poiseuille'" "set xrange [0:1]; set yrange [0:0.6]"
