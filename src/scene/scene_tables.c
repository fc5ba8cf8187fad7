// The schema of scene files: every key once. scenes/README.md documents the same keys; a test compares the
// two.
#include "scene/scene_parts.h"

#include "scene/scene_names.h"

#define AT(type, member) .offset = offsetof(type, member)
#define FROM(least, most_) .lo = (least), .hi = (most_)
#define ABOVE(least, most_) .lo = (least), .hi = (most_), .above_lo = true
#define POSITION FROM(-1e5, 1e5), .unit = "m"
#define LENGTH ABOVE(0, 1e5), .unit = "m"
#define ANGLE FROM(-36000, 36000), .unit = "degrees"
#define TIME FROM(0, 1e6), .unit = "s"

// Shapes. An obstacle's and a drain's are halved where they are read.
static const SchemaField obstacle_box_fields[] = {
    {"size", SCHEMA_VECTOR, AT(ObstacleDraft, def.shape.half_extent), LENGTH, .required = true},
    {.key = NULL},
};
static const SchemaField plate_fields[] = {
    {"size", SCHEMA_OTHER, AT(ObstacleDraft, def.shape.half_extent), LENGTH, .required = true,
     .read = parts_read_plate, .expects = "[width, depth]"},
    {"thickness", SCHEMA_FLOAT, AT(ObstacleDraft, def.shape.half_extent.z), LENGTH, .required = true},
    {.key = NULL},
};
static const SchemaField obstacle_sphere_fields[] = {
    {"radius", SCHEMA_FLOAT, AT(ObstacleDraft, def.shape.radius), LENGTH, .required = true},
    {.key = NULL},
};
static const SchemaField round_fields[] = {
    {"radius", SCHEMA_FLOAT, AT(ObstacleDraft, def.shape.radius), LENGTH, .required = true},
    {"height", SCHEMA_FLOAT, AT(ObstacleDraft, def.shape.half_height), LENGTH, .required = true},
    {.key = NULL},
};
static const SchemaField obstacle_mesh_fields[] = {
    {"file", SCHEMA_TEXT, AT(ObstacleDraft, mesh.file), .size = sizeof((MeshDraft *)0)->file,
     .required = true},
    {"scale", SCHEMA_OTHER, AT(ObstacleDraft, mesh.scale), ABOVE(0, 1e5), .read = parts_read_scale,
     .expects = "number or [x, y, z]"},
    {"cell", SCHEMA_FLOAT, AT(ObstacleDraft, mesh.cell), ABOVE(0, 1000), .unit = "m"},
    {.key = NULL},
};
static const SchemaTable obstacle_box = {obstacle_box_fields}, plate = {plate_fields},
                         obstacle_sphere = {obstacle_sphere_fields}, round_shape = {round_fields},
                         obstacle_mesh = {obstacle_mesh_fields};

// Motion.
static const SchemaField keyframe_fields[] = {
    {"time", SCHEMA_DOUBLE, AT(Keyframe, time), TIME, .required = true},
    {"position", SCHEMA_VECTOR, AT(Keyframe, position), POSITION, .required = true},
    {"rotation", SCHEMA_VECTOR, AT(Keyframe, rotation), ANGLE},
    {.key = NULL},
};
const SchemaTable KEYFRAME_SCHEMA = {keyframe_fields};
static const SchemaField oscillation_fields[] = {
    {"amplitude", SCHEMA_VECTOR, AT(MotionDef, amplitude), POSITION},
    {"rotation", SCHEMA_VECTOR, AT(MotionDef, rotation_amplitude), ANGLE},
    {"period", SCHEMA_DOUBLE, AT(MotionDef, period), ABOVE(0, 1e6), .unit = "s", .required = true},
    {"phase", SCHEMA_DOUBLE, AT(MotionDef, phase), ANGLE},
    {"start", SCHEMA_DOUBLE, AT(MotionDef, start), TIME},
    {"stop", SCHEMA_DOUBLE, AT(MotionDef, stop), TIME},
    {"ramp", SCHEMA_DOUBLE, AT(MotionDef, ramp), TIME},
    {.key = NULL},
};
static const SchemaTable oscillation = {oscillation_fields};
static const SchemaField motion_fields[] = {
    {"oscillation", SCHEMA_MAPPING, .table = &oscillation, .variant = true},
    {"keyframes", SCHEMA_LIST, AT(MotionDef, keyframes), .count_offset = offsetof(MotionDef, keyframe_count),
     .size = sizeof(Keyframe), .table = &KEYFRAME_SCHEMA, .read = parts_read_keyframe, .most = 100000,
     .variant = true},
    {.key = NULL},
};
const SchemaTable MOTION_SCHEMA = {motion_fields};

