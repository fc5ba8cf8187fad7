// Planes through particles: areas and fields against theory, lines against the field they belong to.
#include "surface/slice.h"

#include "case_helpers.h"
#include "core/memory.h"
#include "render/slice_picture.h"
#include "surface/isoline.h"
#include "surface_helpers.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// --- isolines ---

#define SIDE 80u

static float *make_field(float (*value)(float x, float y))
{
    float *field = malloc(SIDE * SIDE * sizeof *field);
    assert_non_null(field);
    for (uint32_t k = 0; k < SIDE * SIDE; k++) field[k] = value((float)(k % SIDE), (float)(k / SIDE));
    return field;
}

static float ring(float x, float y) // distance to a circle of radius 20, negated
{
    return 8.0f - fabsf(hypotf(x - 40.3f, y - 38.7f) - 20.0f);
}

static void a_ring_has_two_lines_and_the_area_between_them(void **state)
{
    (void)state;
    float *field = make_field(ring);
    Isolines lines;
    ASSERT_OK(isolines_find(field, NULL, SIDE, SIDE, 0.0f, &lines));
    assert_int_equal(lines.count, 2);
    assert_true(isoline_is_closed(&lines, 0) && isoline_is_closed(&lines, 1));
    double area = M_PI * (28.0 * 28.0 - 12.0 * 12.0), length = 2.0 * M_PI * (28.0 + 12.0);
    assert_true(fabs(isolines_area(&lines) / area - 1.0) < 0.003);
    assert_true(fabs(isolines_length(&lines) / length - 1.0) < 0.003);
    for (uint32_t k = 0; k < lines.point_count; k++)
        assert_true(fabsf(ring(lines.point[k][0], lines.point[k][1])) < 0.02f);
    isolines_free(&lines);
    free(field);
}

static float noise(float x, float y)
{
    static uint64_t random = 3;
    if (x == 0.0f || y == 0.0f || x == SIDE - 1.0f || y == SIDE - 1.0f) return -1.0f;
    return (float)test_cloud_random(&random);
}

// In noise a quarter of all cells are cut twice or could be cut in two ways.
static void lines_of_noise_are_closed_and_keep_what_is_above_on_their_left(void **state)
{
    (void)state;
    float *field = make_field(noise);
    Isolines lines;
    uint32_t crossings = 0;
    ASSERT_OK(isolines_find(field, NULL, SIDE, SIDE, 0.1f, &lines));
    for (uint32_t k = 0; k < lines.count; k++) {
        assert_true(isoline_is_closed(&lines, k));
        assert_true(lines.first[k + 1] - lines.first[k] >= 5);
    }
    for (uint32_t k = 0; k < SIDE * SIDE; k++) {
        bool above = field[k] >= 0.1f;
        crossings += k % SIDE + 1 < SIDE && above != (field[k + 1] >= 0.1f);
        crossings += k / SIDE + 1 < SIDE && above != (field[k + SIDE] >= 0.1f);
    }
    assert_int_equal(lines.point_count, crossings + lines.count); // every grid edge that is cut, once
    double above = 0.0;
    for (uint32_t k = 0; k < SIDE * SIDE; k++) above += field[k] >= 0.1f;
    assert_true(isolines_area(&lines) > 0.5 * above && isolines_area(&lines) < 1.5 * above);
    isolines_free(&lines);
    free(field);
}

// Two corners of a cell lie above the level: joined where the cell's mean is above it, too.
static void a_saddle_is_joined_by_the_mean_of_its_corners(void **state)
{
    (void)state;
    for (int joined = 0; joined < 2; joined++) {
        float low = joined ? -0.5f : -2.0f;
        const float field[16] = {-1, -1, -1, -1, -1, 1, low, -1, -1, low, 1, -1, -1, -1, -1, -1};
        Isolines lines;
        ASSERT_OK(isolines_find(field, NULL, 4, 4, 0.0f, &lines));
        assert_int_equal(lines.count, joined ? 1 : 2);
        isolines_free(&lines);
    }
}

static float slope(float x, float y)
{
    (void)y;
    return x;
}

