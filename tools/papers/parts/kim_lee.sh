about "The adaptive disk sector" \
    "Kim and Lee 2025, Scalable and rapid nearest neighbor particle search using adaptive disk sector, PLoS ONE 20(3) e0311163. Tables 1 and 2, Figures 5, 6, 9, 14 and 15." \
    "The published search has no structure: it tests every particle, and is timed with one query a frame, where building anything else costs more than the answer. That holds here, too, and more so, because the scan runs through memory at full speed. It does not carry over to simulations, in which every particle asks: there a grid is faster by orders of magnitude. The factor of 18.7 of Figures 5 and 6 cannot come from the sector, since disk and sector both test every particle."

tools/bench/sector "$build/bench_sector" "$build/bench_shapes" "$level" > /dev/null
echo "make bench-sector SECTOR=$level" > "$folder/commands"
cp build/bench/sector/*.csv build/bench/sector/report.txt "$folder"
for picture in build/bench/sector/*.png; do
    [ -f "$picture" ] && cp "$picture" "$folder" # there are none without gnuplot
done
because "For one query nothing pays to be built: the scan runs through memory at full speed, sixteen points at a time, so that every structure is further behind than published."
# Of all methods that the paper has, their time over the sector's.
awk -F, 'NR > 1 && $4 > 0 { key = $1 "," $3; if ($2 == "sector scan") { paper[key] = $4; next }
    printf "Table %s\t%s, %d points: times the sector'"'"'s time\t%.10g\t%s\n", $1, $2, $3, $4 / paper[key], $6 }' \
    "$folder/tables.csv" | while IFS='	' read -r table item published here; do row "$table" "$item" "$published" "$here" ""; done
because "Disk and sector both test every particle; the published factor cannot come from the shape of the search."
row "Figures 5, 6" "sector against brute force, 10,000 points: times as fast" 18.7 "$(sed -n 's/.*disk (here \([0-9.]*\) times).*/\1/p' "$folder/report.txt")" ""
because "The paper asks one question a frame; where many are asked, the grid is built once and answers each in the time of a few cells."
awk '/every point asks/ { on = 1 } on && $1 ~ /^[0-9]+$/ && NF == 10 { print $1, $2, $5, $10 }' "$folder/report.txt" | while read -r points scan lanes times; do
    row "not in it" "$points points: queries a frame from which on a grid is faster" "" "$scan" ""
    row "not in it" "$points points: the same against a scan by sixteens" "" "$lanes" ""
    row "not in it" "$points points, all ask: times the grid's time" "" "$times" ""
done
