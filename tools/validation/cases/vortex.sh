about "Decaying vortex" "Taylor and Green 1937: the energy falls as exp(-4 nu k^2 t), k = pi / L" \
    "One vortex in a closed box without friction at its walls, 20 spacings wide, with the viscosity that the scene sets."
d=0.05 nu=0.02
full && d=0.025
simulate box --set "fluid.viscosity=$nu" --set fluid.surface_tension=0 <<YAML
spacing: $d
tank: {size: [1, 1, $(num "6 * $d")]}
output: {duration: 1, fps: 50}
water:
$(awk -v d="$d" 'BEGIN { pi = atan2(0, -1); n = int(1 / d + 0.5); for (i = 0; i < n; i++) for (j = 0; j < n; j++) { x = (i + 0.5) * d; y = (j + 0.5) * d
    printf "  - {box: {min: [%.8g, %.8g, 0], max: [%.8g, %.8g, %.8g]}, velocity: [%.6f, %.6f, 0]}\n", i * d, j * d, (i + 1) * d, (j + 1) * d, 6 * d, sin(pi * x) * cos(pi * y), -cos(pi * x) * sin(pi * y) } }')
YAML
calc box 'NR == 2 { e = v["kinetic_energy"] } { print v["time"], v["kinetic_energy"] / e }' > "$folder/box.dat"
rate=$(awk '$1 >= 0.1 { n++; x += $1; y += log($2); xx += $1 * $1; xy += $1 * log($2) } END { printf "%.6g", -(n * xy - x * y) / (n * xx - x * x) }' "$folder/box.dat")
near "viscosity from the decay" "$rate / (4 * pi ^ 2)" $nu 10 "m^2/s"
chart "Decaying vortex" "time, s" "energy over that at the start" "'box.dat' with lines lw 2 title 'pbf', exp(-4 * $nu * pi ** 2 * x) lc rgb '#c04a20' dt 2 title 'Taylor and Green'" "set yrange [0:1.05]"
