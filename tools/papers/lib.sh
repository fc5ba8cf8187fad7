# What the parts are written with. Set by the driver: $name of the part, $level (quick or full), $out, $build,
# $PBF_BINARY.
folder=$out/$name

full() { [ "$level" = full ]; }

# Title, source, and a paragraph on why numbers differ.
about() { printf '%s\n' "$1" > "$folder/title"; printf '%s\n' "$2" > "$folder/source"; printf '%s\n' "$3" > "$folder/text"; }

num() { awk "BEGIN { printf \"%.10g\", $1 }"; }
short() { awk "BEGIN { printf \"%.4g\", $1 }"; }

# Why the rows that follow differ from what is published, in one sentence.
because() { why=$1; }

# row TABLE QUANTITY PUBLISHED HERE UNIT: values are expressions; PUBLISHED may be words, or nothing where the
# paper has no number.
row() {
    case $3 in
    *[a-df-zA-Z]* | '') published=${3:--} ratio=- ;;
    *) published=$(short "$3") ratio=$(awk "BEGIN { p = $3; if (p != 0) printf \"%.3g\", ($4) / p }") ;;
    esac
    printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "$name" "$1" "$2" "$published" "$(short "$4")" "$5" "$ratio" "$why" >> "$folder/results.tsv"
}

# measure RUN SCENE SPACING START OPTIONS...: pbf bench from START seconds on, its table in RUN.txt and RUN.json. A
# state is simulated once, and serves every method and part. One
# thread, which other programs disturb least.
measure() {
    run=$1 state=$out/states/$2_$3_$4
    mkdir -p "$out/states"
    echo "  $run" >&2
    if [ ! -f "$state/checkpoint_0001.pbf" ]; then
        rm -rf "$state"
        "$PBF_BINARY" run "scenes/$2.yaml" --spacing "$3" --frames 2 --fps "$(num "1 / $4")" --checkpoint-every 1 --out "$state" --quiet
    fi
    {
        echo "pbf run $2 --spacing $3 --frames 2 --fps $(num "1 / $4") --checkpoint-every 1 --out ${state##*/}"
        shift 4
        echo "pbf bench --resume ${state##*/}/checkpoint_0001.pbf $* --threads 1 --json $run.json"
    } >> "$folder/commands"
    "$PBF_BINARY" bench --resume "$state/checkpoint_0001.pbf" "$@" --threads 1 --quiet --json "$folder/$run.json" > "$folder/$run.txt"
}

# of RUN METHOD FIELD: a number of a method; METHOD "": of the whole run.
of() {
    awk -v method="$2" -v field="$3" '
        /"name":/ { inside = index($0, "\"" method "\"") }
        (method == "" || inside) && match($0, "\"" field "\": [0-9.]+") {
            text = substr($0, RSTART, RLENGTH); sub(/.*: /, "", text); print text; exit
        }' "$folder/$1.json"
}

# Construction and search of a method, ms a step.
both() { num "$(of "$1" "$2" construction_ms) + $(of "$1" "$2" search_ms)"; }

# Did all methods of a run end in the same state?
equal() { [ "$(grep -o '"state_hash": "[0-9a-f]*"' "$folder/$1.json" | sort -u | wc -l)" -eq 1 ]; }

# chart FILE "TITLE" "Y" COMMANDS: a PNG from gnuplot's commands, in the part's folder.
chart() {
    command -v gnuplot > /dev/null || { echo "papers: no chart without gnuplot (apt-get install gnuplot-nox)" >&2; return 0; }
    (cd "$folder" && gnuplot) << GNUPLOT
set terminal pngcairo size 900,420 font "DejaVu Sans,12" background "#ffffff" noenhanced
set output "$1"
set grid ytics lc rgb "#dddddd"
set key outside right top Left reverse samplen 1.6
set title "$2"
set ylabel "$3"
$4
GNUPLOT
}
