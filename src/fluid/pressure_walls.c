#include "fluid/pressure_walls.h"

#include "core/memory.h"
#include "core/parallel.h"

#include <math.h>
#include <string.h>

// A line through a face is looked at in places this close, in spacings, so that a plate one spacing thick
// closes it.
#define LINE_STEP 0.75f
#define LINE_PLACES_MAX 16

typedef struct WallJob {
    PressureGrid *grid;
    const Obstacles *obstacles;
    float spacing;
    uint32_t lo[3], n[3]; // the first of the cells to be looked at, and how many there are
} WallJob;

// A place in cell (x, y, z), given in parts of the cell from its center.
static Vec3 place_in(const PressureGrid *grid, const uint32_t at[3], float x, float y, float z)
{
    return vec3_make(grid->lo.x + ((float)at[0] - 0.5f + x) * (float)grid->size[0],
                     grid->lo.y + ((float)at[1] - 0.5f + y) * (float)grid->size[1],
                     grid->lo.z + ((float)at[2] - 0.5f + z) * (float)grid->size[2]);
}

static float open_share(const WallJob *job, const uint32_t at[3])
{
    uint32_t open = 0;
    for (uint32_t s = 0; s < 8; s++) {
        Vec3 place = place_in(job->grid, at, s & 1 ? 0.25f : -0.25f, s >> 1 & 1 ? 0.25f : -0.25f,
                              s >> 2 ? 0.25f : -0.25f);
        open += obstacles_distance(job->obstacles, place) > 0.0f;
    }
    return (float)open / 8.0f;
}

// The share of four lines, from the middle of the cell below to that of this one, that meet no body.
static float gate_share(const WallJob *job, const uint32_t at[3], int axis)
{
    float size = (float)job->grid->size[axis];
    int places = (int)ceilf(size / (LINE_STEP * job->spacing));
    places = places < LINE_PLACES_MAX ? places : LINE_PLACES_MAX;
    uint32_t open = 0;
    for (uint32_t line = 0; line < 4; line++) {
        bool free = true;
        for (int p = 0; p < places && free; p++) {
            float part[3];
            part[axis] = ((float)p + 0.5f) / (float)places - 1.0f;
            part[(axis + 1) % 3] = line & 1 ? 0.25f : -0.25f;
            part[(axis + 2) % 3] = line >> 1 ? 0.25f : -0.25f;
            free =
                obstacles_distance(job->obstacles, place_in(job->grid, at, part[0], part[1], part[2])) > 0.0f;
        }
        open += free;
    }
    return (float)open / 4.0f;
}

// obstacles_distance counts the tank's walls, too: inside they only make it smaller.
static void look_at_rows(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const WallJob *job = context;
    PressureGrid *grid = job->grid;
    const PoissonLevel *level = &grid->poisson.level[0];
    float reach = 1.5f * (float)fmax(grid->size[0], fmax(grid->size[1], grid->size[2]));
    for (uint32_t row = begin; row < end; row++) {
        for (uint32_t x = 0; x < job->n[0]; x++) {
            uint32_t at[3] = {job->lo[0] + x, job->lo[1] + row % job->n[1], job->lo[2] + row / job->n[1]};
            size_t k = at[0] + at[1] * level->stride[1] + at[2] * level->stride[2];
            bool far = obstacles_distance(job->obstacles, place_in(grid, at, 0.0f, 0.0f, 0.0f)) > reach;
            grid->open[k] = far ? 1.0f : open_share(job, at);
            for (int a = 0; a < 3; a++) {
                if (at[a] == 1) continue; // the grid's own side
                grid->gate[a][k] = far ? 1.0f : gate_share(job, at, a);
            }
        }
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

// The cells that a box touches, and one more all round, as far as they are among these.
static void look_at_cells(PressureGrid *grid, const Obstacles *obstacles, float spacing, Box3 box,
                          CellBox among)
{
    const PoissonLevel *level = &grid->poisson.level[0];
    WallJob job = {.grid = grid, .obstacles = obstacles, .spacing = spacing};
    double lo[3] = {(double)(box.lo.x - grid->lo.x), (double)(box.lo.y - grid->lo.y),
                    (double)(box.lo.z - grid->lo.z)};
    double hi[3] = {(double)(box.hi.x - grid->lo.x), (double)(box.hi.y - grid->lo.y),
                    (double)(box.hi.z - grid->lo.z)};
    for (int a = 0; a < 3; a++) {
        double first = fmax(floor(lo[a] / grid->size[a]), fmax((double)among.lo[a], 1.0));
        double last =
            fmin(floor(hi[a] / grid->size[a]) + 2.0, fmin((double)among.hi[a] - 1.0, (double)level->n[a]));
        if (!(first <= last)) return;
        job.lo[a] = (uint32_t)first;
        job.n[a] = (uint32_t)last - job.lo[a] + 1;
    }
    parallel_for(job.n[1] * job.n[2], 4, look_at_rows, &job);
}

static void look_at_box(PressureGrid *grid, const Obstacles *obstacles, float spacing, Box3 box)
{
    for (int k = 0; k < 2; k++) look_at_cells(grid, obstacles, spacing, box, grid->look[k]);
}

Result pressure_walls(PressureGrid *grid, const Obstacles *obstacles, float spacing, bool same)
{
    uint32_t bodies = obstacles_count(obstacles);
    for (int k = 0; k < 2 && !same; k++) open_box(grid, obstacles_tank(obstacles), grid->look[k]);
    grid->bodies = grid->resting = bodies > 0;
    if (bodies == 0) return result_ok();
    TRY(MEMORY_RESERVE(grid->poses, grid->pose_capacity, same ? bodies : 0, bodies, "pressure grid"));
    TRY(MEMORY_RESERVE(grid->boxes, grid->box_capacity, same ? bodies : 0, bodies, "pressure grid"));
    for (uint32_t b = 0; b < bodies; b++) {
        Pose pose = obstacles_pose(obstacles, b);
        Box3 box = obstacles_bounds(obstacles, b);
        grid->resting &= !(obstacle_rest_way(obstacles, b, box) > 0.0f);
        if (same && memcmp(&pose, &grid->poses[b], sizeof pose) == 0) continue;
        if (same) look_at_box(grid, obstacles, spacing, grid->boxes[b]);
        look_at_box(grid, obstacles, spacing, box);
        grid->poses[b] = pose;
        grid->boxes[b] = box;
    }
    return result_ok();
}
