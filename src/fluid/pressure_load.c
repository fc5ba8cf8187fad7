#include "fluid/pressure_load.h"

#include "fluid/contact.h"
#include "fluid/pressure_walls.h"

#include <math.h>

#define BODIES_MAX 64 // near a face

// Of larger bodies places tell the volume.
#define PLACES_MAX 65536.0

// A face of a cell of water, seen from the cell.
typedef struct Face {
    const PressureGrid *grid;
    size_t cell, other; // other: the cell beyond the face
    uint32_t at[3];     // of the cell
    int axis, sign;     // -1: the face below the cell
} Face;

// What closed faces add up to: volume x move (m^4), the same times its arm (m^5), the area that looks along
// each axis (m^2), and the volume that they enclose as each axis sees it (m^3).
typedef struct Push {
    double push[3], turn[3], area[3], volume[3];
} Push;

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

// How far the wall beyond the face is from the cell's center, in cells. A face that is partly open has water
// beyond it, too: what lies between the two centers begins where the places do that it covers.
static double way_to_wall(const Face *face, double share)
{
    const PressureGrid *grid = face->grid;
    if (pressure_wall(grid, face->other)) return grid->flow ? (double)grid->open[face->cell] - 0.5 : 0.5;
    double covered = (double)pressure_covered_half(grid, face->cell, face->axis, face->sign);
    return 0.5 - 0.5 * fmin(covered / share, 1.0);
}

// phi at the wall: of second order where nothing but wall is beyond the face, with the slope there that holds
// up what gravity adds to a step.
static double phi_at(const Face *face, double apart)
{
    const PressureGrid *grid = face->grid;
    const float *phi = grid->poisson.phi;
    size_t stride = grid->poisson.level[0].stride[face->axis];
    size_t back = face->sign < 0 ? face->cell + stride : face->cell - stride;
    double here = (double)phi[face->cell];
    double slope = -(double)face->sign * (double)grid->fall[face->axis] * grid->size[face->axis];
    if (grid->flow && !pressure_wall(grid, face->other)) return here - apart * slope;
    if (!pressure_water(grid, back)) return here;
    double bend = ((double)phi[back] - here - slope) / (2.0 * apart + 1.0);
    return here - apart * (slope + bend * apart);
}

static void add_face(const Face *face, double share, Push *sum)
{
    int a = face->axis, b = (a + 1) % 3, c = (a + 2) % 3;
    double area = share * face->grid->size[b] * face->grid->size[c] * face->sign;
    double apart = way_to_wall(face, share), along = -phi_at(face, apart) * area;
    Vec3 place = place_on(face, 0.5f), wall = place_on(face, (float)apart);
    double at[3] = {(double)place.x, (double)place.y, (double)place.z};
    const double beyond[3] = {(double)wall.x, (double)wall.y, (double)wall.z};
    sum->push[a] += along;
    sum->turn[b] += at[c] * along;
    sum->turn[c] -= at[b] * along;
    sum->area[a] += area;
    sum->volume[a] -= area * beyond[a];
}

// What makes the sum over all faces what the particles have been given, along itself: cells know the areas of
// bodies only roughly.
static double scale_to(const double all[3], const double given[3])
{
    double square = all[0] * all[0] + all[1] * all[1] + all[2] * all[2];
    double product = all[0] * given[0] + all[1] * given[1] + all[2] * given[2];
    return square > 0.0 ? fmin(fmax(product / square, 0.5), 1.5) : 1.0;
}

// The volume of a body over that of the places which it covers, 1 if it is not known: small ones differ by
// what lies between places.
static double true_to_places(const PressureGrid *grid, const Obstacles *obstacles, uint32_t body)
{
    if (body == CONTACT_TANK || obstacles_body(obstacles, body)->shape.kind == SHAPE_MESH) return 1.0;
    Box3 box = obstacles_box(obstacles, body);
    const double lo[3] = {(double)(box.lo.x - grid->lo.x), (double)(box.lo.y - grid->lo.y),
                          (double)(box.lo.z - grid->lo.z)};
    const double hi[3] = {(double)(box.hi.x - grid->lo.x), (double)(box.hi.y - grid->lo.y),
                          (double)(box.hi.z - grid->lo.z)};
    double first[3], count[3], place = 1.0, covered = 0.0, edge[3];
    float thickening = pressure_thickening(grid);
    for (int a = 0; a < 3; a++) {
        edge[a] = grid->size[a] / PRESSURE_PLACES;
        first[a] = floor(lo[a] / edge[a]), count[a] = floor(hi[a] / edge[a]) - first[a] + 1.0;
        place *= edge[a];
    }
    if (count[0] * count[1] * count[2] > PLACES_MAX) return 1.0;
    for (double z = 0.5; z < count[2]; z++)
        for (double y = 0.5; y < count[1]; y++)
            for (double x = 0.5; x < count[0]; x++) {
                Vec3 at = vec3_make(grid->lo.x + (float)((first[0] + x) * edge[0]),
                                    grid->lo.y + (float)((first[1] + y) * edge[1]),
                                    grid->lo.z + (float)((first[2] + z) * edge[2]));
                covered += obstacle_distance(obstacles, body, at) <= thickening;
            }
    return covered > 0.0 ? obstacle_volume(obstacles, body) / (covered * place) : 1.0;
}

// Of the weight of the water that a body displaces, what its volume is more than that of its places; seen
// from its middle, so that what presses on one side alone stays what it is.
static void mend_weight(const PressureGrid *grid, const Obstacles *obstacles, uint32_t body, Push *own)
{
    double more = true_to_places(grid, obstacles, body) - 1.0;
    if (more == 0.0) return;
    Box3 box = obstacles_box(obstacles, body);
    Vec3 center = vec3_scale(vec3_add(box.lo, box.hi), 0.5f);
    const double middle[3] = {(double)center.x, (double)center.y, (double)center.z};
    for (int a = 0; a < 3; a++) {
        int b = (a + 1) % 3, c = (a + 2) % 3;
        double along = (double)grid->fall[a] * more * (own->volume[a] + own->area[a] * middle[a]);
        own->push[a] += along;
        own->turn[b] += middle[c] * along;
        own->turn[c] -= middle[b] * along;
    }
}

void pressure_load(const PressureGrid *grid, const Obstacles *obstacles, uint32_t body, double push[3],
                   double turn[3])
{
    const PoissonLevel *level = &grid->poisson.level[0];
    Push own = {0}, all = {0};
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
                add_face(&face, (double)share, &all);
                if (closed_by(&face, obstacles) == body) add_face(&face, (double)share, &own);
            }
        }
    }
    double factor = scale_to(all.push, grid->push);
    if (grid->flow) mend_weight(grid, obstacles, body, &own);
    for (int a = 0; a < 3; a++) {
        push[a] += factor * own.push[a];
        turn[a] += factor * own.turn[a];
    }
}
