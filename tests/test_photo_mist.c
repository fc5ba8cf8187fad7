// Mist and foam of the path tracer: how often rays meet puffs, the white furnace with them, sunlight in them
// above and below water, where foam lies, bits by threads.
#include "photo_helpers.h"

#include "core/memory.h"
#include "core/parallel.h"
#include "photo/color.h"
#include "photo/mist.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { PUFFS = 400, MESHES = 3 }; // of a cloud; body, mist, foam

typedef struct Cloud {
    PhotoTest test;
    PathMesh made_of[MESHES];
    Material mist, foam;
    RayPuff puff[2][PUFFS];
    Vec3 normal[PUFFS];
} Cloud;

static float place(uint32_t k, uint32_t axis) // -1..1
{
    return 2 * sampler_unit(sampler_hash2(k, axis)) - 1;
}

static void remake(Cloud *cloud, const PhotoBody *body, float depth, uint32_t count)
{
    RayMesh meshes[MESHES] = {
        {.vertex = body->vertex,
         .normal = body->normal,
         .vertex_count = body->vertices,
         .triangle = (const uint32_t(*)[3])body->triangle,
         .triangle_count = body->triangles},
        {.puff = cloud->puff[0], .vertex_count = count, .depth = depth},
        {.puff = cloud->puff[1], .normal = cloud->normal, .vertex_count = count, .depth = depth}};
    ray_scene_destroy(cloud->test.rays);
    photo_ok(ray_scene_create(meshes, MESHES, 0, NULL, &cloud->test.rays));
    cloud->test.path.rays = cloud->test.rays;
}

// Puffs of mist and discs of foam in and around a body.
static void cloud_open(Cloud *cloud, PhotoBody body, SkyLight *light, float radius, float depth)
{
    photo_test_open(&cloud->test, body, MATTER_WATER, light);
    cloud->mist = (Material){MATTER_MIST, {.albedo = {1, 1, 1}}};
    cloud->foam = (Material){MATTER_FOAM, {.albedo = {1, 1, 1}}};
    cloud->made_of[0] = cloud->test.made_of;
    cloud->made_of[1] = (PathMesh){&cloud->mist, NULL};
    cloud->made_of[2] = (PathMesh){&cloud->foam, NULL};
    for (uint32_t k = 0; k < PUFFS; k++) {
        for (uint32_t kind = 0; kind < 2; kind++)
            cloud->puff[kind][k] =
                (RayPuff){vec3_make(place(k, kind), place(k, 2 + kind), place(k, 4 + kind)), radius};
        Vec3 normal = vec3_make(place(k, 6), place(k, 7), place(k, 8));
        cloud->normal[k] = vec3_normalize_or(normal, vec3_make(0, 0, 1));
    }
    remake(cloud, &body, depth, PUFFS);
    cloud->test.path.meshes = cloud->made_of;
}

static void cloud_close(Cloud *cloud)
{
    photo_test_close(&cloud->test);
}

static void rays_meet_a_puff_as_often_as_its_depth_says(void **state)
{
    enum { DRAWS = 100000 };
    static const float depth = 0.8f, radius = 0.5f;
    (void)state;
    if (photo_missing()) return;
    Vec3 up = vec3_make(0, 0, 1);
    RayPuff puff = {vec3_make(1, 2, 3), radius};
    for (int disc = 0; disc < 2; disc++) {
        RayScene *rays;
        RayMesh mesh = {.puff = &puff, .normal = disc ? &up : NULL, .vertex_count = 1, .depth = depth};
        photo_ok(ray_scene_create(&mesh, 1, 0, NULL, &rays));
        for (int k = 0; k < 6; k++) {
            double aside = 0.1 * k, inside = 1 - aside * aside / (double)(radius * radius);
            double expected = inside > 0 ? 1 - exp((double)-depth * inside * inside) : 0;
            uint32_t hits = 0;
            Ray ray = {vec3_make(1 + (float)aside, 2, 9), vec3_make(0, 0, -1), 0, INFINITY, 0.5f, 0};
            RayHit hit;
            assert_false(ray_scene_hit(rays, &ray, &hit)); // meets none
            for (uint32_t draw = 0; draw < DRAWS; draw++) {
                ray.chance = sampler_hash(draw) | 1;
                bool met = ray_scene_hit(rays, &ray, &hit);
                assert_int_equal(met, ray_scene_blocked(rays, &ray));
                assert_true(!met || fabsf(hit.distance - 6) < 1e-4f);
                hits += met;
            }
            assert_true(fabs((double)hits / DRAWS - expected) < 5 * sqrt(0.25 / DRAWS));
        }
        ray_scene_destroy(rays);
    }
}

