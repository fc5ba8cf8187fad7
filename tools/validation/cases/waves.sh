about "Sloshing tank" "Linear theory of standing waves: omega^2 = g k tanh(k h), k = pi / L" \
    "Water 1 m deep in a tank of 4 m starts with a cosine of 0.1 m. Period, and what is left of the swing of the center of mass after each half period."
depths="10"
full && depths="10 20 40"
plot=""
for layers in $depths; do
    wave_tank "$layers" | simulate "layers_$layers"
    measure_swing "layers_$layers"
    near "period, $layers layers" "$period" "$WAVE_PERIOD" 1.5 s
    case $layers in 10) least=0.80 ;; 20) least=0.90 ;; *) least=0.96 ;; esac
    above "swing kept in half a period, $layers layers" "$kept" "$least" ""
    plot="$plot'layers_$layers.dat' with lines lw 2 title 'pbf, $layers layers', "
done
chart "Sloshing tank" "time, s" "center of mass, m from the middle" \
    "${plot}a * cos(sqrt(9.81 * pi / 4 * 0.6557942) * x) lc rgb '#c04a20' dt 2 title 'linear theory'" "a = $(awk 'NR == 1 { print $2 }' "$folder/layers_10.dat"); set samples 400"
