#include "fluid/pressure_share.h"

#include "core/memory.h"
#include "core/parallel.h"
#include "core/round.h"
#include "fluid/pressure_walls.h"

#include <string.h>

#define GRAIN 512u

// Steps in which a mark spreads from the cell of a particle to those around it.
enum { HERE = 1, ALONG = 2, ACROSS = 4, REACHED = 8 };

// Cells that a process has and that particles of another reach.
typedef struct Reach {
    uint32_t rank; // the other
    CellBox box;   // these cells are in it
    uint32_t *cell;
    uint32_t cells, inner; // how many; of them not merely beside what the owner has
} Reach;

struct PressureShare {
    GridShare grid;
    CellBox *window;      // of each rank: cells that its particles reach
    Reach *told, *asked;  // of cells that others have; of own ones that others' particles reach
    uint32_t tells, asks; // how many
    GridRoom windows, reaches, told_cells, asked_cells, rooms[PRESSURE_ROOMS];
    PressureTraffic traffic;
};

void pressure_share_free(PressureGrid *grid)
{
    PressureShare *share = grid->room;
    if (!share) return;
    GridRoom *rooms[] = {&share->windows, &share->reaches, &share->told_cells, &share->asked_cells};
    for (size_t k = 0; k < sizeof rooms / sizeof *rooms; k++) memory_free(rooms[k]->at);
    for (int k = 0; k < PRESSURE_ROOMS; k++) memory_free(share->rooms[k].at);
    grid_share_free(&share->grid);
    memory_free(share);
    grid->room = grid->share = NULL;
}

void pressure_share_divide(PressureGrid *grid, const uint32_t n[3], const Links *links)
{
    grid->share = NULL;
    if (!links || links->ranks < 2) return;
    if (!grid->room) grid->room = memory_allocate_zeroed(sizeof *grid->room);
    if (!grid->room) {
        Result result = result_no_memory("a shared grid", sizeof *grid->room);
        links->fail(links->self, &result);
    }
    uint32_t least = grid->divide_least ? grid->divide_least : GRID_SHARE_LEAST;
    if (grid_share_divide(&grid->room->grid, links, n, least)) grid->share = grid->room;
}

GridShare *pressure_share_cells(const PressureGrid *grid)
{
    return grid->share ? &grid->share->grid : NULL;
}

void *pressure_share_room(PressureGrid *grid, int room, size_t bytes)
{
    return grid_share_room(&grid->share->grid, &grid->share->rooms[room], bytes);
}

// --- boxes ---

static CellBox own_box(const PressureGrid *grid, uint32_t rank)
{
    return grid_share_box(&grid->share->grid, rank, 0);
}

static CellBox whole_box(const PressureGrid *grid)
{
    const uint32_t *n = grid->poisson.level[0].n;
    return (CellBox){{0, 0, 0}, {n[0] + 2, n[1] + 2, n[2] + 2}};
}

// Cells whose sums a rank needs: its own, and those above them, whose lower faces are its own's upper ones.
static CellBox summed_box(const PressureGrid *grid, uint32_t rank)
{
    CellBox box = own_box(grid, rank);
    for (int a = 0; a < 3; a++) box.hi[a] += box.hi[a] > 0;
    return box;
}

// Whether cell k of summed_box is the rank's own, or beyond the last of all.
static bool is_inner(const PressureGrid *grid, CellBox own, size_t k)
{
    const PoissonLevel *level = &grid->poisson.level[0];
    size_t at[3];
    poisson_place(level, k, at);
    bool inner = true;
    for (int a = 0; a < 3; a++) inner &= at[a] < own.hi[a] || at[a] == level->n[a] + 1;
    return inner;
}

CellBox pressure_share_around(const PressureGrid *grid, uint32_t by)
{
    CellBox whole = whole_box(grid);
    if (!grid->share) return whole;
    return cell_box_common(cell_box_wider(own_box(grid, grid->share->grid.links->rank), by), whole);
}

void pressure_share_widen(PressureGrid *grid, uint32_t by)
{
    CellBox box = pressure_share_around(grid, by);
    poisson_set_box(&grid->poisson.level[0], box.lo, box.hi);
}

// --- cells that particles reach ---

typedef struct MarkJob {
    const PressureGrid *grid;
    Streams3 at; // or from
    float scale[3];
} MarkJob;

// As pressure_free.c looks for a particle's water: within the grid in any case.
static uint32_t cell_along(const MarkJob *job, int axis, float at)
{
    const float lo[3] = {job->grid->lo.x, job->grid->lo.y, job->grid->lo.z};
    float cell = (at - lo[axis]) * job->scale[axis] + 1.0f, most = (float)job->grid->poisson.level[0].n[axis];
    cell = cell > 1.0f ? cell : 1.0f;
    return (uint32_t)(cell < most ? cell : most);
}

