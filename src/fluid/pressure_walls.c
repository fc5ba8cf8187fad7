#include "fluid/pressure_walls.h"

#include "core/memory.h"
#include "core/parallel.h"
#include "fluid/pressure_share.h"

#include <math.h>
#include <string.h>

// Less than a spacing apart in cells of three spacings.
#define PLACES PRESSURE_PLACES

#define NEAR_MAX 16 // bodies that a cell is asked for
#define SQRT3 1.7320508f

typedef struct WallJob {
    PressureGrid *grid;
    const Obstacles *obstacles;
    float thickened;      // m
    uint32_t lo[3], n[3]; // the first of the cells to be looked at, and how many there are
} WallJob;

static float edge_of_cells(const PressureGrid *grid)
{
    return (float)fmax(grid->size[0], fmax(grid->size[1], grid->size[2]));
}

float pressure_thickening(const PressureGrid *grid)
{
    return fmaxf(0.5f * (edge_of_cells(grid) / PLACES - grid->spacing), 0.0f);
}

float pressure_covered_half(const PressureGrid *grid, size_t k, int axis, int sign)
{
    const uint64_t lower[3] = {0x3333333333333333u, 0x00ff00ff00ff00ffu, 0x00000000ffffffffu};
    uint64_t half = sign < 0 ? lower[axis] : ~lower[axis];
    return (float)__builtin_popcountll(~grid->outside[k] & half) / (PLACES * PLACES * PLACES / 2);
}

// A place in cell (x, y, z), given in parts of the cell from its center.
static Vec3 place_in(const PressureGrid *grid, const uint32_t at[3], float x, float y, float z)
{
    return vec3_make(grid->lo.x + ((float)at[0] - 0.5f + x) * (float)grid->size[0],
                     grid->lo.y + ((float)at[1] - 0.5f + y) * (float)grid->size[1],
                     grid->lo.z + ((float)at[2] - 0.5f + z) * (float)grid->size[2]);
}

// How many bodies may reach into a box of so many cells around a cell's center; the first NEAR_MAX of them.
static uint32_t bodies_near(const PressureGrid *grid, size_t k, float cells, uint32_t near[NEAR_MAX],
                            Vec3 *center)
{
    size_t place[3];
    poisson_place(&grid->poisson.level[0], k, place);
    const uint32_t at[3] = {(uint32_t)place[0], (uint32_t)place[1], (uint32_t)place[2]};
    float half = 0.5f * cells;
    Box3 around = {place_in(grid, at, -half, -half, -half), place_in(grid, at, half, half, half)};
    *center = place_in(grid, at, 0.0f, 0.0f, 0.0f);
    return obstacles_touching(grid->obstacles, around, near, NEAR_MAX);
}

uint32_t pressure_mover(const PressureGrid *grid, size_t k)
{
    if (grid->resting || !grid->bodies) return PRESSURE_NO_MOVER;
    uint32_t near[NEAR_MAX], nearest = PRESSURE_NO_MOVER;
    Vec3 center;
    uint32_t count = bodies_near(grid, k, 3.0f, near, &center);
    if (count > NEAR_MAX) count = NEAR_MAX;
    bool any = false;
    for (uint32_t n = 0; n < count; n++) any |= grid->moves[near[n]];
    float least = 1.5f * SQRT3 * edge_of_cells(grid);
    for (uint32_t n = 0; n < count && any; n++) {
        float distance = obstacle_distance(grid->obstacles, near[n], center);
        if (distance < least) least = distance, nearest = near[n];
    }
    return nearest == PRESSURE_NO_MOVER || grid->moves[nearest] ? nearest : PRESSURE_NO_MOVER;
}

Vec3 pressure_face_center(const PressureGrid *grid, size_t k, int axis)
{
    size_t place[3];
    poisson_place(&grid->poisson.level[0], k, place);
    const uint32_t at[3] = {(uint32_t)place[0], (uint32_t)place[1], (uint32_t)place[2]};
    return place_in(grid, at, axis == 0 ? -0.5f : 0.0f, axis == 1 ? -0.5f : 0.0f, axis == 2 ? -0.5f : 0.0f);
}

bool pressure_sides_straight(const PressureGrid *grid, size_t k)
{
    uint32_t near[NEAR_MAX];
    Vec3 center;
    uint32_t count = bodies_near(grid, k, 2.0f, near, &center);
    if (count > NEAR_MAX) return false;
    for (uint32_t n = 0; n < count; n++)
        if (!obstacle_is_straight(grid->obstacles, near[n])) return false;
    return true;
}

