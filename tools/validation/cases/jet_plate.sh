about "Plane jet on a plate" "Free streamline theory: shares of the outflow (1 +- cos theta) / 2, speed of the film that of the jet, force rho b U^2 sin theta" \
    "A jet of twelve spacings at 4 m/s, without gravity, on a plate at an angle."
d=0.05 b=0.6
w=$(num "6 * $d")
# Angles, and lengths of steps in ms if not the longest that the flow allows.
jets="90"
full && jets="90 60 30 90:1 60:1"
plot=""
for jet in $jets; do
    angle=${jet%:*} step="" how="$angle degrees"
    case $jet in *:*)
        step="solver: {time_step: $(num "0.001 * ${jet#*:}")}"
        how="$how, ${jet#*:} ms"
        ;;
    esac
    s=$(num "sin($angle * pi / 180)") c=$(num "cos($angle * pi / 180)")
    along() { num "2.5 + ($1) * $c - ($2) * $s"; } # x, and z, so far along the plate and above it
    up() { num "2.5 + ($1) * $s + ($2) * $c"; }
    # The one behind is lower than the jet.
    gate() { echo "  - {name: $1, flux: {width: $3, height: 1, position: [$(along "$2" "$3 / 2"), $(num "$w / 2"), $(up "$2" "$3 / 2")], rotation: [0, $(num "90 - $angle"), 0]}}"; }
    simulate "angle_$jet" <<YAML
spacing: $d
tank: {size: [5, $w, 5], open: [left, right, top, bottom]}
fluid: {gravity: [0, 0, 0]}
$step
emitters: [{rectangle: {width: $b, height: $w}, position: [0.3, $(num "$w / 2"), 2.5], rotation: [0, 90, 0], speed: 4}]
obstacles: [{name: plate, plate: {size: [6, $(num "1.2 * $w")], thickness: $(num "3 * $d")}, position: [$(along 0 "-1.5 * $d"), $(num "$w / 2"), $(up 0 "-1.5 * $d")], rotation: [0, -$angle, 0]}]
drains: [{box: {size: [5, 10, 5]}, position: [2.5, 0, 2.5], outside: true}]
probes:
$(gate ahead 1.4 1.2)
$(gate back -1.4 0.4)
  - {name: film, velocity: {position: [$(along 1.4 0.12), $(num "$w / 2"), $(up 1.4 0.12)]}}
  - {name: plate, force: {obstacle: plate}}
output: {duration: 1.9, fps: 20}
YAML
    mean() { calc "angle_$jet" "v[\"time\"] > 1.3 { sum += $1; n++ } END { printf \"%.6g\", sum / n }"; }
    ahead=$(mean 'v["ahead_flux"]') back=$(mean '-v["back_flux"]')
    near "share ahead, $how" "$ahead / ($ahead + $back)" "(1 + $c) / 2" 6 ""
    above "speed of the film over that of the jet, $how" "$(mean "(v[\"film_vx\"] * $c + v[\"film_vz\"] * $s) / 4")" 0.95 ""
    near "force on the plate, $how" "$(mean "v[\"plate_fx\"] * $s - v[\"plate_fz\"] * $c")" "1000 * $b * $w * 16 * $s" 3 N
    calc "angle_$jet" '{ print v["time"], v["plate_fx"] * '"$s"' - v["plate_fz"] * '"$c"' }' > "$folder/angle_$jet.dat"
    plot="$plot'angle_$jet.dat' with lines lw 2 title '$how', $(num "1000 * $b * $w * 16 * $s") lc rgb '#c04a20' dt 2 notitle, "
done
chart "Plane jet on a plate" "time, s" "force on the plate, N" "$plot NaN lc rgb '#c04a20' dt 2 title 'rho b U^2 sin'"