static const SchemaField obstacle_fields[] = {
    {"name", SCHEMA_TEXT, AT(ObstacleDraft, def.name), .size = sizeof((ObstacleDef *)0)->name},
    {"box", SCHEMA_MAPPING, .table = &obstacle_box, .variant = true},
    {"plate", SCHEMA_MAPPING, .table = &plate, .variant = true},
    {"sphere", SCHEMA_MAPPING, .table = &obstacle_sphere, .variant = true},
    {"cylinder", SCHEMA_MAPPING, .table = &round_shape, .variant = true},
    {"capsule", SCHEMA_MAPPING, .table = &round_shape, .variant = true},
    {"mesh", SCHEMA_MAPPING, .table = &obstacle_mesh, .variant = true},
    {"position", SCHEMA_VECTOR, AT(ObstacleDraft, def.position), POSITION},
    {"rotation", SCHEMA_VECTOR, AT(ObstacleDraft, def.rotation), ANGLE},
    {"friction", SCHEMA_FLOAT, AT(ObstacleDraft, def.friction), FROM(0, 1)},
    {"color", SCHEMA_OTHER, AT(ObstacleDraft, def.color), FROM(0, 1), .read = parts_read_color,
     .expects = "[red, green, blue]"},
    {"motion", SCHEMA_MAPPING, AT(ObstacleDraft, def.motion), .table = &MOTION_SCHEMA},
    {.key = NULL},
};
const SchemaTable OBSTACLE_SCHEMA = {obstacle_fields};

static const SchemaField scatter_fields[] = {
    {"name", SCHEMA_TEXT, AT(ScatterDef, name), .size = sizeof((ScatterDef *)0)->name},
    {"count", SCHEMA_COUNT, AT(ScatterDef, count), FROM(1, SCENE_OBSTACLES_MAX), .required = true},
    {"seed", SCHEMA_COUNT, AT(ScatterDef, seed), FROM(0, 4294967295.0)},
    {"min", SCHEMA_VECTOR, AT(ScatterDef, lo), POSITION, .required = true},
    {"max", SCHEMA_VECTOR, AT(ScatterDef, hi), POSITION, .required = true},
    {"radius", SCHEMA_OTHER, AT(ScatterDef, radius), LENGTH, .required = true, .read = parts_read_radii,
     .expects = "[smallest, largest]"},
    {"gap", SCHEMA_FLOAT, AT(ScatterDef, gap), FROM(0, 1e5), .unit = "m"},
    {"overlap", SCHEMA_FLAG, AT(ScatterDef, overlap)},
    {"friction", SCHEMA_FLOAT, AT(ScatterDef, friction), FROM(0, 1)},
    {"color", SCHEMA_OTHER, AT(ScatterDef, color), FROM(0, 1), .read = parts_read_color,
     .expects = "[red, green, blue]"},
    {.key = NULL},
};
const SchemaTable SCATTER_SCHEMA = {scatter_fields};

// Water.
static const SchemaField water_box_fields[] = {
    {"min", SCHEMA_VECTOR, AT(WaterDraft, def.lo), POSITION, .required = true},
    {"max", SCHEMA_VECTOR, AT(WaterDraft, def.hi), POSITION, .required = true},
    {.key = NULL},
};
static const SchemaField water_sphere_fields[] = {
    {"center", SCHEMA_VECTOR, AT(WaterDraft, def.center), POSITION, .required = true},
    {"radius", SCHEMA_FLOAT, AT(WaterDraft, def.radius), LENGTH, .required = true},
    {.key = NULL},
};
static const SchemaField water_mesh_fields[] = {
    {"file", SCHEMA_TEXT, AT(WaterDraft, mesh.file), .size = sizeof((MeshDraft *)0)->file, .required = true},
    {"position", SCHEMA_VECTOR, AT(WaterDraft, mesh.position), POSITION},
    {"rotation", SCHEMA_VECTOR, AT(WaterDraft, mesh.rotation), ANGLE},
    {"scale", SCHEMA_OTHER, AT(WaterDraft, mesh.scale), ABOVE(0, 1e5), .read = parts_read_scale,
     .expects = "number or [x, y, z]"},
    {.key = NULL},
};
static const SchemaTable water_box = {water_box_fields}, water_sphere = {water_sphere_fields},
                         water_mesh = {water_mesh_fields};
