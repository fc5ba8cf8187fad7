// How much volume particles give cells that bodies cut, where all that is open is full of water: linear
// weights reach into bodies, and what these cover of a cell is missing in those beside it, too.
#include "core/parallel.h"
#include "fluid/pressure_cells.h"

#define PLACES PRESSURE_PLACES

// Less than this no open cell is taken to hold.
#define LEAST_FULL 0.05f

typedef struct FullJob {
    PressureGrid *grid;
    CellBox box;
} FullJob;

// Whether nothing around a cell is covered, so that linear weights add up to all of it.
static bool is_plain(const PressureGrid *grid, size_t k)
{
    const size_t *stride = grid->poisson.level[0].stride;
    for (size_t z = k - stride[2]; z <= k + stride[2]; z += stride[2])
        for (size_t y = z - stride[1]; y <= z + stride[1]; y += stride[1])
            for (size_t x = y - 1; x <= y + 1; x++)
                if (grid->outside[x] != UINT64_MAX) return false;
    return true;
}

// The share that one of eight cells, `mine`, has of what is at `part` of the way between them and these take.
static float share_of(uint32_t takers, int mine, const float part[3])
{
    float all = 0.0f, share = 0.0f;
    for (int e = 0; e < 8; e++) {
        if (!(takers >> e & 1)) continue;
        float weight = (e & 1 ? part[0] : 1.0f - part[0]) * (e & 2 ? part[1] : 1.0f - part[1]) *
                       (e & 4 ? part[2] : 1.0f - part[2]);
        all += weight;
        if (e == mine) share = weight;
    }
    return all > 1e-6f ? share / all : 0.0f;
}

// What the places in an eighth of cell c give to the cell `mine` of the eight around them, among which c is
// `own`.
static float given_by_eighth(const PressureGrid *grid, size_t c, int own, int mine)
{
    const size_t *stride = grid->poisson.level[0].stride;
    size_t cell[8];
    for (int e = 0; e < 8; e++) {
        cell[e] = c;
        for (int a = 0; a < 3; a++) cell[e] += ((size_t)(e >> a & 1) - (size_t)(own >> a & 1)) * stride[a];
    }
    uint32_t takers = pressure_takers_beside(grid, cell, own);
    float sum = 0.0f;
    for (int n = 0; n < 8; n++) {
        float part[3];
        Corner corner = {.own = own};
        int bit = 0;
        for (int a = 0; a < 3; a++) {
            bool upper = own >> a & 1;
            int at = (upper ? 0 : PLACES / 2) + (n >> a & 1);
            corner.within[a] = ((float)at + 0.5f) / PLACES;
            part[a] = corner.within[a] + (upper ? 0.5f : -0.5f);
            bit |= at << 2 * a;
        }
        if (!(grid->outside[c] >> bit & 1)) continue;
        bool own_side = grid->side[c] >> bit & 1;
        sum += share_of(own_side ? takers : pressure_takers(grid, cell, corner), mine, part);
    }
    return sum;
}

// What the places of the cell at `offset` from k, c, give to k.
static float given_by(const PressureGrid *grid, size_t c, const int offset[3])
{
    float sum = 0.0f;
    if (grid->outside[c] == 0) return 0.0f;
    for (int own = 0; own < 8; own++) {
        int mine = 0;
        bool near = true;
        for (int a = 0; a < 3; a++) {
            int corner = (own >> a & 1) - offset[a];
            near &= corner == 0 || corner == 1;
            mine |= (corner & 1) << a;
        }
        if (near) sum += given_by_eighth(grid, c, own, mine);
    }
    return sum / (PLACES * PLACES * PLACES);
}

static float full_of(const PressureGrid *grid, const uint32_t at[3], size_t k)
{
    const PoissonLevel *level = &grid->poisson.level[0];
    if (pressure_wall(grid, k) || is_plain(grid, k)) return 1.0f;
    float sum = 0.0f;
    for (int n = 0; n < 27; n++) {
        const int offset[3] = {n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1};
        size_t c = k;
        bool inside = true;
        for (int a = 0; a < 3; a++) {
            int64_t place = (int64_t)at[a] + offset[a];
            inside &= place >= 1 && place <= (int64_t)level->n[a];
            c += (size_t)offset[a] * level->stride[a]; // wraps around as it should
        }
        if (inside) sum += given_by(grid, c, offset);
    }
    return fmaxf(sum, LEAST_FULL);
}

static void fill_rows(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const FullJob *job = context;
    const PoissonLevel *level = &job->grid->poisson.level[0];
    uint32_t high = job->box.hi[1] - job->box.lo[1];
    for (uint32_t row = begin; row < end; row++) {
        uint32_t at[3] = {0, job->box.lo[1] + row % high, job->box.lo[2] + row / high};
        for (at[0] = job->box.lo[0]; at[0] < job->box.hi[0]; at[0]++) {
            size_t k = at[0] + at[1] * level->stride[1] + at[2] * level->stride[2];
            job->grid->full[k] = full_of(job->grid, at, k);
        }
    }
}

void pressure_full(PressureGrid *grid, CellBox box)
{
    if (cell_box_cells(box) == 0) return;
    FullJob job = {grid, box};
    parallel_for((box.hi[1] - box.lo[1]) * (box.hi[2] - box.lo[2]), 4, fill_rows, &job);
}
