#include "fluid/grid_share.h"

#include "core/memory.h"
#include "core/round.h"

#include <string.h>

// --- boxes ---

CellBox cell_box_common(CellBox a, CellBox b)
{
    for (int k = 0; k < 3; k++) {
        a.lo[k] = a.lo[k] > b.lo[k] ? a.lo[k] : b.lo[k];
        a.hi[k] = a.hi[k] < b.hi[k] ? a.hi[k] : b.hi[k];
    }
    return a;
}

CellBox cell_box_wider(CellBox box, uint32_t by)
{
    if (cell_box_cells(box) == 0) return box;
    for (int k = 0; k < 3; k++) box.lo[k] -= by < box.lo[k] ? by : box.lo[k], box.hi[k] += by;
    return box;
}

uint64_t cell_box_cells(CellBox box)
{
    uint64_t cells = 1;
    for (int k = 0; k < 3; k++) cells *= box.hi[k] > box.lo[k] ? box.hi[k] - box.lo[k] : 0;
    return cells;
}

void cell_box_clear(const PoissonLevel *level, CellBox box, uint32_t by, void *field, size_t each)
{
    const CellBox all = {{0, 0, 0}, {level->n[0] + 2, level->n[1] + 2, level->n[2] + 2}};
    box = cell_box_common(cell_box_wider(box, by), all);
    if (cell_box_cells(box) == 0) return;
    for (uint32_t z = box.lo[2]; z < box.hi[2]; z++)
        for (uint32_t y = box.lo[1]; y < box.hi[1]; y++) {
            size_t first = box.lo[0] + y * level->stride[1] + z * level->stride[2];
            memset((char *)field + first * each, 0, (box.hi[0] - box.lo[0]) * each);
        }
}

// --- memory and messages ---

void *grid_share_room(const GridShare *share, GridRoom *room, size_t bytes)
{
    Result result = MEMORY_RESERVE(room->at, room->capacity, 0, bytes, "a shared grid");
    if (!result_is_ok(&result)) share->links->fail(share->links->self, &result);
    return room->at;
}

void grid_share_free(GridShare *share)
{
    GridRoom *rooms[] = {&share->nearby, &share->out, &share->in, &share->messages, &share->lists};
    for (size_t k = 0; k < sizeof rooms / sizeof *rooms; k++) memory_free(rooms[k]->at);
    *share = (GridShare){0};
}

void grid_share_exchange(GridShare *share, const LinkMessage *out, uint32_t outs, const LinkMessage *in,
                         uint32_t ins)
{
    for (uint32_t k = 0; k < outs; k++) share->messages_sent += out[k].bytes > 0;
    share->links->exchange(share->links->self, out, outs, in, ins);
}

// --- who has what ---

static uint32_t units_along(const GridShare *share, int axis)
{
    return (uint32_t)groups_of(share->n[axis], share->unit);
}

// What the largest box takes: its cells, and those beside it, which are sent.
static double cost_of(const GridShare *share, const uint32_t parts[3])
{
    double edge[3], cells = 1.0, beside = 0.0;
    for (int a = 0; a < 3; a++) {
        edge[a] = (double)(groups_of(units_along(share, a), parts[a]) * share->unit);
        cells *= edge[a];
    }
    for (int a = 0; a < 3; a++)
        if (parts[a] > 1) beside += cells / edge[a];
    return cells + 2.0 * beside;
}

static void choose_parts(GridShare *share, uint32_t ranks)
{
    double best = 0.0;
    for (uint32_t z = 1; z <= ranks && z <= units_along(share, 2); z++)
        for (uint32_t y = 1; y <= ranks / z && y <= units_along(share, 1); y++) {
            uint32_t x = ranks / z / y, most = units_along(share, 0);
            const uint32_t parts[3] = {x < most ? x : most, y, z};
            double cost = cost_of(share, parts);
            if (best > 0.0 && cost >= best) continue;
            best = cost;
            memcpy(share->parts, parts, sizeof parts);
        }
}

CellBox grid_share_box(const GridShare *share, uint32_t rank, uint32_t level)
{
    uint32_t x = share->parts[0], y = share->parts[1], at[3] = {rank % x, rank / x % y, rank / x / y};
    CellBox box = {0};
    if (at[2] >= share->parts[2]) return box;
    for (int a = 0; a < 3; a++) {
        uint64_t units = units_along(share, a);
        uint64_t begin = units * at[a] / share->parts[a] * share->unit;
        uint64_t end = units * (at[a] + 1) / share->parts[a] * share->unit;
        if (end > share->n[a]) end = share->n[a];
        box.lo[a] = (uint32_t)(begin >> level) + 1;
        box.hi[a] = (uint32_t)groups_of(end, UINT64_C(1) << level) + 1;
    }
    return box;
}

static void find_near(GridShare *share)
{
    const Links *links = share->links;
    CellBox reach = cell_box_wider(grid_share_box(share, links->rank, 0), GRID_SHARE_REACH);
    share->near = grid_share_room(share, &share->nearby, links->ranks * sizeof *share->near);
    share->nears = 0;
    for (uint32_t r = 0; r < links->ranks; r++)
        if (r != links->rank && cell_box_cells(cell_box_common(reach, grid_share_box(share, r, 0))) > 0)
            share->near[share->nears++] = r;
}

