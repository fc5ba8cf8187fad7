// Viscosity against the flows that have it in a formula, at several spacings and lengths of a step.
#include "fluid_helpers.h"

#include <math.h>
#include <stdlib.h>

#define PI 3.14159265358979323846

// Nothing acts but pressure and viscosity.
static FluidDef plain_def(float spacing, double dt, double viscosity)
{
    FluidDef def = fluid_def_default();
    def.spacing = spacing;
    def.gravity = vec3_make(0, 0, 0);
    def.time_step = dt;
    def.max_substeps = 1; // a step is as long as it is asked to be
    def.viscosity = (float)viscosity;
    def.xsph = def.scorr_strength = def.surface_tension = 0.0f;
    return def;
}

static void assert_within(double found, double expected, double share, const char *what)
{
    if (!(fabs(found - expected) <= share * fabs(expected)))
        fail_msg("%s: %.7g, should be %.7g (%.2g off, %.2g allowed)", what, found, expected,
                 fabs(found / expected - 1.0), share);
}

// --- shear waves ---

#define WIDTH 21  // particles along x and y
#define HEIGHT 33 // along z

typedef struct Wave {
    double amplitude, wave_number; // m/s, 1/m
} Wave;

// A block of the lattice at rest, moving as v_x = amplitude cos(wave_number z) around its middle.
static Fluid *shear_wave(const FluidDef *def, Wave wave)
{
    Fluid *fluid = fluid_for_test(def, vec3_make(0, 0, 0), NULL, 0);
    for (int k = 0; k < WIDTH * WIDTH * HEIGHT; k++) {
        Vec3 site = {(float)(k % WIDTH - WIDTH / 2), (float)(k / WIDTH % WIDTH - WIDTH / 2),
                     (float)(k / WIDTH / WIDTH - HEIGHT / 2)};
        Vec3 at = vec3_scale(site, def->spacing);
        double v = wave.amplitude * cos(wave.wave_number * (double)at.z);
        ASSERT_OK(fluid_add(fluid, &at, 1, vec3_make((float)v, 0, 0)));
    }
    return fluid;
}

// The wave's amplitude, by projection of what is around the middle.
static double amplitude_of(const Fluid *fluid, Wave wave)
{
    FrameView view = fluid_view(fluid);
    double along = 0.0, square = 0.0;
    for (uint32_t i = 0; i < view.count; i++) {
        // Where it was at the start.
        int x = abs((int)view.id[i] % WIDTH - WIDTH / 2),
            y = abs((int)view.id[i] / WIDTH % WIDTH - WIDTH / 2),
            z = abs((int)view.id[i] / WIDTH / WIDTH - HEIGHT / 2);
        if (x > WIDTH / 8 || y > WIDTH / 4 || z > HEIGHT / 4) continue;
        double shape = cos(wave.wave_number * (double)view.z[i]);
        along += shape * (double)view.vx[i];
        square += shape * shape;
    }
    return along / square;
}

// v_x decays as exp(-nu k^2 t). Around the middle, so early that the faces are not felt.
static double measured_viscosity(const FluidDef *def)
{
    double d = (double)def->spacing, dt = def->time_step, k = 2.0 * PI / (24.0 * d);
    double nu = fluid_acting_viscosity(def), steps = fmin(fmax(ceil(0.05 / (nu * k * k * dt)), 3.0), 40.0);
    Wave wave = {0.2 * d / dt / steps, k};
    Fluid *fluid = shear_wave(def, wave);
    fluid_run(fluid, dt);
    double before = amplitude_of(fluid, wave);
    fluid_run(fluid, (1.0 + steps) * dt);
    double rate = log(before / amplitude_of(fluid, wave)) / (steps * dt);
    fluid_destroy(fluid);
    return rate / (k * k);
}

static void a_shear_wave_decays_by_the_viscosity_at_every_spacing(void **state)
{
    (void)state;
    static const struct {
        double viscosity;
        float spacing;
    } cases[] = {{1e-3, 0.02f}, {0.01, 0.05f}, {0.1, 0.1f}};
    for (int k = 0; k < 12; k++) {
        float spacing = cases[k / 4].spacing * (k & 1 ? 0.5f : 1.0f);
        double dt = k & 2 ? 0.0015 : 0.006, nu = cases[k / 4].viscosity;
        if (nu * dt / (double)(spacing * spacing) > 0.15) continue; // more than explicit forces bear
        FluidDef def = plain_def(spacing, dt, nu);
        double found = measured_viscosity(&def);
        print_message("nu %g, spacing %g, steps of %g ms: %.4f of it\n", nu, (double)spacing, 1e3 * dt,
                      found / nu);
        assert_within(found, nu, 0.03, "viscosity");
    }
}

// --- smoothing ---

// With every default on but the tension: a ball that spins.
static void a_spinning_drop_keeps_its_angular_momentum(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        FluidDef def = fluid_def_default();
        def.gravity = vec3_make(0, 0, 0);
        def.surface_tension = 0.0f;
        def.viscosity = k ? 0.05f : def.viscosity;
        Fluid *fluid = fluid_for_test(&def, vec3_make(0, 0, 0), NULL, 0);
        int radius = 8;
        for (int z = -radius; z <= radius; z++) {
            for (int y = -radius; y <= radius; y++) {
                for (int x = -radius; x <= radius; x++) {
                    if (x * x + y * y + z * z > radius * radius) continue;
                    Vec3 at = vec3_scale(vec3_make((float)x, (float)y, (float)z), def.spacing);
                    ASSERT_OK(fluid_add(fluid, &at, 1, vec3_make(-0.5f * at.y, 0.5f * at.x, 0)));
                }
            }
        }
        double before = fluid_sums(fluid, 0.0).angular_momentum[2];
        fluid_run(fluid, test_is_quick() ? 1.0 : 4.0);
        double kept = fluid_sums(fluid, 0.0).angular_momentum[2] / before;
        print_message("viscosity %g: %.4f of the angular momentum\n", (double)def.viscosity, kept);
        assert_within(kept, 1.0, 0.005, "angular momentum");
        fluid_destroy(fluid);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_shear_wave_decays_by_the_viscosity_at_every_spacing),
        cmocka_unit_test(a_spinning_drop_keeps_its_angular_momentum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
