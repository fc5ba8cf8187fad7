// What is accepted runs: the ends of the range of every number of the fluid and of its solver.
#include "fluid/fluid_params.h"
#include "scene_helpers.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static double end_of_range(const ParamRow *row, bool high)
{
    if (high) return row->hi;
    if (!row->above_lo) return row->lo;
    if (row->kind == PARAM_FLOAT) return (double)nextafterf((float)row->lo, (float)row->hi);
    return nextafter(row->lo, row->hi);
}

// KEY=NUMBER or KEY=[NUMBER, ...]
static void print_setting(const ParamRow *row, double value, char out[300])
{
    int used = sprintf(out, "%s=%s", row->key, row->length > 0 ? "[" : "");
    for (uint32_t k = 0; k < (row->length > 0 ? row->length : 1); k++)
        used += sprintf(out + used, "%s%.17g", k > 0 ? ", " : "", value);
    if (row->length > 0) sprintf(out + used, "]");
}

// A cube of water in the corner of a tank, three steps long.
static void run(const char *setting, double spacing, const char *boundary)
{
    char text[400];
    SceneDef scene;
    Fluid *fluid = NULL;
    snprintf(text, sizeof text,
             "spacing: %.17g\ntank: {size: [%.9g, %.9g, %.9g]}\nsolver: {boundary: %s}\n"
             "water: [{box: {min: [0, 0, 0], max: [%.9g, %.9g, %.9g]}}]\n",
             spacing, 20 * spacing, 20 * spacing, 20 * spacing, boundary, 5 * spacing, 5 * spacing,
             5 * spacing);
    Result result = scene_read_text(text, setting, &scene);
    if (!result_is_ok(&result)) fail_msg("%s: %s", setting, result.text);
    result = scene_build(&scene, &fluid);
    for (int step = 0; step < 3 && result_is_ok(&result); step++)
        result = fluid_step(fluid, fluid_time(fluid) + 1, NULL);
    if (!result_is_ok(&result)) fail_msg("%s (%s): %s", setting, boundary, result.text);
    FrameView view = fluid_view(fluid);
    assert_int_equal(view.count, 125);
    for (uint32_t i = 0; i < view.count; i++) {
        if (!isfinite(view.x[i] + view.y[i] + view.z[i]) || !isfinite(view.vx[i] + view.vy[i] + view.vz[i]) ||
            !isfinite(view.density[i]))
            fail_msg("%s (%s): particle %u is not finite", setting, boundary, i);
    }
    fluid_destroy(fluid);
    scene_free(&scene);
}

static void the_ends_of_every_range_run(void **state)
{
    (void)state;
    int rows = 0;
    for (const ParamRow *row = FLUID_ROWS; row->key; row++) {
        if (row->kind != PARAM_FLOAT && row->kind != PARAM_DOUBLE && row->kind != PARAM_COUNT) continue;
        for (int high = 0; high < 2; high++) {
            double value = end_of_range(row, high);
            bool spacing = strcmp(row->key, "spacing") == 0;
            char setting[300];
            print_setting(row, value, setting);
            run(setting, spacing ? value : 0.1, "density");
            run(setting, spacing ? value : 0.1, "penalty");
        }
        rows++;
    }
    assert_true(rows > 15); // the table was found
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_ends_of_every_range_run)};
    return cmocka_run_group_tests_name("ends of ranges", tests, scene_folder_make, scene_folder_remove);
}
