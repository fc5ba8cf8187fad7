about "Outflow through a slot" "Torricelli 1644: v = sqrt(2 g H); free streamline theory (Kirchhoff): Cd = pi / (pi + 2) = 0.611" \
    "A slot of 0.3 m in the side of a reservoir. Speed of the jet, and its flux over slot x sqrt(2 g H)."
d=0.05
full && d=0.025
w=$(num "8 * $d") t=$(num "2 * $d")
simulate slot <<YAML
spacing: $d
tank: {size: [4, $w, 3]}
water: [{box: {min: [0, 0, 0], max: [2, $w, 1.85]}}]
obstacles:
  - {name: low, box: {size: [$t, $(num "1.2 * $w"), 0.5]}, position: [$(num "2 + $t / 2"), $(num "$w / 2"), 0.25]}
  - {name: high, box: {size: [$t, $(num "1.2 * $w"), 2.6]}, position: [$(num "2 + $t / 2"), $(num "$w / 2"), 2.1]}
drains: [{box: {size: [2, 4, 4]}, position: [4.2, 0, 0]}]
probes:
  - {name: gauge, level: {position: [0.8, $(num "$w / 2")]}}
  - {name: jet, velocity: {position: [$(num "2 + $t + 0.2"), $(num "$w / 2"), 0.65]}}
  - {name: slot, flux: {width: 2, height: 2, position: [$(num "2 + $t"), $(num "$w / 2"), 0.65], rotation: [0, 90, 0]}}
output: {duration: 2.5, fps: 20}
YAML
calc slot 'v["time"] > 0.8 && v["jet_vx"] != "nan" && v["gauge_level"] != "nan" { h = v["gauge_level"] - 0.65; print v["time"], sqrt(v["jet_vx"] ^ 2 + v["jet_vz"] ^ 2) / sqrt(2 * g * h), v["slot_flux"] / (0.3 * '"$w"' * sqrt(2 * g * h)) }' > "$folder/slot.dat"
mean() { awk "{ sum += \$$1; n++ } END { printf \"%.6g\", sum / n }" "$folder/slot.dat"; }
near "speed of the jet over sqrt(2 g H)" "$(mean 2)" 1 4 ""
near "discharge coefficient" "$(mean 3)" 0.611 5 ""
chart "Outflow through a slot of $(num "0.3 / $d") spacings" "time, s" "over theory without contraction" "'slot.dat' using 1:2 with lines lw 2 title 'speed', 'slot.dat' using 1:3 with lines lw 2 title 'flux', 1 lc rgb '#c04a20' dt 2 title 'Torricelli', 0.611 lc rgb '#c04a20' dt 3 title 'Kirchhoff'" "set yrange [0:1.3]"
