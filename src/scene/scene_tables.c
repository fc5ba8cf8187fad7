// The keys of scene files. Those of the fluid, its surface and pictures are in the tables of their own
// folders.
#include "scene/scene_parts.h"

#include "diffuse/diffuse_params.h"
#include "fluid/fluid_params.h"
#include "photo/photo_params.h"
#include "render/render_params.h"
#include "strand/strand_params.h"
#include "surface/surface_params.h"

#include <math.h>

#define AT PARAM_AT
#define FROM PARAM_FROM
#define ABOVE PARAM_ABOVE
#define TEXT_AT(type, member) PARAM_AT(type, member), .size = sizeof((type *)0)->member
#define VECTOR .length = 3
#define POSITION FROM(-1e5, 1e5), VECTOR, .unit = "m"
#define LENGTH ABOVE(0, 1e5), .unit = "m"
#define SIZE ABOVE(0, 1e5), VECTOR, .unit = "m"
#define ANGLE FROM(-36000, 36000), .unit = "degrees"
#define ANGLES FROM(-36000, 36000), VECTOR, .unit = "degrees"
#define TIME FROM(0, 1e6), .unit = "s"
#define COLOR                                                                                                \
    FROM(0, 1), .length = 3, .form = "[red, green, blue]", .srgb = true, .default_text = "light gray",       \
                .help = "as screens show it (sRGB)"
#define SCALE ABOVE(0, 1e5), VECTOR, .single = true
#define NO_SLIP "viscous water sticks to it, as if it went on behind the surface and moved with the body"
#define CONTACT_ANGLE                                                                                        \
    ABOVE(0, 180), .unit = "degrees", .default_text = "`fluid.contact_angle`",                               \
                   .help = "at which the liquid's surface meets it"
#define TURNS "about x, then y, then z"
#define MESH_FILE "Wavefront OBJ, relative to the scene's folder"

static const char *material_names(uint32_t k, const void *context)
{
    static const char *const names[] = {"glossy", "matte", "metal", "glass"};
    (void)context;
    return k < sizeof names / sizeof *names ? names[k] : NULL;
}

#define MATERIAL_HELP "`photo`: what it looks like it is made of"

#define OBSTACLE_GRAY                                                                                        \
    {                                                                                                        \
        0.50f, 0.52f, 0.55f                                                                                  \
    } // linear

// Whole lengths are halved where an obstacle or a drain is read.
static const ObstacleDraft obstacle_item = {
    .mesh.scale = {1, 1, 1},
    .def = {.color = OBSTACLE_GRAY, .motion = {.stop = INFINITY, .ramp = NAN}},
};
#define SHAPE(member) AT(ObstacleDraft, def.shape.member)
#define MOTION(member) AT(ObstacleDraft, def.motion.member)

const ParamRow KEYFRAME_ROWS[] = {
    {"time", PARAM_DOUBLE, AT(Keyframe, time), TIME, .required = true},
    {"position", PARAM_FLOAT, AT(Keyframe, position), POSITION, .required = true, .help = "of the center"},
    {"rotation", PARAM_FLOAT, AT(Keyframe, rotation), ANGLES,
     .help = TURNS "; numbers past 360 are whole turns"},
    {.key = NULL},
};
static const Keyframe keyframe_item;

