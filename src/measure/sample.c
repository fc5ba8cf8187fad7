#include "measure/sample.h"

#include "core/memory.h"

#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846

// Kernel-weighed share of water at its surface, and the least share inside.
#define SURFACE_SHARE 0.5
#define WET_SHARE 0.2

// Heights that are looked at, in an influence radius, and how often the interval is halved then.
#define STEPS_PER_RADIUS 8
#define HALVINGS 12

typedef struct ColumnPoint {
    float r2, z; // m^2 from the vertical line; m
} ColumnPoint;

struct SampleRoom {
    ColumnPoint *points;
    size_t capacity;
    uint32_t count;
};

Result sample_create(SampleRoom **out)
{
    *out = memory_allocate_zeroed(sizeof **out);
    return *out ? result_ok() : result_no_memory("a probe", sizeof **out);
}

void sample_free(SampleRoom *room)
{
    if (!room) return;
    memory_free(room->points);
    memory_free(room);
}

// spacing^3 W of fluid/kernel.h.
static double weight(const FrameView *view, double r2)
{
    double h = view->radius, q = sqrt(r2) / h, d = view->spacing / h;
    if (q >= 1.0) return 0.0;
    double t = 1.0 - q, s = fmax(0.5 - q, 0.0);
    return 8.0 / PI * d * d * d * (2.0 * t * t * t - 8.0 * s * s * s);
}

// --- level ---

// Coordinates of a line, and of its images beyond closed walls that are within reach. lo, hi: the walls, far
// away where there is none.
static uint32_t images_of(float at, float lo, float hi, float reach, float out[2])
{
    uint32_t count = 0;
    out[count++] = at;
    if (at - lo < reach && at >= lo)
        out[count++] = 2.0f * lo - at;
    else if (hi - at < reach && at <= hi)
        out[count++] = 2.0f * hi - at;
    return count;
}

// The same for a tank that repeats itself.
static uint32_t repeated_images(float at, float length, float reach, float out[2])
{
    out[0] = at;
    out[1] = at < reach ? at + length : at - length;
    return at < reach || at > length - reach ? 2 : 1;
}

static float wall_at(const TankDef *tank, TankFace face)
{
    const float size[3] = {tank->size.x, tank->size.y, tank->size.z};
    if (!tank->present || tank->open[face]) return face % 2 ? INFINITY : -INFINITY;
    return face % 2 ? size[face / 2] : 0.0f;
}

static Result collect(SampleRoom *room, const FrameView *view, float x, float y)
{
    float reach2 = view->radius * view->radius;
    for (uint32_t i = 0; i < view->count; i++) {
        float dx = view->x[i] - x, dy = view->y[i] - y, r2 = dx * dx + dy * dy;
        if (r2 >= reach2) continue;
        TRY(MEMORY_RESERVE(room->points, room->capacity, room->count, room->count + 1u, "a probe"));
        room->points[room->count++] = (ColumnPoint){r2, view->z[i]};
    }
    return result_ok();
}

// Share of water at a height of the line. floor: m, which mirrors.
static double share_at(const SampleRoom *room, const FrameView *view, double z, double floor)
{
    double sum = 0.0;
    for (uint32_t k = 0; k < room->count; k++) {
        const ColumnPoint *p = &room->points[k];
        double dz = p->z - z, below = 2.0 * floor - p->z - z;
        sum += weight(view, p->r2 + dz * dz);
        if (isfinite(floor)) sum += weight(view, p->r2 + below * below);
    }
    return sum;
}

static double surface_of(const SampleRoom *room, const FrameView *view, double floor)
{
    double lo = INFINITY, hi = -INFINITY, h = view->radius, step = h / STEPS_PER_RADIUS;
    for (uint32_t k = 0; k < room->count; k++) {
        lo = fmin(lo, room->points[k].z);
        hi = fmax(hi, room->points[k].z);
    }
    double z = hi + h;
    while (z > lo - h && share_at(room, view, z, floor) < SURFACE_SHARE) z -= step;
    if (!(z > lo - h)) return NAN;
    double wet = z, dry = z + step;
    for (int k = 0; k < HALVINGS; k++) {
        double middle = 0.5 * (wet + dry);
        if (share_at(room, view, middle, floor) < SURFACE_SHARE)
            dry = middle;
        else
            wet = middle;
    }
    return 0.5 * (wet + dry);
}

Result sample_level(SampleRoom *room, const FrameView *view, float x, float y, double *out)
{
    TankDef tank = obstacles_tank(view->obstacles);
    float xs[2], ys[2], h = view->radius;
    uint32_t nx = images_of(x - view->origin.x, wall_at(&tank, TANK_X_LO), wall_at(&tank, TANK_X_HI), h, xs);
    uint32_t ny = images_of(y - view->origin.y, wall_at(&tank, TANK_Y_LO), wall_at(&tank, TANK_Y_HI), h, ys);
    if (tank.periodic[0]) nx = repeated_images(xs[0], tank.size.x, h, xs);
    if (tank.periodic[1]) ny = repeated_images(ys[0], tank.size.y, h, ys);
    room->count = 0;
    for (uint32_t a = 0; a < nx; a++) {
        for (uint32_t b = 0; b < ny; b++) TRY(collect(room, view, xs[a], ys[b]));
    }
    *out = surface_of(room, view, wall_at(&tank, TANK_Z_LO)) + view->origin.z;
    return result_ok();
}

// --- points ---

// The shortest way between two coordinates.
static inline float shortest(float way, bool periodic, float length)
{
    return periodic ? way - length * rintf(way / length) : way;
}

typedef struct Mean {
    double weight, sum[3];
} Mean;

static void add_to_mean(Mean *mean, double w, const float *const values[], uint32_t count, uint32_t i)
{
    mean->weight += w;
    for (uint32_t k = 0; k < count; k++) mean->sum[k] += w * (double)values[k][i];
}

bool sample_point(const FrameView *view, Vec3 point, float away, const float *const values[], uint32_t count,
                  double *out)
{
    Mean all = {0}, far = {0}; // far from walls
    TankDef tank = obstacles_tank(view->obstacles);
    Vec3 at = vec3_sub(point, view->origin);
    for (uint32_t i = 0; i < view->count; i++) {
        float dx = shortest(view->x[i] - at.x, tank.periodic[0], tank.size.x);
        float dy = shortest(view->y[i] - at.y, tank.periodic[1], tank.size.y);
        float dz = shortest(view->z[i] - at.z, tank.periodic[2], tank.size.z);
        float r2 = dx * dx + dy * dy + dz * dz;
        if (r2 >= view->radius * view->radius) continue;
        double w = weight(view, r2);
        add_to_mean(&all, w, values, count, i);
        Vec3 place = {view->x[i], view->y[i], view->z[i]};
        if (away <= 0.0f || obstacles_distance(view->obstacles, place) >= away)
            add_to_mean(&far, w, values, count, i);
    }
    if (all.weight < WET_SHARE) return false;
    const Mean *mean = far.weight > 0.1 * all.weight ? &far : &all;
    for (uint32_t k = 0; k < count; k++) out[k] = mean->sum[k] / mean->weight;
    return true;
}
