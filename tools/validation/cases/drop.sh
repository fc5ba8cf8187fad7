about "Oscillating drop" "Rayleigh 1879: omega^2 = 8 sigma / (rho R^3)" \
    "A drop that starts as an ellipsoid, without gravity. Its lengthening, spread_x^2 less the mean of spread_y^2 and spread_z^2, swings about 0. In small drops it matters how they start on the lattice: results are means over four starts."
radii=6
full && radii="6 9 12"
starts="0 0.31 0.47 0.73"
# From two columns, time in periods and lengthening: the curve c + exp(-b t) (p cos 2 pi w t + q sin 2 pi w t) that
# is nearest. Prints period and what is left after half of Rayleigh's.
fit='{ t[NR] = $1; y[NR] = $2 }
function try_at(w, b,   k, e, s, m, n, i, j, l, f, x, sum) {
    for (i = 0; i < 3; i++) for (j = 0; j < 4; j++) m[i, j] = 0
    for (k = 1; k <= NR; k++) { e = exp(-b * t[k]); f[0] = 1; f[1] = e * cos(2 * pi * w * t[k]); f[2] = e * sin(2 * pi * w * t[k]); f[3] = y[k]
        for (i = 0; i < 3; i++) for (j = 0; j < 4; j++) m[i, j] += f[i] * f[j] }
    for (i = 0; i < 3; i++) for (j = i + 1; j < 3; j++) { n = m[j, i] / m[i, i]; for (l = i; l < 4; l++) m[j, l] -= n * m[i, l] }
    for (i = 2; i >= 0; i--) { x[i] = m[i, 3]; for (j = i + 1; j < 3; j++) x[i] -= m[i, j] * x[j]; x[i] /= m[i, i] }
    for (k = 1; k <= NR; k++) { e = exp(-b * t[k]); s = y[k] - x[0] - e * (x[1] * cos(2 * pi * w * t[k]) + x[2] * sin(2 * pi * w * t[k])); sum += s * s }
    if (!tried++ || sum < least) { least = sum; best_w = w; best_b = b } }
END { pi = atan2(0, -1)
    for (w = 0.7; w < 1.3; w += 0.02) for (b = 0; b < 3; b += 0.1) try_at(w, b)
    w0 = best_w; b0 = best_b
    for (w = w0 - 0.02; w <= w0 + 0.02; w += 0.004) for (b = b0 - 0.1; b <= b0 + 0.1; b += 0.02) try_at(w, b)
    print 1 / best_w, exp(-0.5 * best_b) }'
plot=""
for n in $radii; do
    r=$(num "0.001 * $n") period=$(num "2 * pi * sqrt(998 * (0.001 * $n) ^ 3 / (8 * 0.0728))")
    : > "$folder/swings"
    for start in $starts; do
        run=radius_${n}_$start
        spheroid "$run" "$(num "1.1 * $r")" "$(num "$r / sqrt(1.1)")" "$start"
        simulate "$run" --set fluid.surface_tension=0.0728 <<YAML
spacing: 0.001
fluid: {gravity: [0, 0, 0]}
solver: {time_step: 0.001}
water: [{mesh: {file: $run.obj, scale: [$(num "1.1 * $r"), $(num "$r / sqrt(1.1)"), $(num "$r / sqrt(1.1)")]}}]
output: {duration: $(num "2 * $period"), fps: $(num "30 / $period")}
YAML
        calc "$run" "{ print v[\"time\"] / $period, 1e6 * (v[\"spread_x\"] ^ 2 - (v[\"spread_y\"] ^ 2 + v[\"spread_z\"] ^ 2) / 2) }" > "$folder/$run.dat"
        awk "$fit" "$folder/$run.dat" >> "$folder/swings"
    done
    read -r ratio kept <<SWING
$(awk '{ period += $1; kept += $2 } END { print period / NR, kept / NR }' "$folder/swings")
SWING
    near "period over Rayleigh's, radius $n spacings" "$ratio" 1 5 ""
    above "swing kept in half a period, radius $n spacings" "$kept" 0.7 ""
    plot="$plot'radius_${n}_0.dat' with lines lw 2 title '$n spacings', "
done
rm -f "$folder/swings"
chart "Oscillating drop" "time, periods of Rayleigh" "lengthening, mm^2" "${plot% }" ""
