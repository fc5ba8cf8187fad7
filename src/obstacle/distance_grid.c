#include "core/memory.h"
#include "obstacle/mesh.h"

#include <math.h>

void distance_grid_free(DistanceGrid *grid)
{
    memory_free(grid->distance);
    *grid = (DistanceGrid){0};
}

// The cell that holds a coordinate (in cells) and the place in it, 0..1; *beyond is how far outside the grid
// it is.
static uint32_t cell_of(float coordinate, uint32_t nodes, float *within, float *beyond)
{
    float clamped = fminf(fmaxf(coordinate, 0), (float)(nodes - 1));
    *beyond = coordinate - clamped;
    uint32_t cell = (uint32_t)clamped;
    if (cell > nodes - 2) cell = nodes - 2;
    *within = clamped - (float)cell;
    return cell;
}

static float mix(float a, float b, float t)
{
    return a + t * (b - a);
}

float distance_grid_sample(const DistanceGrid *grid, Vec3 point, Vec3 *gradient)
{
    Vec3 cells = vec3_scale(vec3_sub(point, grid->origin), 1.0f / grid->cell);
    Vec3 in, beyond;
    uint32_t i = cell_of(cells.x, grid->nx, &in.x, &beyond.x);
    uint32_t j = cell_of(cells.y, grid->ny, &in.y, &beyond.y);
    uint32_t k = cell_of(cells.z, grid->nz, &in.z, &beyond.z);
    size_t row = grid->nx, slice = row * grid->ny;
    const float *d = grid->distance + i + j * row + k * slice;
    float x00 = mix(d[0], d[1], in.x), x10 = mix(d[row], d[row + 1], in.x);
    float x01 = mix(d[slice], d[slice + 1], in.x), x11 = mix(d[slice + row], d[slice + row + 1], in.x);
    float y0 = mix(x00, x10, in.y), y1 = mix(x01, x11, in.y);
    float outside = vec3_length(beyond); // cells
    if (gradient) {
        Vec3 slope;
        slope.x = mix(mix(d[1] - d[0], d[row + 1] - d[row], in.y),
                      mix(d[slice + 1] - d[slice], d[slice + row + 1] - d[slice + row], in.y), in.z);
        slope.y = mix(x10 - x00, x11 - x01, in.z);
        slope.z = y1 - y0;
        if (beyond.x != 0) slope.x = beyond.x / outside * grid->cell;
        if (beyond.y != 0) slope.y = beyond.y / outside * grid->cell;
        if (beyond.z != 0) slope.z = beyond.z / outside * grid->cell;
        *gradient = vec3_normalize_or(slope, vec3_make(0, 0, 1));
    }
    return mix(y0, y1, in.z) + outside * grid->cell;
}