static void a_line_ends_where_the_field_is_not_defined(void **state)
{
    (void)state;
    float *field = make_field(slope), *defined = make_field(ring);
    Isolines lines;
    ASSERT_OK(isolines_find(field, defined, SIDE, SIDE, 40.25f, &lines));
    assert_int_equal(lines.count, 2); // above and below the hole
    for (uint32_t k = 0; k < 2; k++) {
        assert_false(isoline_is_closed(&lines, k));
        float low = lines.point[lines.first[k]][1], high = lines.point[lines.first[k + 1] - 1][1];
        assert_true(fabsf(fabsf(high - low) - 15.0f) < 3.0f);
    }
    isolines_free(&lines);
    free(field);
    free(defined);
}

static void a_field_without_the_level_has_no_lines(void **state)
{
    (void)state;
    float *field = make_field(slope);
    Isolines lines;
    ASSERT_OK(isolines_find(field, NULL, SIDE, SIDE, 500.0f, &lines));
    assert_int_equal(lines.count, 0);
    assert_true(isolines_area(&lines) == 0.0 && isolines_length(&lines) == 0.0);
    isolines_free(&lines);
    free(field);
}

static void without_memory_there_are_no_lines(void **state)
{
    (void)state;
    float *field = make_field(slope);
    for (uint64_t nth = 1; nth <= 3; nth++) {
        Isolines lines;
        memory_fail_at(nth);
        assert_int_equal(isolines_find(field, NULL, SIDE, SIDE, 0.1f, &lines).code, RESULT_NO_MEMORY);
        assert_true(memory_fail_at(0));
        assert_true(!lines.point && !lines.first && lines.count == 0 && lines.point_count == 0);
    }
    free(field);
}

// --- slices ---

// A jittered ball of this radius in spacings, turning about its axis (0.6, 0, 0.8) with 3 1/s.
#define RADIUS 20.0
static const Vec3 AXIS = {0.6f, 0.0f, 0.8f};
#define TURN 3.0f

static TestCloud make_ball(double spacing)
{
    TestCloud out = test_cloud_make(40000);
    for (int k = 0; k < 41 * 41 * 41; k++) {
        double at[3] = {k % 41 - 20, k / 41 % 41 - 20, k / 1681 - 20};
        for (int axis = 0; axis < 3; axis++) at[axis] += 0.2 * test_cloud_random(&out.random);
        if (at[0] * at[0] + at[1] * at[1] + at[2] * at[2] > RADIUS * RADIUS) continue;
        test_cloud_add(&out, spacing * at[0] + 1.0, spacing * at[1], spacing * at[2] - 2.0);
        uint32_t i = out.count - 1;
        Vec3 from = {out.x[i] - 1.0f, out.y[i], out.z[i] + 2.0f},
             v = vec3_scale(vec3_cross(AXIS, from), TURN);
        out.vx[i] = v.x;
        out.vy[i] = v.y;
        out.vz[i] = v.z;
    }
    return out;
}

static Slice cut_ball(const TestCloud *ball, double spacing, double distance, Vec3 normal, SliceField field,
                      float sector)
{
    SliceDef def = slice_def_default((float)spacing);
    Vec3 unit = vec3_normalize_or(normal, normal);
    def.point =
        vec3_add(vec3_make(1.0f, 0.0f, -2.0f), vec3_scale(unit, (float)(distance * RADIUS * spacing)));
    def.normal = normal;
    def.field = field;
    def.sector = sector;
    SurfacePoints points = test_cloud_points(ball, true);
    Slice slice;
    ASSERT_OK(slice_make(&def, &points, &slice));
    return slice;
}

// Area of the water, m^2; all lines have to be closed.
static double area_of(const Slice *slice, uint32_t *lines_found)
{
    Isolines lines;
    ASSERT_OK(isolines_find(slice->fraction, NULL, slice->columns, slice->rows, 0.5f, &lines));
    for (uint32_t k = 0; k < lines.count; k++) assert_true(isoline_is_closed(&lines, k));
    double area = isolines_area(&lines) * (double)slice->cell * (double)slice->cell;
    *lines_found = lines.count;
    isolines_free(&lines);
    return area;
}

