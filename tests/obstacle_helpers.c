#include "obstacle_helpers.h"

#include "case_helpers.h"
#include "core/memory.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const float turn = 6.2831853f;

float shape_random_between(ShapeRandom *random, float lo, float hi)
{
    if (random->state == 0) random->state = 88172645463325252u;
    random->state ^= random->state << 13;
    random->state ^= random->state >> 7;
    random->state ^= random->state << 17;
    return lo + (hi - lo) * ((float)(random->state >> 40) / 16777216.0f);
}

Vec3 shape_random_vector(ShapeRandom *random, float half_width)
{
    float x = shape_random_between(random, -half_width, half_width),
          y = shape_random_between(random, -half_width, half_width);
    return vec3_make(x, y, shape_random_between(random, -half_width, half_width));
}

Vec3 shape_random_direction(ShapeRandom *random)
{
    float z = shape_random_between(random, -1, 1), angle = shape_random_between(random, 0, turn),
          r = sqrtf(1 - z * z);
    return vec3_make(r * cosf(angle), r * sinf(angle), z);
}

Shape shape_random(ShapeRandom *random, ShapeKind kind)
{
    float x = shape_random_between(random, 0.1f, 0.6f), y = shape_random_between(random, 0.1f, 0.6f);
    float z = shape_random_between(random, 0.1f, 0.6f);
    return (Shape){.kind = kind, .half_extent = vec3_make(x, y, z), .radius = x, .half_height = z};
}

// On a disc of radius r at height z, or on the mantle of that radius.
static Vec3 around(float r, float angle, float z)
{
    return vec3_make(r * cosf(angle), r * sinf(angle), z);
}

Vec3 shape_random_surface(ShapeRandom *random, const Shape *shape)
{
    float side = shape_random_between(random, -1, 1), angle = shape_random_between(random, 0, turn);
    float part = shape_random_between(random, 0, 3), sign = side < 0 ? -1 : 1, h = shape->half_height;
    Vec3 half = shape->half_extent, direction = shape_random_direction(random);
    switch (shape->kind) {
    case SHAPE_BOX: {
        Vec3 p = vec3_mul(half, shape_random_vector(random, 1));
        if (part < 1)
            p.x = sign * half.x;
        else if (part < 2)
            p.y = sign * half.y;
        else
            p.z = sign * half.z;
        return p;
    }
    case SHAPE_CYLINDER:
        if (part < 1)
            return around(shape->radius * sqrtf(shape_random_between(random, 0, 1)), angle, sign * h);
        return around(shape->radius, angle, h * side);
    case SHAPE_CAPSULE:
        if (part < 1) return around(shape->radius, angle, h * side);
        return vec3_add(vec3_scale(direction, shape->radius), vec3_make(0, 0, direction.z < 0 ? -h : h));
    default:
        return vec3_scale(direction, shape->radius);
    }
}

bool shape_contains(const Shape *shape, Vec3 p)
{
    float across = p.x * p.x + p.y * p.y, h = shape->half_height, r = shape->radius;
    float past = fmaxf(fabsf(p.z) - h, 0);
    switch (shape->kind) {
    case SHAPE_BOX:
        return fabsf(p.x) < shape->half_extent.x && fabsf(p.y) < shape->half_extent.y &&
               fabsf(p.z) < shape->half_extent.z;
    case SHAPE_CYLINDER:
        return across < r * r && fabsf(p.z) < h;
    case SHAPE_CAPSULE:
        return across + past * past < r * r;
    default:
        return across + p.z * p.z < r * r;
    }
}

Obstacles *obstacle_test_set(ObstacleDef *bodies, uint32_t count)
{
    Obstacles *obstacles;
    Result result = obstacles_create((TankDef){0}, 0, bodies, count, &obstacles);
    assert_true(result_is_ok(&result));
    return obstacles;
}

ObstacleDef obstacle_test_body(Shape shape)
{
    return (ObstacleDef){.name = "body", .shape = shape};
}

FrameView obstacle_test_frame(Obstacles *obstacles, double time)
{
    ASSERT_OK(obstacles_move(obstacles, time, time));
    return (FrameView){.time = time, .origin = {10, -20, 0.5f}, .obstacles = obstacles};
}

