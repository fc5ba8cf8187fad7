// Water that turns while walls hold it.
#include "fluid_helpers.h"

// A frictionless ball on the axis can neither drive nor hold the water that turns around it. In a step the
// water turns by up to 0.06 rad, and would lose the square of that with pushes that are turned ahead.
static void water_around_a_smooth_body_goes_on_turning(void **state)
{
    (void)state;
    static const struct {
        float spacing;
        double step;
        float rate;   // rad/s
        double bound; // of what reading moves between the cells of the grid takes in every step
    } cases[] = {{0.1f, 0.012, 3, 0.003},
                 {0.1f, 0.006, 3, 0.007},
                 {0.05f, 0.008, 3, 0.009},
                 {0.05f, 0.004, 3, 0.024},
                 {0.1f, 0.012, -5, 0.003}};
    const float inner = 4.0f, outer = 9.0f; // spacings
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k += test_stride(3)) {
        float d = cases[k].spacing;
        FluidDef def = fluid_def_default();
        def.gravity = vec3_make(0, 0, 0);
        def.spacing = d;
        def.time_step = cases[k].step;
        ObstacleDef ball = {.shape = {.kind = SHAPE_SPHERE, .radius = inner * d}};
        Fluid *fluid = fluid_for_test(&def, vec3_make(0, 0, 0), &ball, 1);
        fluid_add_turning_ball(fluid, inner + 0.5f, outer, d, cases[k].rate);
        double before = fluid_sums(fluid, 0.0).angular_momentum[2];
        fluid_run(fluid, 0.3);
        double kept = fluid_sums(fluid, 0.0).angular_momentum[2] / before;
        print_message("d %g m, steps of %g s, %g rad/s: %.4f of the angular momentum\n", (double)d,
                      cases[k].step, (double)cases[k].rate, kept);
        ASSERT_WITHIN(kept, 1.0, cases[k].bound);
        fluid_destroy(fluid);
    }
}

// Water that slides over water below it turns, but what holds its weight up does not: the middle of a long
// tank goes nowhere until waves come from its ends. Turned by half the curl it would gain g (rate / 2) dt.
static void what_holds_sliding_water_up_stays_upright(void **state)
{
    (void)state;
    static const struct {
        float spacing;
        double step;
    } cases[] = {{0.1f, 0.012}, {0.1f, 0.006}, {0.05f, 0.008}, {0.05f, 0.004}};
    const double g = 9.81, length = 10.0, depth = 0.6, until = 0.3;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k += test_stride(3)) {
        float d = cases[k].spacing, rate = 2.0f;
        FluidDef def = fluid_def_default();
        def.spacing = d;
        def.time_step = cases[k].step;
        uint32_t across = 4, along = (uint32_t)lround(length / (double)d),
                 up = (uint32_t)lround(depth / (double)d);
        Fluid *fluid = fluid_for_test(&def, vec3_make((float)length, (float)across * d, 2.0f), NULL, 0);
        for (uint32_t layer = 0; layer < up; layer++) {
            Vec3 velocity = {rate * (((float)layer + 0.5f) * d - 0.5f * (float)depth), 0, 0};
            fluid_fill_lattice(fluid, vec3_make(0, 0, (float)layer * d), along, across, 1, 0.0f, velocity);
        }
        StepReport last = fluid_run(fluid, until);
        FrameView view = fluid_view(fluid);
        double sum = 0.0, count = 0.0;
        for (uint32_t i = 0; i < view.count; i++) {
            if (fabs((double)view.x[i] - 0.5 * length) > 1.0) continue;
            sum += (double)view.vx[i];
            count++;
        }
        double turned = g * 0.5 * (double)rate * last.dt * until, mean = sum / count;
        print_message("d %g m, steps of %.4f s: %.5f m/s, %.3f of what the weight would give\n", (double)d,
                      last.dt, mean, mean / turned);
        ASSERT_WITHIN(mean / turned, 0.0, 0.05);
        fluid_destroy(fluid);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(water_around_a_smooth_body_goes_on_turning),
        cmocka_unit_test(what_holds_sliding_water_up_stays_upright),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
