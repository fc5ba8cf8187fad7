// What is known of water behind a tank's glass, against rays that look for it.
#include "photo_helpers.h"

#include "core/memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define CELL 0.05f

static const Panes glass = {.present = true,
                            .outer = {{-1.1f, -1.1f, -1.5f}, {1.1f, 1.1f, 1.2f}},
                            .inner = {{-0.95f, -0.95f, -2}, {0.95f, 0.95f, 2}},
                            .tint = {1, 1, 1}};

static RayMesh mesh_of(const PhotoBody *body)
{
    return (RayMesh){.vertex = body->vertex,
                     .vertex_count = body->vertices,
                     .triangle = (const uint32_t(*)[3])body->triangle,
                     .triangle_count = body->triangles};
}

// A pool in the tank, up to z = 0.3, and what is known of it.
static PaneWater *open_pool(PhotoTest *scene, const RayMesh *more, const Vec3 *velocity, float shutter)
{
    photo_test_open(scene, photo_box(vec3_make(-1, -1, -1), vec3_make(1, 1, 0.3f)), MATTER_WATER,
                    photo_even_light);
    scene->path.panes = glass;
    RayMesh meshes[2] = {mesh_of(&scene->body), more ? *more : (RayMesh){0}};
    meshes[0].velocity = velocity;
    PaneWater *water;
    photo_ok(pane_water_make(&scene->path, meshes, 2, shutter, CELL, &water));
    return water;
}

static void close_pool(PhotoTest *scene, PaneWater *water)
{
    pane_water_destroy(water);
    photo_test_close(scene);
}

// Of the inner face on one side, at a height.
static PaneSide behind(const PaneWater *water, int axis, bool high, float across, float z)
{
    float place = high ? glass.inner.hi.x : glass.inner.lo.x, out = high ? -1.0f : 1.0f;
    Vec3 point = axis == 0 ? vec3_make(place, across, z) : vec3_make(across, place, z);
    PaneHit hit = {.outward = axis == 0 ? vec3_make(out, 0, 0) : vec3_make(0, out, 0),
                   .leaving = true,
                   .inner = true,
                   .axis = axis};
    return pane_water_behind(water, &hit, point);
}

static void glass_is_wet_below_the_level_and_dry_above(void **state)
{
    PhotoTest scene;
    (void)state;
    if (photo_missing()) return;
    PaneWater *water = open_pool(&scene, NULL, NULL, 0);
    assert_non_null(water);
    for (int side = 0; side < 4; side++) {
        for (int k = -18; k <= 18; k++) {
            for (float z = -0.9f; z < 1.15f; z += 0.04f) {
                PaneSide found = behind(water, side / 2, side % 2, 0.05f * (float)k, z);
                if (fabsf(z - 0.3f) > 2 * CELL) assert_int_equal(found, z < 0.3f ? PANE_WET : PANE_DRY);
                if (found == PANE_UNSURE) continue;
                assert_int_equal(found, z < 0.3f ? PANE_WET : PANE_DRY);
            }
        }
    }
    PaneHit outer = {.outward = {1, 0, 0}, .leaving = true}, top = {.outward = {0, 0, 1}, .axis = 2};
    assert_int_equal(pane_water_behind(water, &outer, vec3_make(1.1f, 0, 0)), PANE_DRY);
    assert_int_equal(pane_water_behind(water, &top, vec3_make(1, 0, 1.2f)), PANE_UNSURE);
    close_pool(&scene, water);
}

// Where the level is while the shutter is open, nothing is sure.
static void glass_at_a_moving_level_is_not_sure(void **state)
{
    PhotoTest scene;
    Vec3 rise[8];
    (void)state;
    if (photo_missing()) return;
    for (int k = 0; k < 8; k++) rise[k] = vec3_make(0, 0, 4);
    PaneWater *water = open_pool(&scene, NULL, rise, 0.1f); // 0.1 to 0.5 m
    for (float z = 0.11f; z < 0.5f; z += 0.03f) assert_int_equal(behind(water, 0, true, 0, z), PANE_UNSURE);
    assert_int_equal(behind(water, 0, true, 0, 0.5f + 2 * CELL), PANE_DRY);
    close_pool(&scene, water);
}