static const SchemaField water_fields[] = {
    {"box", SCHEMA_MAPPING, .table = &water_box, .variant = true},
    {"sphere", SCHEMA_MAPPING, .table = &water_sphere, .variant = true},
    {"mesh", SCHEMA_MAPPING, .table = &water_mesh, .variant = true},
    {"velocity", SCHEMA_VECTOR, AT(WaterDraft, def.velocity), FROM(-1000, 1000), .unit = "m/s"},
    {.key = NULL},
};
const SchemaTable WATER_SCHEMA = {water_fields};

// Nozzles and drains.
static const SchemaField rectangle_fields[] = {
    {"width", SCHEMA_FLOAT, AT(EmitterDef, width), LENGTH, .required = true},
    {"height", SCHEMA_FLOAT, AT(EmitterDef, height), LENGTH, .required = true},
    {.key = NULL},
};
static const SchemaField disc_fields[] = {
    {"radius", SCHEMA_FLOAT, AT(EmitterDef, radius), LENGTH, .required = true},
    {.key = NULL},
};
static const SchemaTable rectangle = {rectangle_fields}, disc = {disc_fields};
static const SchemaField emitter_fields[] = {
    {"name", SCHEMA_TEXT, AT(EmitterDef, name), .size = sizeof((EmitterDef *)0)->name},
    {"rectangle", SCHEMA_MAPPING, .table = &rectangle, .variant = true},
    {"disc", SCHEMA_MAPPING, .table = &disc, .variant = true},
    {"position", SCHEMA_VECTOR, AT(EmitterDef, position), POSITION, .required = true},
    {"rotation", SCHEMA_VECTOR, AT(EmitterDef, rotation), ANGLE},
    {"speed", SCHEMA_FLOAT, AT(EmitterDef, speed), ABOVE(0, 1000), .unit = "m/s", .required = true},
    {"start", SCHEMA_DOUBLE, AT(EmitterDef, start), TIME},
    {"stop", SCHEMA_DOUBLE, AT(EmitterDef, stop), TIME},
    {"volume", SCHEMA_DOUBLE, AT(EmitterDef, volume), ABOVE(0, 1e9), .unit = "m^3"},
    {.key = NULL},
};
const SchemaTable EMITTER_SCHEMA = {emitter_fields};

static const SchemaField drain_box_fields[] = {
    {"size", SCHEMA_VECTOR, AT(DrainDef, half_extent), LENGTH, .required = true},
    {.key = NULL},
};
static const SchemaField drain_sphere_fields[] = {
    {"radius", SCHEMA_FLOAT, AT(DrainDef, radius), LENGTH, .required = true},
    {.key = NULL},
};
static const SchemaTable drain_box = {drain_box_fields}, drain_sphere = {drain_sphere_fields};
static const SchemaField drain_fields[] = {
    {"name", SCHEMA_TEXT, AT(DrainDef, name), .size = sizeof((DrainDef *)0)->name},
    {"box", SCHEMA_MAPPING, .table = &drain_box, .variant = true},
    {"sphere", SCHEMA_MAPPING, .table = &drain_sphere, .variant = true},
    {"position", SCHEMA_VECTOR, AT(DrainDef, position), POSITION, .required = true},
    {"outside", SCHEMA_FLAG, AT(DrainDef, outside)},
    {"start", SCHEMA_DOUBLE, AT(DrainDef, start), TIME},
    {"stop", SCHEMA_DOUBLE, AT(DrainDef, stop), TIME},
    {.key = NULL},
};
const SchemaTable DRAIN_SCHEMA = {drain_fields};

