// Two fluids of one scene that differ in a setting (the neighbor method, the iterations, ...), stepped side
// by side: what each costs, whether their states are the same bits, and if not, how far they are apart.
// `compare` and the viewer's split window are built on it. No OpenGL here.
//
// Time: a side takes the steps that its own settings ask for. While both ask for the same ones (always, when
// only the method differs) they meet after every step. Where they ask for different ones the side that is
// behind steps next, and they meet at the latest at the frame. A round is all that happens from one meeting
// to the next: states are compared, costs are summed up and told by rounds.
#ifndef PBF_FLUID_LOCKSTEP_H
#define PBF_FLUID_LOCKSTEP_H

#include "core/pair_figure.h"
#include "core/result.h"
#include "fluid/fluid.h"
#include "fluid/view_difference.h"

#include <stdbool.h>
#include <stdint.h>

// What some steps of one side cost.
typedef struct LockstepCost {
    uint32_t steps;
    double construction_ms, search_ms;    // Takeshita's Table 1, summed over the steps
    double behavior_ms;                   // the rest of the steps
    double total_ms;                      // all of it, by the wall clock
    double phase_ms[PHASE_COUNT];         // the same time by phase of the step
    uint64_t candidates, neighbors;       // Takeshita's Table 2, summed over particles and steps
    uint64_t structure_bytes, list_bytes; // of the search, at their largest
    uint32_t particles;                   // at the end
} LockstepCost;

// Adds what further steps cost.
void lockstep_cost_add(LockstepCost *sum, const LockstepCost *more);

// What b spares of a's time for construction and search, as a share: 0.2 is a fifth less, negative is more
// (Takeshita, Figure 5: the reduction rate). 0 if a took no time.
double lockstep_reduction(const LockstepCost *a, const LockstepCost *b);

// What b spares of a's whole time, likewise.
double lockstep_reduction_total(const LockstepCost *a, const LockstepCost *b);

typedef struct LockstepRound {
    uint64_t number;   // from 1; 0 at the start, before any step
    double start, end; // s of simulated time
    LockstepCost cost[2];
    ViewDifference difference; // at the end
} LockstepRound;

// The first meeting at which the states were not identical. Whose particle it names: see ViewDifference.
typedef struct LockstepParting {
    bool parted;
    uint64_t step; // steps that the first side had made
    double time;   // s
    ViewDifference difference;
} LockstepParting;

typedef struct Lockstep Lockstep;

// Of two fluids of one scene at the same time, which are taken over unless there is an error. Errors: those
// of view_difference; RESULT_NO_MEMORY.
Result lockstep_create(Fluid *const fluids[2], Lockstep **out);
void lockstep_destroy(Lockstep *lockstep); // NULL is allowed

// Ends it and hands the fluid of a side to the caller; the other one is freed.
Fluid *lockstep_keep(Lockstep *lockstep, int side);

// One step of the side that is behind, of both if they are level; in alternating order, so that whatever else
// the machine does hits both alike. `until` (s) must lie ahead of lockstep_time and stay the same until it is
// reached. *met (may be NULL) tells whether a round is complete. Errors: those of fluid_step, which name the
// side.
Result lockstep_step(Lockstep *lockstep, double until, bool *met);

// Time of the last meeting, s.
double lockstep_time(const Lockstep *lockstep);

// A side's fluid (0 or 1), for views and for commands, which both sides should get at a meeting.
Fluid *lockstep_fluid(Lockstep *lockstep, int side);

// --- running figures ---

// What a round costs a side.
typedef enum LockstepQuantity {
    LOCKSTEP_CONSTRUCTION, // ms
    LOCKSTEP_SEARCH,
    LOCKSTEP_LOOKUP,   // construction and search
    LOCKSTEP_BEHAVIOR, // the rest of the steps
    LOCKSTEP_TOTAL,
    LOCKSTEP_CANDIDATES,
    LOCKSTEP_QUANTITIES
} LockstepQuantity;

// What the second side needs beside the first, over the last PAIRS_MAX rounds: the same simulated time, in
// however many steps.
PairFigure lockstep_figure(const Lockstep *lockstep, LockstepQuantity quantity);

// Median over these rounds of what a side needs for a step.
double lockstep_median(const Lockstep *lockstep, LockstepQuantity quantity, int side);

// Leaves out the rounds so far: a setting has been changed.
void lockstep_start_figures(Lockstep *lockstep);

// --- rounds ---

const LockstepRound *lockstep_round(const Lockstep *lockstep);         // the last complete one
const LockstepCost *lockstep_cost(const Lockstep *lockstep, int side); // of all complete rounds
const LockstepParting *lockstep_parting(const Lockstep *lockstep);     // when the states parted, if so
const ViewDifference *lockstep_largest(const Lockstep *lockstep,
                                       double *time); // the largest so far, and when

#endif