// Which places of a cell no body covers: a bit for each, x fastest.
static uint64_t places_outside(const WallJob *job, const uint32_t at[3])
{
    const PressureGrid *grid = job->grid;
    float reach = edge_of_cells(grid) + job->thickened;
    if (!obstacles_within(job->obstacles, place_in(grid, at, 0.0f, 0.0f, 0.0f), reach)) return UINT64_MAX;
    uint64_t outside = 0;
    for (uint32_t p = 0; p < PLACES * PLACES * PLACES; p++) {
        float part[3];
        for (uint32_t a = 0, rest = p; a < 3; a++, rest /= PLACES)
            part[a] = ((float)(rest % PLACES) + 0.5f) / PLACES - 0.5f;
        Vec3 place = place_in(grid, at, part[0], part[1], part[2]);
        outside |= (uint64_t)!obstacles_within(job->obstacles, place, job->thickened) << p;
    }
    return outside;
}

// Places next to these along the axes, and these.
static uint64_t with_neighbors(uint64_t places)
{
    const uint64_t x = 0x1111111111111111u, y = 0x000f000f000f000fu; // the lowest places
    return places | (places << 1 & ~x) | (places & ~x) >> 1 | (places << PLACES & ~y) |
           (places & ~y) >> PLACES | places << PLACES * PLACES | places >> PLACES * PLACES;
}

// The largest connected part of places.
static uint64_t largest_part(uint64_t places)
{
    uint64_t largest = 0;
    while (places) {
        uint64_t part = places & -places, more;
        while ((more = with_neighbors(part) & places) != part) part = more;
        if (__builtin_popcountll(part) > __builtin_popcountll(largest)) largest = part;
        places &= ~part;
    }
    return largest;
}

// How open a face is along a line through the middles of two cells that it lies between, from the places on
// it that are outside, the first in bit 0. What is thin, with water on both sides, closes the face that is
// nearest to its middle, so that nothing runs through a plate inside a cell; of what is thicker the face
// shows a cut.
static float line_gate(uint32_t outside)
{
    for (int first = 1; first < 2 * PLACES - 1; first++) {
        if (outside >> first & 1 || !(outside >> (first - 1) & 1)) continue;
        int last = first;
        while (last < 2 * PLACES - 1 && !(outside >> (last + 1) & 1)) last++;
        // The face is at 2 (PLACES - 1/2), twice a place.
        bool near = first + last >= PLACES - 1 && first + last < 3 * PLACES - 1;
        if (last < 2 * PLACES - 1 && near) return 0.0f;
    }
    return 0.5f * (float)((outside >> (PLACES - 1) & 1) + (outside >> PLACES & 1));
}

// The open share of the face between two cells, from their open places; none where no two of these touch:
// the cells are on two sides of a body then.
static float face_gate(uint64_t below, uint64_t here, int axis)
{
    if ((below & here) == UINT64_MAX) return 1.0f;
    const uint32_t step[3] = {1, PLACES, PLACES * PLACES};
    uint32_t across[2] = {step[(axis + 1) % 3], step[(axis + 2) % 3]};
    bool touch = false;
    float sum = 0.0f;
    for (uint32_t line = 0; line < PLACES * PLACES; line++) {
        uint32_t start = line % PLACES * across[0] + line / PLACES * across[1], outside = 0;
        for (uint32_t p = 0; p < PLACES; p++) {
            uint32_t bit = start + p * step[axis];
            outside |= (uint32_t)(below >> bit & 1) << p | (uint32_t)(here >> bit & 1) << (p + PLACES);
        }
        touch |= (outside >> (PLACES - 1) & 3) == 3;
        sum += line_gate(outside);
    }
    return touch ? sum / (PLACES * PLACES) : 0.0f;
}

// The open share of a face at the grid's own side: of the cell's places next to it.
static float side_gate(uint64_t here, int axis, uint32_t layer)
{
    const uint64_t first[3] = {0x1111111111111111u, 0x000f000f000f000fu, 0x000000000000ffffu};
    const uint32_t step[3] = {1, PLACES, PLACES * PLACES};
    return (float)__builtin_popcountll(here & first[axis] << layer * step[axis]) / (PLACES * PLACES);
}

