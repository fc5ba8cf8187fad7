#include "fluid/pressure_load.h"

#include "fluid/contact.h"
#include "fluid/pressure_walls.h"

#include <math.h>

#define BODIES_MAX 64 // near a face

// A face of a cell of water, seen from the cell.
typedef struct Face {
    const PressureGrid *grid;
    size_t cell, other; // other: the cell beyond the face
    uint32_t at[3];     // of the cell
    int axis, sign;     // -1: the face below the cell
} Face;

static Vec3 place_on(const Face *face, float part)
{
    const PressureGrid *grid = face->grid;
    float at[3] = {(float)face->at[0] - 0.5f, (float)face->at[1] - 0.5f, (float)face->at[2] - 0.5f};
    at[face->axis] += part * (float)face->sign;
    return vec3_make(grid->lo.x + at[0] * (float)grid->size[0], grid->lo.y + at[1] * (float)grid->size[1],
                     grid->lo.z + at[2] * (float)grid->size[2]);
}

static float closed_share(const Face *face)
{
    size_t k = face->sign < 0 ? face->cell : face->other;
    return pressure_wall(face->grid, face->other) ? 1.0f : 1.0f - face->grid->gate[face->axis][k];
}

// Who closes the face: of those near it the one that is deepest there, or in the middle of the cell beyond.
static uint32_t closed_by(const Face *face, const Obstacles *obstacles)
{
    Vec3 near = place_on(face, 0.5f), far = place_on(face, 1.0f), size = obstacles_tank(obstacles).size;
    float reach = (float)face->grid->size[face->axis], deepest = reach;
    Vec3 around = {reach, reach, reach};
    uint32_t bodies[BODIES_MAX], owner = CONTACT_TANK;
    uint32_t count = obstacles_touching(obstacles, (Box3){vec3_sub(near, around), vec3_add(near, around)},
                                        bodies, BODIES_MAX);
    bool outside = far.x < 0 || far.y < 0 || far.z < 0 || far.x > size.x || far.y > size.y || far.z > size.z;
    if (outside) deepest = -0.5f * reach;
    for (uint32_t k = 0; k < count && k < BODIES_MAX; k++) {
        float depth = fminf(obstacle_distance(obstacles, bodies[k], near),
                            obstacle_distance(obstacles, bodies[k], far));
        if (depth < deepest) deepest = depth, owner = bodies[k];
    }
    return owner;
}

// phi at the wall beyond the face, which cuts the cell where its open share ends: of second order, with the
// slope there that holds up what gravity adds to a step. Beyond a face that is partly open there is water
// too, which pushes the other way: from center to center both make the force on what lies between.
static double phi_at(const Face *face)
{
    const PressureGrid *grid = face->grid;
    const float *phi = grid->poisson.phi;
    size_t stride = grid->poisson.level[0].stride[face->axis];
    size_t back = face->sign < 0 ? face->cell + stride : face->cell - stride;
    double here = (double)phi[face->cell];
    if (grid->flow && !pressure_wall(grid, face->other)) return here;
    if (!pressure_water(grid, back)) return here;
    double apart = grid->flow ? (double)grid->open[face->cell] - 0.5 : 0.5;
    double slope = -(double)face->sign * (double)grid->fall[face->axis] * grid->size[face->axis];
    double bend = ((double)phi[back] - here - slope) / (2.0 * apart + 1.0);
    return here - apart * (slope + bend * apart);
}

static void add_face(const Face *face, double share, double push[3], double turn[3])
{
    int a = face->axis, b = (a + 1) % 3, c = (a + 2) % 3;
    double area = face->grid->size[b] * face->grid->size[c];
    double along = -phi_at(face) * share * area * face->sign;
    Vec3 place = place_on(face, 0.5f);
    double at[3] = {(double)place.x, (double)place.y, (double)place.z};
    push[a] += along;
    turn[b] += at[c] * along;
    turn[c] -= at[b] * along;
}

// What makes the sum over all faces what the particles have been given, along itself: cells know the areas of
// bodies only roughly.
static double scale_to(const double all[3], const double given[3])
{
    double square = all[0] * all[0] + all[1] * all[1] + all[2] * all[2];
    double product = all[0] * given[0] + all[1] * given[1] + all[2] * given[2];
    return square > 0.0 ? fmin(fmax(product / square, 0.5), 1.5) : 1.0;
}

void pressure_load(const PressureGrid *grid, const Obstacles *obstacles, uint32_t body, double push[3],
                   double turn[3])
{
    const PoissonLevel *level = &grid->poisson.level[0];
    double own[3] = {0}, own_turn[3] = {0}, all[3] = {0}, all_turn[3] = {0};
    if (!grid->covered) return;
    for (uint32_t row = 0; row < level->n[1] * level->n[2]; row++) {
        for (uint32_t x = 0; x < level->n[0]; x++) {
            size_t k = poisson_row(level, row) + x;
            if (!pressure_water(grid, k)) continue;
            for (int side = 0; side < 6; side++) {
                int axis = side / 2, sign = side % 2 ? 1 : -1;
                Face face = {.grid = grid,
                             .cell = k,
                             .other = sign < 0 ? k - level->stride[axis] : k + level->stride[axis],
                             .at = {x + 1, row % level->n[1] + 1, row / level->n[1] + 1},
                             .axis = axis,
                             .sign = sign};
                float share = closed_share(&face);
                if (share <= 0.0f) continue;
                add_face(&face, (double)share, all, all_turn);
                if (closed_by(&face, obstacles) == body) add_face(&face, (double)share, own, own_turn);
            }
        }
    }
    double factor = scale_to(all, grid->push);
    for (int a = 0; a < 3; a++) {
        push[a] += factor * own[a];
        turn[a] += factor * own_turn[a];
    }
}