const ParamRow OBSTACLE_ROWS[] = {
    {"name", PARAM_TEXT, TEXT_AT(ObstacleDraft, def.name), .default_text = "name of its shape"},
    {"box", PARAM_SECTION, .variant = true, .help = "a box about `position`"},
    {"box.size", PARAM_FLOAT, SHAPE(half_extent), SIZE, .required = true, .help = "whole lengths"},
    {"plate", PARAM_SECTION, .variant = true, .help = "a flat box"},
    {"plate.size", PARAM_FLOAT, SHAPE(half_extent), LENGTH, .length = 2, .form = "[width, depth]",
     .required = true, .help = "width (x) and depth (y)"},
    {"plate.thickness", PARAM_FLOAT, SHAPE(half_extent.z), LENGTH, .required = true,
     .help = "along z; at least a spacing"},
    {"sphere", PARAM_SECTION, .variant = true, .help = "a ball"},
    {"sphere.radius", PARAM_FLOAT, SHAPE(radius), LENGTH, .required = true},
    {"cylinder", PARAM_SECTION, .variant = true, .help = "along z, with flat ends"},
    {"cylinder.radius", PARAM_FLOAT, SHAPE(radius), LENGTH, .required = true},
    {"cylinder.height", PARAM_FLOAT, SHAPE(half_height), LENGTH, .required = true},
    {"capsule", PARAM_SECTION, .variant = true, .help = "along z, with round ends"},
    {"capsule.radius", PARAM_FLOAT, SHAPE(radius), LENGTH, .required = true},
    {"capsule.height", PARAM_FLOAT, SHAPE(half_height), LENGTH, .required = true,
     .help = "whole height, round ends included: at least twice the radius"},
    {"mesh", PARAM_SECTION, .variant = true, .help = "a closed triangle mesh"},
    {"mesh.file", PARAM_TEXT, TEXT_AT(ObstacleDraft, mesh.file), .required = true, .help = MESH_FILE},
    {"mesh.scale", PARAM_FLOAT, AT(ObstacleDraft, mesh.scale), SCALE, .help = "factor"},
    {"mesh.cell", PARAM_FLOAT, AT(ObstacleDraft, mesh.cell), ABOVE(0, 1000), .unit = "m",
     .default_text = "spacing / 2",
     .help = "edge of the grid that distances to the mesh are kept on; with the default, enlarged where all "
             "grids together would pass 64 MB"},
    {"position", PARAM_FLOAT, AT(ObstacleDraft, def.position), POSITION,
     .help = "of the center (a mesh: of its origin)"},
    {"rotation", PARAM_FLOAT, AT(ObstacleDraft, def.rotation), ANGLES, .help = TURNS},
    {"friction", PARAM_FLOAT, AT(ObstacleDraft, def.friction), FROM(0, 1), .help = "Coulomb coefficient"},
    {"no_slip", PARAM_FLAG, AT(ObstacleDraft, def.no_slip), .help = NO_SLIP},
    {"contact_angle", PARAM_FLOAT, AT(ObstacleDraft, def.contact_angle), CONTACT_ANGLE},
    {"color", PARAM_FLOAT, AT(ObstacleDraft, def.color), COLOR},
    {"material", PARAM_CHOICE, AT(ObstacleDraft, def.material), .names = material_names,
     .help = MATERIAL_HELP},
    {"motion", PARAM_SECTION, .default_text = "at rest",
     .help = "how it moves: one of `oscillation`, `keyframes`"},
    {"motion.oscillation", PARAM_SECTION, .variant = true,
     .help = "about `position` and `rotation`, as sin(2 pi (t - start) / period + phase)"},
    {"motion.oscillation.amplitude", PARAM_FLOAT, MOTION(amplitude), POSITION, .help = "of the position"},
    {"motion.oscillation.rotation", PARAM_FLOAT, MOTION(rotation_amplitude), ANGLES,
     .help = "amplitude of the rotation"},
    {"motion.oscillation.period", PARAM_DOUBLE, MOTION(period), ABOVE(0, 1e6), .unit = "s", .required = true},
    {"motion.oscillation.phase", PARAM_DOUBLE, MOTION(phase), ANGLE},
    {"motion.oscillation.start", PARAM_DOUBLE, MOTION(start), TIME, .help = "at rest before"},
    {"motion.oscillation.stop", PARAM_DOUBLE, MOTION(stop), TIME, .default_text = "never",
     .help = "at rest after"},
    {"motion.oscillation.ramp", PARAM_DOUBLE, MOTION(ramp), TIME, .default_text = "period / 2",
     .help = "time in which the amplitude grows from zero"},
    {"motion.keyframes", PARAM_LIST, MOTION(keyframes),
     .count_offset = offsetof(ObstacleDraft, def.motion.keyframe_count), .size = sizeof(Keyframe),
     .rows = KEYFRAME_ROWS, .item = &keyframe_item, .hi = 100000, .variant = true,
     .help =
         "a path through places and times, smooth in between, at rest before the first and after the last; "
         "at least two, in order of time. Takes the place of `position` and `rotation`"},
    {.key = NULL},
};

