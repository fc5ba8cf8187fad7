// What small fluids are after some steps with one term after another, number by number and bit for bit:
// tests/golden/fluids.txt. `make golden` rewrites the file.
#include "fluid_helpers.h"
#include "golden_helpers.h"

#include "core/hash.h"
#include "fluid/edit.h"
#include "fluid/steer.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static const char HEAD[] =
    "# Small fluids after some steps (tests/test_fluid_golden.c), through lists: the state's hash, one of "
    "all\n"
    "# that is drawn and exported, and the last step's report. The same on all instruction sets, compilers "
    "and\n"
    "# processors. `make golden` rewrites it on purpose; say in the commit why the physics changed.\n"
    "# Then water of another program that is measured, and solutions of the pressure grid's equation.\n"
    "# fluid steps particles state fields time dt error-mean error-max speed neighbors candidates load "
    "turn\n";

enum { STEPS = 24 };

typedef struct Setting {
    const char *name;
    FluidDef def;
    bool poured, bodies, steered, loads, no_slip, sides, flying, foaming, stranded, edited;
} Setting;

enum {
    PLAIN,
    VISCOUS,
    HONEY,
    RUSHED,
    SWIRLING,
    TENSE,
    STIFF,
    SOFT,
    PENALTY,
    POURED,
    BODIES,
    STEERED,
    ALL,
    SIDES,
    FLYING,
    ITERATED,
    SPINNING,
    FOAMING,
    STRANDED,
    EDITED,
    SETTINGS
};

static Setting make_setting(int which)
{
    Setting s = {.name = "plain", .def = fluid_def_default()};
    FluidDef *def = &s.def;
    def->spacing = 0.1f;
    strcpy(def->neighbor, "uniform_grid");
    if (which == VISCOUS) s.name = "viscous", def->viscosity = 0.05f, def->xsph = 2;
    if (which == HONEY || which == RUSHED) { // solved to the end, and not
        s.name = which == HONEY ? "honey" : "rushed", def->viscosity = 0.8f,
        s.no_slip = s.bodies = s.loads = true;
        if (which == RUSHED) def->viscosity_iterations = 3, s.no_slip = false;
    }
    if (which == SWIRLING) s.name = "swirling", def->vorticity_confinement = 0.05f;
    if (which == TENSE) s.name = "tense", def->surface_tension = 2, def->gravity = vec3_make(1, 0, -2);
    if (which == STIFF) {
        s.name = "stiff", def->iterations = 8, def->divergence_iterations = 2, def->warm_start = 0;
        def->max_substeps = 2;
    }
    if (which == SOFT)
        s.name = "soft", def->relaxation = 4, def->scorr_strength = 0.01f, def->scorr_power = 3;
    if (which == SOFT || which == ALL) def->time_step = 0.03, def->cfl = 0.3;
    if (which == PENALTY) s.name = "penalty", def->boundary = BOUNDARY_PENALTY, def->radius_factor = 2;
    if (which == POURED) s.name = "poured", s.poured = true;
    if (which == BODIES) s.name = "bodies", s.bodies = s.loads = true, def->broad_phase = 1;
    if (which == STEERED) s.name = "steered", s.steered = s.bodies = true;
    if (which == ALL) {
        s.name = "all", s.poured = s.bodies = s.steered = s.loads = true;
        def->viscosity = 0.01f, def->vorticity_confinement = 0.02f, def->surface_tension = 1;
        def->divergence_iterations = 1, def->rest_density = 800, def->origin = vec3_make(1, 2, 3);
    }
    if (which == SIDES) s.name = "sides", s.sides = true, def->vorticity_confinement = 0.02f;
    if (which == FLYING) s.name = "flying", s.flying = true, def->gravity = vec3_make(0, 0, 0);
    if (which == ITERATED) s.name = "iterated", def->global_pressure = false, s.bodies = s.loads = true;
    if (which == SPINNING) {
        s.name = "spinning", s.poured = true, def->micropolar = 0.02f, def->micropolar_inertia = 0.5f;
        def->vorticity_confinement = 0.02f;
    }
    if (which == FOAMING) s.name = "foaming", s.foaming = s.poured = true;
    if (which == STRANDED) s.name = "stranded", s.stranded = true;
    if (which == EDITED) s.name = "edited", s.edited = true, def->micropolar = 0.01f;
    return s;
}

// A rope across the water, and grass.
static void take_strands(Fluid *fluid)
{
    StrandDef defs[2] = {STRAND_DEF_DEFAULT, STRAND_DEF_DEFAULT};
    defs[0].from = vec3_make(0, 0.4f, 0.6f), defs[0].to = vec3_make(1.5f, 0.6f, 0.3f);
    defs[0].hold = HOLD_BOTH, defs[0].radius = 0.03f;
    defs[1].layout = STRAND_MEADOW, defs[1].count = 12, defs[1].segments = 8, defs[1].radius = 0.01f;
    defs[1].lo = vec3_make(0.2f, 0.2f, 0), defs[1].hi = vec3_make(1.2f, 0.8f, 0);
    Strands *strands;
    ASSERT_OK(strands_create(defs, 2, fluid_view(fluid).obstacles, &strands));
    fluid_take_strands(fluid, strands);
}

