about "Oscillating drop" "Rayleigh 1879: omega^2 = 8 sigma / (rho R^3)" \
    "A drop that starts as an ellipsoid, without gravity. Its lengthening, spread_x^2 less the mean of spread_y^2 and spread_z^2, swings about 0. In small drops it matters how they start on the lattice: results are means over four starts."
radii=6
full && radii="6 9 12"
starts="0 0.31 0.47 0.73"
awk 'BEGIN { pi = atan2(0, -1); n = 24; m = 48; print "v 0 0 1"
    for (i = 1; i < n; i++) for (j = 0; j < m; j++) printf "v %.7f %.7f %.7f\n", sin(pi * i / n) * cos(2 * pi * j / m), sin(pi * i / n) * sin(2 * pi * j / m), cos(pi * i / n)
    print "v 0 0 -1"; last = 2 + (n - 1) * m
    for (j = 0; j < m; j++) { k = (j + 1) % m; print "f 1", 2 + j, 2 + k; print "f", last, last - m + k, last - m + j }
    for (i = 0; i < n - 2; i++) for (j = 0; j < m; j++) { k = (j + 1) % m; a = 2 + i * m
        print "f", a + j, a + m + j, a + m + k; print "f", a + j, a + m + k, a + k } }' > "$folder/ball.obj"
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
        # The lattice starts where the mesh's box does: a grain below it shifts the drop between the points.
        {
            cat "$folder/ball.obj"
            awk -v r="$r" -v d="$(num "0.001 * $start")" 'BEGIN { long = 1.1 * r; wide = r / sqrt(1.1); e = 1e-3
                x = -1 - d / long; y = -1 - 0.6 * d / wide; z = -1 - 1.4 * d / wide
                print "v", x, y, z; print "v", x + e, y, z; print "v", x, y + e, z; print "v", x, y, z + e
                print "f -4 -2 -3"; print "f -4 -3 -1"; print "f -4 -1 -2"; print "f -3 -2 -1" }'
        } > "$folder/$run.obj"
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