// The rest.
static const SchemaField tank_fields[] = {
    {"corner", SCHEMA_VECTOR, AT(SceneDef, tank_corner), POSITION},
    {"size", SCHEMA_VECTOR, AT(SceneDef, tank.size), LENGTH, .required = true},
    {"open", SCHEMA_OTHER, AT(SceneDef, tank.open), .read = parts_read_faces, .expects = "list of faces"},
    {"friction", SCHEMA_FLOAT, AT(SceneDef, wall_friction), FROM(0, 1)},
    {.key = NULL},
};
static const SchemaTable tank = {tank_fields};

static const SchemaField fluid_fields[] = {
    {"rest_density", SCHEMA_FLOAT, AT(FluidDef, rest_density), ABOVE(0, 1e6), .unit = "kg/m^3"},
    {"viscosity", SCHEMA_FLOAT, AT(FluidDef, viscosity), FROM(0, 1000), .unit = "1/s"},
    {"vorticity", SCHEMA_FLOAT, AT(FluidDef, vorticity), FROM(0, 1000), .unit = "m/s"},
    {"surface_tension", SCHEMA_FLOAT, AT(FluidDef, surface_tension), FROM(0, 1000), .unit = "N/m"},
    {"gravity", SCHEMA_VECTOR, AT(FluidDef, gravity), FROM(-1000, 1000), .unit = "m/s^2"},
    {.key = NULL},
};
static const SchemaTable fluid = {fluid_fields};

static const SchemaField scorr_fields[] = {
    {"strength", SCHEMA_FLOAT, AT(FluidDef, scorr_strength), FROM(0, 10)},
    {"distance", SCHEMA_FLOAT, AT(FluidDef, scorr_distance), FROM(0, 0.9)},
    {"power", SCHEMA_COUNT, AT(FluidDef, scorr_power), FROM(1, 8)},
    {.key = NULL},
};
static const SchemaTable scorr = {scorr_fields};

static const SchemaField solver_fields[] = {
    {"iterations", SCHEMA_COUNT, AT(FluidDef, iterations), FROM(1, 64)},
    {"time_step", SCHEMA_DOUBLE, AT(FluidDef, time_step), ABOVE(0, 1), .unit = "s"},
    {"cfl", SCHEMA_DOUBLE, AT(FluidDef, cfl), ABOVE(0, 2)},
    {"wave_cfl", SCHEMA_DOUBLE, AT(FluidDef, wave_cfl), ABOVE(0, 10)},
    {"max_substeps", SCHEMA_COUNT, AT(FluidDef, max_substeps), FROM(1, 1000)},
    {"relaxation", SCHEMA_FLOAT, AT(FluidDef, relaxation), FROM(0, 1000)},
    {"warm_start", SCHEMA_FLOAT, AT(FluidDef, warm_start), FROM(0, 0.9)},
    {"scorr", SCHEMA_MAPPING, .table = &scorr},
    {"radius_factor", SCHEMA_FLOAT, AT(FluidDef, radius_factor), FROM(1.5, 4)},
    {"boundary", SCHEMA_CHOICE, AT(FluidDef, boundary), .choice = scene_boundary_names},
    {"broad_phase", SCHEMA_CHOICE, AT(FluidDef, broad_phase), .choice = scene_broad_phase_names},
    {"neighbor", SCHEMA_TEXT, AT(FluidDef, neighbor), .size = sizeof((FluidDef *)0)->neighbor,
     .choice = scene_method_names},
    {.key = NULL},
};
static const SchemaTable solver = {solver_fields};

static const SchemaField surface_fields[] = {
    {"cell", SCHEMA_FLOAT, AT(SurfaceDef, cell), FROM(0.1, 2), .unit = "spacings"},
    {"support", SCHEMA_FLOAT, AT(SurfaceDef, support), FROM(1, 4), .unit = "spacings"},
    {"anisotropic", SCHEMA_FLAG, AT(SurfaceDef, anisotropic)},
    {"center_smoothing", SCHEMA_FLOAT, AT(SurfaceDef, centre_smoothing), FROM(0, 1)},
    {"isovalue", SCHEMA_OTHER, AT(SurfaceDef, isovalue), FROM(0.1, 0.9), .read = parts_read_isovalue,
     .expects = "auto or number"},
    {"smoothing", SCHEMA_COUNT, AT(SurfaceDef, smoothing), FROM(0, 100)},
    {"speck_volume", SCHEMA_FLOAT, AT(SurfaceDef, speck_volume), FROM(0, 1e9), .unit = "particles"},
    {.key = NULL},
};
const SchemaTable SURFACE_SCHEMA = {surface_fields};