static Fluid *make_fluid(const Setting *setting)
{
    ObstacleDef bodies[3] = {
        {.name = "paddle", .shape = {.kind = SHAPE_BOX, .half_extent = {0.1f, 0.3f, 0.3f}}, .friction = 0.3f},
        {.name = "ball", .shape = {.kind = SHAPE_SPHERE, .radius = 0.2f}},
        {.name = "post", .shape = {.kind = SHAPE_CYLINDER, .radius = 0.1f, .half_height = 0.4f}}};
    bodies[0].position = vec3_make(0.2f, 0.5f, 0.4f);
    bodies[0].motion =
        (MotionDef){.kind = MOTION_OSCILLATION, .amplitude = {0.3f, 0, 0}, .period = 0.5, .stop = INFINITY};
    bodies[0].no_slip = setting->no_slip;
    bodies[1].position = vec3_make(1.2f, 0.5f, 0.5f);
    bodies[2].position = vec3_make(0.8f, 0.8f, 0.4f);
    EmitterDef emitters[2] = {
        {.position = {1.2f, 0.5f, 1.5f}, .rotation = {180, 0, 0}, .width = 0.4f, .height = 0.4f, .speed = 4},
        {.disc = true, .position = {0.2f, 0.2f, 1.2f}, .rotation = {0, 120, 10}, .radius = 0.2f, .speed = 3}};
    emitters[0].stop = emitters[0].volume = emitters[1].stop = INFINITY;
    emitters[1].start = 0.05, emitters[1].volume = 0.03;
    DrainDef drains[2] = {{.position = {1.4f, 0.1f, 0.1f}, .half_extent = {0.2f, 0.2f, 0.2f}},
                          {.sphere = true, .position = {0.1f, 0.9f, 0.1f}, .radius = 0.2f, .start = 0.1}};
    drains[0].stop = INFINITY, drains[1].stop = 0.3;
    TankDef tank = {.present = true, .size = {1.5f, 1, 2}, .no_slip = setting->no_slip};
    tank.open[TANK_Z_HI] = true;
    if (setting->sides)
        tank.open[TANK_X_LO] = tank.open[TANK_Y_LO] = tank.open[TANK_Y_HI] = tank.periodic[1] = true;
    if (setting->flying) tank = (TankDef){0};
    Obstacles *obstacles;
    Fluid *fluid;
    ASSERT_OK(obstacles_create(tank, 0.2f, bodies, setting->bodies ? 3 : 0, &obstacles));
    ASSERT_OK(fluid_create(&setting->def, obstacles, emitters, setting->poured ? 2 : 0, drains,
                           setting->poured ? 2 : 0, &fluid));
    fluid_fill_lattice(fluid, vec3_make(0.35f, 0.1f, 0), 6, 7, 7, 0.2f, vec3_make(1, 0.5f, 0));
    if (setting->flying)
        fluid_fill_lattice(fluid, vec3_make(1.1f, 0.3f, 0.2f), 5, 4, 6, 0.2f, vec3_make(-2, 0, 0.3f));
    fluid_measure_loads(fluid, setting->loads);
    if (setting->foaming) fluid_measure_potentials(fluid, 0.5f);
    if (setting->stranded) take_strands(fluid);
    return fluid;
}

static void steer(Fluid *fluid, int step)
{
    FluidForce forces[2] = {{.center = {0.6f, 0.5f, 0.3f}, .radius = 0.4f, .toward = 20, .along = {0, 3, 0}},
                            {.center = {1, 0.5f, 0.3f}, .radius = 0.3f, .toward = -15}};
    uint32_t added;
    if (step % 3 == 0) fluid_set_forces(fluid, forces, 2);
    if (step == 2) ASSERT_OK(fluid_shift_obstacle(fluid, 1, vec3_make(-0.2f, 0, -0.1f), 2));
    if (step == 4)
        ASSERT_OK(fluid_add_ball(fluid, vec3_make(0.7f, 0.5f, 1.1f), 0.25f, vec3_make(0, 0, -2), 80, &added));
}

// By a program that uses the fluid.
static void edit(Fluid *fluid, int step)
{
    const Vec3 at[3] = {{0.2f, 0.3f, 0.9f}, {1.2f, 0.7f, 0.5f}, {0.7f, 0.1f, 1.1f}};
    const Vec3 moving[3] = {{1, 0, -2}, {-3, 0.5f, 0}, {0, 2, 1}};
    if (step == 5) ASSERT_OK(fluid_add_each(fluid, at, moving, 3, NULL));
    if (step == 9) ASSERT_OK(fluid_remove(fluid, (uint32_t[]){3, 100, 7, 295}, 4));
    if (step == 12) ASSERT_OK(fluid_change_particles(fluid, (uint32_t[]){5, 294, 8}, 3, at, moving));
    if (step != 15) return;
    FrameView view = fluid_view(fluid);
    Vec3 velocity[300];
    assert_true(view.count < 300);
    for (uint32_t i = 0; i < view.count; i++)
        velocity[i] = vec3_make(0.5f * view.vx[i], -view.vy[i], 0.5f * view.vz[i] + 1.0f);
    ASSERT_OK(fluid_change_particles(fluid, NULL, view.count, NULL, velocity));
}

