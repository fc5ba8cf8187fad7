// A fluid that several processes hold together, each a part of it (a rank's share): water beyond the memory
// or the patience of one machine. Steps give the same bits as on one, for any number of ranks: what a rank
// holds is a run of the order of particles that ends at the blocks of the neighbor search, with copies of the
// clusters near it (ghosts), so that every sum has the same terms in the same order. README.md has the rules.
#ifndef PBF_FLUID_SHARE_H
#define PBF_FLUID_SHARE_H

#include "fluid/fluid.h"
#include "fluid/links.h"

// Whether processes can share this fluid. Error: RESULT_USAGE "KEY: what they cannot share yet".
Result fluid_can_share(const Fluid *fluid);

// Shares a fluid of rank 0 among all ranks, where the others have empty ones of the same definition: each
// gets its part. Water gets its room before that (fluid_settle). links has to outlive the fluid. From now on
// rank 0 alone calls the functions of fluid.h: steps, views, states, fluid_destroy; views and states have all
// particles, and are gathered when they are asked for. Nothing may be added, moved or changed. The others
// call fluid_serve. Memory that is short on any rank, and what else a step cannot take back, ends all
// processes (Links.fail).
void fluid_share(Fluid *fluid, const Links *links);

// Takes part in all that rank 0 does with its fluid, until it destroys that one.
void fluid_serve(Fluid *fluid);

// What a rank had and sent in the last step. README.md says how many bytes these are.
typedef struct ShareCount {
    uint64_t particles, ghosts; // its own, and copies of others' (slots of clusters)
    uint64_t migrated;          // particles that went to other ranks
    uint64_t boxes, clusters;   // around own clusters, and own ones, that near ranks got
    uint32_t near;              // these
    // Messages: to ranks that got particles, boxes, and sums that go on; then in each exchange of ghosts one
    // to every rank that got clusters.
    uint32_t single, exchanges, partners;
    // Of a pressure grid that is divided: its messages, and what they are: README.md.
    uint64_t grid_messages, marks, sums, given, border;
} ShareCount;
ShareCount fluid_share_count(const Fluid *fluid);

#endif
