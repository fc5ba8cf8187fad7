// Connected waters of a grid that processes divide. Each finds the pieces within its own cells; where pieces
// of two meet they are one. All learn of all pieces and names them alike, in the order of their lowest cells.
#include "core/memory.h"
#include "fluid/pressure_free.h"
#include "fluid/pressure_share.h"
#include "fluid/pressure_walls.h"

#include <stdlib.h>
#include <string.h>

// Water within a process's own cells.
typedef struct Piece {
    uint64_t first;       // its lowest cell
    uint32_t held, above; // above: a piece that it is part of, itself if there is none
} Piece;

// Two pieces that touch, by their numbers among all.
typedef struct Joint {
    uint32_t piece[2];
} Joint;

typedef struct Naming {
    PressureGrid *grid;
    const Links *links;
    CellBox own;
    uint32_t base, pieces; // numbers of own pieces begin at base
    Piece *piece;
    Joint *joint;
    size_t joints;
} Naming;

// --- own pieces ---

static void find_pieces(Naming *naming)
{
    PressureGrid *grid = naming->grid;
    const PoissonLevel *level = &grid->poisson.level[0];
    size_t most = cell_box_cells(naming->own) + 1;
    naming->piece = pressure_share_room(grid, PRESSURE_PIECES, most * sizeof *naming->piece);
    cell_box_clear(level, naming->own, 1, grid->water, sizeof *grid->water);
    for (uint32_t row = 0; level->count[0] > 0 && row < level->count[1] * level->count[2]; row++) {
        size_t first = poisson_row(level, row);
        for (size_t k = first; k < first + level->count[0]; k++) {
            if (grid->water[k] || !pressure_water(grid, k)) continue;
            uint32_t n = naming->pieces++;
            naming->piece[n] = (Piece){.first = k};
            naming->piece[n].held = pressure_free_flood(grid, naming->own, k, n + 1);
        }
    }
}

// Of every rank's number of things; returns those of lower ranks. bytes: of all of each rank's.
static uint32_t collect_counts(const Naming *naming, uint32_t count, size_t each, size_t *bytes,
                               uint64_t *all)
{
    const Links *links = naming->links;
    uint32_t *counts = (uint32_t *)(void *)(bytes + links->ranks), lower = 0;
    links->collect(links->self, &count, sizeof count, counts);
    *all = 0;
    for (uint32_t r = 0; r < links->ranks; r++) {
        if (r < links->rank) lower += counts[r];
        bytes[r] = counts[r] * each;
        *all += counts[r];
    }
    return lower;
}

// The numbers that pieces have among all go around as the bits of floats.
static void tell_neighbors(const Naming *naming)
{
    PressureGrid *grid = naming->grid;
    const PoissonLevel *level = &grid->poisson.level[0];
    for (uint32_t row = 0; level->count[0] > 0 && row < level->count[1] * level->count[2]; row++) {
        size_t first = poisson_row(level, row);
        for (size_t k = first; k < first + level->count[0]; k++) {
            if (grid->water[k]) grid->water[k] += naming->base;
            memcpy(&grid->ghost[k], &grid->water[k], sizeof(float));
        }
    }
    grid_share_border(pressure_share_cells(grid), level, 0, &grid->ghost, 1, 1, GRID_FACES);
}

// With pieces below own cells, most of them once: cells in a row are of one piece as a rule.
static void find_joints(Naming *naming)
{
    PressureGrid *grid = naming->grid;
    const PoissonLevel *level = &grid->poisson.level[0];
    CellBox own = naming->own;
    size_t most = 0, count = 0;
    for (int a = 0; a < 3; a++)
        most += cell_box_cells(own) / (own.hi[a] - own.lo[a] + (own.hi[a] == own.lo[a]));
    naming->joint = pressure_share_room(grid, PRESSURE_JOINTS, (most + 1) * sizeof *naming->joint);
    for (int a = 0; a < 3; a++) {
        CellBox side = own;
        side.hi[a] = side.lo[a] + 1;
        if (cell_box_cells(own) == 0 || own.lo[a] == 1) continue;
        for (uint32_t z = side.lo[2]; z < side.hi[2]; z++)
            for (uint32_t y = side.lo[1]; y < side.hi[1]; y++)
                for (uint32_t x = side.lo[0]; x < side.hi[0]; x++) {
                    size_t k = x + y * level->stride[1] + z * level->stride[2], below = k - level->stride[a];
                    if (!grid->water[k] || !pressure_water(grid, below)) continue;
                    Joint joint = {{grid->water[k] - 1, 0}};
                    memcpy(&joint.piece[1], &grid->ghost[below], sizeof(float));
                    joint.piece[1]--;
                    bool again = count > 0 && memcmp(&joint, &naming->joint[count - 1], sizeof joint) == 0;
                    if (!again) naming->joint[count++] = joint;
                }
    }
    naming->joints = count;
}

