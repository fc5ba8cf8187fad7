about "Pressure in a drop" "Young and Laplace: p = 2 sigma / R" \
    "Drops of water at rest, 0.0728 N/m, spacing 1 mm. Particles also press against their own cohesion, by nearly the same in drops of every size; it is taken off. Pressure is the mean over the core, 4 spacings and more below the surface: an influence radius and the layers that form there. Particles lock as they come to rest, at a few Pa more or less: drops of each radius start at several places on the lattice, and the slope is still a tenth uncertain."
radii="6 6.5 7 7.5 8 8.5 9 10 11 12"
starts="0 0.47"
full && starts="0 0.13 0.31 0.47 0.6 0.73"
# Up to 100 places in the core of a drop of $1 spacings, from a lattice of the least width that has no more.
core() {
    awk -v core="$(num "$1 - 4")" 'BEGIN { for (width = 0.5; count == 0 || count > 100; width += 0.05) { count = 0; out = ""
        m = int(core / width) + 1
        for (i = -m; i <= m; i++) for (j = -m; j <= m; j++) for (k = -m; k <= m; k++) if (width * sqrt(i * i + j * j + k * k) <= core)
            out = out sprintf("%s{name: p%d, pressure: {position: [%.6g, %.6g, %.6g]}}", count ? ", " : "", count++, 1e-3 * width * i, 1e-3 * width * j, 1e-3 * width * k) }
        print out }'
}
: > "$folder/pressure.dat"
for n in $radii; do
    r=$(num "0.001 * $n")
    for start in $starts; do
        run=radius_${n}_$start
        spheroid "$run" "$r" "$r" "$start"
        simulate "$run" --set fluid.surface_tension=0.0728 <<YAML
spacing: 0.001
fluid: {gravity: [0, 0, 0]}
solver: {time_step: 0.001}
water: [{mesh: {file: $run.obj, scale: [$r, $r, $r]}}]
probes: [$(core "$n")]
output: {duration: 0.6, fps: 20}
YAML
        calc "$run" 'v["time"] > 0.2 { for (k = 0; ("p" k "_pressure") in v; k++) { sum += v["p" k "_pressure"]; n++ } count = v["particles"] } END { printf "%.6g %.6g\n", (3 * count / (4 * pi)) ^ (1 / 3), sum / n }' >> "$folder/pressure.dat"
    done
done
# The line through pressures over 2 sigma / R, R of the drop's volume: slope and what cohesion presses.
awk '{ x = 2 * 0.0728 / (0.001 * $1); n++; sx += x; sy += $2; sxx += x * x; sxy += x * $2 }
     END { slope = (n * sxy - sx * sy) / (n * sxx - sx * sx); print slope, (sy - slope * sx) / n }' "$folder/pressure.dat" > "$folder/line"
read -r slope own < "$folder/line"
rm -f "$folder/line"
near "growth of the pressure over that of 2 sigma / R" "$slope" 1 5 ""
chart "Pressure in a drop, less $(short "$own") Pa of cohesion" "radius, spacings" "pressure, Pa" "'pressure.dat' using 1:(\$2 - $own) with points pt 7 title 'pbf', 2 * 0.0728 / (0.001 * x) lc rgb '#c04a20' title '2 sigma / R'" "set xrange [4:14]; set yrange [0:*]"
