#include "fluid/pressure_grid.h"

#include "core/parallel.h"
#include "fluid/fall.h"
#include "fluid/passes.h"
#include "fluid/pressure_cells.h"
#include "fluid/pressure_free.h"
#include "fluid/pressure_hold.h"
#include "fluid/pressure_share.h"
#include "fluid/pressure_surface.h"

#include <math.h>

#define MOVE_ROWS 16u // of cells

// Compression that is left to the local iterations, which need some to hold particles in order, for a step of
// sqrt(spacing / g). What they hold up they also rub against: waves lose their swing with it. Aimed lower,
// gaps open between particles that densities at particles do not show, and a narrow column swells.
#define TARGET 0.0125
#define TARGET_MAX 0.004

// A step of MENDING sqrt(spacing / g) mends all compression beyond the target, a shorter one a share as the
// square of the step: then it is a pressure, whatever the step is. Where what the step itself compresses is
// mended in full, what is left is older and has time.
#define MENDING 0.1
#define MENDING_OLDER 0.3

// Where there are bodies a cell inside the water that is filled by a share between these has swollen,
// whatever the densities at its particles say: at edges they read up to 0.005 too much and push in every
// step. Less is spray; beside bodies that move there may be room that water still has to fill.
#define SWOLLEN_LEAST 0.94f
#define SWOLLEN_MOST 0.98f

// Along the edges of a lattice at rest second layers are thinner by 0.008, at its corners by 0.012: cells
// near air may be thinner by this more than what pressure_patch.c leaves alone. Pulled, weightless water
// would draw itself together; left alone altogether, a ball that turns swells.
#define EDGE_SLACK 0.001f

// Cells that are filled by this share or more are full, by particles in disorder, too.
#define FULL 0.98f

// Motion beside bodies that lean counts up to SLOW sqrt(g spacing).
#define SLOW 0.05

// Of the equation. What is left stirs: at 0.03 water 7 layers deep moves on at 1 % of sqrt(g H). Waters that
// a plate parts need more rounds than one.
#define TOLERANCE 0.003
#define ROUNDS 16

// --- the equation ---

// Whether there is air in one of the cells around it, whose particles fill a cell too.
static bool near_air(const PressureGrid *grid, size_t k)
{
    const size_t *stride = grid->poisson.level[0].stride;
    for (size_t z = k - stride[2]; z <= k + stride[2]; z += stride[2])
        for (size_t y = z - stride[1]; y <= z + stride[1]; y += stride[1])
            for (size_t x = y - 1; x <= y + 1; x++)
                if (!pressure_wall(grid, x) && !pressure_water(grid, x)) return true;
    return false;
}

// By how much less a cell is filled than water that has not swollen, 0 where that is unknown.
static float swelling(const PressureGrid *grid, size_t k)
{
    float fill = grid->fill[k];
    if (!grid->bodies || !(fill > SWOLLEN_LEAST && fill < SWOLLEN_MOST)) return 0.0f;
    bool known = grid->open[k] >= 1.0f && !near_air(grid, k) && pressure_mover(grid, k) == PRESSURE_NO_MOVER;
    return known ? SWOLLEN_MOST - fill : 0.0f;
}

// By how much a cell has to expand so that densities at its particles are right.
static float density_source(const GridJob *job, size_t k)
{
    const PressureGrid *grid = job->grid;
    float source = grid->poisson.level[0].b[k];
    if (source >= 0.0f || grid->open[k] < 1.0f || !near_air(grid, k)) return source;
    return fminf(source + EDGE_SLACK * job->gain * grid->fill[k], 0.0f);
}

// Whether a body reaches into a cell or lies beside it.
static bool beside_body(const PressureGrid *grid, size_t k)
{
    const size_t *stride = grid->poisson.level[0].stride;
    if (!grid->bodies) return false;
    bool open = grid->open[k] >= 1.0f;
    for (int a = 0; a < 3; a++) open &= grid->gate[a][k] >= 1.0f && grid->gate[a][k + stride[a]] >= 1.0f;
    return !open;
}

// What comes into a cell by what gravity adds to all ways, as pressure_inflow.
static float inflow_by_fall(const PressureGrid *grid, size_t k)
{
    float sum = 0.0f;
    for (int a = 0; a < 3; a++) {
        size_t below = k - grid->poisson.level[0].stride[a], above = k + grid->poisson.level[0].stride[a];
        float closed = pressure_gate_to(grid, a, k, below) - pressure_gate_to(grid, a, above, above);
        sum += closed * grid->fall[a] / (float)grid->size[a];
    }
    return sum;
}