static void slices_of_a_ball_have_the_area_of_disks(void **state)
{
    (void)state;
    const Vec3 normals[] = {{0, 0, 1}, {0, -4, 0}, {1, 2, -0.5f}, {0.1f, 0, 0.02f}};
    for (int s = 0; s < 2; s++) {
        double spacing = s ? 0.013 : 0.4;
        TestCloud ball = make_ball(spacing);
        for (int n = 0; n < 4; n++) {
            for (double distance = -0.6; distance < 0.7; distance += 0.3) {
                Slice slice = cut_ball(&ball, spacing, distance, normals[n], SLICE_DENSITY, 0.0f);
                double radius = RADIUS * spacing * sqrt(1.0 - distance * distance);
                uint32_t lines;
                double area = area_of(&slice, &lines) / (M_PI * radius * radius);
                if (!(fabs(area - 1.0) < 0.01) || lines != 1)
                    fail_msg("normal %d at %.1f radii: %.4f of a disk's area in %u lines", n, distance, area,
                             lines);
                slice_free(&slice);
            }
        }
        test_cloud_free(&ball);
    }
}

// --- every node against sums in double precision ---

// Sums at a place over all particles; false where rounding decides what a sector holds.
static bool sum_at(const SliceDef *def, const SurfacePoints *points, Vec3 normal, Vec3 place, double *weight,
                   double *value)
{
    double reach = (double)def->support * (double)def->spacing, half = (double)def->sector * M_PI / 360.0;
    *weight = *value = 0.0;
    for (uint32_t k = 0; k < points->count; k++) {
        double d[3] = {(double)place.x - (double)points->x[k], (double)place.y - (double)points->y[k],
                       (double)place.z - (double)points->z[k]};
        double v[3] = {(double)points->vx[k], (double)points->vy[k], (double)points->vz[k]};
        double square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2],
               speed = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
        double w = pow(fmax(1.0 - square / (reach * reach), 0.0), 3.0);
        if (w > 0.0 && def->sector > 0.0f && speed > 0.0) {
            double along = fabs(d[0] * v[0] + d[1] * v[1] + d[2] * v[2]) / speed,
                   limit = sqrt(square) * cos(half);
            if (fabs(along - limit) < 1e-5 * reach) return false;
            w = along > limit ? w / (1.0 - cos(half)) : 0.0;
        }
        const double values[] = {
            1.0,  speed, v[0],
            v[1], v[2],  v[0] * (double)normal.x + v[1] * (double)normal.y + v[2] * (double)normal.z};
        *weight += w;
        *value += w * values[def->field];
    }
    if (def->field != SLICE_DENSITY) *value = *weight > 0.0 ? *value / *weight : 0.0;
    return true;
}

static void check_nodes(const SliceDef *def, const SurfacePoints *points)
{
    Slice slice;
    ASSERT_OK(slice_make(def, points, &slice));
    double support = (double)def->support, norm = 315.0 / (64.0 * M_PI * support * support * support);
    double least = INFINITY, most = -INFINITY;
    uint32_t near = 0, skipped = 0;
    for (uint32_t k = 0; k < points->count; k++) {
        Vec3 from = vec3_sub(vec3_make(points->x[k], points->y[k], points->z[k]), def->point);
        near += fabsf(vec3_dot(from, slice.normal)) < def->support * def->spacing;
    }
    assert_int_equal(slice.particles, near);
    for (uint32_t node = 0; node < slice.columns * slice.rows; node++) {
        uint32_t column = node % slice.columns, row = node / slice.columns;
        bool border = column == 0 || row == 0 || column + 1 == slice.columns || row + 1 == slice.rows;
        double weight, value;
        if (slice.fraction[node] >= 0.5f) {
            least = fmin(least, (double)slice.value[node]);
            most = fmax(most, (double)slice.value[node]);
        }
        assert_true(!border || slice.fraction[node] == 0.0f);
        if (!sum_at(def, points, slice.normal, slice_place(&slice, (float)column, (float)row), &weight,
                    &value)) {
            skipped++;
            continue;
        }
        if (def->field == SLICE_DENSITY) value *= norm;
        assert_float_equal(slice.fraction[node], norm * weight, 2e-5);
        if (norm * weight > 1e-3) assert_float_equal(slice.value[node], value, 2e-3);
    }
    assert_true(skipped < slice.columns * slice.rows / 20);
    if (least < INFINITY) assert_true((double)slice.least == least && (double)slice.most == most);
    slice_free(&slice);
}

