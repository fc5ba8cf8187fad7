// Water beside walls that move.
#include "fluid_helpers.h"

#include "core/memory.h"

static const double gravity = 9.81, depth = 0.6, length = 4.0, start = 1.2; // m/s^2, m

// Shallow water beside a wall that has moved at constant speed since the water was at rest: behind one that
// recedes a simple wave, ahead of one that comes a bore (Stoker 1957, "Water Waves", 10.2 and 10.7). m.
static double theory(double speed)
{
    double wave = sqrt(gravity * depth) + speed / 2.0;
    if (speed < 0.0) return wave * wave / gravity;
    double low = depth, high = 3.0 * depth;
    for (int k = 0; k < 60; k++) {
        double middle = (low + high) / 2.0;
        double bore = sqrt(gravity * middle * (middle + depth) / (2.0 * depth));
        *(bore * (1.0 - depth / middle) < speed ? &low : &high) = middle;
    }
    return low;
}

// Mean depth of the water up to `reach` from the wall at a place, m. right: the wall is on its right.
static double depth_beside(const Fluid *fluid, bool right, double wall, double width, double reach)
{
    FrameView view = fluid_view(fluid);
    double d = (double)view.spacing, count = 0.0;
    for (uint32_t i = 0; i < view.count; i++)
        count += (right ? length - (double)view.x[i] : (double)view.x[i]) < wall + reach;
    return count * d * d * d / (width * reach);
}

static void water_follows_a_wall_that_moves(void **state)
{
    (void)state;
    static const struct {
        float spacing;
        double step, speed; // m, s, m/s
    } cases[] = {{0.06f, 0.02, -0.8}, {0.06f, 0.004, -0.8}, {0.04f, 0.02, -0.8}, {0.04f, 0.004, -0.8},
                 {0.06f, 0.02, 0.6},  {0.06f, 0.004, 0.6},  {0.04f, 0.02, 0.6},  {0.04f, 0.004, 0.6}};
    const double until = 0.8, reach = 0.36;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k += test_stride(3)) {
        bool right = k % 2 == 1;
        float forth = right ? -1.0f : 1.0f, end = right ? (float)length : 0.0f;
        FluidDef def = fluid_def_default();
        float d = def.spacing = cases[k].spacing;
        def.time_step = cases[k].step;
        const uint32_t across = 5, along = (uint32_t)lround((length - start) / (double)d),
                       up = (uint32_t)lround(depth / (double)d);
        Keyframe *keys = memory_allocate_zeroed(6 * sizeof *keys); // freed with the body
        assert_non_null(keys);
        for (int n = 0; n < 6; n++) {
            double t = n - 2.0;
            keys[n] = (Keyframe){
                .time = t, .position = {end + forth * (float)(start - 2.0 + cases[k].speed * t), 0, 0.5f}};
        }
        ObstacleDef wall = {.shape = {.kind = SHAPE_BOX, .half_extent = {2.0f, 2.0f, 2.0f}}};
        wall.motion = (MotionDef){.kind = MOTION_KEYFRAMES, .keyframes = keys, .keyframe_count = 6};
        Fluid *fluid = fluid_for_test(&def, vec3_make((float)length, (float)across * d, 1.5f), &wall, 1);
        fluid_fill_lattice(fluid, vec3_make(right ? 0.0f : (float)start, 0, 0), along, across, up, 0.0f,
                           vec3_make(0, 0, 0));
        StepReport last = fluid_run(fluid, until);
        double found = depth_beside(fluid, right, start + cases[k].speed * until, across * (double)d, reach);
        print_message("d %g m, steps of %.4f s, %g m/s: %.4f of %.4f m\n", (double)d, last.dt, cases[k].speed,
                      found, theory(cases[k].speed));
        ASSERT_WITHIN(found / theory(cases[k].speed), 1.0, 0.04);
        fluid_destroy(fluid);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(water_follows_a_wall_that_moves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