// What comes into a cell, as pressure_inflow, where a body that moves is near: as seen from that. Water that
// moves as the body does neither enters nor leaves.
static float inflow_seen_from_mover(const GridJob *job, size_t k)
{
    const PressureGrid *grid = job->grid;
    uint32_t body = pressure_mover(grid, k);
    if (body == PRESSURE_NO_MOVER) return pressure_inflow(grid, k, NULL);
    FaceWays ways;
    for (int a = 0; a < 3; a++) {
        for (size_t s = 0; s < 2; s++) {
            Vec3 at = pressure_face_center(grid, k + s * grid->poisson.level[0].stride[a], a);
            Vec3 velocity = obstacle_velocity(grid->obstacles, body, at);
            ways.way[a][s] = vec3_component(velocity, a) * (float)(job->particles->dt / grid->size[a]);
        }
    }
    return pressure_inflow(grid, k, &ways);
}

// The part of an inflow that pressure mends. A cell that is not full takes water in before anything holds it
// up, and resists being emptied the less the emptier it is: else what an impact has torn stays full of holes.
static float resisted(const PressureGrid *grid, size_t k, float inflow)
{
    float fill = grid->fill[k], room = fmaxf(FULL - fill, 0.0f);
    if (inflow > 0.0f) return fmaxf(inflow - room, 0.0f);
    return inflow * fmaxf(1.0f - room / (FULL - PRESSURE_LEAST_FILL), 0.0f);
}

// Beside bodies that lean cells know only roughly where the body is: water that streams along it seems to run
// into it. There only slow motion counts, and what gravity adds, which the body holds up.
static float inflow_beside(const GridJob *job, size_t k)
{
    const PressureGrid *grid = job->grid;
    float fall = inflow_by_fall(grid, k), limit = job->slow;
    float more = inflow_seen_from_mover(job, k) - fall;
    if (fabsf(more) <= limit) return fall + more;
    if (pressure_sides_straight(grid, k)) limit = fmaxf(limit, fabsf(resisted(grid, k, more)));
    return fall + copysignf(limit, more);
}

// By how much water in a cell has to expand. Water that nothing holds has no weight to carry, and drops in
// the air are few cells large.
static float source_in(const GridJob *job, size_t k)
{
    const PressureGrid *grid = job->grid;
    float mended = density_source(job, k) - job->gain * swelling(grid, k);
    if (!grid->flow || !pressure_water_held(grid, k)) return mended;
    bool body = beside_body(grid, k);
    return job->older * mended +
           (body ? inflow_beside(job, k) : resisted(grid, k, pressure_inflow(grid, k, NULL)));
}

// Between two cells of water.
static inline float face_between(const GridJob *job, int axis, size_t k)
{
    const PressureGrid *grid = job->grid;
    const float scale[3] = {job->scale.x * job->scale.x, job->scale.y * job->scale.y,
                            job->scale.z * job->scale.z};
    bool water = pressure_water(grid, k) && pressure_water(grid, k - grid->poisson.level[0].stride[axis]);
    return water ? grid->gate[axis][k] * scale[axis] : 0.0f;
}

// Of cells beside own ones, too.
static void write_faces(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const GridJob *job = context;
    PoissonLevel *level = &job->grid->poisson.level[0];
    for (uint32_t row = begin; row < end; row++) {
        size_t first = poisson_row(level, row);
        for (size_t k = first; k < first + level->count[0]; k++)
            for (int a = 0; a < 3; a++) level->face[a][k] = face_between(job, a, k);
    }
}

