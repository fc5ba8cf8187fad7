#include "fluid/fluid_state.h"
#include "fluid/pressure_load.h"

_Static_assert(CONTACT_TANK == FLUID_TANK, "one name of the tank");

void fluid_measure_loads(Fluid *fluid, bool measured)
{
    fluid->measures_loads = measured;
}

// Adds the moves (m) that planes of a body gave to sixteen particles from `first` on.
static void add_moves(const Particles *p, uint32_t first, const ContactLoad *load, uint32_t body,
                      FluidLoad *sum)
{
    for (uint32_t lane = 0; lane < CONTACT_LANES && first + lane < p->count; lane++) {
        uint32_t i = first + lane;
        if (load->body[lane] != body) continue;
        double at[3] = {p->x[i], p->y[i], p->z[i]}, move[3] = {load->x[lane], load->y[lane], load->z[lane]};
        for (int a = 0; a < 3; a++) {
            int b = (a + 1) % 3, c = (a + 2) % 3;
            sum->impulse[a] += move[a];
            sum->turn[a] += at[b] * move[c] - at[c] * move[b];
        }
    }
}

FluidLoad fluid_load(const Fluid *fluid, uint32_t body)
{
    const ContactRows *rows = &fluid->contacts;
    FluidLoad load = {0};
    if (!rows->measured) return load;
    // Particles may have come or gone since.
    uint32_t count = fluid->particles.count < rows->particles ? fluid->particles.count : rows->particles;
    for (uint32_t k = 0; k * CONTACT_LANES < count; k++) {
        for (uint32_t n = 0; n < rows->count[k]; n++)
            add_moves(&fluid->particles, k * CONTACT_LANES, &rows->loads[rows->begin[k] + n], body, &load);
    }
    double d = fluid->def.spacing, volume = d * d * d,
           scale = -fluid->def.rest_density * volume / fluid->report.dt;
    double push[3] = {0}, turn[3] = {0};
    if (fluid_reaches_far(fluid)) pressure_load(&fluid->pressure, fluid->obstacles, body, push, turn);
    for (int a = 0; a < 3; a++) {
        load.impulse[a] = (load.impulse[a] + push[a] / volume) * scale;
        load.turn[a] = (load.turn[a] + turn[a] / volume) * scale;
    }
    return load;
}
