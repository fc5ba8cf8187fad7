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

// The five boxes of a cup, 0.5 m wide and 0.8 m tall, that moves at constant speed (m/s); the middle of its
// floor is at the origin when the time is 0.
static void make_cup(Vec3 velocity, ObstacleDef cup[5])
{
    static const struct {
        Vec3 half, at; // m
    } parts[5] = {{{0.35f, 0.35f, 0.05f}, {0, 0, -0.05f}},
                  {{0.05f, 0.35f, 0.4f}, {-0.3f, 0, 0.4f}},
                  {{0.05f, 0.35f, 0.4f}, {0.3f, 0, 0.4f}},
                  {{0.25f, 0.05f, 0.4f}, {0, -0.3f, 0.4f}},
                  {{0.25f, 0.05f, 0.4f}, {0, 0.3f, 0.4f}}};
    for (int b = 0; b < 5; b++) {
        Keyframe *keys = memory_allocate_zeroed(6 * sizeof *keys); // freed with the body
        assert_non_null(keys);
        for (int n = 0; n < 6; n++) {
            double t = n - 1.0;
            keys[n] =
                (Keyframe){.time = t, .position = vec3_add(parts[b].at, vec3_scale(velocity, (float)t))};
        }
        cup[b] = (ObstacleDef){.shape = {.kind = SHAPE_BOX, .half_extent = parts[b].half}};
        cup[b].motion = (MotionDef){.kind = MOTION_KEYFRAMES, .keyframes = keys, .keyframe_count = 6};
    }
}

// What all of it does together does not matter to water (Galilean invariance).
static void water_in_a_cup_that_moves_with_it_stays_calm(void **state)
{
    (void)state;
    static const struct {
        float spacing;
        double step; // s
        Vec3 velocity;
    } cases[] = {{0.05f, 0.02, {0, 0, 0}},
                 {0.05f, 0.02, {5, 0, 0}},
                 {0.05f, 0.002, {3, 3, 0}},
                 {0.025f, 0.02, {5, 0, 0}},
                 {0.05f, 0.02, {0, 0, 2}}};
    const double high = 0.5, until = test_is_quick() ? 0.6 : 2.0;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k += test_stride(3)) {
        FluidDef def = fluid_def_default();
        float d = def.spacing = cases[k].spacing;
        def.time_step = cases[k].step;
        ObstacleDef cup[5];
        make_cup(cases[k].velocity, cup);
        Fluid *fluid = fluid_for_test(&def, vec3_make(0, 0, 0), cup, 5);
        uint32_t n = (uint32_t)lround(high / (double)d);
        fluid_fill_lattice(fluid, vec3_make(-0.25f, -0.25f, 0), n, n, n, 1e-3f, cases[k].velocity);
        fluid_run(fluid, until);
        FluidSums sums = fluid_sums(fluid, gravity);
        double among = 0.0;
        for (int a = 0; a < 3; a++) among += pow(sums.momentum[a] / fluid_view(fluid).count, 2.0);
        double stirred = sqrt(fmax(pow(sums.rms_speed, 2.0) - among, 0.0) / (gravity * high));
        print_message("d %g m, steps of %g s, %g %g %g m/s: %.2f %% of sqrt(g depth)\n", (double)d,
                      cases[k].step, (double)cases[k].velocity.x, (double)cases[k].velocity.y,
                      (double)cases[k].velocity.z, 100.0 * stirred);
        assert_true(stirred < 0.025);
        fluid_destroy(fluid);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(water_follows_a_wall_that_moves),
        cmocka_unit_test(water_in_a_cup_that_moves_with_it_stays_calm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
