#include "diffuse/diffuse_params.h"

#include "diffuse/diffuse.h"

#define AT(member) PARAM_AT(DiffuseDef, member)
#define FROM PARAM_FROM
#define ABOVE PARAM_ABOVE
#define RANGE .length = 2, .form = "[from, to]"

const ParamRow DIFFUSE_ROWS[] = {
    {"whitewater", PARAM_SECTION,
     .help = "Spray, foam and bubbles (Ihmsen et al. 2012), which the water carries along: `whitewater: {}` "
             "switches them on. They are born where water traps air and where crests break, if it is fast "
             "enough. Without this key there are none and nothing is measured for them."},
    {"whitewater.enabled", PARAM_FLAG, AT(enabled), .help = "`false` leaves them out, for comparison"},
    {"whitewater.speed", PARAM_FLOAT, AT(speed), FROM(1e-3, 1e4), .unit = "m/s", .word = "auto",
     .help = "U, the speed that thresholds are measured in; `auto` is that of a fall through the height of "
             "the water and nozzles, sqrt(g H), so that a model and its original foam alike"},
    {"whitewater.trapped_air", PARAM_FLOAT, AT(trapped_air), FROM(0, 100), RANGE, .unit = "U",
     .ascending = true,
     .help = "speed at which water closes in on itself: below the first nothing is born of it, above the "
             "second as much as can be"},
    {"whitewater.wave_crest", PARAM_FLOAT, AT(wave_crest), FROM(0, 100), RANGE, .ascending = true,
     .help = "how sharply the surface bends where it moves ahead, likewise"},
    {"whitewater.energy", PARAM_FLOAT, AT(energy), FROM(0, 100), RANGE, .unit = "U^2", .ascending = true,
     .help = "half the squared speed, likewise: it scales both"},
    {"whitewater.trapped_air_rate", PARAM_FLOAT, AT(trapped_air_rate), FROM(0, 1e6), .unit = "1/s",
     .help = "births of a particle of water in a second, by trapped air, at most"},
    {"whitewater.wave_crest_rate", PARAM_FLOAT, AT(wave_crest_rate), FROM(0, 1e6), .unit = "1/s",
     .help = "by wave crests"},
    {"whitewater.lifetime", PARAM_FLOAT, AT(lifetime), FROM(0, 1e4), RANGE, .unit = "s",
     .help = "of foam; what lies on a body ages, too. Water with more energy makes foam that lasts"},
    {"whitewater.size", PARAM_FLOAT, AT(size), ABOVE(0, 10), RANGE, .unit = "spacings",
     .help = "radii of single ones"},
    {"whitewater.spread", PARAM_FLOAT, AT(spread), FROM(0, 1),
     .help = "part of its speed that water sends them off with to the side; more is a wider mist"},
    {"whitewater.buoyancy", PARAM_FLOAT, AT(buoyancy), FROM(0, 100),
     .help = "times gravity, that lifts bubbles"},
    {"whitewater.drag_time", PARAM_FLOAT, AT(drag_time), FROM(1e-4, 100), .unit = "s",
     .help = "in which bubbles take on the water's velocity. They rise with `buoyancy` x g x `drag_time`, "
             "0.49 m/s"},
    {"whitewater.max", PARAM_COUNT, AT(max), FROM(1, 1e8),
     .help = "of all at a time, 44 bytes each; fewer are born where there would be more"},
    {.key = NULL},
};