const ParamRow SCATTER_ROWS[] = {
    {"name", PARAM_TEXT, TEXT_AT(ScatterDef, name)},
    {"count", PARAM_COUNT, AT(ScatterDef, count), FROM(1, SCENE_OBSTACLES_MAX), .required = true,
     .help = "how many"},
    {"seed", PARAM_COUNT, AT(ScatterDef, seed), FROM(0, 4294967295.0),
     .help = "another number makes another cloud"},
    {"min", PARAM_FLOAT, AT(ScatterDef, lo), POSITION, .required = true,
     .help = "lower corner of the box that the balls lie in"},
    {"max", PARAM_FLOAT, AT(ScatterDef, hi), POSITION, .required = true, .help = "upper corner"},
    {"radius", PARAM_FLOAT, AT(ScatterDef, radius), LENGTH, .length = 2, .form = "[smallest, largest]",
     .required = true},
    {"gap", PARAM_FLOAT, AT(ScatterDef, gap), FROM(0, 1e5), .unit = "m",
     .help = "at least this much between any two balls"},
    {"overlap", PARAM_FLAG, AT(ScatterDef, overlap),
     .help = "balls may lie in each other; `gap` does not count then"},
    {"friction", PARAM_FLOAT, AT(ScatterDef, friction), FROM(0, 1), .help = "Coulomb coefficient"},
    {"contact_angle", PARAM_FLOAT, AT(ScatterDef, contact_angle), CONTACT_ANGLE},
    {"color", PARAM_FLOAT, AT(ScatterDef, color), COLOR},
    {"material", PARAM_CHOICE, AT(ScatterDef, material), .names = material_names, .help = MATERIAL_HELP},
    {.key = NULL},
};
static const ScatterDef scatter_item = {.name = "ball", .color = OBSTACLE_GRAY};

const ParamRow WATER_ROWS[] = {
    {"box", PARAM_SECTION, .variant = true,
     .help =
         "a box, by its lower and upper corner. It holds as many layers of particles as fit, starting at its "
         "lower corner"},
    {"box.min", PARAM_FLOAT, AT(WaterDraft, def.lo), POSITION, .required = true, .help = "lower corner"},
    {"box.max", PARAM_FLOAT, AT(WaterDraft, def.hi), POSITION, .required = true, .help = "upper corner"},
    {"sphere", PARAM_SECTION, .variant = true, .help = "a ball"},
    {"sphere.center", PARAM_FLOAT, AT(WaterDraft, def.center), POSITION, .required = true},
    {"sphere.radius", PARAM_FLOAT, AT(WaterDraft, def.radius), LENGTH, .required = true},
    {"mesh", PARAM_SECTION, .variant = true, .help = "the inside of a closed triangle mesh"},
    {"mesh.file", PARAM_TEXT, TEXT_AT(WaterDraft, mesh.file), .required = true, .help = MESH_FILE},
    {"mesh.position", PARAM_FLOAT, AT(WaterDraft, mesh.position), POSITION,
     .help = "where the origin of the mesh is put"},
    {"mesh.rotation", PARAM_FLOAT, AT(WaterDraft, mesh.rotation), ANGLES, .help = TURNS},
    {"mesh.scale", PARAM_FLOAT, AT(WaterDraft, mesh.scale), SCALE, .help = "factor, before rotation"},
    {"velocity", PARAM_FLOAT, AT(WaterDraft, def.velocity), FROM(-1000, 1000), VECTOR, .unit = "m/s",
     .help = "at the start"},
    {.key = NULL},
};
static const WaterDraft water_item = {.mesh.scale = {1, 1, 1}};

