// Edges of strands that may meet in a step: found by the boxes around their ways, in cells, and then by
// conservative advancement. Both loops handle sixteen edges or pairs at once, and give the same for every
// instruction set.
#ifndef PBF_STRAND_STRAND_SWEEP_H
#define PBF_STRAND_STRAND_SWEEP_H

#include "neighbor/shape/shape_index.h"
#include "strand/strand.h"

// Boxes around ways, by their places in the cells, as streams.
typedef struct SweepBoxes {
    const float *center[3], *half[3]; // m
} SweepBoxes;

// Particles where the step begins, what they move by in it, and how thick they are. An edge has the number of
// its first particle.
typedef struct SweepEdges {
    const Vec3 *x, *way; // m
    const float *radius; // m
} SweepEdges;

// Two edges that come as near as their thickness and its margin, when they first do.
typedef struct SweepMeeting {
    uint32_t own, other; // edges
    float along, beside; // 0..1, on the first and on the other, where they are nearest
    float gap[3];        // m, there, from the other to the first
    float distance;      // m, its length
    float start;         // m, distance where the step begins
} SweepMeeting;

// What edges of a block have in common.
typedef struct SweepBlock {
    double way[3]; // m, sum
    Vec3 lo, hi;   // m, of the centers
    float widest;  // m, of half the boxes along all axes
} SweepBlock;

typedef struct StrandSweep {
    uint32_t *edge; // all edges that look for others, ascending
    uint32_t count;
    float *radius;              // m, of each particle of all strands
    float *center[3], *half[3]; // m, of the box of each of them, and wider than rounding needs
    ShapeIndex index;           // of the centers, its slowest axis the one they are spread along
    float *half_at[3];          // m, by place
    uint32_t *edge_at;          // by place
    float widest;               // m
    SweepBlock *blocks;
    uint32_t *found; // of each worker
    size_t found_capacity;
} StrandSweep;

// All that looking for edges of these strands needs. Errors: RESULT_NO_MEMORY.
Result strand_sweep_create(StrandSweep *sweep, const Strands *strands);
void strand_sweep_free(StrandSweep *sweep); // all zero is allowed

// Makes room for parallel_workers() workers. Errors: RESULT_NO_MEMORY.
Result strand_sweep_reserve(StrandSweep *sweep);

// Sorts the edges by their ways. margin: of the thickness, that boxes are widened by. Two edges whose boxes
// touch, and two that share a particle, are at most one layer of cells apart along the slowest axis. Errors:
// RESULT_FAILED for one that is not finite; RESULT_NO_MEMORY unless there is room.
Result strand_sweep_sort(StrandSweep *sweep, const Strands *strands, float margin);

// The edges whose boxes touch that of the one at a place, in the order of places: those behind it, or all but
// itself. The list belongs to the worker.
const uint32_t *strand_sweep_find(const StrandSweep *sweep, uint32_t place, bool behind, uint32_t worker,
                                  uint32_t *count);

// Which of the pairs of edges meet in the step, nearer than (1 + margin) of their thickness; in their order.
// Returns how many.
uint32_t strand_sweep_meet(const StrandSweep *sweep, const Strands *strands, const uint32_t *own,
                           const uint32_t *other, uint32_t count, float margin, SweepMeeting *out);

// The loops, for one instruction set each.
typedef struct SweepKernel {
    // Writes the places in the ranges whose boxes touch that of `place`; how many. May overwrite SHAPE_LANES
    // entries more.
    uint32_t (*touching)(const SweepBoxes *boxes, uint32_t place, const PlaceRange *ranges, uint32_t count,
                         uint32_t *out);
    // strand_sweep_meet.
    uint32_t (*meeting)(const SweepEdges *edges, const uint32_t *own, const uint32_t *other, uint32_t count,
                        float margin, SweepMeeting *out);
} SweepKernel;

extern const SweepKernel sweep_kernel_plain, sweep_kernel_avx2, sweep_kernel_avx512;

#endif
