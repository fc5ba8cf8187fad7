about "A hierarchical hash" \
    "Pouchol, Ahmad, Crespin and Terraz 2009, A Hierarchical Hashing Scheme for Nearest Neighbor Search and Broad-Phase Collision Detection. Figures 4 to 6, read from the text." \
    "Where few segments meet a box, skipping empty levels pays as published or better; where most do, both hashes spend their time on the boxes of a cell. In water over balls, balls of one size class leave no level to skip. For neighbors in dense water the paper finds the k-d tree fastest; with points sorted by cells and tested sixteen at a time it is the slowest here."

segments=200000 spacing=0.2 steps=5
full && segments=1000000 spacing=0.1 steps=15
echo "bench_broad_phase $segments $spacing $steps" > "$folder/commands"
echo "  broad phase" >&2
"$build/bench_broad_phase" "$segments" "$spacing" "$steps" > "$folder/broad_phase.txt"
awk '/as in the papers/ { on = 1 } /as in scenes/ { on = 0 } on && $1 ~ /^[0-9]+$/ && NF == 8 { print $1, $2, $5, $8 }' "$folder/broad_phase.txt" > "$folder/boxes.dat"
because "Skipping empty levels saves what it does not visit: much where few segments meet a box, little where most do and both hashes test the boxes of a cell."
while read -r boxes hit faster more; do
    row "Figure 4" "$boxes boxes, hit by $hit % of the segments: times as fast as the multilevel hash" "2 or more" "$faster" ""
done < "$folder/boxes.dat"
because "What is added are the cells above occupied ones; the fewer boxes share them, the more they weigh."
while read -r boxes hit faster more; do
    row "Figure 4" "$boxes boxes: memory added to the multilevel hash's" "10 or less" "$more" "%"
done < "$folder/boxes.dat"
because "The phase holds exact distances to the balls, which cost the same with both hashes; in water this dense they are most of it."
row "Figure 6" "balls in water: time saved against the multilevel hash, all moments together" 25 \
    "$(awk '/section 4.2/ { on = 1 } on && NF == 5 && $1 ~ /^[0-9.]+$/ { multilevel += $2; ours += $3 } END { print 100 * (1 - ours / multilevel) }' "$folder/broad_phase.txt")" "%"
spacing=0.2
full && spacing=0.1
measure dense dam_break "$spacing" 1 --steps 15 --neighbor spatial_hash,hierarchical_hash,kd_tree
because "All points are of one size, so that the hierarchy is one level and only its bookkeeping differs."
row "Figure 5" "dense water: hierarchical hash, times the uniform hash's time" "about 1" "$(both dense hierarchical_hash) / $(both dense spatial_hash)" ""
because "Buckets of a hash are tested sixteen at a time here and lie in the order of memory, which a tree with few points in a leaf cannot use; the published hash was a multimap of the standard library."
row "Figure 5" "dense water: k-d tree, times the uniform hash's time" "below 1" "$(both dense kd_tree) / $(both dense spatial_hash)" ""
chart figure_4.png "Broad phase: hierarchical against multilevel hash (Figure 4)" "times as fast" 'set xlabel "% of the segments that meet a box"
set yrange [0:*]
plot "boxes.dat" using 2:3 with linespoints lw 2 pt 7 lc rgb "#1f6fb5" title "pbf", 2 with lines dt 2 lw 2 lc rgb "#9dc3e6" title "published: at least"'