static void write_equation(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const GridJob *job = context;
    PressureGrid *grid = job->grid;
    PoissonLevel *level = &grid->poisson.level[0];
    const float scale[3] = {job->scale.x * job->scale.x, job->scale.y * job->scale.y,
                            job->scale.z * job->scale.z};
    for (uint32_t row = begin; row < end; row++) {
        size_t first = poisson_row(level, row);
        for (size_t k = first; k < first + level->count[0]; k++) {
            float air = 0.0f;
            bool water = pressure_water(grid, k);
            for (int a = 0; a < 3; a++) {
                size_t below = k - level->stride[a], above = k + level->stride[a];
                bool water_below = pressure_water(grid, below);
                level->face[a][k] = face_between(job, a, k);
                if (!water) continue;
                if (!water_below)
                    air += pressure_gate_to(grid, a, k, below) * scale[a] /
                           pressure_surface_distance(grid, k, below);
                if (!pressure_water(grid, above))
                    air += pressure_gate_to(grid, a, above, above) * scale[a] /
                           pressure_surface_distance(grid, k, above);
            }
            level->air[k] = air;
            level->b[k] = water ? source_in(job, k) : 0.0f;
        }
    }
}

// --- cells to particles ---

// -grad phi at the faces of all cells, known where water is on a side.
static void find_moves(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const GridJob *job = context;
    const CellBox *box = &job->box;
    uint32_t high = box->hi[1] - box->lo[1];
    PressureGrid *grid = job->grid;
    const PoissonLevel *level = &grid->poisson.level[0];
    uint32_t a = job->axis;
    const float scale[3] = {job->scale.x, job->scale.y, job->scale.z};
    const float *phi = grid->poisson.phi;
    for (uint32_t row = begin; row < end; row++) {
        uint32_t at[3] = {box->lo[0], box->lo[1] + row % high, box->lo[2] + row / high};
        for (; at[0] < box->hi[0]; at[0]++) {
            size_t k = at[0] + at[1] * level->stride[1] + at[2] * level->stride[2];
            grid->known[0][k] = grid->known[1][k] = 0;
            grid->move[a][k] = 0.0f;
            if (at[a] == 0) continue;
            size_t below = k - level->stride[a];
            bool water = pressure_water(grid, k), water_below = pressure_water(grid, below);
            if (!water && !water_below) continue;
            grid->known[0][k] = 1;
            if (pressure_wall(grid, k) || pressure_wall(grid, below) || grid->gate[a][k] <= 0.0f) {
                if (grid->flow) grid->move[a][k] = pressure_held_at_wall(grid, a, k);
                continue;
            }
            float difference = phi[k] - phi[below];
            if (!water) difference /= pressure_surface_distance(grid, below, k);
            if (!water_below) difference /= pressure_surface_distance(grid, k, below);
            grid->move[a][k] = -difference * scale[a];
        }
    }
}

// Whether moves go on along the line of two faces: not from walls, whose moves are not the water's.
static bool goes_on(const PressureGrid *grid, uint32_t axis, size_t face, size_t before)
{
    const float *gate = grid->gate[axis];
    bool there = grid->flow && before < grid->poisson.level[0].cells && grid->known[0][before] == 1;
    return there && gate[face] >= 1.0f && gate[before] >= 1.0f;
}

// The share of how moves change from face to face that goes on into the air. Whole it feeds what stirs, and
// water 7.5 d deep may circle at 1 % of sqrt(g depth) for good; without it short waves are slower by 1 %.
#define GOING_ON 0.7f

// Continues what is known at faces by one face into the air, along lines where there are two.
static void continue_moves(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const GridJob *job = context;
    PressureGrid *grid = job->grid;
    const PoissonLevel *level = &grid->poisson.level[0];
    const uint8_t *known = grid->known[0];
    float *move = grid->move[job->axis];
    for (uint32_t row = begin; row < end; row++) {
        size_t first = poisson_row(level, row), last = first + level->count[0];
        for (size_t k = first; k < last; k++) {
            grid->known[1][k] = known[k];
            if (known[k]) continue;
            float sum = 0.0f;
            int count = 0;
            for (int a = 0; a < 3; a++) {
                size_t side[2] = {k - level->stride[a], k + level->stride[a]};
                for (int s = 0; s < 2; s++) {
                    if (known[side[s]] != 1) continue;
                    size_t next = s == 0 ? side[0] - level->stride[a] : side[1] + level->stride[a];
                    bool line = goes_on(grid, job->axis, side[s], next);
                    sum += move[side[s]];
                    if (line) sum += GOING_ON * (move[side[s]] - move[next]);
                    count++;
                }
            }
            if (count == 0) continue;
            move[k] = sum / (float)count;
            grid->known[1][k] = 2;
        }
    }
}