// --- all pieces ---

static uint32_t top_of(Piece *piece, uint32_t k)
{
    while (piece[k].above != k) k = piece[k].above = piece[piece[k].above].above;
    return k;
}

static void join(Piece *piece, uint32_t a, uint32_t b)
{
    a = top_of(piece, a), b = top_of(piece, b);
    if (piece[b].first < piece[a].first) {
        uint32_t c = a;
        a = b, b = c;
    }
    piece[b].above = a;
}

static int compare_firsts(const void *a, const void *b)
{
    uint64_t x = (*(Piece *const *)a)->first, y = (*(Piece *const *)b)->first;
    return (x > y) - (x < y);
}

// Whole waters get their names, in piece.above of the pieces on top.
static void name_tops(PressureGrid *grid, Piece *piece, uint64_t pieces, uint32_t *name)
{
    Piece **order = pressure_share_room(grid, PRESSURE_ORDER, (pieces + 1) * sizeof *order);
    size_t tops = 0;
    for (uint32_t k = 0; k < pieces; k++) {
        uint32_t top = top_of(piece, k);
        if (top == k)
            order[tops++] = &piece[k];
        else
            piece[top].held |= piece[k].held;
    }
    if (tops > 0) qsort(order, tops, sizeof *order, compare_firsts);
    for (size_t k = 0; k < tops; k++) {
        uint32_t now = pressure_free_next(grid, order[k]->first);
        if (order[k]->held) pressure_free_hold(grid, now);
        name[order[k] - piece] = now;
    }
}

static void rename_cells(const Naming *naming, Piece *piece, const uint32_t *name)
{
    PressureGrid *grid = naming->grid;
    const PoissonLevel *level = &grid->poisson.level[0];
    for (uint32_t row = 0; level->count[0] > 0 && row < level->count[1] * level->count[2]; row++) {
        size_t first = poisson_row(level, row);
        for (size_t k = first; k < first + level->count[0]; k++)
            if (grid->water[k]) grid->water[k] = name[top_of(piece, grid->water[k] - 1)];
    }
}

void pressure_waters_name(PressureGrid *grid)
{
    GridShare *share = pressure_share_cells(grid);
    const Links *links = share->links;
    Naming naming = {.grid = grid, .links = links, .own = pressure_share_around(grid, 0)};
    size_t *bytes = grid_share_room(share, &share->lists, links->ranks * (sizeof *bytes + sizeof(uint32_t)));
    uint64_t pieces, joints;
    find_pieces(&naming);
    naming.base = collect_counts(&naming, naming.pieces, sizeof(Piece), bytes, &pieces);
    Piece *all =
        pressure_share_room(grid, PRESSURE_ALL_PIECES, (pieces + 1) * (sizeof *all + sizeof(uint32_t)));
    uint32_t *name = (uint32_t *)(void *)(all + pieces);
    links->collect_parts(links->self, naming.piece, bytes, all);
    tell_neighbors(&naming);
    find_joints(&naming);
    collect_counts(&naming, (uint32_t)naming.joints, sizeof(Joint), bytes, &joints);
    Joint *joint = pressure_share_room(grid, PRESSURE_ALL_JOINTS, (joints + 1) * sizeof *joint);
    links->collect_parts(links->self, naming.joint, bytes, joint);
    for (uint32_t k = 0; k < pieces; k++) all[k].above = k;
    for (size_t k = 0; k < joints; k++) join(all, joint[k].piece[0], joint[k].piece[1]);
    name_tops(grid, all, pieces, name);
    rename_cells(&naming, all, name);
}
