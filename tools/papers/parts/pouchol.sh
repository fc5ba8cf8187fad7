about "A hierarchical hash" \
    "Pouchol, Ahmad, Crespin and Terraz 2009, A Hierarchical Hashing Scheme for Nearest Neighbor Search and Broad-Phase Collision Detection. Figures 4 to 6, read from the text." \
    "Where few segments meet a box, skipping empty levels pays as published or better; where most do, both hashes spend their time on the boxes of a cell. In water over balls, balls of one size class leave no level to skip. For neighbors in dense water the paper finds the k-d tree fastest; with points sorted by cells and tested sixteen at a time it is the slowest here."

segments=200000 spacing=0.2 steps=5
full && segments=1000000 spacing=0.1 steps=15
echo "bench_broad_phase $segments $spacing $steps" > "$folder/commands"
echo "  broad phase" >&2
"$build/bench_broad_phase" "$segments" "$spacing" "$steps" > "$folder/broad_phase.txt"
awk '/as in the papers/ { on = 1 } /as in scenes/ { on = 0 } on && $1 ~ /^[0-9]+$/ && NF == 8 { print $1, $2, $5, $8 }' "$folder/broad_phase.txt" > "$folder/boxes.dat"
while read -r boxes hit faster more; do
    row "Figure 4" "$boxes boxes, hit by $hit % of the segments: times as fast as the multilevel hash" "2 or more" "$faster" ""
    row "Figure 4" "$boxes boxes: memory added to the multilevel hash's" "10 or less" "$more" "%"
done < "$folder/boxes.dat"
row "Figure 6" "balls in water: time saved against the multilevel hash, mean" 25 \
    "$(awk '/section 4.2/ { on = 1 } on && NF == 5 && $1 ~ /^[0-9.]+$/ { s += $5; n++ } END { print s / n }' "$folder/broad_phase.txt")" "%"
spacing=0.2
full && spacing=0.1
measure dense dam_break "$spacing" 1 --steps 15 --neighbor spatial_hash,hierarchical_hash,kd_tree
row "Figure 5" "dense water: hierarchical hash, times the uniform hash's time" "about 1" "$(both dense hierarchical_hash) / $(both dense spatial_hash)" ""
row "Figure 5" "dense water: k-d tree, times the uniform hash's time" "below 1" "$(both dense kd_tree) / $(both dense spatial_hash)" ""
chart figure_4.png "Broad phase: hierarchical against multilevel hash (Figure 4)" "times as fast" 'set xlabel "% of the segments that meet a box"
set yrange [0:*]
plot "boxes.dat" using 2:3 with linespoints lw 2 pt 7 lc rgb "#1f6fb5" title "pbf", 2 with lines dt 2 lw 2 lc rgb "#9dc3e6" title "published: at least"'
