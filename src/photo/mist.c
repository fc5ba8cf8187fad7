#include "photo/mist.h"

#include "core/memory.h"
#include "core/parallel.h"
#include "neighbor/shape/shape_index.h"

#include <math.h>

#define GRAIN 4096u

// Puffs are wider than the whitewater's particles, and thinner in turn: `cover` of a particle's disc is left
// of it. Foam lies so many spacings above the water.
static const struct {
    float radii, cover;
} puffs[DIFFUSE_CLASS_COUNT] = {
    [DIFFUSE_SPRAY] = {1.7f, 0.6f}, [DIFFUSE_FOAM] = {1.5f, 0.35f}, [DIFFUSE_BUBBLE] = {1.3f, 0.3f}};
#define LIFT 0.04f

// Water at a finer spacing gives birth to more whitewater. From so many spacings across the scene on, all of
// it covers as much together.
#define SPACINGS 60.0f

typedef struct MistJob {
    const DiffuseParticles *from;
    const SurfaceMesh *water;
    const ShapeIndex *index; // of the water's vertices
    float spacing;
    uint8_t *kind; // of each, DiffuseClass
    Vec3 *place, *normal;
} MistJob;

// The water's nearest vertex; UINT32_MAX if none is within a spacing.
static uint32_t nearest_vertex(const MistJob *job, Vec3 at)
{
    const ShapeIndex *index = job->index;
    PlaceRange rows[SHAPE_ROWS_MAX];
    uint32_t count = shape_index_rows(index, at, job->spacing, rows), nearest = UINT32_MAX;
    float least = job->spacing * job->spacing;
    for (uint32_t r = 0; r < count; r++) {
        for (uint32_t k = rows[r].begin; k < rows[r].end; k++) {
            Vec3 way = vec3_sub(vec3_make(index->x[k], index->y[k], index->z[k]), at);
            float square = vec3_dot(way, way);
            if (square >= least) continue;
            least = square;
            nearest = index->index[k];
        }
    }
    return nearest;
}

static void place_foam(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    const MistJob *job = context;
    const DiffuseParticles *p = job->from;
    (void)worker;
    for (uint32_t k = begin; k < end; k++) {
        Vec3 at = vec3_make(p->x[k], p->y[k], p->z[k]);
        job->kind[k] = (uint8_t)p->kind[k];
        job->place[k] = at;
        job->normal[k] = vec3_make(0, 0, 1);
        if (p->kind[k] != DIFFUSE_FOAM) continue;
        uint32_t vertex = job->index ? nearest_vertex(job, at) : UINT32_MAX;
        job->kind[k] = vertex == UINT32_MAX ? DIFFUSE_SPRAY : DIFFUSE_FOAM;
        if (vertex == UINT32_MAX) continue;
        Vec3 normal = job->water->normal[vertex];
        float above = vec3_dot(vec3_sub(at, job->water->vertex[vertex]), normal);
        job->normal[k] = normal;
        job->place[k] = vec3_add(at, vec3_scale(normal, LIFT * job->spacing - above));
    }
}

static void sort_by_class(const MistJob *job, Mist *out)
{
    const DiffuseParticles *p = job->from;
    uint32_t next[DIFFUSE_CLASS_COUNT] = {0}, sum = 0;
    for (uint32_t k = 0; k < p->count; k++) next[job->kind[k]]++;
    for (int c = 0; c <= DIFFUSE_CLASS_COUNT; c++) {
        uint32_t here = c < DIFFUSE_CLASS_COUNT ? next[c] : 0;
        out->first[c] = sum;
        if (c < DIFFUSE_CLASS_COUNT) next[c] = sum;
        sum += here;
    }
    for (uint32_t k = 0; k < p->count; k++) {
        uint32_t slot = next[job->kind[k]]++;
        out->puff[slot] = (RayPuff){job->place[k], puffs[job->kind[k]].radii * p->size[k]};
        out->velocity[slot] = vec3_make(p->vx[k], p->vy[k], p->vz[k]);
        out->normal[slot] = job->normal[k];
    }
}

static Result index_water(const SurfaceMesh *water, float spacing, ShapeIndex *index)
{
    uint32_t count = water->vertex_count;
    float *at = memory_allocate(3 * (size_t)count * sizeof *at);
    if (!at) return result_no_memory("the foam", 3 * (size_t)count * sizeof *at);
    for (uint32_t k = 0; k < count; k++) {
        at[k] = water->vertex[k].x;
        at[count + k] = water->vertex[k].y;
        at[2 * (size_t)count + k] = water->vertex[k].z;
    }
    PointView points = {at, at + count, at + 2 * (size_t)count, count};
    Result result = shape_index_build(index, points, 3, spacing);
    memory_free(at);
    return result;
}

static Result make(const DiffuseParticles *from, const SurfaceMesh *water, float spacing, ShapeIndex *index,
                   MistJob *job, Mist *out)
{
    uint32_t count = from->count;
    bool has_water = water && water->vertex_count > 0;
    job->kind = memory_allocate(count);
    job->place = memory_allocate(count * sizeof *job->place);
    job->normal = memory_allocate(count * sizeof *job->normal);
    out->puff = memory_allocate(count * sizeof *out->puff);
    out->velocity = memory_allocate(count * sizeof *out->velocity);
    out->normal = memory_allocate(count * sizeof *out->normal);
    if (!job->kind || !job->place || !job->normal || !out->puff || !out->velocity || !out->normal)
        return result_no_memory("the mist", count * (sizeof *out->puff + 4 * sizeof(Vec3) + 1));
    if (has_water) TRY(index_water(water, spacing, index));
    job->index = has_water ? index : NULL;
    parallel_for(count, GRAIN, place_foam, job);
    sort_by_class(job, out);
    return result_ok();
}

Result mist_make(const DiffuseParticles *from, const SurfaceMesh *water, float spacing, Mist *out)
{
    *out = (Mist){0};
    if (!from || from->count == 0) return result_ok();
    MistJob job = {.from = from, .water = water, .spacing = spacing};
    ShapeIndex index = {0};
    Result result = make(from, water, spacing, &index, &job, out);
    shape_index_free(&index);
    memory_free(job.kind);
    memory_free(job.place);
    memory_free(job.normal);
    if (!result_is_ok(&result)) mist_free(out);
    return result;
}

void mist_free(Mist *mist)
{
    memory_free(mist->puff);
    memory_free(mist->velocity);
    memory_free(mist->normal);
    *mist = (Mist){0};
}

RayMesh mist_mesh(const Mist *mist, DiffuseClass kind, float spacing, float size)
{
    uint32_t first = mist->first[kind], count = mist->first[kind + 1] - first;
    if (count == 0) return (RayMesh){0};
    float thin = fminf(SPACINGS * spacing / size, 1);
    // The integral of (1 - b^2 / r^2)^2 over a disc is a third of its area.
    return (RayMesh){.puff = mist->puff + first,
                     .velocity = mist->velocity + first,
                     .normal = kind == DIFFUSE_FOAM ? mist->normal + first : NULL,
                     .vertex_count = count,
                     .depth = 3 * thin * puffs[kind].cover / (puffs[kind].radii * puffs[kind].radii)};
}