static void nodes_are_the_sums_of_what_reaches_them(void **state)
{
    (void)state;
    const Vec3 normals[] = {{0, 0, 1}, {0, -2, 0}, {0.3f, -0.5f, 1}};
    TestCloud cloud = test_cloud_make(300);
    test_cloud_add_box(&cloud, vec3_make(-2, -3, -2), 5, 7, 6, 0.3);
    for (uint32_t k = 0; k < cloud.count; k++) {
        float *v[3] = {cloud.vx, cloud.vy, cloud.vz};
        for (int a = 0; a < 3; a++)
            v[a][k] = k % 17 ? (float)(5 * test_cloud_random(&cloud.random) + a) : 0.0f;
    }
    SurfacePoints points = test_cloud_points(&cloud, true);
    for (int n = 0; n < 3; n++) {
        SliceDef def = slice_def_default(1);
        def.normal = normals[n];
        def.point = vec3_make(0.2f, 0.1f, -0.3f);
        if (n == 1) def.cell = 0.7f, def.support = 2.0f;
        for (int field = SLICE_DENSITY; field <= SLICE_THROUGH; field++) {
            def.field = (SliceField)field;
            for (def.sector = 0; def.sector < 200; def.sector += 100) check_nodes(&def, &points);
        }
    }
    points.count = 1;
    SliceDef drop = slice_def_default(1);
    drop.point = vec3_make(points.x[0], points.y[0], points.z[0] + 0.5f);
    drop.field = SLICE_THROUGH;
    check_nodes(&drop, &points);
    test_cloud_free(&cloud);
}

// The picture that the window puts into space: transparent beside the water, one color a value.
static void a_sheet_covers_the_water_alone(void **state)
{
    (void)state;
    enum { PIXELS = 3 };
    TestCloud ball = make_ball(0.4);
    Slice slice = cut_ball(&ball, 0.4, 0.0, (Vec3){0, 0, 1}, SLICE_DENSITY, 0.0f);
    uint32_t width = (slice.columns - 1) * PIXELS, height = (slice.rows - 1) * PIXELS, covered = 0;
    uint8_t *rgba = malloc(4 * (size_t)width * height);
    assert_non_null(rgba);
    slice_sheet_draw(&(SlicePictureDef){.slice = &slice, .colors = COLORMAP_WATER}, PIXELS, rgba);
    for (uint32_t k = 0; k < width * height; k++) covered += rgba[4 * k + 3] > 127;
    double pixel = (double)slice.cell / PIXELS, radius = RADIUS * 0.4;
    // The border's line reaches one and a half pixels beyond it.
    assert_true(covered * pixel * pixel > 0.99 * M_PI * radius * radius);
    assert_true(covered * pixel * pixel < 1.01 * M_PI * pow(radius + 1.5 * pixel, 2.0));
    const uint8_t *middle = rgba + 4 * ((size_t)(height / 2) * width + width / 2);
    assert_true(rgba[3] == 0 && middle[3] == 255 && middle[2] != rgba[2]);
    free(rgba);
    slice_free(&slice);
    test_cloud_free(&ball);
}

static void water_at_rest_has_density_1_and_a_cavity_is_a_hole(void **state)
{
    (void)state;
    TestCloud ball = make_ball(0.1), shell = test_cloud_make(40000);
    for (uint32_t k = 0; k < ball.count; k++) {
        if (hypotf(hypotf(ball.x[k] - 1.0f, ball.y[k]), ball.z[k] + 2.0f) > 1.0f)
            test_cloud_add(&shell, ball.x[k], ball.y[k], ball.z[k]);
    }
    Slice full = cut_ball(&ball, 0.1, 0.0, AXIS, SLICE_DENSITY, 0.0f);
    float middle = slice_sample(&full, full.fraction, 0.5f * (float)full.columns, 0.5f * (float)full.rows);
    assert_true(fabsf(middle - 1.0f) < 0.03f);
    Slice hollow = cut_ball(&shell, 0.1, 0.0, AXIS, SLICE_DENSITY, 0.0f);
    uint32_t lines;
    double area = area_of(&hollow, &lines) / (M_PI * (2.0 * 2.0 - 1.0));
    assert_int_equal(lines, 2);
    assert_true(fabs(area - 1.0) < 0.01);
    slice_free(&full);
    slice_free(&hollow);
    test_cloud_free(&ball);
    test_cloud_free(&shell);
}