// Of the cells to be looked at and those below them along each axis.
static void look_at_places(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const WallJob *job = context;
    const PoissonLevel *level = &job->grid->poisson.level[0];
    for (uint32_t row = begin; row < end; row++) {
        uint32_t at[3] = {0, job->lo[1] - 1 + row % (job->n[1] + 1), job->lo[2] - 1 + row / (job->n[1] + 1)};
        for (at[0] = job->lo[0] - 1; at[0] < job->lo[0] + job->n[0]; at[0]++) {
            size_t k = at[0] + at[1] * level->stride[1] + at[2] * level->stride[2];
            job->grid->outside[k] = places_outside(job, at);
            job->grid->side[k] = largest_part(job->grid->outside[k]);
        }
    }
}

static void look_at_rows(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const WallJob *job = context;
    PressureGrid *grid = job->grid;
    const PoissonLevel *level = &grid->poisson.level[0];
    const uint64_t *side = grid->side;
    for (uint32_t row = begin; row < end; row++) {
        for (uint32_t x = 0; x < job->n[0]; x++) {
            uint32_t at[3] = {job->lo[0] + x, job->lo[1] + row % job->n[1], job->lo[2] + row / job->n[1]};
            size_t k = at[0] + at[1] * level->stride[1] + at[2] * level->stride[2];
            grid->open[k] = (float)__builtin_popcountll(side[k]) / (PLACES * PLACES * PLACES);
            for (int a = 0; a < 3; a++) {
                size_t stride = level->stride[a];
                grid->gate[a][k] =
                    at[a] == 1 ? side_gate(side[k], a, 0) : face_gate(side[k - stride], side[k], a);
                if (at[a] == level->n[a]) grid->gate[a][k + stride] = side_gate(side[k], a, PLACES - 1);
            }
        }
    }
}

// A box, and what is below it along each axis.
static CellBox with_below(CellBox box)
{
    for (int a = 0; a < 3; a++) box.lo[a] -= box.lo[a] > 0;
    return box;
}

static void open_places(PressureGrid *grid, CellBox box)
{
    const PoissonLevel *level = &grid->poisson.level[0];
    for (uint32_t z = box.lo[2]; z < box.hi[2]; z++)
        for (uint32_t y = box.lo[1]; y < box.hi[1]; y++)
            for (uint32_t x = box.lo[0]; x < box.hi[0]; x++) {
                size_t k = x + y * level->stride[1] + z * level->stride[2];
                grid->outside[k] = grid->side[k] = UINT64_MAX;
                grid->full[k] = 1.0f;
            }
}

// Cells and faces of a box as they are without bodies.
static void open_box(PressureGrid *grid, TankDef tank, CellBox box)
{
    const PoissonLevel *level = &grid->poisson.level[0];
    double inside[3] = {(double)tank.size.x, (double)tank.size.y, (double)tank.size.z};
    bool closed[3][2];
    for (int a = 0; a < 3; a++) {
        int64_t cells = tank.present ? llround(inside[a] / grid->size[a]) : 0;
        closed[a][0] = tank.present && grid->first[a] == 0 && !tank.open[2 * a];
        closed[a][1] = tank.present && grid->first[a] + level->n[a] == cells && !tank.open[2 * a + 1];
    }
    uint32_t width = box.hi[0] > box.lo[0] ? box.hi[0] - box.lo[0] : 0;
    for (uint64_t c = 0, cells = cell_box_cells(box); c < cells; c++) {
        uint64_t row = c / width, high = box.hi[1] - box.lo[1];
        uint32_t at[3] = {box.lo[0] + (uint32_t)(c % width), box.lo[1] + (uint32_t)(row % high),
                          box.lo[2] + (uint32_t)(row / high)};
        size_t k = at[0] + at[1] * level->stride[1] + at[2] * level->stride[2];
        grid->open[k] = 1.0f;
        for (int a = 0; a < 3; a++) {
            bool wall = (at[a] == 0 && closed[a][0]) || (at[a] == level->n[a] + 1 && closed[a][1]);
            if (wall) grid->open[k] = 0.0f; // which closes its faces
            grid->gate[a][k] = 1.0f;
        }
    }
}

// Of a box of the grid's own cells.
static void look_at_cells(PressureGrid *grid, const Obstacles *obstacles, CellBox box)
{
    if (cell_box_cells(box) == 0) return;
    WallJob job = {.grid = grid, .obstacles = obstacles, .thickened = pressure_thickening(grid)};
    for (int a = 0; a < 3; a++) {
        job.lo[a] = box.lo[a];
        job.n[a] = box.hi[a] - box.lo[a];
    }
    parallel_for((job.n[1] + 1) * (job.n[2] + 1), 4, look_at_places, &job);
    parallel_for(job.n[1] * job.n[2], 4, look_at_rows, &job);
}

