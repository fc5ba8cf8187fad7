#include "photo_helpers.h"

#include "core/memory.h"
#include "photo/color.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static PhotoBody photo_body(uint32_t vertices, uint32_t triangles)
{
    PhotoBody body = {.vertices = vertices, .triangles = triangles};
    body.vertex = memory_allocate(vertices * sizeof(Vec3));
    body.normal = memory_allocate(vertices * sizeof(Vec3));
    body.triangle = memory_allocate(triangles * sizeof *body.triangle);
    assert_true(body.vertex && body.normal && body.triangle);
    return body;
}

// A ball of rings and sectors; its vertices and normals are exact.
PhotoBody photo_ball(Vec3 center, float radius, uint32_t rings)
{
    uint32_t sectors = 2 * rings, row = sectors + 1;
    PhotoBody ball = photo_body((rings + 1) * row, 2 * rings * sectors);
    for (uint32_t j = 0; j <= rings; j++) {
        for (uint32_t i = 0; i <= sectors; i++) {
            float polar = (float)j / (float)rings * PHOTO_PI;
            float around = (float)(i % sectors) / (float)sectors * 2 * PHOTO_PI;
            Vec3 normal = vec3_make(sinf(polar) * cosf(around), sinf(polar) * sinf(around), cosf(polar));
            ball.normal[j * row + i] = normal;
            ball.vertex[j * row + i] = vec3_add(center, vec3_scale(normal, radius));
        }
    }
    for (uint32_t j = 0, t = 0; j < rings; j++) {
        for (uint32_t i = 0; i < sectors; i++) {
            uint32_t a = j * row + i, b = a + row;
            memcpy(ball.triangle[t++], (uint32_t[3]){a, b, b + 1}, 12);
            memcpy(ball.triangle[t++], (uint32_t[3]){a, b + 1, a + 1}, 12);
        }
    }
    return ball;
}

PhotoBody photo_box(Vec3 lo, Vec3 hi)
{
    static const uint32_t faces[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                                          {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
    PhotoBody box = photo_body(8, 12);
    for (uint32_t k = 0; k < 8; k++)
        box.vertex[k] = vec3_make(k & 1 ? hi.x : lo.x, k & 2 ? hi.y : lo.y, k & 4 ? hi.z : lo.z);
    memcpy(box.triangle, faces, sizeof faces);
    memory_free(box.normal);
    box.normal = NULL;
    return box;
}

Vec3 photo_even_light(Vec3 direction, const void *context)
{
    (void)direction, (void)context;
    return color_gray(1);
}

Vec3 photo_no_light(Vec3 direction, const void *context)
{
    (void)direction, (void)context;
    return color_gray(0);
}

Vec3 photo_light_from_above(Vec3 direction, const void *context)
{
    (void)context;
    return color_gray(direction.z > 0 ? 1 : 0);
}

void photo_ok(Result result)
{
    if (!result_is_ok(&result)) fail_msg("%s", result.text);
}

void photo_test_open(PhotoTest *scene, PhotoBody body, Matter matter, SkyLight *light)
{
    memset(scene, 0, sizeof *scene);
    scene->body = body;
    scene->material = (Material){matter, {.albedo = {1, 1, 1}}};
    scene->made_of = (PathMesh){&scene->material, NULL};
    RayMesh mesh = {.vertex = body.vertex,
                    .normal = body.normal,
                    .vertex_count = body.vertices,
                    .triangle = (const uint32_t(*)[3])body.triangle,
                    .triangle_count = body.triangles};
    photo_ok(ray_scene_create(&mesh, 1, 0, NULL, &scene->rays));
    photo_ok(sky_make(256, 128, light, NULL, &scene->sky));
    scene->path = (PathScene){.rays = scene->rays,
                              .meshes = &scene->made_of,
                              .lights = {.sky = &scene->sky},
                              .water = {(float)PHOTO_INDEX, {0, 0, 0}, 0},
                              .glass = {1.5f, {0, 0, 0}, 0},
                              .epsilon = 1e-5f,
                              .events_max = 400,
                              .diffuse_max = 4,
                              .mist_max = 8,
                              .direct_max = INFINITY,
                              .indirect_max = INFINITY};
}

void photo_test_close(PhotoTest *scene)
{
    ray_scene_destroy(scene->rays);
    caustics_destroy(scene->caustics);
    sky_free(&scene->sky);
    photo_body_free(&scene->body);
}

// Mean light along a ray, and its standard error.
double photo_mean_light(const PhotoTest *scene, Vec3 eye, Vec3 way, bool in_water, uint32_t samples,
                        double *error)
{
    double sum = 0, squares = 0;
    Ray ray = {eye, vec3_normalize_or(way, way), 0, INFINITY, 0.5f, 0};
    for (uint32_t k = 0; k < samples; k++) {
        PathSampler sampler = sampler_make(7, k);
        PathFeatures features;
        double light = (double)path_light(&scene->path, &ray, in_water, &sampler, &features).y;
        sum += light;
        squares += light * light;
    }
    double mean = sum / samples;
    if (error) *error = sqrt(fmax(squares / samples - mean * mean, 0) / samples);
    return mean;
}

PhotoCamera photo_camera(Vec3 eye, Vec3 forward, float tangent)
{
    Vec3 side = vec3_normalize_or(vec3_cross(forward, vec3_make(0, 0, 1)), vec3_make(1, 0, 0));
    return (PhotoCamera){.eye = eye,
                         .right = side,
                         .up = vec3_cross(side, forward),
                         .forward = forward,
                         .tan_x = tangent,
                         .tan_y = tangent,
                         .focus = 1};
}

void photo_body_free(PhotoBody *body)
{
    memory_free(body->vertex);
    memory_free(body->normal);
    memory_free(body->triangle);
}

SurfaceMesh photo_surface(const PhotoBody *body)
{
    return (SurfaceMesh){.vertex = body->vertex,
                         .normal = body->normal,
                         .vertex_count = body->vertices,
                         .triangle = body->triangle,
                         .triangle_count = body->triangles};
}

bool photo_missing(void)
{
    Result result = ray_scene_check();
    if (!result_is_ok(&result)) skip();
    return !result_is_ok(&result);
}