void obstacle_assert_near(Vec3 a, Vec3 b, double tolerance)
{
    if (!((double)vec3_length(vec3_sub(a, b)) <= tolerance))
        fail_msg("(%g %g %g) is not (%g %g %g)", (double)a.x, (double)a.y, (double)a.z, (double)b.x,
                 (double)b.y, (double)b.z);
}

Vec3 pose_to_domain(Pose pose, Vec3 local)
{
    return vec3_add(pose.position, mat3_apply(pose.rotation, local));
}

Vec3 pose_to_local(Pose pose, Vec3 point)
{
    return mat3_apply_transposed(pose.rotation, vec3_sub(point, pose.position));
}

ObstacleFile obstacle_file_make(const char *name)
{
    ObstacleFile file = {.folder = "/tmp/pbf_obstacle_XXXXXX"};
    assert_non_null(mkdtemp(file.folder));
    snprintf(file.path, sizeof file.path, "%s/%s", file.folder, name);
    return file;
}

void obstacle_file_write(const ObstacleFile *file, const void *bytes, size_t count)
{
    FILE *stream = fopen(file->path, "wb");
    assert_non_null(stream);
    assert_int_equal(fwrite(bytes, 1, count, stream), count);
    assert_int_equal(fclose(stream), 0);
}

void obstacle_file_remove(const ObstacleFile *file)
{
    unlink(file->path);
    assert_int_equal(rmdir(file->folder), 0);
}

Result obstacle_read_mesh(const char *path, TriangleMesh *out)
{
    char *text;
    size_t bytes;
    *out = (TriangleMesh){0};
    TRY(mesh_file_load(path, &text, &bytes));
    Result result = mesh_parse_obj(path, text, bytes, out);
    memory_free(text);
    return result;
}

void obstacle_write_sphere(FILE *file, float radius, int rings, int steps)
{
    fprintf(file, "v 0 0 %.9g\nv 0 0 %.9g\n", -radius, radius);
    for (int i = 1; i < rings; i++) {
        float tilt = turn / 2 * ((float)i / (float)rings - 0.5f);
        for (int j = 0; j < steps; j++) {
            Vec3 p = around(radius * cosf(tilt), turn * (float)j / (float)steps, radius * sinf(tilt));
            fprintf(file, "v %.9g %.9g %.9g\n", p.x, p.y, p.z);
        }
    }
    for (int j = 0; j < steps; j++) {
        int next = (j + 1) % steps, top = 3 + (rings - 2) * steps;
        fprintf(file, "f 1 %d %d\nf 2 %d %d\n", 3 + next, 3 + j, top + j, top + next);
        for (int i = 0; i + 2 < rings; i++) {
            int here = 3 + i * steps, above = here + steps;
            fprintf(file, "f %d %d %d %d\n", here + j, here + next, above + next, above + j);
        }
    }
}

void obstacle_write_torus(FILE *file, float ring_radius, float tube_radius, int rings, int steps)
{
    for (int i = 0; i < rings; i++) {
        for (int j = 0; j < steps; j++) {
            float tube = turn * (float)j / (float)steps;
            Vec3 p = around(ring_radius + tube_radius * cosf(tube), turn * (float)i / (float)rings,
                            tube_radius * sinf(tube));
            fprintf(file, "v %.9g %.9g %.9g\n", p.x, p.y, p.z);
        }
    }
    for (int i = 0; i < rings; i++) {
        for (int j = 0; j < steps; j++) {
            int here = i * steps + 1, next = (i + 1) % rings * steps + 1, up = (j + 1) % steps;
            fprintf(file, "f %d %d %d %d\n", here + j, next + j, next + up, here + up);
        }
    }
}

// Faces use indices from the end, so that several boxes can follow each other in one file.
void obstacle_write_box(FILE *file, Vec3 lo, Vec3 hi, bool inside_out)
{
    static const int faces[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                    {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    for (int k = 0; k < 8; k++)
        fprintf(file, "v %.9g %.9g %.9g\n", k & 1 ? hi.x : lo.x, k & 2 ? hi.y : lo.y, k & 4 ? hi.z : lo.z);
    for (int k = 0; k < 6; k++) {
        fprintf(file, "f");
        for (int c = 0; c < 4; c++) fprintf(file, " %d", faces[k][inside_out ? 3 - c : c] - 8);
        fprintf(file, "\n");
    }
}
