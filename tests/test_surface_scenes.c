// The surface of the five scenes as they move, frame by frame: closed, two-manifold, outward, round the
// particles and nothing else. PBF_TEST_LEVEL=full takes every frame of the scenes at spacing 0.4 to their
// end.
#include "core/parallel.h"
#include "fluid_helpers.h"
#include "scene/scene.h"
#include "surface_helpers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const scene_names[] = {"dam_break", "falling_chunks", "plates", "wave", "cylinders"};
#define SCENES (sizeof scene_names / sizeof scene_names[0])

// What a run looks at.
typedef struct Tour {
    const char *spacing;
    double duration, fps; // 0: those of the scene
} Tour;

static Tour choose_tour(void)
{
    if (test_is_full()) return (Tour){"0.4", 0, 0};
    if (test_is_quick()) return (Tour){"0.5", 1.2, 3};
    return (Tour){"0.5", 3.6, 5};
}

static bool is_alone(const FrameView *view, Vec3 p, float distance)
{
    for (uint32_t i = 0; i < view->count; i++) {
        if (vec3_length(vec3_sub(p, vec3_make(view->x[i], view->y[i], view->z[i]))) < distance) return false;
    }
    return true;
}

// Counts of places that were looked at and that the mesh puts on the wrong side; lost: particles outside that
// are not even near the mesh.
typedef struct Sides {
    uint32_t particles, outside, lost, places, enclosed;
} Sides;

static bool is_near(const SurfaceMesh *mesh, Vec3 p, float distance)
{
    for (uint32_t v = 0; v < mesh->vertex_count; v++) {
        if (vec3_length(vec3_sub(p, mesh->vertex[v])) < distance) return true;
    }
    return false;
}

// Particles lie inside of the mesh, but for a few that stick out of a smooth surface, and places far from all
// particles outside of it.
static void count_sides(const FrameView *view, const SurfaceMesh *mesh, uint64_t *random, Sides *sides)
{
    for (int k = 0; k < 4; k++) {
        uint32_t i = (uint32_t)(fluid_test_random(random) * view->count);
        Vec3 p = vec3_make(view->x[i], view->y[i], view->z[i]);
        double turns = mesh_winding(mesh, p);
        assert_true(fabs(turns - round(turns)) < 0.01);
        sides->particles++;
        sides->outside += round(turns) != 1;
        sides->lost += round(turns) != 1 && !is_near(mesh, p, 0.7f * view->spacing);
        float reach = 8 * view->spacing;
        p.x += reach * (float)(fluid_test_random(random) - 0.5);
        p.y += reach * (float)(fluid_test_random(random) - 0.5);
        p.z += reach * (float)(fluid_test_random(random) - 0.5);
        if (!is_alone(view, p, 1.5f * view->spacing)) continue;
        sides->places++;
        sides->enclosed += round(mesh_winding(mesh, p)) != 0;
    }
}

static void check_frame(const FrameView *view, SurfaceDef *def, uint64_t *random, Sides *sides)
{
    SurfacePoints points = {view->x, view->y, view->z, view->vx, view->vy, view->vz, view->count};
    SurfaceMesh mesh;
    ASSERT_OK(surface_reconstruct(def, points, &mesh));
    mesh_assert_sound(&mesh);
    double volume = view->count * pow((double)view->spacing, 3);
    if (view->count > 0) {
        double part = mesh_judge(&mesh).volume / volume;
        if (part < 0.8 || part > 1.1)
            fail_msg("at %.3f s the mesh holds %.3f of the volume", view->time, part);
        count_sides(view, &mesh, random, sides);
    }
    surface_mesh_free(&mesh);
}

static void every_frame_of_the_five_scenes_has_a_sound_surface(void **state)
{
    (void)state;
    Tour tour = choose_tour();
    parallel_set_workers(1); // threads would only wait for each other over a thousand particles
    Sides sides = {0};
    uint64_t random = 1;
    for (size_t s = 0; s < SCENES; s++) {
        char path[80];
        snprintf(path, sizeof path, "scenes/%s.yaml", scene_names[s]);
        SceneOverride spacing = {"spacing", tour.spacing};
        SceneDef scene;
        Fluid *fluid;
        ASSERT_OK(scene_read(path, &spacing, 1, &scene));
        ASSERT_OK(scene_build(&scene, &fluid));
        double duration = tour.duration > 0 ? tour.duration : scene.output.duration;
        double fps = tour.fps > 0 ? tour.fps : scene.output.fps;
        uint32_t frames = (uint32_t)(duration * fps) + 1;
        for (uint32_t frame = 0; frame < frames; frame++) {
            if (frame > 0) fluid_run(fluid, frame / fps);
            FrameView view = fluid_view(fluid);
            check_frame(&view, &scene.surface, &random, &sides);
        }
        print_message("%s: %u frames, %u particles at the end\n", scene_names[s], frames,
                      fluid_view(fluid).count);
        fluid_destroy(fluid);
        scene_free(&scene);
    }
    parallel_set_workers(0);
    print_message("%u of %u particles outside, %u of %u empty places inside\n", sides.outside,
                  sides.particles, sides.enclosed, sides.places);
    assert_true(sides.particles > 50 && sides.places > 10);
    assert_true(sides.outside <= sides.particles / 10);
    assert_true(sides.lost <= sides.particles / 50); // where the water is thinned out to almost nothing
    assert_int_equal(sides.enclosed, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_frame_of_the_five_scenes_has_a_sound_surface),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