static void keep_known(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const PressureGrid *grid = ((const GridJob *)context)->grid;
    const PoissonLevel *level = &grid->poisson.level[0];
    for (uint32_t row = begin; row < end; row++) {
        size_t first = poisson_row(level, row);
        for (size_t k = first; k < first + level->count[0]; k++) grid->known[0][k] |= grid->known[1][k] != 0;
    }
}

// The moves along an axis at the faces of own cells; those of others that they go by are found here, too.
static void find_moves_along(GridJob *job)
{
    PressureGrid *grid = job->grid;
    PoissonLevel *level = &grid->poisson.level[0];
    job->box = pressure_share_around(grid, 2 * pressure_line(grid));
    uint32_t rows = (job->box.hi[1] - job->box.lo[1]) * (job->box.hi[2] - job->box.lo[2]);
    if (cell_box_cells(job->box) == 0) return;
    parallel_for(rows, MOVE_ROWS, find_moves, job);
    for (uint32_t sweep = 0; sweep < 2; sweep++) {
        pressure_share_widen(grid, (1 - sweep) * pressure_line(grid));
        poisson_for_rows(level, continue_moves, job);
        poisson_for_rows(level, keep_known, job);
    }
}

// phi beyond the surface, and behind walls, where it goes on as it does in water at rest, so that it can be
// read between cells.
static void find_ghosts(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const GridJob *job = context;
    PressureGrid *grid = job->grid;
    const PoissonLevel *level = &grid->poisson.level[0];
    const float *phi = grid->poisson.phi;
    for (uint32_t row = begin; row < end; row++) {
        size_t first = poisson_row(level, row);
        for (size_t k = first; k < first + level->count[0]; k++) {
            grid->ghost[k] = phi[k];
            if (pressure_water(grid, k)) continue;
            bool wall = pressure_wall(grid, k);
            float sum = 0.0f;
            int count = 0;
            for (int a = 0; a < 3; a++) {
                size_t side[2] = {k - level->stride[a], k + level->stride[a]};
                for (int s = 0; s < 2; s++) {
                    if (!pressure_water(grid, side[s])) continue;
                    float distance = pressure_surface_distance(grid, side[s], k);
                    distance = distance > 0.5f ? distance : 0.5f;
                    float change = (s == 0 ? grid->fall[a] : -grid->fall[a]) * (float)grid->size[a];
                    sum += wall ? phi[side[s]] + change : phi[side[s]] * (1.0f - 1.0f / distance);
                    count++;
                }
            }
            if (count) grid->ghost[k] = sum / (float)count;
        }
    }
}

// The moves along the axes between faces, and phi between centers.
static inline Four read_grid(const PressureGrid *grid, const float u[3])
{
    const PoissonLevel *level = &grid->poisson.level[0];
    Place x = among_centers(level, 0, u), y = among_centers(level, 1, u), z = among_centers(level, 2, u);
    Place face_x = among_faces(level, 0, u), face_y = among_faces(level, 1, u),
          face_z = among_faces(level, 2, u);
    Four sum = {0.0f, 0.0f, 0.0f, 0.0f};
    for (uint32_t c = 0; c < 8; c++) {
        uint32_t i = c & 1, j = c >> 1 & 1, k = c >> 2;
        Four weight = (Four){face_x.part[i], x.part[i], x.part[i], x.part[i]} *
                      (Four){y.part[j], face_y.part[j], y.part[j], y.part[j]} *
                      (Four){z.part[k], z.part[k], face_z.part[k], z.part[k]};
        sum += weight * (Four){grid->move[0][face_x.at[i] + y.at[j] + z.at[k]],
                               grid->move[1][x.at[i] + face_y.at[j] + z.at[k]],
                               grid->move[2][x.at[i] + y.at[j] + face_z.at[k]],
                               grid->ghost[x.at[i] + y.at[j] + z.at[k]]};
    }
    return sum;
}

// By how much phi changes from the outermost center of a cell of water, behind which it is not known, to a
// place nearer to the grid's side: as it does in water at rest.
static float beyond_centers(const PressureGrid *grid, const float u[3])
{
    const PoissonLevel *level = &grid->poisson.level[0];
    float change = 0.0f;
    size_t k = 0;
    for (int a = 0; a < 3; a++) {
        float at = u[a] + 0.5f, within = place_clamped(at, (float)level->n[a]);
        change += grid->fall[a] * (float)grid->size[a] * (at - within);
        k += (size_t)place_clamped(u[a] + 1.0f, (float)level->n[a]) * level->stride[a];
    }
    return pressure_water(grid, k) ? change : 0.0f;
}

