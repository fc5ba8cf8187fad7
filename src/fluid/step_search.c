// Who is near whom in a step: planes of bodies, pairs of particles, copies of those of other processes.

#include "core/round.h"
#include "fluid/fluid_state.h"
#include "fluid/share_run.h"
#include "fluid/step_run.h"

#include <math.h>

// A particle found inside an obstacle at the start of a step leaves it at this many h per second.
#define DEPENETRATION_RATE 2.0f

// --- leases ---

enum { LEASED_MAX = PARTICLE_STREAM_COUNT + 29 };

// All names under which a step leases streams. Returns how many.
static uint32_t list_leases(Step *step, float **names[LEASED_MAX])
{
    Streams3 *vectors[] = {&step->start.at, &step->at,   &step->pushes, &step->next,
                           &step->wall,     &step->curl, &step->normal, &step->swirl};
    float **numbers[] = {&step->volume, &step->lambda, &step->gradient_sum, &step->kappa, &step->water};
    uint32_t n = 0;
    for (int s = 0; s < PARTICLE_STREAM_COUNT; s++) names[n++] = (float **)&step->start.stream[s];
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++)
        names[n++] = &vectors[k]->x, names[n++] = &vectors[k]->y, names[n++] = &vectors[k]->z;
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) names[n++] = numbers[k];
    return n;
}

void step_release_all(Step *step)
{
    float **names[LEASED_MAX];
    uint32_t count = list_leases(step, names);
    for (uint32_t k = 0; k < count; k++) particles_release(&step->fluid->particles, names[k]);
}

// --- pairs ---

static void make_room(void *context, uint32_t points)
{
    Step *step = context;
    float **names[LEASED_MAX];
    const Links *links = step->fluid->share->links;
    uint32_t count = list_leases(step, names), capacity = step->fluid->particles.capacity;
    if (points <= capacity) return;
    Result result = particles_grow(&step->fluid->particles, points + points / 8, names, count);
    if (!result_is_ok(&result)) links->fail(links->self, &result);
}

// The pairs of a rank's own particles, among them and with those of others.
static Result search_share(Step *step, Streams3 *at, uint32_t count)
{
    Fluid *fluid = step->fluid;
    Share *share = fluid->share;
    uint32_t all = share_find_ghosts(share, fluid->h, at, count, make_room, step);
    NeighborPart part = {
        .points = count, .lower = share->lower, .clusters = groups_of(share->particles, NEIGHBOR_CLUSTER)};
    PointView points = {at->x, at->y, at->z, all};
    NeighborStats *stats = &step->report->neighbor;
    TRY(neighbor_search_part(fluid->search, points, &part, &step->pairs, stats));
    uint64_t *const costs[] = {&stats->candidates, &stats->neighbors, &stats->evaluated, &stats->shared};
    enum { COSTS = sizeof costs / sizeof *costs };
    int64_t sums[COSTS];
    for (int k = 0; k < COSTS; k++) sums[k] = (int64_t)*costs[k];
    share->links->sum(share->links->self, sums, COSTS);
    for (int k = 0; k < COSTS; k++) *costs[k] = (uint64_t)sums[k];
    return result_ok();
}

static Result search_alone(Step *step, Streams3 at, uint32_t count)
{
    Fluid *fluid = step->fluid;
    StepReport *report = step->report;
    particles_pad(at, count);
    PointView points = {at.x, at.y, at.z, count};
    Result result = neighbor_search_pairs(fluid->search, points, &step->pairs, &report->neighbor);
    if (result_is_ok(&result)) result = stretch_search(&fluid->stretch, points, &report->neighbor);
    return result;
}

// While water gets room, positions are moved where the passes have them: then they are `at` already.
Result step_search(Step *step)
{
    Fluid *fluid = step->fluid;
    const Particles *p = &fluid->particles;
    bool started = step->at.x != NULL;
    Streams3 *place = started ? &step->at : &step->start.at, at = *place;
    Streams3 from = started ? at : (Streams3){step->start.x, step->start.y, step->start.z};
    uint32_t count = started ? p->count : step->start.count;
    StepReport *report = step->report;
    bool start = report->step == 1;
    ContactGather gather = {.obstacles = fluid->obstacles,
                            .x = from.x,
                            .y = from.y,
                            .z = from.z,
                            .px = at.x,
                            .py = at.y,
                            .pz = at.z,
                            .count = count,
                            .reach = fluid->h,
                            .clearance = WALL_CLEARANCE * fluid->def.spacing,
                            .depenetration =
                                start ? INFINITY : (float)(DEPENETRATION_RATE * fluid->h * step->dt),
                            .contact_angle = fluid->def.contact_angle,
                            .dt = step->dt,
                            .measured = fluid->measures_loads};
    TRY(contacts_gather(&fluid->contacts, &gather));
    TRY(step_check(step));
    TankDef tank = obstacles_tank(fluid->obstacles);
    TRY(ghosts_find(&fluid->ghosts, &tank, fluid->stretch.reach, at, count));
    uint32_t all = count + fluid->ghosts.count;
    TRY(contacts_extend(&fluid->contacts, count, all));
    step_phase_end(step, PHASE_CONTACTS);
    Result result = fluid->share ? search_share(step, place, count) : search_alone(step, at, all);
    step_phase_end(step, PHASE_SEARCH);
    report->phase_ms[PHASE_CONSTRUCTION] = report->neighbor.construction_ms;
    report->phase_ms[PHASE_SEARCH] = report->neighbor.search_ms;
    if (result.code == RESULT_FAILED)
        return result_error(RESULT_FAILED, "step %llu, search: %.200s", (unsigned long long)report->step,
                            result.text);
    TRY(result);
    if (fluid->stretch.search) TRY(step_reserve_scratch(fluid, &fluid->stretch.pairs));
    return step_reserve_scratch(fluid, &step->pairs);
}