// In the middle half of the slice, compared with the rotation's own velocity.
static void check_field(const TestCloud *ball, SliceField field, Vec3 normal, double tolerance)
{
    Slice slice = cut_ball(ball, 0.1, 0.2, normal, field, 0.0f);
    double worst = 0.0, sum = 0.0;
    uint32_t count = 0;
    for (uint32_t row = slice.rows / 4; row < 3 * slice.rows / 4; row++) {
        for (uint32_t column = slice.columns / 4; column < 3 * slice.columns / 4; column++) {
            Vec3 from =
                vec3_sub(slice_place(&slice, (float)column, (float)row), vec3_make(1.0f, 0.0f, -2.0f));
            Vec3 v = vec3_scale(vec3_cross(AXIS, from), TURN);
            const float expected[SLICE_FIELDS] = {1.0f,
                                                  vec3_length(v),
                                                  v.x,
                                                  v.y,
                                                  v.z,
                                                  vec3_dot(v, slice.normal),
                                                  2.0f * TURN * vec3_dot(AXIS, slice.normal)};
            if (field == SLICE_SPEED && expected[field] < 1.0f) continue; // it has a tip on the axis
            double wrong = fabs((double)slice.value[row * slice.columns + column] - (double)expected[field]);
            worst = fmax(worst, wrong);
            sum += (double)slice.value[row * slice.columns + column] - (double)expected[field];
            count++;
        }
    }
    if (!(fabs(sum / count) < 0.15 * tolerance) || !(worst < tolerance))
        fail_msg("%s: off by %.4f at worst, by %.4f in the mean", slice_field_name((uint32_t)field, NULL),
                 worst, sum / count);
    slice_free(&slice);
}

static void fields_are_those_of_the_water(void **state)
{
    (void)state;
    TestCloud ball = make_ball(0.1);
    const Vec3 oblique = {0.3f, -0.5f, 1.0f};
    for (int field = SLICE_SPEED; field <= SLICE_THROUGH; field++)
        check_field(&ball, (SliceField)field, oblique, 0.12);
    check_field(&ball, SLICE_VORTICITY, AXIS, 1.2); // of 6: a derivative of sums over few particles
    check_field(&ball, SLICE_VORTICITY, oblique, 1.2);
    test_cloud_free(&ball);
}

// Straight flight along x: seen from the side, a cone loses the surfaces that it does not point at.
static void a_sector_of_180_degrees_is_everything_and_a_narrow_one_is_rough(void **state)
{
    (void)state;
    TestCloud ball = make_ball(0.1);
    for (uint32_t k = 0; k < ball.count; k++) ball.vx[k] = 4.0f, ball.vy[k] = ball.vz[k] = 0.0f;
    const Vec3 side = {0.0f, 0.0f, 1.0f};
    Slice all = cut_ball(&ball, 0.1, 0.0, side, SLICE_DENSITY, 0.0f);
    Slice half = cut_ball(&ball, 0.1, 0.0, side, SLICE_DENSITY, 180.0f);
    Slice narrow = cut_ball(&ball, 0.1, 0.0, side, SLICE_DENSITY, 60.0f);
    for (uint32_t k = 0; k < all.columns * all.rows; k++)
        assert_true(fabsf(all.fraction[k] - half.fraction[k]) < 1e-4f);
    uint32_t lines;
    double whole = area_of(&all, &lines), part = area_of(&narrow, &lines);
    assert_true(fabs(part / whole - 1.0) < 0.05);
    assert_true(narrow.most > 1.3f * all.most); // what is divided by a small share is noisy
    slice_free(&all);
    slice_free(&half);
    slice_free(&narrow);
    test_cloud_free(&ball);
}