const ParamRow EMITTER_ROWS[] = {
    {"name", PARAM_TEXT, TEXT_AT(EmitterDef, name)},
    {"rectangle", PARAM_SECTION, .variant = true, .help = "a rectangular nozzle"},
    {"rectangle.width", PARAM_FLOAT, AT(EmitterDef, width), LENGTH, .required = true,
     .help = "along the nozzle's x"},
    {"rectangle.height", PARAM_FLOAT, AT(EmitterDef, height), LENGTH, .required = true,
     .help = "along the nozzle's y"},
    {"disc", PARAM_SECTION, .variant = true, .help = "a round nozzle"},
    {"disc.radius", PARAM_FLOAT, AT(EmitterDef, radius), LENGTH, .required = true},
    {"position", PARAM_FLOAT, AT(EmitterDef, position), POSITION, .required = true,
     .help = "of the nozzle's center"},
    {"rotation", PARAM_FLOAT, AT(EmitterDef, rotation), ANGLES,
     .help = TURNS "; unrotated it points up (+z), [180, 0, 0] down, [0, 90, 0] to the right"},
    {"speed", PARAM_FLOAT, AT(EmitterDef, speed), ABOVE(0, 1000), .unit = "m/s", .required = true,
     .help = "speed at which water leaves: a layer of particles in the time that a spacing takes"},
    {"start", PARAM_DOUBLE, AT(EmitterDef, start), TIME},
    {"stop", PARAM_DOUBLE, AT(EmitterDef, stop), TIME, .default_text = "never"},
    {"volume", PARAM_DOUBLE, AT(EmitterDef, volume), ABOVE(0, 1e9), .unit = "m^3", .default_text = "no limit",
     .help = "amount that comes out in all"},
    {.key = NULL},
};
static const EmitterDef emitter_item = {.name = "emitter", .stop = INFINITY, .volume = INFINITY};

const ParamRow DRAIN_ROWS[] = {
    {"name", PARAM_TEXT, TEXT_AT(DrainDef, name)},
    {"box", PARAM_SECTION, .variant = true, .help = "a box about `position`"},
    {"box.size", PARAM_FLOAT, AT(DrainDef, half_extent), SIZE, .required = true, .help = "whole lengths"},
    {"sphere", PARAM_SECTION, .variant = true, .help = "a ball about `position`"},
    {"sphere.radius", PARAM_FLOAT, AT(DrainDef, radius), LENGTH, .required = true},
    {"position", PARAM_FLOAT, AT(DrainDef, position), POSITION, .required = true, .help = "of the center"},
    {"outside", PARAM_FLAG, AT(DrainDef, outside), .help = "removes what is outside of the volume instead"},
    {"start", PARAM_DOUBLE, AT(DrainDef, start), TIME},
    {"stop", PARAM_DOUBLE, AT(DrainDef, stop), TIME, .default_text = "never"},
    {.key = NULL},
};
const ParamRow PROBE_ROWS[] = {
    {"name", PARAM_TEXT, TEXT_AT(ProbeDef, name), .required = true,
     .help = "what its columns are called: letters, digits and _"},
    {"level", PARAM_SECTION, .variant = true, .help = "height of the free surface, m: column NAME_level"},
    {"level.position", PARAM_FLOAT, AT(ProbeDef, position), FROM(-1e5, 1e5), .unit = "m", .length = 2,
     .form = "[x, y]", .required = true},
    {"pressure", PARAM_SECTION, .variant = true, .help = "at a point, Pa: column NAME_pressure"},
    {"pressure.position", PARAM_FLOAT, AT(ProbeDef, position), POSITION, .required = true},
    {"velocity", PARAM_SECTION, .variant = true,
     .help = "of the water at a point, m/s: columns NAME_vx, NAME_vy and NAME_vz"},
    {"velocity.position", PARAM_FLOAT, AT(ProbeDef, position), POSITION, .required = true},
    {"flux", PARAM_SECTION, .variant = true,
     .help = "volume rate through a rectangle along its normal, m^3/s: column NAME_flux. In front of a "
             "nozzle, put it a spacing away at least"},
    {"flux.width", PARAM_FLOAT, AT(ProbeDef, width), LENGTH, .required = true,
     .help = "along the rectangle's x"},
    {"flux.height", PARAM_FLOAT, AT(ProbeDef, height), LENGTH, .required = true,
     .help = "along the rectangle's y"},
    {"flux.position", PARAM_FLOAT, AT(ProbeDef, position), POSITION, .required = true,
     .help = "of its center"},
    {"flux.rotation", PARAM_FLOAT, AT(ProbeDef, rotation), ANGLES,
     .help = TURNS "; unrotated its normal points up (+z), [0, 90, 0] to the right"},
    {"force", PARAM_SECTION, .variant = true,
     .help = "of the water on an obstacle, N, and its torque about the obstacle's position, N m: columns "
             "NAME_fx, ..., NAME_tz"},
    {"force.obstacle", PARAM_TEXT, TEXT_AT(ProbeDef, obstacle), .required = true,
     .help = "name of an obstacle, the first of several; `tank`: all walls of the tank, torque about its "
             "lower corner"},
    {.key = NULL},
};
static const ProbeDef probe_item;

