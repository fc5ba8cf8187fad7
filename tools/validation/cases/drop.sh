about "Oscillating drop" "Rayleigh 1879: omega^2 = 8 sigma / (rho R^3)" \
    "A drop that starts as an ellipsoid, without gravity. Its kinetic energy has two peaks in a period."
radii=6
full && radii="6 9 12"
awk 'BEGIN { pi = atan2(0, -1); n = 24; m = 48; print "v 0 0 1"
    for (i = 1; i < n; i++) for (j = 0; j < m; j++) printf "v %.7f %.7f %.7f\n", sin(pi * i / n) * cos(2 * pi * j / m), sin(pi * i / n) * sin(2 * pi * j / m), cos(pi * i / n)
    print "v 0 0 -1"; last = 2 + (n - 1) * m
    for (j = 0; j < m; j++) { k = (j + 1) % m; print "f 1", 2 + j, 2 + k; print "f", last, last - m + k, last - m + j }
    for (i = 0; i < n - 2; i++) for (j = 0; j < m; j++) { k = (j + 1) % m; a = 2 + i * m
        print "f", a + j, a + m + j, a + m + k; print "f", a + j, a + m + k, a + k } }' > "$folder/ball.obj"
plot=""
for n in $radii; do
    r=$(num "0.001 * $n") period=$(num "2 * pi * sqrt(1000 * (0.001 * $n) ^ 3 / (8 * 0.0728))")
    simulate "radius_$n" --set fluid.surface_tension=0.0728 <<YAML
spacing: 0.001
fluid: {gravity: [0, 0, 0]}
solver: {time_step: 0.001}
water: [{mesh: {file: ball.obj, scale: [$(num "1.2 * $r"), $(num "$r / sqrt(1.2)"), $(num "$r / sqrt(1.2)")]}}]
output: {duration: $(num "2.5 * $period"), fps: $(num "60 / $period")}
YAML
    calc "radius_$n" "{ print v[\"time\"] / $period, 1e9 * v[\"kinetic_energy\"] }" > "$folder/radius_$n.dat"
    # Peaks of the energy, smoothed over a fifteenth of a period, a quarter of one apart at least.
    awk '{ x[NR] = $1; y[NR] = $2 } END { for (i = 3; i <= NR - 2; i++) s[i] = (y[i-2] + y[i-1] + y[i] + y[i+1] + y[i+2]) / 5
         for (i = 10; i <= NR - 10; i++) { top = 1; for (k = -7; k <= 7; k++) if (s[i + k] > s[i]) top = 0; if (top) { if (n == 0) { a = x[i]; e = s[i] } b = x[i]; f = s[i]; n++ } }
         if (n > 1) print 2 * (b - a) / (n - 1), (f / e) ^ (0.5 / (n - 1)); else print 0, 0 }' "$folder/radius_$n.dat" > "$folder/swing"
    read -r ratio kept < "$folder/swing"
    near "period over Rayleigh's, radius $n spacings" "$ratio" 1 5 ""
    above "swing kept in half a period, radius $n spacings" "$kept" 0.7 ""
    plot="$plot'radius_$n.dat' with lines lw 2 title '$n spacings', "
done
rm -f "$folder/swing"
chart "Oscillating drop" "time, periods of Rayleigh" "kinetic energy, nJ" "${plot% }" ""
