about "Communicating vessels" "Hydrostatics: both levels come to V / A" \
    "Two basins that a gap under their common wall joins, filled to 1.0 m and 0.4 m. Levels swing on for long: means are over the last ten of twenty seconds."
d=0.05
full && d=0.025
w=$(num "6 * $d") t=$(num "2 * $d")
simulate basins <<YAML
spacing: $d
tank: {size: [2.2, $w, 1.5]}
water:
  - {box: {min: [0, 0, 0], max: [1.0, $w, 1.0]}}
  - {box: {min: [$(num "1 + $t"), 0, 0], max: [2.2, $w, 0.4]}}
  - {box: {min: [1.0, 0, 0], max: [$(num "1 + $t"), $w, 0.2]}}
obstacles: [{name: wall, box: {size: [$t, $(num "1.2 * $w"), 2]}, position: [$(num "1 + $t / 2"), $(num "$w / 2"), 1.25]}]
probes:
  - {name: left, level: {position: [0.5, $(num "$w / 2")]}}
  - {name: right, level: {position: [1.6, $(num "$w / 2")]}}
output: {duration: 20, fps: 20}
YAML
calc basins '{ print v["time"], v["left_level"], v["right_level"] }' > "$folder/levels.dat"
mean() { calc basins "v[\"time\"] > 10 { sum += v[\"$1\"]; n++ } END { printf \"%.6g\", sum / n }"; }
final=$(calc basins "NR == 2 { printf \"%.8g\", (v[\"volume\"] / $w - $t * 0.25) / (2.2 - $t) }")
near "level on the left" "$(mean left_level)" "$final" 2 m
near "level on the right" "$(mean right_level)" "$final" 2 m
chart "Communicating vessels" "time, s" "level, m" "'levels.dat' using 1:2 with lines lw 2 title 'left', 'levels.dat' using 1:3 with lines lw 2 title 'right', $final lc rgb '#c04a20' dt 2 title 'V / A'"
