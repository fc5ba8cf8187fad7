#include "render/drops.h"

#include <math.h>

// Spacings: the largest distance of drops from their particle, sideways and along its flight.
static const float SIDEWAYS = 0.7f, AHEAD = 1.2f;

// In a frame with whitewater most of what flies alone is mist: this part of its volume is drops.
static const double WITH_MIST = 1.0 / 27;

// Uniform in [0, 1), a function of particle and draw alone.
static float chance(uint32_t id, uint32_t draw)
{
    uint32_t h = (id * 8u + draw / 8u) * 2654435761u + (draw % 8u) * 40503u;
    h = (h ^ h >> 16) * 0x45d9f3bu;
    h = (h ^ h >> 16) * 0x45d9f3bu;
    return (float)((h ^ h >> 16) >> 8) / 16777216.0f;
}

// Shares of the volume, the largest first.
static void draw_shares(uint32_t id, double share[DROPS])
{
    share[0] = 0.40 + 0.35 * (double)chance(id, 0);
    share[1] = (1 - share[0]) * (0.45 + 0.30 * (double)chance(id, 1));
    share[2] = (1 - share[0] - share[1]) * (0.50 + 0.35 * (double)chance(id, 2));
    share[3] = 1 - share[0] - share[1] - share[2];
}

// Offset of a drop from its particle, longer along the flight than across it.
static Vec3 draw_offset(uint32_t id, uint32_t drop, Vec3 flight)
{
    uint32_t draw = 4 + 4 * drop;
    Vec3 side = vec3_make(chance(id, draw) - 0.5f, chance(id, draw + 1) - 0.5f, chance(id, draw + 2) - 0.5f);
    return vec3_add(vec3_scale(side, 2 * SIDEWAYS),
                    vec3_scale(flight, AHEAD * (2 * chance(id, draw + 3) - 1)));
}

// Clamps between two walls, either of which may be missing.
static float keep_between(float x, float radius, float size, bool open_lo, bool open_hi)
{
    if (!open_lo && !open_hi && size < 2 * radius) return 0.5f * size;
    if (!open_lo) x = fmaxf(x, radius);
    return open_hi ? x : fminf(x, size - radius);
}

// Drops stay in the tank, as their particle does.
static Vec3 keep_inside(const FrameView *view, Vec3 at, float radius)
{
    TankDef tank = view->obstacles ? obstacles_tank(view->obstacles) : (TankDef){.present = false};
    if (!tank.present) return at;
    const bool *open = tank.open;
    return vec3_make(keep_between(at.x, radius, tank.size.x, open[TANK_X_LO], open[TANK_X_HI]),
                     keep_between(at.y, radius, tank.size.y, open[TANK_Y_LO], open[TANK_Y_HI]),
                     keep_between(at.z, radius, tank.size.z, open[TANK_Z_LO], open[TANK_Z_HI]));
}

void drops_make(const FrameView *view, uint32_t i, Vec3 middle, double volume,
                const double unit_volume[DROPS], Drop out[DROPS])
{
    uint32_t id = view->id[i];
    Vec3 flight = vec3_normalize_or(vec3_make(view->vx[i], view->vy[i], view->vz[i]), vec3_make(0, 0, 0));
    double share[DROPS];
    draw_shares(id, share);
    if (view->diffuse) volume *= WITH_MIST;
    for (uint32_t k = 0; k < DROPS; k++) {
        float radius = (float)cbrt(share[k] * volume / unit_volume[k]);
        // The largest stays where the particle is.
        Vec3 off = vec3_scale(draw_offset(id, k, flight), k == 0 ? 0.25f * view->spacing : view->spacing);
        out[k] = (Drop){keep_inside(view, vec3_add(middle, off), radius), radius};
    }
}
