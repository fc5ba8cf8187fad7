about "Shear wave" "Navier and Stokes: u = U sin(k z) exp(-nu k^2 t)" \
    "A wave of velocity in a space without sides, from a viscosity that is explicit in a step to ones that are solved for."
depths=20
full && depths="20 40"
plot=""
for n in $depths; do
    for nu in 0.001 0.01 0.1 1; do
        d=$(num "1 / $n") end=$(num "($nu > 0.01 ? 1 : 0.3) / ($nu * 4 * pi ^ 2)")
        [ "$nu" = 0.001 ] && end=2
        simulate "nu_${nu}_$n" --set "fluid.viscosity=$nu" --set fluid.surface_tension=0 <<YAML
spacing: $d
tank: {size: [$(num "8 * $d"), $(num "8 * $d"), 1], periodic: [x, y, z]}
fluid: {gravity: [0, 0, 0]}
output: {duration: $end, fps: $(num "20 / $end")}
water:
$(awk -v d="$d" -v n="$n" 'BEGIN { pi = atan2(0, -1); for (i = 0; i < n; i++) printf "  - {box: {min: [0, 0, %.8g], max: [%.8g, %.8g, %.8g]}, velocity: [%.6f, 0, 0]}\n", i * d, 8 * d, 8 * d, (i + 1) * d, 0.3 * sin(2 * pi * (i + 0.5) * d) }')
YAML
        calc "nu_${nu}_$n" "NR == 2 { e = v[\"kinetic_energy\"] } { print v[\"time\"] * $nu * 4 * pi ^ 2, v[\"kinetic_energy\"] / e }" > "$folder/nu_${nu}_$n.dat"
        rate=$(awk '$2 > 0 { n++; x += $1; y += log($2); xx += $1 * $1; xy += $1 * log($2) } END { printf "%.6g", -(n * xy - x * y) / (n * xx - x * x) }' "$folder/nu_${nu}_$n.dat")
        near "viscosity over what is set, $nu m^2/s, $n spacings a wave" "$rate / 2" 1 3 ""
        [ "$n" = 20 ] && plot="$plot'nu_${nu}_$n.dat' with lines lw 2 title '$nu m^2/s', "
    done
done
chart "Shear wave, 20 spacings long" "nu k^2 t" "energy over that at the start" "${plot}exp(-2 * x) lc rgb '#c04a20' dt 2 title 'theory'" "set yrange [0:1.05]; set xrange [0:1]"
