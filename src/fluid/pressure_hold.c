#include "fluid/pressure_hold.h"

#include "fluid/pressure_walls.h"

#include <math.h>
#include <stdatomic.h>

float pressure_held_at_wall(const PressureGrid *grid, uint32_t a, size_t k)
{
    size_t below = k - grid->poisson.level[0].stride[a];
    float fall = grid->fall[a], half = 0.5f * (float)grid->size[a] * fabsf(fall);
    size_t lower = fall < 0.0f ? below : k, upper = fall < 0.0f ? k : below;
    bool plate = grid->bodies && !pressure_wall(grid, k) && !pressure_wall(grid, below);
    if (fall == 0.0f || pressure_wall(grid, lower) || (plate && pressure_water(grid, upper))) return -fall;
    if (!plate && !pressure_wall(grid, upper)) return 0.0f;
    return -fall * fminf(fmaxf(grid->poisson.phi[lower] / half, 0.0f), 1.0f);
}

// --- what hangs ---

typedef struct Hanging {
    PressureGrid *grid;
    atomic_bool air, cells; // some water has a free surface, some cells hang
} Hanging;

// Whether a cell is a wall of the tank, or of a body that does not move.
static bool still_wall(const PressureGrid *grid, size_t k)
{
    const PoissonLevel *level = &grid->poisson.level[0];
    if (!pressure_wall(grid, k)) return false;
    size_t at[3];
    poisson_place(level, k, at);
    bool outside = false;
    for (int a = 0; a < 3; a++) outside |= at[a] == 0 || at[a] > level->n[a];
    return outside || pressure_mover(grid, k) == PRESSURE_NO_MOVER;
}

// Whether a cell of water below a roof would be kept from leaving it, by less than the air's pressure. Water
// follows a body that moves away from it.
static bool hangs(const PressureGrid *grid, size_t k)
{
    const PoissonLevel *level = &grid->poisson.level[0];
    if (!(grid->poisson.phi[k] < 0.0f && level->b[k] < 0.0f)) return false;
    for (int a = 0; a < 3; a++) {
        if (grid->fall[a] == 0.0f) continue;
        size_t upper = grid->fall[a] < 0.0f ? k + level->stride[a] : k - level->stride[a];
        size_t face = grid->fall[a] < 0.0f ? upper : k;
        if (still_wall(grid, upper) ||
            (grid->gate[a][face] < 1.0f && pressure_mover(grid, k) == PRESSURE_NO_MOVER))
            return true;
    }
    return false;
}

static void look_for_hanging(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    Hanging *hanging = context;
    const PressureGrid *grid = hanging->grid;
    const PoissonLevel *level = &grid->poisson.level[0];
    bool air = false, cells = false;
    for (uint32_t row = begin; row < end; row++) {
        size_t first = poisson_row(level, row);
        for (size_t k = first; k < first + level->count[0]; k++) {
            if (!pressure_water(grid, k)) continue;
            air |= level->air[k] > 0.0f;
            cells |= hangs(grid, k);
        }
    }
    if (air) atomic_store_explicit(&hanging->air, true, memory_order_relaxed);
    if (cells) atomic_store_explicit(&hanging->cells, true, memory_order_relaxed);
}

static void let_go(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    PressureGrid *grid = ((Hanging *)context)->grid;
    PoissonLevel *level = &grid->poisson.level[0];
    for (uint32_t row = begin; row < end; row++) {
        size_t first = poisson_row(level, row);
        for (size_t k = first; k < first + level->count[0]; k++)
            if (pressure_water(grid, k) && hangs(grid, k)) level->b[k] = 0.0f;
    }
}

bool pressure_let_go(PressureGrid *grid, const Links *links)
{
    if (!grid->flow) return false;
    Hanging hanging = {.grid = grid};
    poisson_for_rows(&grid->poisson.level[0], look_for_hanging, &hanging);
    double found[2] = {hanging.air, hanging.cells};
    if (links) links->most(links->self, found, 2);
    if (found[0] == 0.0 || found[1] == 0.0) return false;
    poisson_for_rows(&grid->poisson.level[0], let_go, &hanging);
    return true;
}
