about "Spinning water" "Conservation of angular momentum" \
    "Two halves of a block that move against each other, without gravity and walls, become a spinning drop."
d=0.1
full && d=0.05
simulate block <<YAML
spacing: $d
fluid: {gravity: [0, 0, 0]}
water:
  - {box: {min: [0, 0, 0], max: [0.6, 1.2, 1.2]}, velocity: [0, -0.5, 0]}
  - {box: {min: [0.6, 0, 0], max: [1.2, 1.2, 1.2]}, velocity: [0, 0.5, 0]}
output: {duration: 4, fps: 20}
YAML
calc block 'NR == 2 { l = v["angular_momentum_z"] } { print v["time"], v["angular_momentum_z"] / l, v["energy"] / (0.5 * v["volume"] * 1000 * 0.25) }' > "$folder/block.dat"
near "angular momentum after 4 s over that at the start" "$(tail -1 "$folder/block.dat" | cut -d' ' -f2)" 1 0.5 ""
below "largest energy over that at the start" "$(awk '$3 > most { most = $3 } END { print most }' "$folder/block.dat")" 1.001 ""
chart "Spinning water" "time, s" "over the start" "'block.dat' using 1:2 with lines lw 2 title 'angular momentum', 'block.dat' using 1:3 with lines lw 2 title 'energy'" "set yrange [0:1.1]"