static void a_body_in_the_glass_leaves_nothing_sure(void **state)
{
    PhotoTest scene;
    (void)state;
    if (photo_missing()) return;
    PhotoBody inside = photo_box(vec3_make(-0.5f, -0.5f, -0.5f), vec3_make(0.5f, 0.5f, 0.5f));
    PhotoBody through = photo_box(vec3_make(0.5f, -0.5f, -0.5f), vec3_make(1, 0.5f, 0.5f));
    RayMesh meshes[2] = {mesh_of(&inside), mesh_of(&through)};
    for (int k = 0; k < 2; k++) {
        PaneWater *water = open_pool(&scene, &meshes[k], NULL, 0);
        assert_true(k == 0 ? water != NULL : water == NULL);
        close_pool(&scene, water);
    }
    photo_body_free(&inside);
    photo_body_free(&through);
}

// The picture is the one that rays find.
static void light_through_the_glass_is_what_rays_find(void **state)
{
    PhotoTest scene;
    (void)state;
    if (photo_missing()) return;
    PaneWater *water = open_pool(&scene, NULL, NULL, 0);
    scene.path.water.absorption = vec3_make(0.5f, 0.5f, 0.5f);
    for (int k = -4; k <= 4; k++) {
        Vec3 eye = vec3_make(-2, -5, 1.5f),
             way = vec3_make(2 + 0.17f * (float)k, 5, -1.5f + 0.07f * (float)k);
        double error[2], light[2];
        for (int known = 0; known < 2; known++) {
            scene.path.pane_water = known ? water : NULL;
            light[known] = photo_mean_light(&scene, eye, way, false, 1024, &error[known]);
        }
        assert_true(light[0] < 1 && fabs(light[0] - light[1]) < 4 * hypot(error[0], error[1]) + 1e-4);
    }
    close_pool(&scene, water);
}

// Along each axis through all four faces, or past the hollow through two: how far they are, and where they
// look.
static void rays_meet_the_faces_of_glass_in_turn(void **state)
{
    (void)state;
    for (int side = 0; side < 6; side++) {
        int axis = side / 2, faces = axis == 2 ? 2 : 4;
        float sign = side % 2 ? -1.0f : 1.0f, way[3] = {0}, from[3] = {0.1f, 0.2f, 0.3f};
        const float lo[3] = {-1.1f, -1.1f, -1.5f}, hi[3] = {1.1f, 1.1f, 1.2f};
        if (axis == 2) from[0] = 1.0f; // inside of a wall
        way[axis] = sign, from[axis] = -5 * sign;
        float enter = sign > 0 ? 5 + lo[axis] : 5 - hi[axis], leave = sign > 0 ? 5 + hi[axis] : 5 - lo[axis];
        const float at[4] = {enter, faces == 4 ? enter + 0.15f : leave, leave - 0.15f, leave};
        Ray ray = {.origin = vec3_make(from[0], from[1], from[2]),
                   .direction = vec3_make(way[0], way[1], way[2]),
                   .far = 100};
        PaneHit hit;
        for (int k = 0; k < faces; k++, ray.near = hit.distance + 1e-3f) {
            assert_true(panes_hit(&glass, &ray, &hit));
            assert_float_equal(hit.distance, at[k], 1e-5f);
            assert_true(hit.axis == axis && hit.leaving == (k % 2 == 1));
            assert_int_equal(hit.inner, faces == 4 && (k == 1 || k == 2));
            Vec3 out = vec3_scale(ray.direction, hit.leaving ? 1.0f : -1.0f);
            assert_true(vec3_length(vec3_sub(hit.outward, out)) == 0.0f);
        }
        assert_false(panes_hit(&glass, &ray, &hit));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rays_meet_the_faces_of_glass_in_turn),
        cmocka_unit_test(glass_is_wet_below_the_level_and_dry_above),
        cmocka_unit_test(glass_at_a_moving_level_is_not_sure),
        cmocka_unit_test(a_body_in_the_glass_leaves_nothing_sure),
        cmocka_unit_test(light_through_the_glass_is_what_rays_find),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
