about "Sloshing tank" "Linear theory of standing waves: omega^2 = g k tanh(k h), k = pi / L" \
    "Water 1 m deep in a tank of 4 m starts with a cosine of 0.1 m. Period, and what is left of the swing of the center of mass after each half period."
depths="10"
full && depths="10 20 40"
plot=""
for layers in $depths; do
    d=$(num "1 / $layers")
    {
        echo "spacing: $d
tank: {size: [4, $(num "6 * $d"), 1.8]}
output: {duration: 6, fps: 50}
water:"
        awk -v d="$d" 'BEGIN { n = int(4 / d + 0.5); pi = atan2(0, -1)
            for (i = 0; i < n; i++) printf "  - box: {min: [%.8g, 0, 0], max: [%.8g, %.8g, %.8g]}\n", i * d, (i + 1) * d, 6 * d,
                int((1 + 0.1 * cos(pi * (i + 0.5) / n)) / d + 0.5) * d + 1e-4 * d }'
    } | simulate "layers_$layers"
    calc "layers_$layers" '{ print v["time"], v["center_x"] - 2 }' > "$folder/layers_$layers.dat"
    # Zero crossings, and the largest excursion between them.
    awk 'NR > 1 && x * $2 < 0 { c = t - x * ($1 - t) / ($2 - x); if (n++) { half += c - last; peaks[n - 1] = most } last = c; most = 0 }
         { t = $1; x = $2; a = x < 0 ? -x : x; if (a > most) most = a }
         END { print 2 * half / (n - 1), (n > 3 ? (peaks[n - 1] / peaks[1]) ^ (1 / (n - 2)) : 0) }' "$folder/layers_$layers.dat" > "$folder/swing"
    read -r period kept < "$folder/swing"
    near "period, $layers layers" "$period" "2 * pi / sqrt(g * pi / 4 * 0.6557942)" 1.5 s
    case $layers in 10) least=0.80 ;; 20) least=0.90 ;; *) least=0.96 ;; esac
    above "swing kept in half a period, $layers layers" "$kept" "$least" ""
    plot="$plot'layers_$layers.dat' with lines lw 2 title 'pbf, $layers layers', "
done
rm -f "$folder/swing"
chart "Sloshing tank" "time, s" "center of mass, m from the middle" \
    "${plot}a * cos(sqrt(9.81 * pi / 4 * 0.6557942) * x) lc rgb '#c04a20' dt 2 title 'linear theory'" "a = $(awk 'NR == 1 { print $2 }' "$folder/layers_10.dat"); set samples 400"