static void mist_and_foam_vanish_in_a_white_furnace(void **state)
{
    enum { SIDE = 16, SAMPLES = 256 };
    static Cloud cloud;
    (void)state;
    if (photo_missing()) return;
    cloud_open(&cloud, photo_ball(vec3_make(0, 0, 0), 0.7f, 24), photo_even_light, 0.25f, 1);
    for (int k = 0; k < SIDE * SIDE; k++) {
        double error;
        Vec3 way = {((float)(k % SIDE) + 0.5f) / SIDE - 0.5f, 1, ((float)(k / SIDE) + 0.5f) / SIDE - 0.5f};
        double light = photo_mean_light(&cloud.test, vec3_make(0, -3, 0), way, false, SAMPLES, &error);
        assert_true(fabs(light - 1) < 6 * error + 1e-3);
    }
    cloud_close(&cloud);
}

static Vec3 no_light(Vec3 direction, const void *context)
{
    (void)direction, (void)context;
    return color_gray(0);
}

// What a puff stops of the sun's light goes everywhere alike; below a level surface the light has come
// through that, as Snell, Fresnel and Beer say.
static void mist_in_the_sun_shines_with_what_it_stops(void **state)
{
    static Cloud cloud;
    static const float depth = 0.2f, height = 0.6f, sigma = 0.5f, distance = 2;
    (void)state;
    if (photo_missing()) return;
    PhotoBody water = photo_box(vec3_make(-9, -9, -9), vec3_make(9, 9, 0));
    cloud_open(&cloud, water, no_light, 0.25f, depth);
    cloud.test.path.water.absorption = color_gray(sigma);
    Vec3 toward = vec3_make(0.5f, 0, 0.8660254f);
    cloud.test.path.lights.sun = sun_make(toward, 1e-4f, color_gray(3));
    for (int below = 0; below < 2; below++) {
        double stopped = 1 - exp((double)-depth), expected = stopped * 3 / (4 * (double)PHOTO_PI);
        cloud.puff[0][0].center = vec3_make(0, 0, below ? -height : height);
        cloud.puff[1][0].center = vec3_make(5, 5, 5);
        remake(&cloud, &water, depth, 1);
        if (below) {
            double in = acos((double)toward.z), inside = asin(sin(in) / PHOTO_INDEX);
            double across = sin(in - inside) / sin(in + inside), along = tan(in - inside) / tan(in + inside);
            double passes = 1 - 0.5 * (across * across + along * along);
            expected *= passes * cos(in) / cos(inside);
            expected *= exp((double)-sigma * ((double)height / cos(inside) + (double)distance));
        }
        double error, light = photo_mean_light(&cloud.test, vec3_make(0, -distance, below ? -height : height),
                                               vec3_make(0, 1, 0), below, 40000, &error);
        assert_true(error < 0.02 * expected);
        assert_true(fabs(light - expected) < 4 * error);
    }
    cloud_close(&cloud);
}

// --- whitewater ---

enum { COUNT = 4 };

typedef struct Streams {
    float x[COUNT], y[COUNT], z[COUNT], v[COUNT], size[COUNT];
    uint32_t kind[COUNT];
} Streams;

static DiffuseParticles particles_of(Streams *s)
{
    DiffuseParticles p = {.count = COUNT};
    p.x = s->x, p.y = s->y, p.z = s->z, p.vx = p.vy = p.vz = s->v;
    p.size = s->size, p.kind = s->kind;
    return p;
}

