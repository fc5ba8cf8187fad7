about "Still water" "Hydrostatics: p = rho g (H - z)" \
    "A closed column of 2 m. It must stay where it is: pressure, level, and the speed that is left after four seconds."
d=0.1
full && d=0.05
probes=""
for k in 1 2 3 4 5 6 7 8 9; do
    probes="$probes  - {name: p$k, pressure: {position: [0.5, 0.3, $(num "0.2 * $k")]}}
"
done
simulate column <<YAML
spacing: $d
tank: {size: [1, 0.6, 3]}
water: [{box: {min: [0, 0, 0], max: [1, 0.6, 2]}}]
probes:
  - {name: gauge, level: {position: [0.5, 0.3]}}
${probes}output: {duration: 6, fps: 10}
YAML
mean() { calc column "v[\"time\"] > 4 { sum += $1; n++ } END { printf \"%.8g\", sum / n }"; }
: > "$folder/profile.dat"
for k in 1 2 3 4 5 6 7 8 9; do
    echo "$(num "0.2 * $k") $(mean "v[\"p${k}_pressure\"]")" >> "$folder/profile.dat"
done
near "pressure 1 m deep" "$(mean 'v["p5_pressure"]')" 9810 5 Pa
near "pressure 1.6 m deep" "$(mean 'v["p2_pressure"]')" 15696 5 Pa
near "level" "$(mean 'v["gauge_level"]')" 2 0.3 m
below "rms speed over sqrt(g H)" "$(mean 'sqrt(2 * v["kinetic_energy"] / 1200) / sqrt(g * 2)')" 0.003 ""
below "mean density error" "$(mean 'v["density_error_mean"]')" 0.006 ""
chart "Still water, $d m" "height, m" "pressure, Pa" "'profile.dat' with points pt 7 lc rgb '#2f6fb0' title 'pbf', 9810 * (2 - x) lc rgb '#c04a20' title 'rho g (H - z)'" "set xrange [0:2]"