static CellBox window_of(const MarkJob *job, Box3 box)
{
    const float lo[3] = {box.lo.x, box.lo.y, box.lo.z}, hi[3] = {box.hi.x, box.hi.y, box.hi.z};
    CellBox window = {0};
    for (int a = 0; a < 3; a++) {
        if (!(lo[a] <= hi[a])) return (CellBox){0};
        window.lo[a] = cell_along(job, a, lo[a]) - 1;
        window.hi[a] = cell_along(job, a, hi[a]) + 2;
    }
    return window;
}

static void mark_cells(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const MarkJob *job = context;
    const PoissonLevel *level = &job->grid->poisson.level[0];
    size_t before = 0;
    for (uint32_t i = begin; i < end; i++) {
        size_t k = cell_along(job, 0, job->at.x[i]) + cell_along(job, 1, job->at.y[i]) * level->stride[1] +
                   cell_along(job, 2, job->at.z[i]) * level->stride[2];
        if (k != before) __atomic_store_n(&job->grid->known[0][k], (uint8_t)HERE, __ATOMIC_RELAXED);
        before = k;
    }
}

// From the cells of particles to all around them, one axis after the other.
static void spread_marks(const PressureGrid *grid, CellBox box)
{
    const PoissonLevel *level = &grid->poisson.level[0];
    uint8_t *mark = grid->known[0];
    for (int axis = 0; axis < 3; axis++) {
        uint8_t from = (uint8_t)(HERE << axis), to = (uint8_t)(ALONG << axis);
        size_t stride = level->stride[axis];
        for (uint32_t z = box.lo[2]; z < box.hi[2]; z++)
            for (uint32_t y = box.lo[1]; y < box.hi[1]; y++) {
                size_t row = y * level->stride[1] + z * level->stride[2];
                for (size_t k = row + box.lo[0]; k < row + box.hi[0]; k++) {
                    if (!(mark[k] & from)) continue;
                    mark[k - stride] |= to;
                    mark[k] |= to;
                    mark[k + stride] |= to;
                }
            }
    }
}

static void find_window(PressureGrid *grid, const PressureJob *particles)
{
    PressureShare *share = grid->share;
    const Links *links = share->grid.links;
    MarkJob job = {.grid = grid};
    for (int a = 0; a < 3; a++) job.scale[a] = (float)(1.0 / grid->size[a]);
    const Streams3 places[2] = {particles->at, particles->from};
    uint32_t kinds = grid->flow ? 2 : 1;
    Box3 box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (uint32_t s = 0; s < kinds; s++) {
        Box3 bounds;
        Result result = pressure_bound_particles(grid, places[s], particles->count, &bounds);
        if (!result_is_ok(&result)) links->fail(links->self, &result);
        box = box3_join(box, bounds);
    }
    CellBox window = window_of(&job, box);
    cell_box_clear(&grid->poisson.level[0], window, 0, grid->known[0], 1);
    cell_box_clear(&grid->poisson.level[0], window, 0, grid->water, sizeof *grid->water);
    for (uint32_t s = 0; s < kinds; s++) {
        job.at = places[s];
        parallel_for(particles->count, GRAIN, mark_cells, &job);
    }
    spread_marks(grid, window);
    share->window = grid_share_room(&share->grid, &share->windows, links->ranks * sizeof window);
    links->collect(links->self, &window, sizeof window, share->window);
}

static void find_walls(PressureGrid *grid)
{
    const PressureShare *share = grid->share;
    const Links *links = share->grid.links;
    CellBox look[2] = {pressure_share_around(grid, GRID_SHARE_REACH), share->window[links->rank]};
    bool same = grid->looked && memcmp(look, grid->look, sizeof look) == 0;
    memcpy(grid->look, look, sizeof look);
    Result result = pressure_walls(grid, grid->obstacles, same);
    if (!result_is_ok(&result)) links->fail(links->self, &result);
    grid->looked = true;
}

// --- who has them ---

// Ranks with cells that own particles may reach, and those whose particles may reach own cells.
static void find_reaches(PressureGrid *grid)
{
    PressureShare *share = grid->share;
    const Links *links = share->grid.links;
    share->told =
        grid_share_room(&share->grid, &share->reaches, 2 * (size_t)links->ranks * sizeof *share->told);
    share->asked = share->told + links->ranks;
    share->tells = share->asks = 0;
    CellBox mine = share->window[links->rank], sums = summed_box(grid, links->rank);
    for (uint32_t r = 0; r < links->ranks; r++) {
        if (r == links->rank) continue;
        Reach told = {.rank = r, .box = cell_box_common(mine, summed_box(grid, r))};
        Reach asked = {.rank = r, .box = cell_box_common(share->window[r], sums)};
        if (cell_box_cells(told.box) > 0) share->told[share->tells++] = told;
        if (cell_box_cells(asked.box) > 0) share->asked[share->asks++] = asked;
    }
}

