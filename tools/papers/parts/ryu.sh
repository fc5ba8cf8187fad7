about "Linked lists in an octree" \
    "Ryu 2013, Utilization of Octree for Linked-list Method Used by Nearest Neighboring Particle Searching in Particle Methods (in Japanese). Tables 5 and 6, Figures 13 to 15; Table A-1 is compared entry by entry by tests/test_neighbor_octree.c." \
    "The paper's grid is a table of all cells of the domain, which the octree undercuts; pbf's grid lists only occupied cells where most are empty, so that it is compared with the table that the paper has. A query of the octree walks from cell to cell as in the paper; that the time it adds shrinks with the number of particles, and is lower than published, is due to searches of whole rows of particles at once."

sizes="1382,3.96,1.78,1.19,1.40 4185,10.6,6.50,4.43,5.29 14644,36.5,17.3,19.5,22.1"
full && sizes="1382,3.96,1.78,1.19,1.40 2534,6.44,4.09,2.38,2.83 4185,10.6,6.50,4.43,5.29 7194,17.0,8.84,8.49,9.75
    14644,36.5,17.3,19.5,22.1 24570,122,29.7,35.8,41.2 47164,240,62.0,78.5,88.6 100080,486,115,193,214"

# table_kb RUN: the table of all cells that the bench's last lines name.
table_kb() { awk '/a table of all/ { v = $(NF - 1); gsub(/,/, "", v); u = $NF; print v * (u == "MB" ? 1e3 : u == "GB" ? 1e6 : u == "kB" ? 1 : 1e-3) }' "$folder/$1.txt"; }

for size in $sizes; do
    IFS=, read -r count grid_kb tree_kb grid_ms tree_ms << TEXT
$size
TEXT
    run=dam_break_$count
    measure "$run" dam_break "$(num "0.05 * (1000000 / $count) ^ (1 / 3)")" 0.7 --steps 30 --neighbor uniform_grid,octree
    kb=$(num "$(of "$run" octree cell_bytes) / 1e3")
    because "The table of all cells grows with the tank, the octree with the water; the paper does not say how much of its tank is empty."
    row "Table 5" "$count particles: memory saved against a table of all cells" "100 * (1 - $tree_kb / $grid_kb)" "100 * (1 - $kb / $(table_kb "$run"))" "%"
    because "A query walks from leaf to leaf as published; particles are then tested sixteen at a time in both searches, beside which the walk weighs less."
    row "Table 6" "$count particles: time added to the grid's" "100 * ($tree_ms / $grid_ms - 1)" "100 * ($(both "$run" octree) / $(both "$run" uniform_grid) - 1)" "%"
    printf '%s %s %s %s %s\n' "$count" "$(num "100 * $tree_kb / $grid_kb")" "$(num "100 * $kb / $(table_kb "$run")")" \
        "$(num "100 * $tree_ms / $grid_ms")" "$(num "100 * $(both "$run" octree) / $(both "$run" uniform_grid)")" >> "$folder/sizes.dat"
done
spacing=0.2 start=3
full && spacing=0.1 start=6
measure waterfall waterfall "$spacing" "$start" --steps 10 --neighbor uniform_grid,octree
because "The share falls with the part of the hall that is empty, which is larger here; the paper does not give its size."
row "Figure 13" "car through a waterfall: the octree's memory, of a table of all cells" 1.49 "100 * $(of waterfall octree cell_bytes) / 1e3 / $(table_kb waterfall)" "%"
because "Published is the ratio of times summed from the first frame on, here that of steps at the end; at the beginning few particles make the octree's constant part weigh more."
row "Figure 15" "car through a waterfall: the octree's time, times the grid's, at the end" 1.18 "$(both waterfall octree) / $(both waterfall uniform_grid)" ""
chart sizes.png "Octree against grid, dam break (Tables 5 and 6)" "% of the grid's" 'set logscale x
set xlabel "particles"
set yrange [0:*]
plot "sizes.dat" using 1:2 with linespoints lw 2 pt 6 lc rgb "#9dc3e6" title "memory, published", "" using 1:3 with linespoints lw 2 pt 7 lc rgb "#1f6fb5" title "memory, pbf", "" using 1:4 with linespoints lw 2 pt 6 lc rgb "#f4c7a1" title "time, published", "" using 1:5 with linespoints lw 2 pt 7 lc rgb "#c77f1a" title "time, pbf"'
