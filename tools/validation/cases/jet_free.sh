about "Free round jet" "Inertia: a jet without gravity stays as it left" \
    "A disc of 0.3 m radius pours at 4 m/s into empty space. How much of it passes a square of 1.1 times its width 4 m away, at several lengths of the step."
d=0.1
full && d=0.05
plot=""
for step in 6 3 1; do
    simulate "step_$step" <<YAML
spacing: $d
fluid: {gravity: [0, 0, 0]}
solver: {time_step: $(num "0.001 * $step")}
emitters: [{disc: {radius: 0.3}, position: [0, 0, 0], rotation: [0, 90, 0], speed: 4}]
drains: [{box: {size: [5, 40, 40]}, position: [7.5, 0, 0]}]
probes:
  - {name: all, flux: {width: 20, height: 20, position: [4, 0, 0], rotation: [0, 90, 0]}}
  - {name: core, flux: {width: 0.66, height: 0.66, position: [4, 0, 0], rotation: [0, 90, 0]}}
output: {duration: 2, fps: 20}
YAML
    mean() { calc "step_$step" "v[\"time\"] > 1.4 { sum += $1; n++ } END { printf \"%.6g\", sum / n }"; }
    above "share within 1.1 widths, $step ms" "$(mean 'v["core_flux"]') / ($(mean 'v["all_flux"]') + 1e-9)" 0.98 ""
    below "mean density error, $step ms" "$(mean 'v["density_error_mean"]')" 0.01 ""
    calc "step_$step" '{ print v["time"], v["core_flux"] }' > "$folder/step_$step.dat"
    plot="$plot'step_$step.dat' with lines lw 2 title '$step ms', "
done
chart "Free round jet" "time, s" "flux 4 m away, m^3/s" "$plot $(num 'pi * 0.09 * 4') lc rgb '#c04a20' dt 2 title 'area x speed'" "set yrange [0:*]"