// How many bytes something takes of the cells of a reach.
typedef size_t ReachBytes(const PressureGrid *grid, const Reach *reach);

static size_t mark_bytes(const PressureGrid *grid, const Reach *reach)
{
    (void)grid;
    return groups_of(cell_box_cells(reach->box), 8);
}

static size_t box_bytes(const PressureGrid *grid, const Reach *reach)
{
    (void)grid;
    return cell_box_cells(reach->box) * sizeof(uint32_t);
}

static size_t all_bytes(const PressureGrid *grid, const Reach *reach, uint32_t count, ReachBytes *bytes)
{
    size_t sum = 0;
    for (uint32_t k = 0; k < count; k++) sum += bytes(grid, &reach[k]);
    return sum;
}

// Lists the cells of a box that are marked in the grid, and writes a bit for each of the box (bits to be
// read: those are marked instead).
static void list_cells(const PressureGrid *grid, Reach *reach, CellBox own, uint8_t *bits, bool reads)
{
    const PoissonLevel *level = &grid->poisson.level[0];
    size_t bit = 0;
    if (!reads) memset(bits, 0, mark_bytes(grid, reach));
    reach->cells = reach->inner = 0;
    for (uint32_t z = reach->box.lo[2]; z < reach->box.hi[2]; z++)
        for (uint32_t y = reach->box.lo[1]; y < reach->box.hi[1]; y++)
            for (uint32_t x = reach->box.lo[0]; x < reach->box.hi[0]; x++, bit++) {
                size_t k = x + y * level->stride[1] + z * level->stride[2];
                bool marked = reads ? bits[bit / 8] >> (bit % 8) & 1 : (grid->known[0][k] & REACHED) != 0;
                if (!marked) continue;
                if (!reads) bits[bit / 8] |= (uint8_t)(1u << bit % 8);
                reach->cell[reach->cells++] = (uint32_t)k;
                reach->inner += is_inner(grid, own, k);
            }
}

// Exchanges bytes of each reach: from those told to those asked, or back.
static void exchange(PressureGrid *grid, char *out, char *in, ReachBytes *bytes, bool back)
{
    PressureShare *share = grid->share;
    const Reach *to = back ? share->asked : share->told, *from = back ? share->told : share->asked;
    uint32_t outs = back ? share->asks : share->tells, ins = back ? share->tells : share->asks;
    LinkMessage *messages =
        grid_share_room(&share->grid, &share->grid.messages, ((size_t)outs + ins + 1) * sizeof *messages);
    for (uint32_t k = 0; k < outs; k++) {
        messages[k] = (LinkMessage){to[k].rank, out, bytes(grid, &to[k])};
        out += messages[k].bytes;
    }
    for (uint32_t k = 0; k < ins; k++) {
        messages[outs + k] = (LinkMessage){from[k].rank, in, bytes(grid, &from[k])};
        in += messages[outs + k].bytes;
    }
    grid_share_exchange(&share->grid, messages, outs, messages + outs, ins);
}

static void exchange_marks(PressureGrid *grid)
{
    PressureShare *share = grid->share;
    uint32_t rank = share->grid.links->rank;
    size_t outs = all_bytes(grid, share->told, share->tells, mark_bytes),
           ins = all_bytes(grid, share->asked, share->asks, mark_bytes);
    uint8_t *out = grid_share_room(&share->grid, &share->grid.out, outs + 1), *bits = out;
    uint8_t *in = grid_share_room(&share->grid, &share->grid.in, ins + 1);
    uint32_t *cell = grid_share_room(&share->grid, &share->told_cells,
                                     all_bytes(grid, share->told, share->tells, box_bytes) + 1);
    for (uint32_t k = 0; k < share->tells; k++) {
        Reach *told = &share->told[k];
        told->cell = cell;
        list_cells(grid, told, own_box(grid, told->rank), bits, false);
        cell += told->cells, bits += mark_bytes(grid, told);
        share->traffic.sums += (uint64_t)told->cells * grid->sum_kinds;
    }
    share->traffic.marks += outs;
    exchange(grid, (char *)out, (char *)in, mark_bytes, false);
    cell = grid_share_room(&share->grid, &share->asked_cells,
                           all_bytes(grid, share->asked, share->asks, box_bytes) + 1);
    for (uint32_t k = 0; k < share->asks; k++) {
        Reach *asked = &share->asked[k];
        asked->cell = cell;
        list_cells(grid, asked, own_box(grid, rank), in, true);
        cell += asked->cells, in += mark_bytes(grid, asked);
        share->traffic.given += asked->inner;
    }
}

