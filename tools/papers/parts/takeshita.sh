about "AABB pruning of a uniform grid" \
    "Takeshita, AABB Pruning: Pruning of Neighborhood Search for Uniform Grid Using Axis-Aligned Bounding Box. Tables 1 and 2, section 4." \
    "The share of tests that the boxes prune is a property of the method and comes out as published. The share of time is smaller where distances are compared sixteen at a time: tests are cheap then, and building boxes is not. The paper takes means over all steps; here steps in the middle of each scene are measured, in the quick version with 64 times fewer particles, of which more lie at the surface and have fewer neighbors. Boxes take no memory here, because a cell makes its box when it is searched. Figure 5 is drawn for the dam break with 15,625 particles."

spacing=0.2 steps=41
full && spacing=0.05 steps=20
# Example, middle of its run (s), and of the paper, uniform grid and AABB: construction and search (s), behavior (s),
# tests, neighbors; particles where their number is constant.
while read -r scene start search search_box behavior tests tests_box neighbors particles; do
    measure "$scene" "$scene" "$spacing" "$start" --steps "$steps" --neighbor uniform_grid,aabb_grid
    ours=$(both "$scene" uniform_grid) ours_box=$(both "$scene" aabb_grid) count=$(of "$scene" "" particles)
    title="$scene, $count particles"
    because "Sixteen distances are compared at once, so that tests which a box prunes cost little, and making the boxes does not get cheaper."
    row "Table 1" "$title: time saved by the boxes, construction and search" "100 * (1 - $search_box / $search)" "100 * (1 - $ours_box / $ours)" "%"
    if [ "$particles" -gt 0 ]; then
        because "One thread of a newer processor with wide vectors here, four cores of 4.2 GHz and OpenMP there; both sides are seconds a step."
        row "Table 1" "$title: construction and search, uniform grid, of a million particles" "$search * 1e6 / $particles" "$ours * 1e3 / $count" s
        because "Passes here take sixteen particles at once and share each pair between its two sides; a pressure that reaches through the tank is solved for beside the iterations."
        row "Table 1" "$title: behavior of a million particles" "$behavior * 1e6 / $particles" "$(of "$scene" uniform_grid behavior_ms) * 1e3 / $count" s
    fi
    c=$(of "$scene" uniform_grid candidates) b=$(of "$scene" aabb_grid candidates) n=$(of "$scene" uniform_grid neighbors)
    because "Cells are as wide as the radius in both, 27 of them a particle; fewer particles have a larger share at the surface, whose cells are half empty."
    row "Table 2" "$title: tests for each neighbor, uniform grid" "$tests / $neighbors" "$c / $n" ""
    row "Table 2" "$title: tests that the boxes prune" "100 * (1 - $tests_box / $tests)" "100 * (1 - $b / $c)" "%"
    because "A cell makes its box when it is searched, in registers, and keeps none."
    row "section 4" "$title: memory of the boxes, of the program's" "$(case $scene in dam_break) echo 0.20 ;; falling_chunks) echo 0.18 ;; plates) echo 3.22 ;; wave) echo 0.83 ;; *) echo 4.26 ;; esac)" \
        "100 * ($(of "$scene" aabb_grid structure_bytes) - $(of "$scene" uniform_grid structure_bytes)) / $(of "$scene" "" peak_rss_bytes)" "%"
    printf '%s %s %s %s %s\n' "$scene" "$(num "100 * (1 - $tests_box / $tests)")" "$(num "100 * (1 - $b / $c)")" \
        "$(num "100 * (1 - $search_box / $search)")" "$(num "100 * (1 - $ours_box / $ours)")" >> "$folder/reductions.dat"
    equal "$scene" || echo "papers: $scene: the two methods' states differ" >&2
done << 'TABLE'
dam_break 3 1.703 1.367 10.711 427299320.7 282275071.5 70278482.2 1000000
falling_chunks 4.5 1.760 1.432 10.931 508952655.3 339531792.0 81610148.5 1277760
plates 4 2.518 1.927 14.105 347312760.0 234841325.1 62073916.7 0
wave 2.8 0.912 0.741 6.987 407398749.8 266156459.9 66779049.6 1000000
cylinders 1.9 2.617 2.016 13.159 367846109.7 242378598.4 62117093.3 0
TABLE
chart reductions.png "What the boxes save" "%" 'set style data histograms
set style fill solid 0.9 border -1
set xtics nomirror font ",10"
set yrange [*<0:*]
plot "reductions.dat" using 2:xtic(1) title "tests, published" lc rgb "#9dc3e6", "" using 3 title "tests, pbf" lc rgb "#1f6fb5", "" using 4 title "time, published" lc rgb "#f4c7a1", "" using 5 title "time, pbf" lc rgb "#c77f1a"'
# Figure 5 (a): the reduction at each step.
frames=12
full && frames=180
echo "  figure 5" >&2
echo "pbf compare scenes/dam_break.yaml --spacing 0.2 --threads 1 --neighbor uniform_grid,aabb_grid --frames $frames --size 320x180 --out figure_5" >> "$folder/commands"
"$PBF_BINARY" compare scenes/dam_break.yaml --spacing 0.2 --threads 1 --neighbor uniform_grid,aabb_grid --frames "$frames" --size 320x180 --out "$folder/figure_5" --quiet > /dev/null
cp "$folder/figure_5/reduction.png" "$folder/figure_5.png"