static void bad_definitions_are_refused(void **state)
{
    (void)state;
    TestCloud ball = make_ball(0.1);
    SurfacePoints points = test_cloud_points(&ball, false);
    Slice slice;
    SliceDef def = slice_def_default(0.1f), bad = def;
    bad.normal = vec3_make(0.0f, 0.0f, 0.0f);
    assert_int_equal(slice_make(&bad, &points, &slice).code, RESULT_USAGE);
    SliceDef wrong[] = {def, def, def, def, def, def};
    wrong[0].spacing = 0, wrong[1].cell = 0, wrong[2].support = 0.99f, wrong[3].sector = -1;
    wrong[4].sector = 180.5f, wrong[5].normal.x = INFINITY;
    for (int k = 0; k < 6; k++) {
        wrong[k].point.z = -2.0f;
        assert_int_equal(slice_make(&wrong[k], &points, &slice).code, RESULT_USAGE);
    }
    assert_string_equal(slice_field_unit(SLICE_DENSITY), "");
    assert_string_equal(slice_field_unit(SLICE_THROUGH), "m/s");
    assert_string_equal(slice_field_unit(SLICE_VORTICITY), "1/s");
    bad = def, bad.field = SLICE_SPEED;
    bad.point.z = -2.0f;
    assert_int_equal(slice_make(&bad, &points, &slice).code, RESULT_USAGE);
    bad = def, bad.sector = 60.0f;
    bad.point.z = -2.0f;
    Result result = slice_make(&bad, &points, &slice);
    assert_int_equal(result.code, RESULT_USAGE);
    assert_non_null(strstr(result.text, "sector: the particles have no velocities"));
    bad = def, bad.cell = 1e-4f;
    bad.point.z = -2.0f;
    result = slice_make(&bad, &points, &slice);
    assert_int_equal(result.code, RESULT_USAGE);
    assert_non_null(strstr(result.text, "too large"));
    def.point.z = 1.0f;
    ASSERT_OK(slice_make(&def, &points, &slice)); // a plane that meets nothing
    assert_int_equal(slice.particles, 0);
    test_cloud_free(&ball);
}

// Two particles whose grid has so many columns and rows. A grid that is not refused asks for memory.
static ResultCode make_grid(uint32_t columns, uint32_t rows)
{
    enum { AROUND = 7 }; // nodes: two cells of reach, one more, and what is rounded up, at both ends
    float x[2] = {0.0f, (float)(columns - AROUND)}, y[2] = {0.0f, (float)(rows - AROUND)}, z[2] = {0.0f};
    SurfacePoints points = {.x = x, .y = y, .z = z, .count = 2};
    SliceDef def = slice_def_default(1.0f);
    def.cell = 1.0f, def.support = 2.0f;
    def.normal = vec3_make(0.0f, 0.0f, 1.0f);
    Slice slice;
    memory_fail_at(1);
    ResultCode code = slice_make(&def, &points, &slice).code;
    memory_fail_at(0);
    return code;
}

static void a_grid_has_2_to_the_25_nodes_at_most(void **state)
{
    (void)state;
    assert_int_equal(make_grid(8192, 4096), RESULT_NO_MEMORY);
    assert_int_equal(make_grid(8192, 4097), RESULT_USAGE);
    assert_int_equal(make_grid(8193, 4096), RESULT_USAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ring_has_two_lines_and_the_area_between_them),
        cmocka_unit_test(lines_of_noise_are_closed_and_keep_what_is_above_on_their_left),
        cmocka_unit_test(a_saddle_is_joined_by_the_mean_of_its_corners),
        cmocka_unit_test(a_line_ends_where_the_field_is_not_defined),
        cmocka_unit_test(a_field_without_the_level_has_no_lines),
        cmocka_unit_test(without_memory_there_are_no_lines),
        cmocka_unit_test(slices_of_a_ball_have_the_area_of_disks),
        cmocka_unit_test(nodes_are_the_sums_of_what_reaches_them),
        cmocka_unit_test(a_sheet_covers_the_water_alone),
        cmocka_unit_test(water_at_rest_has_density_1_and_a_cavity_is_a_hole),
        cmocka_unit_test(fields_are_those_of_the_water),
        cmocka_unit_test(a_sector_of_180_degrees_is_everything_and_a_narrow_one_is_rough),
        cmocka_unit_test(bad_definitions_are_refused),
        cmocka_unit_test(a_grid_has_2_to_the_25_nodes_at_most),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
