# What cases are written with. Set by the driver: $name of the case, $level (quick or full), $out, $PBF_BINARY.
folder=$out/$name

full() { [ "$level" = full ]; }

# Title, source and a paragraph for the page.
about() { printf '%s\n' "$1" > "$folder/title"; printf '%s\n' "$2" > "$folder/source"; printf '%s\n' "$3" > "$folder/text"; }

# Numbers from an awk expression: num '2 * sqrt(9.81)'.
num() { awk "BEGIN { pi = atan2(0, -1); g = 9.81; printf \"%.10g\", $1 }"; }

# simulate RUN [OPTIONS]: runs the scene on standard input and logs it to RUN.csv.
simulate() {
    run=$1
    shift
    cat > "$folder/$run.yaml"
    echo "  $run" >&2
    echo "pbf run $run.yaml --log $run.csv $*" >> "$folder/commands"
    "$PBF_BINARY" run "$folder/$run.yaml" --log "$folder/$run.csv" --quiet "$@"
}

# calc RUN PROGRAM: runs an awk program over the rows of a log; v["time"] is a column.
calc() {
    awk -F, 'BEGIN { pi = atan2(0, -1); g = 9.81 } NR == 1 { for (i = 1; i <= NF; i++) name[i] = $i; next }
             { for (i = 1; i <= NF; i++) v[name[i]] = $i == "nan" || $i == "-nan" ? "nan" : $i + 0 } '"$2" "$folder/$1.csv"
}

put() { printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "$name" "$1" "$2" "$3" "$4" "$5" "$6" >> "$folder/results.tsv"; }

# near QUANTITY VALUE REFERENCE PERCENT UNIT: within so many percent of the reference. Values may be expressions.
near() {
    value=$(num "$2") reference=$(num "$3")
    put "$1" "$(short "$value")" "$(short "$reference")" "$4 %" "$5" \
        "$(holds "($value - $reference) ^ 2 <= (0.01 * $4 * $reference) ^ 2")"
}
# below QUANTITY VALUE LIMIT UNIT, above QUANTITY VALUE LIMIT UNIT
below() { put "$1" "$(short "$2")" "" "at most $3" "$4" "$(holds "$2 <= $3")"; }
above() { put "$1" "$(short "$2")" "" "at least $3" "$4" "$(holds "$2 >= $3")"; }
holds() { awk "BEGIN { print ($1) ? \"yes\" : \"no\" }"; }
short() { awk "BEGIN { printf \"%.4g\", $1 }"; }

# chart "TITLE" "X" "Y" PLOT: a chart from gnuplot's arguments of plot; files are in the case's folder.
chart() {
    command -v gnuplot > /dev/null || { echo "validation: no chart without gnuplot (apt-get install gnuplot-nox)" >&2; return 0; }
    (cd "$folder" && gnuplot) <<GNUPLOT
set terminal svg size 720,420 font "DejaVu Sans,12" background "#ffffff" noenhanced
set output "chart.svg"
set key outside right top Left reverse samplen 2
set grid lc rgb "#dddddd"
set title "$1"
set xlabel "$2"
set ylabel "$3"
${5:-}
plot $4
GNUPLOT
}

# wave_tank LAYERS: the scene of a tank of 4 m, filled 1 m deep by so many layers, with a standing wave of 0.1 m.
wave_tank() {
    d=$(num "1 / $1")
    echo "spacing: $d
tank: {size: [4, $(num "6 * $d"), 1.8]}
output: {duration: 6, fps: 50}
water:"
    awk -v d="$d" 'BEGIN { n = int(4 / d + 0.5); pi = atan2(0, -1)
        for (i = 0; i < n; i++) printf "  - box: {min: [%.8g, 0, 0], max: [%.8g, %.8g, %.8g]}\n", i * d, (i + 1) * d, 6 * d,
            int((1 + 0.1 * cos(pi * (i + 0.5) / n)) / d + 0.5) * d + 1e-4 * d }'
}
WAVE_PERIOD="2 * pi / sqrt(g * pi / 4 * 0.6557942)" # of linear theory, s; tanh(pi / 4)

# measure_swing RUN: sets period (s) and kept, the share of the swing kept in half of one, by the zero crossings
# of the center of mass and the largest excursions between them. Writes RUN.dat.
measure_swing() {
    calc "$1" '{ print v["time"], v["center_x"] - 2 }' > "$folder/$1.dat"
    kept=$(awk 'NR > 1 && x * $2 < 0 { c = t - x * ($1 - t) / ($2 - x); if (n++) { half += c - last; peaks[n - 1] = most } last = c; most = 0 }
         { t = $1; x = $2; a = x < 0 ? -x : x; if (a > most) most = a }
         END { print 2 * half / (n - 1), (n > 3 ? (peaks[n - 1] / peaks[1]) ^ (1 / (n - 2)) : 0) }' "$folder/$1.dat")
    period=${kept% *} kept=${kept#* }
}

# spheroid FILE LONG WIDE START: FILE.obj, a ball of radius 1 for a mesh of water with these half axes, m, at a spacing
# of 1 mm. The lattice starts where the mesh's box does: a grain below it shifts the ball between the points, by START
# spacings along x.
spheroid() {
    awk -v long="$2" -v wide="$3" -v d="$(num "0.001 * $4")" 'BEGIN { pi = atan2(0, -1); n = 24; m = 48; print "v 0 0 1"
        for (i = 1; i < n; i++) for (j = 0; j < m; j++) printf "v %.7f %.7f %.7f\n", sin(pi * i / n) * cos(2 * pi * j / m), sin(pi * i / n) * sin(2 * pi * j / m), cos(pi * i / n)
        print "v 0 0 -1"; last = 2 + (n - 1) * m
        for (j = 0; j < m; j++) { k = (j + 1) % m; print "f 1", 2 + j, 2 + k; print "f", last, last - m + k, last - m + j }
        for (i = 0; i < n - 2; i++) for (j = 0; j < m; j++) { k = (j + 1) % m; a = 2 + i * m
            print "f", a + j, a + m + j, a + m + k; print "f", a + j, a + m + k, a + k }
        x = -1 - d / long; y = -1 - 0.6 * d / wide; z = -1 - 1.4 * d / wide; e = 1e-3
        print "v", x, y, z; print "v", x + e, y, z; print "v", x, y + e, z; print "v", x, y, z + e
        print "f -4 -2 -3"; print "f -4 -3 -1"; print "f -4 -1 -2"; print "f -3 -2 -1" }' > "$folder/$1.obj"
}
