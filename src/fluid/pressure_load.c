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

// What closed faces add up to: volume x move (m^4), the same times its arm (m^5), the areas that look down
// and up each axis (m^2), and the volume that they enclose as each axis sees it (m^3).
typedef struct Push {
    double push[3], turn[3], area[3][2], volume[3];
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

// A place on a line through the face, from the cell's center (0) to that of the cell beyond (3).
typedef struct LinePlace {
    size_t cell;
    uint32_t bit; // of the cell's places
    Vec3 at;      // m
} LinePlace;

static LinePlace place_on_line(const Face *face, uint32_t line, int from)
{
    const PressureGrid *grid = face->grid;
    const int half = PRESSURE_PLACES / 2;
    const int axes[3] = {face->axis, (face->axis + 1) % 3, (face->axis + 2) % 3};
    int along = face->sign < 0 ? half - 1 - from : half + from; // counted in the face's own cell
    const int index[3] = {(along + PRESSURE_PLACES) % PRESSURE_PLACES, (int)line % PRESSURE_PLACES,
                          (int)line / PRESSURE_PLACES};
    const int offset[3] = {along, index[1], index[2]};
    float at[3];
    LinePlace place = {.cell = from < half ? face->cell : face->other};
    for (int k = 0; k < 3; k++) {
        int a = axes[k];
        place.bit += (uint32_t)(index[k] << (a * 2)); // PRESSURE_PLACES to the power of a
        at[a] = (float)face->at[a] - 1.0f + ((float)offset[k] + 0.5f) / PRESSURE_PLACES;
        at[a] *= (float)grid->size[a];
    }
    place.at = vec3_add(grid->lo, vec3_make(at[0], at[1], at[2]));
    return place;
}

// Bodies that may close a face.
typedef struct Near {
    const Obstacles *obstacles;
    uint32_t body[BODIES_MAX], count;
    bool tank;
} Near;

static uint32_t nearest_to(const Near *near, Vec3 at)
{
    uint32_t owner = CONTACT_TANK;
    float least = INFINITY;
    for (uint32_t k = 0; k < near->count; k++) {
        float distance = obstacle_distance(near->obstacles, near->body[k], at);
        if (distance < least) least = distance, owner = near->body[k];
    }
    return owner;
}

static bool covered(const Face *face, LinePlace place)
{
    return !(face->grid->outside[place.cell] >> place.bit & 1);
}

// Who is met first on the way along a line; false: nobody. What covers the middle of a cell closes both faces
// of the line, so that no water pushes bodies apart where they touch.
static bool line_closed_by(const Face *face, const Near *near, uint32_t line, uint32_t *owner)
{
    Face opposite = *face;
    opposite.sign = -face->sign;
    LinePlace first = place_on_line(face, line, 0), back = place_on_line(&opposite, line, 0);
    *owner = nearest_to(near, vec3_scale(vec3_add(first.at, back.at), 0.5f));
    if (covered(face, first) && covered(face, back)) return true;
    for (int from = 0; from < PRESSURE_PLACES; from++) {
        LinePlace place = place_on_line(face, line, from);
        bool beyond = near->tank && from >= PRESSURE_PLACES / 2;
        *owner = beyond ? CONTACT_TANK : nearest_to(near, place.at);
        if (beyond || covered(face, place)) return true;
    }
    return pressure_wall(face->grid, face->other);
}

static bool is_near(const Near *near, uint32_t body)
{
    bool there = body == CONTACT_TANK && near->tank;
    for (uint32_t k = 0; k < near->count; k++) there |= near->body[k] == body;
    return there;
}

// The part of what is closed of a face that a body closes.
static double part_of(const Face *face, const Obstacles *obstacles, uint32_t body)
{
    const PressureGrid *grid = face->grid;
    Vec3 middle = place_on(face, 0.5f);
    float reach = (float)fmax(grid->size[0], fmax(grid->size[1], grid->size[2]));
    Vec3 around = {reach, reach, reach};
    Near near = {.obstacles = obstacles};
    uint32_t beyond = face->at[face->axis] + (uint32_t)face->sign, lines = 0, own = 0, owner;
    near.count = obstacles_touching(obstacles, (Box3){vec3_sub(middle, around), vec3_add(middle, around)},
                                    near.body, BODIES_MAX);
    if (near.count > BODIES_MAX) near.count = BODIES_MAX;
    near.tank = beyond == 0 || beyond > grid->poisson.level[0].n[face->axis];
    if (!is_near(&near, body)) return 0.0;
    if (near.count == 0 || (near.count == 1 && !near.tank)) return 1.0;
    for (uint32_t line = 0; line < PRESSURE_PLACES * PRESSURE_PLACES; line++) {
        if (!line_closed_by(face, &near, line, &owner)) continue;
        lines++;
        own += owner == body;
    }
    return lines > 0 ? (double)own / lines : 0.0;
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

// phi at the wall: of second order where nothing but wall is beyond the face and water on the other side of
// the cell, with the slope at the wall that holds up what gravity adds to a step.
static double phi_at(const Face *face, double apart)
{
    const PressureGrid *grid = face->grid;
    const float *phi = grid->poisson.phi;
    size_t stride = grid->poisson.level[0].stride[face->axis];
    size_t back = face->sign < 0 ? face->cell + stride : face->cell - stride;
    double here = (double)phi[face->cell];
    double slope = -(double)face->sign * (double)grid->fall[face->axis] * grid->size[face->axis];
    if (grid->flow && !(pressure_wall(grid, face->other) && pressure_water(grid, back)))
        return here - apart * slope;
    if (!pressure_water(grid, back)) return here;
    double bend = ((double)phi[back] - here - slope) / (2.0 * apart + 1.0);
    return here - apart * (slope + bend * apart);
}

// share: of the face. apart: as way_to_wall says.
static void add_face(const Face *face, double share, double apart, Push *sum)
{
    int a = face->axis, b = (a + 1) % 3, c = (a + 2) % 3;
    double area = share * face->grid->size[b] * face->grid->size[c] * face->sign;
    double along = -phi_at(face, apart) * area;
    Vec3 place = place_on(face, 0.5f), wall = place_on(face, (float)apart);
    double at[3] = {(double)place.x, (double)place.y, (double)place.z};
    const double beyond[3] = {(double)wall.x, (double)wall.y, (double)wall.z};
    sum->push[a] += along;
    sum->turn[b] += at[c] * along;
    sum->turn[c] -= at[b] * along;
    sum->area[a][face->sign < 0] += fabs(area);
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
    if (obstacles_body(obstacles, body)->shape.kind == SHAPE_MESH) return 1.0;
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
// from its middle, and as far as water presses on it from below.
static void mend_weight(const PressureGrid *grid, const Obstacles *obstacles, uint32_t body, Push *own)
{
    if (body == CONTACT_TANK) return;
    double more = true_to_places(grid, obstacles, body) - 1.0;
    Box3 box = obstacles_box(obstacles, body);
    Vec3 center = vec3_scale(vec3_add(box.lo, box.hi), 0.5f);
    const double middle[3] = {(double)center.x, (double)center.y, (double)center.z};
    for (int a = 0; a < 3; a++) {
        int b = (a + 1) % 3, c = (a + 2) % 3;
        bool up = grid->fall[a] > 0.0f;
        double below = own->area[a][up], above = own->area[a][!up];
        double displaced = own->volume[a] + (own->area[a][0] - own->area[a][1]) * middle[a];
        displaced *= fmin(below / fmax(above, 1e-30), 1.0);
        double along = (double)grid->fall[a] * more * displaced;
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
                double way = way_to_wall(&face, (double)share);
                add_face(&face, (double)share, way, &all);
                add_face(&face, (double)share * part_of(&face, obstacles, body), way, &own);
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