static const DrainDef drain_item = {.name = "drain", .stop = INFINITY};

static const StrandDef strand_item = STRAND_DEF_DEFAULT;

static const char *face_names(uint32_t k, const void *context)
{
    (void)context;
    static const char *const names[TANK_FACE_COUNT] = {
        [TANK_X_LO] = "left", [TANK_X_HI] = "right",  [TANK_Y_LO] = "front",
        [TANK_Y_HI] = "back", [TANK_Z_LO] = "bottom", [TANK_Z_HI] = "top",
    };
    return k < TANK_FACE_COUNT ? names[k] : NULL;
}

static const char *axis_names(uint32_t k, const void *context)
{
    (void)context;
    static const char *const names[] = {"x", "y", "z"};
    return k < 3 ? names[k] : NULL;
}

#define ITEMS(list, number, type, table, default_, most)                                                     \
    AT(SceneDef, list), .count_offset = offsetof(SceneDef, number), .size = sizeof(type), .rows = (table),   \
                        .item = &(default_), .hi = (most)

const ParamRow SCENE_ROWS[] = {
    {"name", PARAM_TEXT, TEXT_AT(SceneDef, name), .default_text = "name of the file",
     .help = "what the scene is called in pictures and reports"},
    {"description", PARAM_TEXT, TEXT_AT(SceneDef, description), .help = "one sentence for people"},
    {"tank", PARAM_SECTION,
     .help = "Closed walls around the water. Without this key the scene has no walls at all."},
    {"tank.corner", PARAM_FLOAT, AT(SceneDef, tank_corner), POSITION,
     .help = "scene position of the lower corner (left, front, bottom)"},
    {"tank.size", PARAM_FLOAT, AT(SceneDef, tank.size), SIZE, .required = true, .help = "inside of the tank"},
    {"tank.open", PARAM_NAMES, AT(SceneDef, tank.open), .names = face_names, .default_text = "[]",
     .help =
         "faces without a wall: x `left` to `right`, y `front` to `back`, z `bottom` to `top`. What leaves "
         "through them is outside of the tank but still there (see `drains`)"},
    {"tank.periodic", PARAM_NAMES, AT(SceneDef, tank.periodic), .names = axis_names, .default_text = "[]",
     .help =
         "axes along which the tank repeats itself: its two sides are no walls, what leaves at one comes in "
         "at the other, and water feels its neighbors across. Surfaces and pictures end there. Bodies do not "
         "repeat themselves: keep them an influence radius away"},
    {"tank.friction", PARAM_FLOAT, AT(SceneDef, wall_friction), FROM(0, 1),
     .help = "Coulomb coefficient of the walls"},
    {"tank.no_slip", PARAM_FLAG, AT(SceneDef, tank.no_slip), .help = NO_SLIP},
    {"", PARAM_INCLUDE, AT(SceneDef, fluid), .rows = FLUID_ROWS},
    {"water", PARAM_LIST, ITEMS(water, water_count, WaterDef, WATER_ROWS, water_item, 4096),
     .help = "A list of volumes that are filled at the start. Volumes may touch but not overlap, and must "
             "not pass "
             "a closed wall of the tank. Places nearer than half a spacing to an obstacle stay empty."},
    {"obstacles", PARAM_LIST,
     ITEMS(obstacles, obstacle_count, ObstacleDef, OBSTACLE_ROWS, obstacle_item, SCENE_OBSTACLES_MAX),
     .help = "A list of solid bodies. Bodies may overlap each other and the walls."},
    {"scatter", PARAM_LIST, ITEMS(scatter, scatter_count, ScatterDef, SCATTER_ROWS, scatter_item, 1000),
     .help =
         "A list of clouds of balls: a few lines that stand for many spherical obstacles at rest. Where they "
         "are depends on the seed alone. Balls of every size between the two radii come in numbers that fall "
         "as 1 / radius^4, so that each doubling of the size holds the same volume."},
    {"emitters", PARAM_LIST, ITEMS(emitters, emitter_count, EmitterDef, EMITTER_ROWS, emitter_item, 1024),
     .help =
         "A list of nozzles that pour in water. A nozzle must not pass a closed wall of the "
         "tank. A layer has as many particles as fit into the nozzle, so that a narrow disc pours a little "
         "more "
         "or less than its area says; `pbf check` tells the rate."},
    {"drains", PARAM_LIST, ITEMS(drains, drain_count, DrainDef, DRAIN_ROWS, drain_item, 1024),
     .help = "A list of volumes that take particles out."},
    {"strands", PARAM_LIST, ITEMS(strands, strand_count, StrandDef, STRAND_ROWS, strand_item, 256),
     .help =
         "A list of groups of hair, grass or ropes: rows of particles that keep their distance, bend, and "
         "collide with obstacles, walls and each other. Water carries them, and they slow it down and take "
         "room in it. They end at the sides of a periodic tank."},
    {"probes", PARAM_LIST, ITEMS(probes, probe_count, ProbeDef, PROBE_ROWS, probe_item, 256),
     .help = "A list of gauges: each adds columns to the log that `pbf run` and `pbf render` write with "
             "`--log`. Names are different."},
    {"", PARAM_INCLUDE, AT(SceneDef, whitewater), .rows = DIFFUSE_ROWS},
    {"", PARAM_INCLUDE, AT(SceneDef, surface), .rows = SURFACE_ROWS},
    {"", PARAM_INCLUDE, AT(SceneDef, output.render.camera), .rows = CAMERA_ROWS},
    {"", PARAM_INCLUDE, AT(SceneDef, output.render.look), .rows = LOOK_ROWS},
    {"output", PARAM_SECTION, .help = "What is made of the scene, unless the command line says otherwise."},
    {"output.duration", PARAM_DOUBLE, AT(SceneDef, output.duration), ABOVE(0, 1e6), .unit = "s",
     .help = "simulated time"},
    {"output.fps", PARAM_DOUBLE, AT(SceneDef, output.fps), ABOVE(0, 100000), .unit = "1/s",
     .help = "frames in a second of simulated time"},
    {"", PARAM_INCLUDE, AT(SceneDef, output.render), .rows = RENDER_ROWS},
    {"", PARAM_INCLUDE, AT(SceneDef, output.render.photo), .rows = PHOTO_ROWS},
    {.key = NULL},
};
