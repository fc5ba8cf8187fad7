about "Pressure in a drop" "Young and Laplace: p = 2 sigma / R" \
    "Drops of water at rest, 0.0728 N/m, spacing 1 mm. Particles also press against their own cohesion, by the same in drops of every size; it is taken off."
radii="6 9"
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
    echo "$n $value" >> "$folder/pressure.dat"
done
# The line through pressures over 2 sigma / R: slope and what cohesion presses.
awk '{ x = 2 * 0.0728 / (0.001 * $1); n++; sx += x; sy += $2; sxx += x * x; sxy += x * $2 }
     END { slope = (n * sxy - sx * sy) / (n * sxx - sx * sx); print slope, (sy - slope * sx) / n }' "$folder/pressure.dat" > "$folder/line"
read -r slope own < "$folder/line"
rm -f "$folder/line"
near "growth of the pressure over that of 2 sigma / R" "$slope" 1 5 ""
chart "Pressure in a drop, less $(short "$own") Pa of cohesion" "radius, spacings" "pressure, Pa" "'pressure.dat' using 1:(\$2 - $own) with points pt 7 title 'pbf', 2 * 0.0728 / (0.001 * x) lc rgb '#c04a20' title '2 sigma / R'" "set xrange [4:14]; set yrange [0:*]"
