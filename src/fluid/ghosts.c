#include "fluid/ghosts.h"

#include "core/lanes.h"
#include "core/memory.h"

#include <math.h>

void ghosts_free(Ghosts *ghosts)
{
    memory_free(ghosts->ghost);
    *ghosts = (Ghosts){0};
}

bool ghosts_wanted(const TankDef *tank)
{
    return tank->present && (tank->periodic[0] || tank->periodic[1] || tank->periodic[2]);
}

// Where copies of a particle go along an axis: 0, and 1 or -1 lengths away if it is within `margin` of a
// side. Returns how many.
static int copies_along(bool periodic, float at, float length, float margin, int out[3])
{
    int count = 0;
    out[count++] = 0;
    if (periodic && at < margin) out[count++] = 1;
    if (periodic && at > length - margin) out[count++] = -1;
    return count;
}

// The copies of a particle, without itself: up to 26 shifts in lengths of the tank.
static uint32_t copies_of(const TankDef *tank, const float at[3], const float margin[3], int out[26][3])
{
    const float size[3] = {tank->size.x, tank->size.y, tank->size.z};
    int along[3][3], number[3];
    uint32_t count = 0;
    for (int a = 0; a < 3; a++)
        number[a] = copies_along(tank->periodic[a], at[a], size[a], margin[a], along[a]);
    for (int x = 0; x < number[0]; x++) {
        for (int y = 0; y < number[1]; y++) {
            for (int z = 0; z < number[2]; z++) {
                if (x == 0 && y == 0 && z == 0) continue;
                out[count][0] = along[0][x], out[count][1] = along[1][y], out[count][2] = along[2][z];
                count++;
            }
        }
    }
    return count;
}

Result ghosts_reserve(Ghosts *ghosts, Particles *p, const TankDef *tank, float reach, float way)
{
    ghosts->count = 0;
    if (!ghosts_wanted(tank)) return result_ok();
    // A particle and whoever it is within reach of may both have gone that way.
    const float most = reach + 2.0f * way, margin[3] = {most, most, most};
    uint64_t count = 0;
    for (uint32_t i = 0; i < p->count; i++) {
        int shifts[26][3];
        const float at[3] = {p->x[i], p->y[i], p->z[i]};
        count += copies_of(tank, at, margin, shifts);
    }
    if (p->count + count > INT32_MAX)
        return result_error(RESULT_FAILED, "more than %d particles and their copies beyond periodic sides",
                            INT32_MAX);
    ghosts->room = (uint32_t)count;
    TRY(MEMORY_RESERVE(ghosts->ghost, ghosts->capacity, 0, count, "periodic sides"));
    uint32_t needed = p->count + (uint32_t)count;
    return needed > p->capacity ? particles_reserve(p, needed + needed / 16) : result_ok();
}

// How far particles are beyond a side of an axis at most.
static float overshoot(const float *at, uint32_t count, float length)
{
    float most = 0.0f;
    for (uint32_t i = 0; i < count; i++) most = fmaxf(most, fmaxf(-at[i], at[i] - length));
    return most;
}

static void place(const Ghosts *ghosts, Streams3 at)
{
    for (uint32_t k = 0; k < ghosts->count; k++) {
        const Ghost *ghost = &ghosts->ghost[k];
        uint32_t to = ghosts->particles + k, from = ghost->particle;
        at.x[to] = at.x[from] + ghost->shift.x;
        at.y[to] = at.y[from] + ghost->shift.y;
        at.z[to] = at.z[from] + ghost->shift.z;
    }
    particles_pad(at, ghosts->particles + ghosts->count);
}

Result ghosts_find(Ghosts *ghosts, const TankDef *tank, float reach, Streams3 at, uint32_t count)
{
    ghosts->count = 0;
    ghosts->particles = count;
    if (!ghosts_wanted(tank)) return result_ok();
    const float size[3] = {tank->size.x, tank->size.y, tank->size.z};
    const float margin[3] = {reach + overshoot(at.x, count, size[0]), reach + overshoot(at.y, count, size[1]),
                             reach + overshoot(at.z, count, size[2])};
    for (uint32_t i = 0; i < count; i++) {
        int shifts[26][3];
        const float place_of[3] = {at.x[i], at.y[i], at.z[i]};
        uint32_t copies = copies_of(tank, place_of, margin, shifts);
        if (ghosts->count + copies > ghosts->room)
            return result_error(
                RESULT_FAILED,
                "particles move too far in a step for periodic sides (a smaller solver.time_step)");
        for (uint32_t k = 0; k < copies; k++) {
            const int *shift = shifts[k];
            Vec3 by = {(float)shift[0] * size[0], (float)shift[1] * size[1], (float)shift[2] * size[2]};
            ghosts->ghost[ghosts->count++] = (Ghost){i, by};
        }
    }
    place(ghosts, at);
    return result_ok();
}

static void refresh(const Ghosts *ghosts, const float *stream)
{
    float *to = (float *)(uintptr_t)stream; // a pass only reads it
    if (!stream) return;
    for (uint32_t k = 0; k < ghosts->count; k++)
        to[ghosts->particles + k] = stream[ghosts->ghost[k].particle];
    for (uint32_t i = ghosts->particles + ghosts->count; i % LANES != 0; i++) to[i] = 0.0f;
}

void ghosts_refresh(const Ghosts *ghosts, const PassView *view)
{
    const float *const streams[] = {
        view->vx,       view->vy,      view->vz,      view->density,  view->volume,
        view->lambda,   view->kappa,   view->curl,    view->normal_x, view->normal_y,
        view->normal_z, view->release, view->curl_x,  view->curl_y,   view->curl_z,
        view->spin_x,   view->spin_y,  view->spin_z,  view->change_x, view->change_y,
        view->change_z, view->swell,   view->along_x, view->along_y,  view->along_z};
    place(ghosts,
          (Streams3){(float *)(uintptr_t)view->x, (float *)(uintptr_t)view->y, (float *)(uintptr_t)view->z});
    for (size_t k = 0; k < sizeof streams / sizeof *streams; k++) refresh(ghosts, streams[k]);
}

static void wrap_axis(float *at, uint32_t count, float length)
{
    for (uint32_t i = 0; i < count; i++) {
        if (at[i] < 0.0f)
            at[i] += length;
        else if (at[i] >= length)
            at[i] -= length;
    }
}

void ghosts_wrap(const TankDef *tank, Particles *p)
{
    if (!tank->present) return;
    if (tank->periodic[0]) wrap_axis(p->x, p->count, tank->size.x);
    if (tank->periodic[1]) wrap_axis(p->y, p->count, tank->size.y);
    if (tank->periodic[2]) wrap_axis(p->z, p->count, tank->size.z);
}