// The own cells among these that a box touches, and one more all round; nothing if there are none.
static CellBox cells_around(const PressureGrid *grid, Box3 box, CellBox among)
{
    const PoissonLevel *level = &grid->poisson.level[0];
    double lo[3] = {(double)(box.lo.x - grid->lo.x), (double)(box.lo.y - grid->lo.y),
                    (double)(box.lo.z - grid->lo.z)};
    double hi[3] = {(double)(box.hi.x - grid->lo.x), (double)(box.hi.y - grid->lo.y),
                    (double)(box.hi.z - grid->lo.z)};
    CellBox around;
    for (int a = 0; a < 3; a++) {
        double first = fmax(floor(lo[a] / grid->size[a]), fmax((double)among.lo[a], 1.0));
        double last =
            fmin(floor(hi[a] / grid->size[a]) + 2.0, fmin((double)among.hi[a] - 1.0, (double)level->n[a]));
        if (!(first <= last)) return (CellBox){0};
        around.lo[a] = (uint32_t)first;
        around.hi[a] = (uint32_t)last + 1;
    }
    return around;
}

typedef void Visit(PressureGrid *grid, const Obstacles *obstacles, CellBox box);

// Of own cells in a box, once all walls are known. What cells at its sides hold has changed, what is beyond
// not.
static void find_full(PressureGrid *grid, const Obstacles *obstacles, CellBox box)
{
    (void)obstacles;
    const uint32_t *n = grid->poisson.level[0].n;
    CellBox inner = {{1, 1, 1}, {n[0] + 1, n[1] + 1, n[2] + 1}}, own = pressure_share_around(grid, 0);
    pressure_full(grid, cell_box_common(box, cell_box_common(own, inner)));
}

// Cells that bodies have reached, and if the grid is the same those that they have left, counted for each
// body; `visit`, unless NULL, sees them.
static uint64_t cells_of_moved(PressureGrid *grid, const Obstacles *obstacles, bool same, CellBox among,
                               Visit *visit)
{
    uint64_t cells = 0;
    for (uint32_t b = 0; b < obstacles_count(obstacles); b++) {
        Pose pose = obstacles_pose(obstacles, b);
        if (same && memcmp(&pose, &grid->poses[b], sizeof pose) == 0) continue;
        for (int left = 0; left <= same; left++) {
            CellBox box = cells_around(grid, left ? grid->boxes[b] : obstacles_bounds(obstacles, b), among);
            cells += cell_box_cells(box);
            if (visit) visit(grid, obstacles, box);
        }
    }
    return cells;
}

// Many bodies share their cells: these are visited once for all.
static void visit_moved(PressureGrid *grid, const Obstacles *obstacles, bool same, CellBox among,
                        Visit *visit)
{
    const float far = INFINITY;
    CellBox all = cells_around(grid, (Box3){{-far, -far, -far}, {far, far, far}}, among);
    if (cells_of_moved(grid, obstacles, same, among, NULL) < cell_box_cells(all))
        cells_of_moved(grid, obstacles, same, among, visit);
    else
        visit(grid, obstacles, all);
}

Result pressure_walls(PressureGrid *grid, const Obstacles *obstacles, bool same)
{
    uint32_t bodies = obstacles_count(obstacles);
    for (int k = 0; k < 2 && !same; k++) {
        open_places(grid, with_below(grid->look[k]));
        open_box(grid, obstacles_tank(obstacles), grid->look[k]);
    }
    grid->bodies = grid->resting = bodies > 0;
    if (bodies == 0) return result_ok();
    TRY(MEMORY_RESERVE(grid->poses, grid->pose_capacity, same ? bodies : 0, bodies, "pressure grid"));
    TRY(MEMORY_RESERVE(grid->boxes, grid->box_capacity, same ? bodies : 0, bodies, "pressure grid"));
    TRY(MEMORY_RESERVE(grid->moves, grid->moves_capacity, 0, bodies, "pressure grid"));
    for (int k = 0; k < 2; k++) visit_moved(grid, obstacles, same, grid->look[k], look_at_cells);
    visit_moved(grid, obstacles, same, grid->look[0], find_full);
    for (uint32_t b = 0; b < bodies; b++) {
        grid->poses[b] = obstacles_pose(obstacles, b);
        grid->boxes[b] = obstacles_bounds(obstacles, b);
        grid->moves[b] = obstacle_rest_way(obstacles, b, grid->boxes[b]) > 0.0f;
        grid->resting &= !grid->moves[b];
    }
    return result_ok();
}
