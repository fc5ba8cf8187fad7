#include "strand/strand_tubes.h"

#include "core/memory.h"
#include "core/parallel.h"

#define PI 3.14159265f
#define GRAIN 16u
#define SIDES_MAX 32

uint32_t strand_tube_sides(uint32_t particles)
{
    return particles > 50000 ? 4 : particles > 5000 ? 6 : 10;
}

void strand_tubes_free(StrandTubes *tubes)
{
    memory_free(tubes->vertices);
    memory_free(tubes->triangles);
    *tubes = (StrandTubes){0};
}

typedef struct TubeJob {
    const StrandView *view;
    StrandTubes *tubes;
    uint32_t sides;
    float cosine[SIDES_MAX], sine[SIDES_MAX];
} TubeJob;

static Vec3 direction_at(const StrandView *view, uint32_t first, uint32_t last, uint32_t i)
{
    uint32_t before = i > first ? i - 1 : i, after = i < last ? i + 1 : i;
    return vec3_normalize_or(vec3_sub(view->position[after], view->position[before]), vec3_make(0, 0, 1));
}

// A unit vector across a direction that turns as little as it can from the one before.
static Vec3 carried_across(Vec3 direction, Vec3 before)
{
    Vec3 across = vec3_sub(before, vec3_scale(direction, vec3_dot(direction, before)));
    Vec3 other = fabsf(direction.x) < 0.8f ? vec3_make(1, 0, 0) : vec3_make(0, 1, 0);
    return vec3_normalize_or(across, vec3_normalize_or(vec3_cross(direction, other), vec3_make(0, 1, 0)));
}

static void add_rings(const TubeJob *job, uint32_t strand, TubeVertex *out)
{
    const StrandView *view = job->view;
    uint32_t first = view->first[strand], last = view->first[strand + 1] - 1;
    float radius = view->defs[view->group[strand]].radius;
    Vec3 across = {0};
    for (uint32_t i = first; i <= last; i++) {
        Vec3 along = direction_at(view, first, last, i);
        across = carried_across(along, across);
        Vec3 beside = vec3_cross(along, across);
        for (uint32_t k = 0; k < job->sides; k++) {
            Vec3 out_of = vec3_add(vec3_scale(across, job->cosine[k]), vec3_scale(beside, job->sine[k]));
            *out++ = (TubeVertex){vec3_add(view->position[i], vec3_scale(out_of, radius)), out_of};
        }
    }
    Vec3 root = vec3_scale(direction_at(view, first, last, first), -1.0f);
    *out++ = (TubeVertex){view->position[first], root};
    *out = (TubeVertex){view->position[last], direction_at(view, first, last, last)};
}

static void add_triangles(uint32_t particles, uint32_t sides, uint32_t at, uint32_t (*out)[3])
{
    uint32_t end = at + (particles - 1) * sides, middle = at + particles * sides;
    for (uint32_t k = 0; k < sides; k++) {
        uint32_t next = (k + 1) % sides;
        for (uint32_t ring = at; ring < end; ring += sides) {
            uint32_t a = ring + k, b = ring + next, c = a + sides, d = b + sides;
            const uint32_t pair[2][3] = {{a, b, d}, {a, d, c}};
            for (int n = 0; n < 6; n++) out[n / 3][n % 3] = pair[n / 3][n % 3];
            out += 2;
        }
        const uint32_t ends[2][3] = {{middle, at + next, at + k}, {middle + 1, end + k, end + next}};
        for (int n = 0; n < 6; n++) out[n / 3][n % 3] = ends[n / 3][n % 3];
        out += 2;
    }
}

static void make_tubes(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const TubeJob *job = context;
    const StrandView *view = job->view;
    for (uint32_t k = begin; k < end; k++) {
        uint32_t particles = view->first[k + 1] - view->first[k];
        // A ring for each particle and a point in the middle of both ends; the last ring's triangles are
        // theirs.
        uint32_t vertex = view->first[k] * job->sides + 2 * k, triangle = 2 * job->sides * view->first[k];
        add_rings(job, k, job->tubes->vertices + vertex);
        add_triangles(particles, job->sides, vertex, job->tubes->triangles + triangle);
    }
}

Result strand_tubes_make(const StrandView *view, uint32_t sides, StrandTubes *tubes)
{
    CHECK(sides >= 3 && sides <= SIDES_MAX);
    TubeJob job = {.view = view, .tubes = tubes, .sides = sides};
    uint64_t vertices = (uint64_t)view->particle_count * sides + 2 * (uint64_t)view->strand_count;
    uint64_t triangles = 2 * (uint64_t)view->particle_count * sides;
    if (3 * triangles > UINT32_MAX)
        return result_error(RESULT_FAILED, "strands: %llu triangles are too many for a picture",
                            (unsigned long long)triangles);
    TRY(MEMORY_RESERVE(tubes->vertices, tubes->vertices_capacity, 0, vertices, "tubes of strands"));
    TRY(MEMORY_RESERVE(tubes->triangles, tubes->triangles_capacity, 0, triangles, "tubes of strands"));
    tubes->vertex_count = (uint32_t)vertices;
    tubes->triangle_count = (uint32_t)triangles;
    for (uint32_t k = 0; k < sides; k++) {
        job.cosine[k] = cosf(2.0f * PI * (float)k / (float)sides);
        job.sine[k] = sinf(2.0f * PI * (float)k / (float)sides);
    }
    parallel_for(view->strand_count, GRAIN, make_tubes, &job);
    return result_ok();
}
