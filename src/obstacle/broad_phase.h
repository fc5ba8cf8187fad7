// Broad-phase collision detection: which bodies' boxes touch a box. Three structures give the same answer;
// only time and memory differ.
#ifndef PBF_OBSTACLE_BROAD_PHASE_H
#define PBF_OBSTACLE_BROAD_PHASE_H

#include "obstacle/bvh.h"
#include "obstacle/obstacle.h"
#include "obstacle/reference/size_hash.h"

typedef struct BroadPhase {
    BroadPhaseKind kind;
    const Box3 *boxes; // the caller's
    uint32_t count;
    BvhNode *nodes; // always built: distance queries walk it
    uint32_t *order;
    SizeHash hash;
} BroadPhase;

// Makes room for this many boxes in a bounding volume hierarchy. Errors: RESULT_NO_MEMORY.
Result broad_phase_create(BroadPhase *phase, const Box3 *boxes, uint32_t count);
void broad_phase_free(BroadPhase *phase);

// Builds the structure over the boxes as they are now. A bounding volume hierarchy allocates nothing, a hash
// only when it grows. Errors: RESULT_NO_MEMORY.
Result broad_phase_build(BroadPhase *phase);

// Writes the numbers of the boxes that touch `box` to out, ascending, the first `capacity` of them; returns
// how many there are. Thread-safe.
uint32_t broad_phase_touching(const BroadPhase *phase, Box3 box, uint32_t *out, uint32_t capacity);

#endif
