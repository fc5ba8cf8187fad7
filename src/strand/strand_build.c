// Where strands grow: their particles at the start, and what their roots are held by.
#include "core/random.h"
#include "obstacle/obstacle.h"
#include "strand/strand_state.h"

#include <string.h>

#define PI 3.14159265f
#define MARCH_STEPS 128
#define TRIES_MAX 64

typedef struct Root {
    Vec3 at, along; // m; unit
} Root;

static uint32_t find_body(const Obstacles *obstacles, const char *name)
{
    for (uint32_t k = 0; obstacles && k < obstacles_count(obstacles); k++) {
        if (strcmp(obstacles_body(obstacles, k)->name, name) == 0) return k;
    }
    return NO_BODY;
}

// A direction within half the cone's angle of its axis, evenly over the sphere.
static Vec3 random_direction(uint64_t *random, Vec3 axis, float degrees)
{
    float least = cosf(0.5f * fminf(degrees, 360.0f) * PI / 180.0f), c = random_between(random, least, 1.0f);
    float turn = random_between(random, 0.0f, 2.0f * PI), s = sqrtf(fmaxf(0.0f, 1.0f - c * c));
    Vec3 beside = fabsf(axis.z) < 0.9f ? vec3_make(0, 0, 1) : vec3_make(1, 0, 0);
    Vec3 u = vec3_normalize_or(vec3_cross(axis, beside), vec3_make(1, 0, 0)), w = vec3_cross(axis, u);
    Vec3 across = vec3_add(vec3_scale(u, s * cosf(turn)), vec3_scale(w, s * sinf(turn)));
    return vec3_add(vec3_scale(axis, c), across);
}

// The point of a body's surface that someone sees who looks at its position along a random direction.
static bool find_root(const StrandDef *def, const Obstacles *obstacles, uint32_t body, uint64_t *random,
                      Root *out)
{
    Box3 box = obstacles_bounds(obstacles, body);
    Pose pose = obstacles_pose(obstacles, body);
    Vec3 axis = vec3_normalize_or(mat3_apply(pose.rotation, def->direction), vec3_make(0, 0, 1));
    for (int try = 0; try < TRIES_MAX; try++) {
        Vec3 along = random_direction(random, axis, def->cap_angle);
        float far = vec3_length(vec3_sub(box.hi, box.lo));
        for (int k = 0; k < MARCH_STEPS && far > 0.0f; k++) {
            Vec3 at = vec3_add(pose.position, vec3_scale(along, far));
            SurfacePoint surface = obstacle_surface(obstacles, body, at);
            if (surface.distance > 1e-4f * def->length[0]) {
                far -= surface.distance;
                continue;
            }
            *out = (Root){vec3_sub(at, vec3_scale(surface.normal, surface.distance)), surface.normal};
            return true;
        }
    }
    return false;
}

static Result choose_root(const Strands *strands, uint32_t group, const Obstacles *obstacles, uint32_t body,
                          uint64_t *random, Root *out)
{
    const StrandDef *def = &strands->defs[group];
    Vec3 up = vec3_make(0, 0, 1);
    if (def->layout == STRAND_ROPE)
        *out = (Root){def->from, vec3_normalize_or(vec3_sub(def->to, def->from), up)};
    if (def->layout == STRAND_MEADOW) {
        out->at.x = random_between(random, def->lo.x, def->hi.x);
        out->at.y = random_between(random, def->lo.y, def->hi.y);
        out->at.z = random_between(random, def->lo.z, def->hi.z);
        out->along = vec3_normalize_or(def->direction, up);
    }
    if (def->layout == STRAND_CAP && !find_root(def, obstacles, body, random, out))
        return result_error(RESULT_USAGE, "strands.%u: no surface of %s looks that way", group,
                            def->obstacle);
    return result_ok();
}

static float choose_length(const StrandDef *def, uint64_t *random)
{
    if (def->layout == STRAND_ROPE) return vec3_length(vec3_sub(def->to, def->from));
    return random_between(random, def->length[0], def->length[1]);
}

static Vec3 in_frame(const Obstacles *obstacles, uint32_t body, Vec3 at)
{
    if (body == NO_BODY) return at;
    Pose pose = obstacles_pose(obstacles, body);
    return mat3_apply_transposed(pose.rotation, vec3_sub(at, pose.position));
}

static void grow(Strands *strands, uint32_t strand, Root root, float length, const Obstacles *obstacles,
                 uint32_t body)
{
    uint32_t first = strands->first[strand], last = strands->first[strand + 1] - 1;
    strands->segment[strand] = length / (float)(last - first);
    for (uint32_t i = first; i <= last; i++)
        strands->x[i] =
            vec3_add(root.at, vec3_scale(root.along, strands->segment[strand] * (float)(i - first)));
    strands->anchors[strand] = (StrandAnchor){.body = body,
                                              .root = in_frame(obstacles, body, strands->x[first]),
                                              .second = in_frame(obstacles, body, strands->x[first + 1]),
                                              .end = in_frame(obstacles, body, strands->x[last])};
}

Result strand_place(Strands *strands, const Obstacles *obstacles)
{
    uint32_t strand = 0;
    for (uint32_t group = 0; group < strands->group_count; group++) {
        const StrandDef *def = &strands->defs[group];
        uint32_t body = def->obstacle[0] ? find_body(obstacles, def->obstacle) : NO_BODY;
        uint64_t random = def->seed;
        if ((def->obstacle[0] || def->layout == STRAND_CAP) && body == NO_BODY)
            return result_error(RESULT_USAGE, "strands.%u: \"%s\" is not the name of an obstacle", group,
                                def->obstacle);
        for (; strand < strands->strand_count && strands->group[strand] == group; strand++) {
            Root root = {0};
            TRY(choose_root(strands, group, obstacles, body, &random, &root));
            grow(strands, strand, root, choose_length(def, &random), obstacles, body);
        }
    }
    return result_ok();
}