static void find_moves_of_particles(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const GridJob *job = context;
    const PressureJob *particles = job->particles;
    for (uint32_t i = begin; i < end; i++) {
        float u[3];
        Vec3 move = {0};
        particles->lambda_sum[i] = 0.0f;
        if (particles->release[i] <= particles->held_after && pressure_place(job, i, u)) {
            Four read = read_grid(job->grid, u);
            move = vec3_make(read[0], read[1], read[2]);
            particles->lambda_sum[i] = -(read[3] + beyond_centers(job->grid, u));
        }
        float length = vec3_length(move);
        if (length > particles->move_max) move = vec3_scale(move, particles->move_max / length);
        particles->move.x[i] = move.x;
        particles->move.y[i] = move.y;
        particles->move.z[i] = move.z;
    }
}

static void measure_push(PressureGrid *grid, const PressureJob *particles)
{
    const float *move[3] = {particles->move.x, particles->move.y, particles->move.z};
    double volume = pow((double)particles->spacing, 3.0);
    for (int a = 0; a < 3; a++) {
        double sum = 0.0;
        for (uint32_t i = 0; i < particles->count; i++) sum += (double)move[a][i];
        grid->push[a] = volume * sum;
    }
}

static void move_particles(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const PressureJob *particles = ((const GridJob *)context)->particles;
    Streams3 at = particles->at, move = particles->move;
    for (uint32_t i = begin; i < end; i++) {
        at.x[i] += move.x[i];
        at.y[i] += move.y[i];
        at.z[i] += move.z[i];
    }
}

// --- all of it ---

static float mending_share(double ratio)
{
    return (float)fmin(ratio * ratio, 1.0);
}

static void solve(GridJob *job)
{
    PressureGrid *grid = job->grid;
    PoissonLevel *level = &grid->poisson.level[0];
    if (grid->share) {
        pressure_share_widen(grid, 1);
        poisson_for_rows(level, write_faces, job);
        pressure_share_widen(grid, 0);
    }
    poisson_for_rows(level, write_equation, job);
    poisson_solve(&grid->poisson, TOLERANCE, ROUNDS);
    if (pressure_let_go(grid, job->particles->links)) poisson_solve(&grid->poisson, TOLERANCE, ROUNDS);
    // Moves are continued twice, and each lies between two cells.
    uint32_t depth = 2 * pressure_line(grid) + 1;
    if (grid->share)
        grid_share_border(pressure_share_cells(grid), level, 0, &grid->poisson.phi, 1, depth, GRID_ALL);
}

void pressure_grid_project(PressureGrid *grid, const PressureJob *particles)
{
    if (particles->count == 0 && !particles->links) return;
    PoissonLevel *level = &grid->poisson.level[0];
    double d = (double)particles->spacing, fall = particles->dt / fall_time(d);
    double cell = grid->size[0] * grid->size[1] * grid->size[2];
    GridJob job = {.grid = grid,
                   .particles = particles,
                   .scale = pressure_scale(grid),
                   .volume = (float)(d * d * d / cell),
                   .target = (float)fmin(TARGET * fall, TARGET_MAX),
                   .gain = mending_share(fall / MENDING),
                   .older = 1.0f};
    if (grid->flow) job.older = mending_share(fall / MENDING_OLDER) / job.gain;
    const float gravity[3] = {particles->gravity.x, particles->gravity.y, particles->gravity.z};
    for (int a = 0; a < 3; a++)
        grid->fall[a] = grid->flow ? gravity[a] * (float)(particles->dt * particles->dt) : 0.0f;
    job.slow = (float)(SLOW * fall * d / grid->size[0]);
    pressure_deposit(&job);
    pressure_free_name(grid);
    solve(&job);
    for (job.axis = 0; job.axis < 3; job.axis++) find_moves_along(&job);
    poisson_for_rows(level, find_ghosts, &job);
    if (grid->share) pressure_share_give(grid);
    parallel_for(particles->count, PRESSURE_GRAIN, find_moves_of_particles, &job);
    pressure_free(&job);
    if (particles->measured) measure_push(grid, particles);
    parallel_for(particles->count, PRESSURE_GRAIN, move_particles, &job);
}