static void foam_lies_on_the_water(void **state)
{
    static const float spacing = 0.1f;
    Streams streams = {.x = {0, 0.6f, 0, 0},
                       .z = {0.2f, 0.7f, 1.6f, 1.2f},
                       .size = {0.01f, 0.02f, 0.02f, 0.02f},
                       .kind = {DIFFUSE_BUBBLE, DIFFUSE_FOAM, DIFFUSE_FOAM, DIFFUSE_SPRAY}};
    Mist mist;
    (void)state;
    PhotoBody ball = photo_ball(vec3_make(0, 0, 0), 1, 64);
    SurfaceMesh water = {.vertex = ball.vertex, .normal = ball.normal, .vertex_count = ball.vertices};
    DiffuseParticles particles = particles_of(&streams);
    photo_ok(mist_make(&particles, &water, spacing, &mist));
    RayMesh spray = mist_mesh(&mist, DIFFUSE_SPRAY, spacing, 4),
            foam = mist_mesh(&mist, DIFFUSE_FOAM, spacing, 4),
            bubble = mist_mesh(&mist, DIFFUSE_BUBBLE, spacing, 4);
    assert_int_equal(spray.vertex_count, 2); // far from the water foam is spray
    assert_int_equal(foam.vertex_count, 1);
    assert_int_equal(bubble.vertex_count, 1);
    assert_true(spray.puff[0].center.z == 1.6f && spray.puff[1].center.z == 1.2f);
    assert_true(bubble.puff[0].center.z == 0.2f && !bubble.normal && !spray.normal);
    Vec3 at = foam.puff[0].center;
    assert_true(fabsf(vec3_length(at) - 1) < 0.1f * spacing && vec3_length(at) > 1);
    assert_true(vec3_dot(foam.normal[0], at) > 0.998f * vec3_length(at));
    // A finer spacing makes more of them, each of which covers less.
    assert_true(mist_mesh(&mist, DIFFUSE_FOAM, 0.01f, 4).depth < 0.2f * foam.depth);
    mist_free(&mist);
    photo_ok(mist_make(&particles, NULL, spacing, &mist));
    assert_int_equal(mist_mesh(&mist, DIFFUSE_SPRAY, spacing, 4).vertex_count, 3);
    mist_free(&mist);
    photo_body_free(&ball);
}

static void pictures_with_whitewater_do_not_depend_on_threads(void **state)
{
    enum { SIDE = 32 };
    static const uint32_t workers[] = {1, 2, 7};
    static uint8_t rgb[4][SIDE * SIDE * 3];
    Streams streams = {.x = {0, -0.3f, 0.2f, 0},
                       .z = {0.5f, 0.9f, 0.95f, 1.3f},
                       .v = {1, 2, 1, 0},
                       .size = {0.2f, 0.2f, 0.2f, 0.2f},
                       .kind = {DIFFUSE_BUBBLE, DIFFUSE_FOAM, DIFFUSE_FOAM, DIFFUSE_SPRAY}};
    Photo *photo;
    (void)state;
    if (photo_missing()) return;
    PhotoBody ball = photo_ball(vec3_make(0, 0, 0.5f), 0.5f, 24);
    SurfaceMesh mesh = photo_surface(&ball);
    DiffuseParticles particles = particles_of(&streams);
    FrameView view = {.time = 1.5, .spacing = 0.2f, .diffuse = &particles};
    PhotoSubject subject = {
        .view = &view, .mesh = &mesh, .stage = {{-1, -1, 0}, {1, 1, 1}}, .shutter = 0.05f};
    PhotoDef def = photo_def_default();
    LookDef look = look_def_default();
    def.samples = 16;
    look.caustics = 0.2f;
    PhotoCamera camera =
        photo_camera(vec3_make(0, -4, 1.5f), vec3_normalize_or(vec3_make(0, 4, -1), (Vec3){0}), 0.4f);
    photo_ok(photo_create(&photo));
    for (int k = 0; k < 4; k++) {
        parallel_set_workers(workers[k % 3]);
        if (k == 3) view.diffuse = NULL;
        photo_ok(photo_take(photo, &def, &look, &subject, &camera, SIDE, SIDE, rgb[k], NULL));
    }
    parallel_set_workers(0);
    assert_memory_equal(rgb[0], rgb[1], sizeof rgb[0]);
    assert_memory_equal(rgb[0], rgb[2], sizeof rgb[0]);
    int differing = 0;
    for (int k = 0; k < SIDE * SIDE * 3; k++) differing += abs(rgb[0][k] - rgb[3][k]) > 20;
    assert_true(differing > SIDE * SIDE / 20);
    photo_destroy(photo);
    photo_body_free(&ball);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rays_meet_a_puff_as_often_as_its_depth_says),
        cmocka_unit_test(mist_and_foam_vanish_in_a_white_furnace),
        cmocka_unit_test(mist_in_the_sun_shines_with_what_it_stops),
        cmocka_unit_test(foam_lies_on_the_water),
        cmocka_unit_test(pictures_with_whitewater_do_not_depend_on_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
