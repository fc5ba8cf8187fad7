#include "strand/strand_params.h"

#include "strand/strand.h"

static const char *hold_names(uint32_t k, const void *context)
{
    static const char *const names[] = {
        [HOLD_NONE] = "none", [HOLD_ROOT] = "root", [HOLD_CLAMPED] = "clamped", [HOLD_BOTH] = "both"};
    (void)context;
    return k < sizeof names / sizeof *names ? names[k] : NULL;
}

#define AT(member) PARAM_AT(StrandDef, member)
#define TEXT_AT(member) AT(member), .size = sizeof((StrandDef *)0)->member
#define POSITION PARAM_FROM(-1e5, 1e5), .length = 3, .unit = "m"
#define DIRECTION PARAM_FROM(-1e5, 1e5), .length = 3
#define LENGTH PARAM_ABOVE(0, 1e5), .unit = "m"

const ParamRow STRAND_ROWS[] = {
    {"name", PARAM_TEXT, TEXT_AT(name)},
    {"rope", PARAM_SECTION, .variant = true, .help = "a single strand, straight at the start"},
    {"rope.from", PARAM_FLOAT, AT(from), POSITION, .required = true, .help = "its root"},
    {"rope.to", PARAM_FLOAT, AT(to), POSITION, .required = true, .help = "its other end"},
    {"meadow", PARAM_SECTION, .variant = true, .help = "strands that grow in a box"},
    {"meadow.min", PARAM_FLOAT, AT(lo), POSITION, .required = true,
     .help = "lower corner of the box that the roots are in, at random"},
    {"meadow.max", PARAM_FLOAT, AT(hi), POSITION, .required = true, .help = "upper corner"},
    {"meadow.direction", PARAM_FLOAT, AT(direction), DIRECTION, .help = "along which they grow"},
    {"cap", PARAM_SECTION, .variant = true, .help = "strands that grow out of the surface of `obstacle`"},
    {"cap.direction", PARAM_FLOAT, AT(direction), DIRECTION,
     .help = "from the body's position to the middle of the part that they grow on, as the body is turned"},
    {"cap.angle", PARAM_FLOAT, AT(cap_angle), PARAM_ABOVE(0, 360), .unit = "degrees",
     .help = "of the cone around `direction` that the part is in; 180 is one half of a ball"},
    {"obstacle", PARAM_TEXT, TEXT_AT(obstacle), .default_text = "none",
     .help =
         "name of the obstacle that holds the roots and moves them; the first of several. `cap` needs one"},
    {"count", PARAM_COUNT, AT(count), PARAM_FROM(1, 1e7), .help = "how many; 1 of a rope"},
    {"seed", PARAM_COUNT, AT(seed), PARAM_FROM(0, 4294967295.0), .help = "another number makes others"},
    {"length", PARAM_FLOAT, AT(length), LENGTH, .length = 2, .form = "[shortest, longest]",
     .help = "of a strand; a rope is as long as its ends are apart"},
    {"segments", PARAM_COUNT, AT(segments), PARAM_FROM(2, STRAND_SEGMENTS_MAX),
     .help = "that a strand consists of, each as long as `spacing` at most to feel all of the water"},
    {"hold", PARAM_CHOICE, AT(hold), .names = hold_names,
     .help =
         "what of it stays in its place: nothing, the `root`, the root with its direction (`clamped`), or "
         "`both` ends"},
    {"radius", PARAM_FLOAT, AT(radius), LENGTH,
     .help = "of its round section. Of strands thicker than `spacing` water makes room for a part only"},
    {"density", PARAM_FLOAT, AT(density), PARAM_FROM(1, 1e6), .unit = "kg/m^3",
     .help = "what is lighter than the liquid rises in it"},
    {"stiffness", PARAM_FLOAT, AT(stiffness), PARAM_FROM(0, 1e9), .unit = "N m^2",
     .help = "against bending, Young's modulus times the section's second moment of area, pi `radius`^4 / 4"},
    {"friction", PARAM_FLOAT, AT(friction), PARAM_FROM(0, 1),
     .help = "Coulomb coefficient against obstacles and walls; the larger one of both counts"},
    {"self_contact", PARAM_FLAG, AT(self_contact),
     .help = "strands do not pass through each other. Without, steps are faster"},
    {"drag_time", PARAM_FLOAT, AT(drag_time), PARAM_FROM(1e-6, 1e6), .unit = "s",
     .help = "in which it takes on the speed of the water around it, but for 1 / e"},
    {"damping", PARAM_FLOAT, AT(damping), PARAM_FROM(0, 1e4), .unit = "1/s",
     .help = "rate at which its motion fades in air as in water"},
    {"color", PARAM_FLOAT, AT(color), PARAM_FROM(0, 1), .length = 3, .form = "[red, green, blue]",
     .srgb = true, .default_text = "green", .help = "as screens show it (sRGB)"},
    {.key = NULL},
};