// Of all that a view shows, in the order of memory.
static uint64_t hash_of_fields(const FrameView *view)
{
    uint64_t hash = HASH_START;
    for (uint32_t i = 0; i < view->count; i++) {
        for (int key = 0; key < ATTRIBUTE_COUNT; key++) {
            float values[3] = {0};
            particle_attribute_values(particle_attribute((FieldKey)key), view, i, i + 1, values);
            hash = hash_bytes(hash, values, sizeof values);
        }
        float potentials[2] = {view->trapped_air ? view->trapped_air[i] : 0,
                               view->wave_crest ? view->wave_crest[i] : 0};
        if (view->trapped_air) hash = hash_bytes(hash, potentials, sizeof potentials);
    }
    return hash;
}

static void measure(FILE *out, const Setting *setting)
{
    Fluid *fluid = make_fluid(setting);
    StepReport report;
    FluidLoad sum = {0};
    for (int step = 0; step < STEPS; step++) {
        if (setting->steered) steer(fluid, step);
        if (setting->edited) edit(fluid, step);
        ASSERT_OK(fluid_step(fluid, 1, &report));
        for (uint32_t body = 0; setting->loads && body < 4; body++) {
            FluidLoad load = fluid_load(fluid, body == 3 ? FLUID_TANK : body);
            for (int axis = 0; axis < 3; axis++) {
                sum.impulse[axis] += (body + 1) * load.impulse[axis];
                sum.turn[axis] += (body + 1) * load.turn[axis];
            }
        }
    }
    FrameView view = fluid_view(fluid);
    fprintf(out,
            "%-8s %" PRIu64 " %" PRIu32 " %016" PRIx64 " %016" PRIx64 " %.9g %.9g %.9g %.9g %.9g %" PRIu64
            " %" PRIu64 " %.7g %.7g %" PRIu32 " %.6g\n",
            setting->name, report.step, report.particles, fluid_state_hash(fluid), hash_of_fields(&view),
            report.time, report.dt, report.density_error_mean, report.density_error_max, report.speed_max,
            report.neighbor.neighbors, report.neighbor.candidates,
            sum.impulse[0] + 2 * sum.impulse[1] + 3 * sum.impulse[2],
            sum.turn[0] + 2 * sum.turn[1] + 3 * sum.turn[2], report.viscosity_iterations,
            report.viscosity_error);
    fluid_destroy(fluid);
}

// Water of another program, of which only what it shows is measured.
static void measure_taken(FILE *out)
{
    Setting setting = make_setting(FOAMING);
    setting.poured = false;
    Fluid *fluid = make_fluid(&setting);
    FrameView view = fluid_view(fluid);
    Vec3 at[294], velocity[294];
    assert_true(view.count <= 294);
    for (uint32_t i = 0; i < view.count; i++) {
        at[i] = vec3_make(view.z[i], view.x[i], 1.1f * view.y[i]);
        velocity[i] = vec3_make(4 * view.z[i], 2 - view.x[i], 3 * view.y[i]);
    }
    ASSERT_OK(fluid_take(fluid, at, velocity, view.count, 7.5));
    ASSERT_OK(fluid_measure_now(fluid));
    view = fluid_view(fluid);
    fprintf(out, "taken %" PRIu32 " %016" PRIx64 " %016" PRIx64 " %.9g %.9g %.9g %.9g %" PRIu64 "\n",
            view.count, fluid_state_hash(fluid), hash_of_fields(&view), view.time,
            view.report.density_error_mean, view.report.density_error_max, view.report.speed_max,
            view.report.neighbor.neighbors);
    fluid_destroy(fluid);
}

// The pressure grid's equation on boxes of cells that are not as small as these fluids'.
static void measure_equation(FILE *out, const uint32_t n[3], bool air)
{
    Poisson poisson = {0};
    fluid_random_equation(&poisson, n, air, 3);
    poisson_solve(&poisson, 0.001, 4);
    fprintf(out, "equation %u %u %u %016" PRIx64 "\n", n[0], n[1], n[2],
            hash_bytes(HASH_START, poisson.phi, poisson.level[0].cells * sizeof *poisson.phi));
    poisson_free(&poisson);
}

static void measure_all(FILE *out)
{
    static const uint32_t sizes[][3] = {{9, 12, 10}, {33, 21, 2}, {1, 40, 3}, {17, 16, 31}};
    for (int which = 0; which < SETTINGS; which++) {
        Setting setting = make_setting(which);
        measure(out, &setting);
    }
    measure_taken(out);
    for (int k = 0; k < 8; k++) measure_equation(out, sizes[k / 2], k & 1);
}

int main(int argc, char **argv)
{
    return golden_main(argc, argv, "tests/golden/fluids.txt", HEAD, measure_all);
}
