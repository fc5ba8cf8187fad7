// Edges of strands that may meet in a step: found by the capsule around the way of one and the ball around
// that of the other, both ways, in cells, and then by the distance of the edges at the start of the step
// against a bound of how far they approach. Both loops handle sixteen edges at once, and give the same for
// every instruction set.
#ifndef PBF_STRAND_STRAND_SWEEP_H
#define PBF_STRAND_STRAND_SWEEP_H

#include "neighbor/shape/shape_index.h"
#include "strand/strand.h"

// What is known of an edge, as streams by its place in the cells. An edge goes from its start along `side`,
// and its points move by `motion` in the step, give or take what `room` has of it.
typedef enum SweepValue {
    SWEEP_CENTER,                   // m, of a ball around the way
    SWEEP_REACH = SWEEP_CENTER + 3, // m, radius of the ball, with the thickness
    SWEEP_AXIS,                     // unit, of a capsule around the way
    SWEEP_HALF = SWEEP_AXIS + 3,    // m, half the length of its axis
    SWEEP_TUBE,                     // m, its radius, with the thickness
    SWEEP_START,                    // m
    SWEEP_SIDE = SWEEP_START + 3,   // m
    SWEEP_MOTION = SWEEP_SIDE + 3,  // m
    SWEEP_ROOM = SWEEP_MOTION + 3,  // m, the thickness and the margin that the edge brings to a pair, and how
                                    // much more than `motion` a point of it moves at most
    SWEEP_VALUES,
} SweepValue;

// Two edges where they are nearest at the start of the step.
typedef struct SweepPair {
    uint32_t other;      // edge
    float along, beside; // 0..1, on the edge that was asked for and on the other
    float distance;      // m
} SweepPair;

typedef struct StrandSweep {
    uint32_t *edge; // all edges that look for others, ascending
    uint32_t count;
    float *center[3], *reach; // m, of each of them
    ShapeIndex index;         // of the centers; points are edges by their number in `edge`
    float *value[SWEEP_VALUES];
    uint32_t *edge_at; // by place
    float reach_max;   // m
    float slack;       // m, more than rounding moves a distance by
    uint32_t *found;   // of each worker
    SweepPair *pair;   // of each worker
    size_t found_capacity, pair_capacity, found_room;
} StrandSweep;

// All that looking for edges of these strands needs. Errors: RESULT_NO_MEMORY.
Result strand_sweep_create(StrandSweep *sweep, const Strands *strands);
void strand_sweep_free(StrandSweep *sweep); // all zero is allowed

// Makes room for parallel_workers() workers. Errors: RESULT_NO_MEMORY.
Result strand_sweep_reserve(StrandSweep *sweep);

// Sorts the edges by their ways. Errors: RESULT_FAILED for one that is not finite; RESULT_NO_MEMORY unless
// there is room.
Result strand_sweep_sort(StrandSweep *sweep, const Strands *strands, float margin);

// The edges that may come as near as both thicknesses together to the one at a place, in an order of their
// own, among them those of `least` and more; itself is left out. The list belongs to the worker.
const SweepPair *strand_sweep_find(const StrandSweep *sweep, uint32_t place, uint32_t least, uint32_t worker,
                                   uint32_t *count);

// The loops, for one instruction set each.
typedef struct SweepKernel {
    // Writes the places in the ranges whose balls touch the capsule of `place` and whose capsules its ball;
    // how many. May overwrite SHAPE_LANES entries more.
    uint32_t (*touching)(float *const *value, uint32_t place, const PlaceRange *ranges, uint32_t count,
                         uint32_t *out);
    // Those of the list, of places, that may come near enough. Returns how many.
    uint32_t (*approaching)(float *const *value, uint32_t place, float slack, const uint32_t *list,
                            uint32_t count, SweepPair *out);
} SweepKernel;

extern const SweepKernel sweep_kernel_plain, sweep_kernel_avx2, sweep_kernel_avx512;

#endif