bool grid_share_divide(GridShare *share, const Links *links, const uint32_t n[3], uint32_t least)
{
    uint64_t cells = (uint64_t)n[0] * n[1] * n[2];
    if (links->ranks < 2 || cells < least) return false;
    if (share->links == links && memcmp(share->n, n, sizeof share->n) == 0) return true;
    share->links = links;
    memcpy(share->n, n, sizeof share->n);
    share->levels = 1;
    while (cells >> 3 * share->levels >= least) share->levels++;
    share->unit = 1u << share->levels;
    if (share->unit < GRID_SHARE_BRICK) share->unit = GRID_SHARE_BRICK;
    choose_parts(share, links->ranks);
    find_near(share);
    return true;
}

// --- borders ---

// Whether one lies beyond a face of the other.
static bool faces(CellBox a, CellBox b)
{
    int apart = 0;
    for (int k = 0; k < 3; k++) apart += a.hi[k] <= b.lo[k] || b.hi[k] <= a.lo[k];
    return apart <= 1;
}

// Copies a box's cells of a stream to `packed`, or from there; returns how many numbers.
static size_t copy_cells(const PoissonLevel *level, CellBox box, GridBorder border, float *stream,
                         float *packed, bool out)
{
    size_t n = 0;
    uint32_t step = border < GRID_FACES ? 2 : 1;
    for (uint32_t z = box.lo[2]; z < box.hi[2]; z++)
        for (uint32_t y = box.lo[1]; y < box.hi[1]; y++) {
            float *row = stream + y * level->stride[1] + z * level->stride[2];
            uint32_t x = box.lo[0] + (step == 2 ? (box.lo[0] + y + z + 1 + border) & 1 : 0);
            for (; x < box.hi[0]; x += step, n++) {
                if (out)
                    packed[n] = row[x];
                else
                    row[x] = packed[n];
            }
        }
    return n;
}

static size_t numbers_of(CellBox box, GridBorder border)
{
    uint64_t cells = cell_box_cells(box);
    if (border >= GRID_FACES) return cells;
    bool begins = ((box.lo[0] + box.lo[1] + box.lo[2] + 1 + border) & 1) == 0; // the first is of the color
    return begins ? groups_of(cells, 2) : cells / 2;
}

void grid_share_border(GridShare *share, const PoissonLevel *level, uint32_t k, float *const *streams,
                       uint32_t count, uint32_t depth, GridBorder border)
{
    CellBox own = grid_share_box(share, share->links->rank, k);
    LinkMessage *outs =
        grid_share_room(share, &share->messages, 2 * (size_t)(share->nears + 1) * sizeof *outs);
    LinkMessage *ins = outs + share->nears;
    for (int way = 0; way < 2; way++) {
        size_t bytes = 0;
        for (int pass = 0; pass < 2; pass++) { // how much, then where
            char *at = pass ? grid_share_room(share, way ? &share->in : &share->out, bytes + 1) : NULL;
            for (uint32_t r = 0; r < share->nears; r++) {
                CellBox other = grid_share_box(share, share->near[r], k);
                CellBox box = way ? cell_box_common(cell_box_wider(own, depth), other)
                                  : cell_box_common(cell_box_wider(other, depth), own);
                size_t each = border == GRID_ALL || faces(own, other) ? numbers_of(box, border) : 0;
                LinkMessage *message = &(way ? ins : outs)[r];
                *message = (LinkMessage){share->near[r], at, each * count * sizeof(float)};
                bytes += message->bytes;
                share->border += pass && !way ? each * count : 0;
                if (pass) at += message->bytes;
                for (uint32_t s = 0; pass && !way && each > 0 && s < count; s++)
                    copy_cells(level, box, border, streams[s], (float *)message->data + s * each, true);
            }
        }
    }
    grid_share_exchange(share, outs, share->nears, ins, share->nears);
    for (uint32_t r = 0; r < share->nears; r++) {
        CellBox box = cell_box_common(cell_box_wider(own, depth), grid_share_box(share, share->near[r], k));
        size_t each = ins[r].bytes / sizeof(float) / count;
        for (uint32_t s = 0; each > 0 && s < count; s++)
            copy_cells(level, box, border, streams[s], (float *)ins[r].data + s * each, false);
    }
}

// --- the first level that is whole ---

void grid_share_gather(GridShare *share, const PoissonLevel *level, uint32_t k, float *const *streams,
                       uint32_t count)
{
    const Links *links = share->links;
    size_t *bytes = grid_share_room(share, &share->messages, links->ranks * sizeof *bytes), all = 0;
    for (uint32_t r = 0; r < links->ranks; r++) {
        bytes[r] = cell_box_cells(grid_share_box(share, r, k)) * count * sizeof(float);
        all += bytes[r];
    }
    float *mine = grid_share_room(share, &share->out, bytes[links->rank] + 1), *at = mine;
    float *every = grid_share_room(share, &share->in, all + 1);
    CellBox own = grid_share_box(share, links->rank, k);
    for (uint32_t s = 0; s < count && bytes[links->rank] > 0; s++)
        at += copy_cells(level, own, GRID_ALL, streams[s], at, true);
    links->collect_parts(links->self, mine, bytes, every);
    for (uint32_t r = 0; r < links->ranks; r++)
        for (uint32_t s = 0; s < count && bytes[r] > 0; s++)
            every += copy_cells(level, grid_share_box(share, r, k), GRID_ALL, streams[s], every, false);
}