static const SchemaField camera_fields[] = {
    {"eye", SCHEMA_VECTOR, AT(CameraDef, eye), POSITION},
    {"target", SCHEMA_VECTOR, AT(CameraDef, target), POSITION},
    {"fov", SCHEMA_FLOAT, AT(CameraDef, fov), FROM(1, 170), .unit = "degrees"},
    {.key = NULL},
};
static const SchemaTable camera = {camera_fields};

static const SchemaField output_fields[] = {
    {"duration", SCHEMA_DOUBLE, AT(OutputDef, duration), ABOVE(0, 1e6), .unit = "s"},
    {"fps", SCHEMA_DOUBLE, AT(OutputDef, fps), ABOVE(0, 100000), .unit = "1/s"},
    {"size", SCHEMA_OTHER, AT(OutputDef, render), FROM(1, 16384), .unit = "pixels", .read = parts_read_size,
     .expects = "[width, height]"},
    {"style", SCHEMA_CHOICE, AT(OutputDef, render.style), .choice = scene_style_names},
    {"color_by", SCHEMA_CHOICE, AT(OutputDef, render.color_by), .choice = scene_field_names},
    {"range", SCHEMA_OTHER, AT(OutputDef, render), FROM(-1e30, 1e30), .read = parts_read_range,
     .expects = "auto or [low, high]"},
    {"legend", SCHEMA_FLAG, AT(OutputDef, render.legend)},
    {.key = NULL},
};
static const SchemaTable output = {output_fields};

static const SchemaField scene_fields[] = {
    {"name", SCHEMA_TEXT, AT(SceneDef, name), .size = sizeof((SceneDef *)0)->name},
    {"description", SCHEMA_TEXT, AT(SceneDef, description), .size = sizeof((SceneDef *)0)->description},
    {"spacing", SCHEMA_FLOAT, AT(SceneDef, fluid.spacing), ABOVE(0, 1000), .unit = "m"},
    {"tank", SCHEMA_MAPPING, .table = &tank},
    {"fluid", SCHEMA_MAPPING, AT(SceneDef, fluid), .table = &fluid},
    {"solver", SCHEMA_MAPPING, AT(SceneDef, fluid), .table = &solver},
    {"water", SCHEMA_LIST, AT(SceneDef, water), .count_offset = offsetof(SceneDef, water_count),
     .size = sizeof(WaterDef), .table = &WATER_SCHEMA, .read = parts_read_water, .most = 4096},
    {"obstacles", SCHEMA_LIST, AT(SceneDef, obstacles), .count_offset = offsetof(SceneDef, obstacle_count),
     .size = sizeof(ObstacleDef), .table = &OBSTACLE_SCHEMA, .read = parts_read_obstacle,
     .most = SCENE_OBSTACLES_MAX},
    {"scatter", SCHEMA_LIST, AT(SceneDef, scatter), .count_offset = offsetof(SceneDef, scatter_count),
     .size = sizeof(ScatterDef), .table = &SCATTER_SCHEMA, .read = parts_read_scatter, .most = 1000},
    {"emitters", SCHEMA_LIST, AT(SceneDef, emitters), .count_offset = offsetof(SceneDef, emitter_count),
     .size = sizeof(EmitterDef), .table = &EMITTER_SCHEMA, .read = parts_read_emitter, .most = 1024},
    {"drains", SCHEMA_LIST, AT(SceneDef, drains), .count_offset = offsetof(SceneDef, drain_count),
     .size = sizeof(DrainDef), .table = &DRAIN_SCHEMA, .read = parts_read_drain, .most = 1024},
    {"surface", SCHEMA_MAPPING, AT(SceneDef, surface), .table = &SURFACE_SCHEMA},
    {"camera", SCHEMA_MAPPING, AT(SceneDef, output.render.camera), .table = &camera},
    {"output", SCHEMA_MAPPING, AT(SceneDef, output), .table = &output},
    {.key = NULL},
};
const SchemaTable SCENE_SCHEMA = {scene_fields};
