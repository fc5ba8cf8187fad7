#include "render/whitewater_light.h"

#include "core/memory.h"
#include "core/parallel.h"

#include <math.h>
#include <string.h>

#define CELLS 64     // along each axis, at most
#define GRAIN 16384u // particles
#define EXTINCTION 0.2f

// A grid along the sun's axes: the third one is the way of the light.
typedef struct LightGrid {
    const DiffuseParticles *particles;
    WhitewaterLight *light;
    Vec3 axis[3];
    float lo[3], inverse; // m; cells a meter
    int size[3];
} LightGrid;

void whitewater_light_free(WhitewaterLight *light)
{
    memory_free(light->cells);
    memory_free(light->share);
    *light = (WhitewaterLight){0};
}

static Vec3 place_of(const DiffuseParticles *p, uint32_t k)
{
    return vec3_make(p->x[k], p->y[k], p->z[k]);
}

// Chooses cells that cover all particles.
static void fit_grid(LightGrid *grid, float cell)
{
    float hi[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int a = 0; a < 3; a++) {
        grid->lo[a] = INFINITY;
        for (uint32_t k = 0; k < grid->particles->count; k++) {
            float at = vec3_dot(grid->axis[a], place_of(grid->particles, k));
            grid->lo[a] = fminf(grid->lo[a], at);
            hi[a] = fmaxf(hi[a], at);
        }
        cell = fmaxf(cell, (hi[a] - grid->lo[a]) / (CELLS - 2));
    }
    grid->inverse = 1.0f / cell;
    for (int a = 0; a < 3; a++) grid->size[a] = (int)((hi[a] - grid->lo[a]) * grid->inverse) + 2;
}

// The eight cells around a place, and its weights between them.
static size_t corner_of(const LightGrid *grid, Vec3 at, float part[3])
{
    int cell[3];
    for (int a = 0; a < 3; a++) {
        float x = (vec3_dot(grid->axis[a], at) - grid->lo[a]) * grid->inverse;
        cell[a] = (int)fminf(fmaxf(x, 0.0f), (float)(grid->size[a] - 2));
        part[a] = fminf(fmaxf(x - (float)cell[a], 0.0f), 1.0f);
    }
    return ((size_t)cell[2] * (size_t)grid->size[1] + (size_t)cell[1]) * (size_t)grid->size[0] +
           (size_t)cell[0];
}

static size_t corner_offset(const LightGrid *grid, int corner)
{
    size_t row = (size_t)grid->size[0], layer = row * (size_t)grid->size[1];
    return (corner & 1) + (corner & 2 ? row : 0) + (corner & 4 ? layer : 0);
}

static float corner_weight(const float part[3], int corner)
{
    float weight = 1.0f;
    for (int a = 0; a < 3; a++) weight *= corner & 1 << a ? part[a] : 1.0f - part[a];
    return weight;
}

static void add_areas(const LightGrid *grid)
{
    const DiffuseParticles *p = grid->particles;
    for (uint32_t k = 0; k < p->count; k++) {
        float part[3], area = p->size[k] * p->size[k] * grid->inverse * grid->inverse * 3.14159265f;
        size_t at = corner_of(grid, place_of(p, k), part);
        if (p->kind[k] == DIFFUSE_BUBBLE) continue; // light passes under the water otherwise
        for (int corner = 0; corner < 8; corner++)
            grid->light->cells[at + corner_offset(grid, corner)] += area * corner_weight(part, corner);
    }
}

// From areas to what lies between the sun and each cell.
static void sum_along_light(const LightGrid *grid)
{
    size_t layer = (size_t)grid->size[0] * (size_t)grid->size[1];
    float *cells = grid->light->cells;
    for (size_t k = layer; k < layer * (size_t)grid->size[2]; k++) cells[k] += cells[k - layer];
}

static void read_shares(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const LightGrid *grid = context;
    for (uint32_t k = begin; k < end; k++) {
        float part[3], depth = 0.0f;
        size_t at = corner_of(grid, place_of(grid->particles, k), part);
        for (int corner = 0; corner < 8; corner++)
            depth += grid->light->cells[at + corner_offset(grid, corner)] * corner_weight(part, corner);
        grid->light->share[k] = expf(-EXTINCTION * depth);
    }
}

Result whitewater_light_find(WhitewaterLight *light, const DiffuseParticles *particles, const View *sun,
                             float cell)
{
    LightGrid grid = {.particles = particles, .light = light, .axis = {sun->right, sun->up, sun->forward}};
    fit_grid(&grid, cell);
    size_t cells = (size_t)grid.size[0] * (size_t)grid.size[1] * (size_t)grid.size[2];
    TRY(MEMORY_RESERVE(light->cells, light->capacity, 0, cells, "the whitewater"));
    TRY(MEMORY_RESERVE(light->share, light->share_capacity, 0, particles->count, "the whitewater"));
    memset(light->cells, 0, cells * sizeof *light->cells);
    add_areas(&grid);
    sum_along_light(&grid);
    parallel_for(particles->count, GRAIN, read_shares, &grid);
    return result_ok();
}
