// The parts of a shared fluid's step, in the order in which a step calls them. All ranks call them alike.
#ifndef PBF_FLUID_SHARE_RUN_H
#define PBF_FLUID_SHARE_RUN_H

#include "core/sort.h"
#include "fluid/particles.h"
#include "fluid/passes.h"
#include "fluid/pressure_share.h"
#include "fluid/share.h"
#include "neighbor/cluster_tree.h"

// What rank 0 asks the others to do.
typedef enum ShareCall { SHARE_STEP, SHARE_GATHER, SHARE_END } ShareCall;

// A rank that has clusters near those of this one.
typedef struct NearRank {
    uint32_t rank;
    uint32_t *send;    // own clusters that the other needs, ascending
    uint32_t sends;    // how many
    uint32_t gets;     // clusters of the other that are ghosts here
    uint32_t particle; // the first ghost's first particle
} NearRank;

// A block of memory that only grows, and loses what it holds.
typedef struct ShareBuffer {
    void *at;
    size_t capacity;
} ShareBuffer;

struct Share {
    const Links *links;
    uint64_t particles; // of all ranks
    uint64_t first;     // the number of the first own one among them, since the last step
    uint32_t block;     // clusters
    ShareCount count;
    // migration
    SortBuffers sort;
    ShareBuffer places, packed, received, messages, lined, pulls;
    // ghosts
    ClusterTree tree; // of the own clusters
    NearRank *near;
    uint32_t near_count, lower, ghosts; // clusters of lower ranks, and of all
    ShareBuffer nears, boxes, border, lists, marks;
    ShareBuffer sums;             // of blocks, at the end of a step
    const float *sent_x, *sent_v; // streams whose ghosts are what they are at their owners
    // rank 0's copy of all particles
    Particles whole;
    bool whole_is_new;
};

// Room of so many bytes; ends all processes where memory is short.
void *share_room(const Share *share, ShareBuffer *buffer, size_t bytes);

// The number of the first particle that a rank holds of so many in blocks of so many clusters.
uint64_t share_cut(uint64_t particles, uint32_t block, uint32_t rank, uint32_t ranks);

// Rank 0: lets the others know what it does next. until: s, of a step.
void share_call(const Share *share, ShareCall call, double until);

// Lets the links know that a step begins, or is over.
void share_stepped(const Share *share, bool over);

// Room for the particles that a step may bring, and for ghosts.
void share_reserve(Share *share, Particles *particles);

// The cells that all ranks' points lie in.
void share_join_cells(const Share *share, PointCell *lo, PointCell *hi);

// Particles that are sorted by their keys (particles->sort) go to the ranks whose part they now belong to.
// Particles with equal keys stay in the order of ranks, and in theirs.
void share_migrate(Share *share, Particles *particles, Prediction *prediction);

// Whether boxes may hold points within the radius of each other: none that do are missed.
bool share_near(const PointBox *a, const PointBox *b, float radius);

// Boxes around clusters first..end-1, SHARE_BORDER of them at most, where others look for what is near them:
// one around all, or one each where that is wide. Returns how many.
#define SHARE_BORDER 16u
uint32_t share_border(const ClusterTree *tree, uint32_t first, uint32_t end, float radius,
                      PointBox boxes[SHARE_BORDER]);

// Finds the clusters that others need and gets those that are needed here, at positions `at`. Returns the
// points with them: behind the own `count` ones, from the next multiple of sixteen on. `grow` is called with
// the number of points that there has to be room for; `at` is where it leaves the positions.
typedef void ShareGrow(void *context, uint32_t points);
uint32_t share_find_ghosts(Share *share, float radius, Streams3 *at, uint32_t count, ShareGrow *grow,
                           void *context);

// Makes ghosts what their particles are, in all that a pass is going to read of neighbors.
void share_refresh(Share *share, const PassView *view, Pass *pass);

// What the pressure of this step has sent.
void share_count_pressure(Share *share, PressureTraffic traffic);

// Positions have changed where they are.
void share_moved(Share *share);

// The number of the lowest rank that has one, UINT32_MAX where none does.
uint32_t share_first(const Share *share, uint32_t number);

// A sum of doubles over all particles in blocks of SHARE_SUM of their order, as one process takes it. sums:
// of the blocks that this rank has particles of, `parts` numbers each, where the first of them lacks what
// lower ranks have of it; `again` takes the sums of own particles begin..end-1 that go on from `sums`.
// *total: of all.
#define SHARE_SUM 4096u
typedef void ShareSums(uint32_t begin, uint32_t end, double *sums, const void *context);
void share_sum(Share *share, uint32_t count, double *sums, uint32_t parts, ShareSums *again,
               const void *context, double *total);

// Rank 0: all particles, gathered unless they are still those of the last call.
const Particles *share_whole(Share *share, const Particles *own);

// Other ranks' part of that.
void share_gather(Share *share, const Particles *own);

void share_free(Share *share);

#endif