static void clear_sums(PressureGrid *grid)
{
    const PressureShare *share = grid->share;
    const PoissonLevel *level = &grid->poisson.level[0];
    CellBox mine = summed_box(grid, share->grid.links->rank);
    for (uint32_t s = 0; s < grid->sum_kinds; s++) {
        int64_t *sums = grid->sums + s * level->cells;
        cell_box_clear(level, mine, 0, sums, sizeof *sums);
        for (uint32_t k = 0; k < share->tells; k++)
            for (uint32_t c = 0; c < share->told[k].cells; c++) sums[share->told[k].cell[c]] = 0;
    }
}

void pressure_share_begin(PressureGrid *grid, const PressureJob *job)
{
    find_window(grid, job);
    find_walls(grid);
    find_reaches(grid);
    exchange_marks(grid);
    clear_sums(grid);
}

// --- what particles add ---

static size_t bytes_of_sums(const PressureGrid *grid, const Reach *reach)
{
    return (size_t)reach->cells * grid->sum_kinds * sizeof *grid->sums;
}

void pressure_share_tell(PressureGrid *grid)
{
    PressureShare *share = grid->share;
    size_t cells = grid->poisson.level[0].cells;
    int64_t *out = grid_share_room(&share->grid, &share->grid.out,
                                   all_bytes(grid, share->told, share->tells, bytes_of_sums) + 1);
    int64_t *in = grid_share_room(&share->grid, &share->grid.in,
                                  all_bytes(grid, share->asked, share->asks, bytes_of_sums) + 1);
    int64_t *at = out;
    for (uint32_t k = 0; k < share->tells; k++)
        for (uint32_t s = 0; s < grid->sum_kinds; s++)
            for (uint32_t c = 0; c < share->told[k].cells; c++)
                *at++ = grid->sums[s * cells + share->told[k].cell[c]];
    exchange(grid, (char *)out, (char *)in, bytes_of_sums, false);
    for (uint32_t k = 0; k < share->asks; k++)
        for (uint32_t s = 0; s < grid->sum_kinds; s++)
            for (uint32_t c = 0; c < share->asked[k].cells; c++)
                grid->sums[s * cells + share->asked[k].cell[c]] += *in++;
}

// --- what they get ---

// Of a cell.
typedef struct Given {
    float move[3], ghost, fill;
    uint32_t water;
} Given;

static size_t bytes_of_given(const PressureGrid *grid, const Reach *reach)
{
    (void)grid;
    return (size_t)reach->inner * sizeof(Given);
}

void pressure_share_give(PressureGrid *grid)
{
    PressureShare *share = grid->share;
    CellBox own = own_box(grid, share->grid.links->rank);
    Given *out = grid_share_room(&share->grid, &share->grid.out,
                                 all_bytes(grid, share->asked, share->asks, bytes_of_given) + 1);
    Given *in = grid_share_room(&share->grid, &share->grid.in,
                                all_bytes(grid, share->told, share->tells, bytes_of_given) + 1);
    Given *at = out;
    for (uint32_t k = 0; k < share->asks; k++)
        for (uint32_t c = 0; c < share->asked[k].cells; c++) {
            size_t cell = share->asked[k].cell[c];
            if (!is_inner(grid, own, cell)) continue;
            *at++ = (Given){{grid->move[0][cell], grid->move[1][cell], grid->move[2][cell]},
                            grid->ghost[cell],
                            grid->fill[cell],
                            grid->water[cell]};
        }
    exchange(grid, (char *)out, (char *)in, bytes_of_given, true);
    for (uint32_t k = 0; k < share->tells; k++) {
        CellBox theirs = own_box(grid, share->told[k].rank);
        for (uint32_t c = 0; c < share->told[k].cells; c++) {
            size_t cell = share->told[k].cell[c];
            if (!is_inner(grid, theirs, cell)) continue;
            for (int a = 0; a < 3; a++) grid->move[a][cell] = in->move[a];
            grid->ghost[cell] = in->ghost;
            grid->fill[cell] = in->fill;
            grid->water[cell] = in++->water;
        }
    }
}

PressureTraffic pressure_share_traffic(PressureGrid *grid)
{
    PressureShare *share = grid->room;
    if (!share) return (PressureTraffic){0};
    PressureTraffic traffic = share->traffic;
    traffic.messages = share->grid.messages_sent, traffic.border = share->grid.border;
    share->grid.messages_sent = share->grid.border = 0;
    share->traffic = (PressureTraffic){0};
    return traffic;
}
