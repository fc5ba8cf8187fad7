// Edges of strands that may meet in a step: found by the boxes around their ways, in cells, and then by
// conservative advancement. Both loops handle sixteen edges or pairs at once, and give the same for every
// instruction set.
#ifndef PBF_STRAND_STRAND_SWEEP_H
#define PBF_STRAND_STRAND_SWEEP_H

#include "neighbor/shape/shape_index.h"
#include "strand/strand.h"

// Boxes around ways, as streams.
typedef struct SweepBoxes {
    const float *lo[3], *hi[3]; // m
    const uint32_t *edge;       // their numbers
    const uint32_t *place;      // in the cells; NULL: as they lie
} SweepBoxes;

// Room for boxes that lie together.
#define SWEEP_NEAR 1024u
typedef struct SweepNear {
    float lo[3][SWEEP_NEAR + SHAPE_LANES], hi[3][SWEEP_NEAR + SHAPE_LANES];
    uint32_t edge[SWEEP_NEAR + SHAPE_LANES], place[SWEEP_NEAR + SHAPE_LANES];
} SweepNear;

// An edge at its place, in a line of the cache: where its two particles begin the step, what they move by in
// it, and what never changes.
typedef struct SweepEdge {
    Vec3 from[2], way[2];  // m
    float radius;          // m
    float inverse_mass[2]; // 1/kg; 0 where it is held
    float segment;         // m
} SweepEdge;

// What the search of an edge leaves out: itself and those near on its strand, which bending keeps apart.
// Numbers of edges: `count` from `from` on.
typedef struct SweepLeftOut {
    uint32_t from, count;
} SweepLeftOut;

// What never changes of an edge, which has the number of its first particle.
typedef struct SweepOwn {
    uint32_t edge;
    SweepLeftOut left_out;
    float radius, inverse_mass[2], segment; // as above
} SweepOwn;

// Two edges that come as near as their thickness and its margin, when they first do, and what keeps them
// apart.
typedef struct SweepMeeting {
    uint32_t own, other; // places
    float along, beside; // 0..1, on the first and on the other, where they are nearest
    Vec3 normal;         // there, from the other to the first
    float apart;         // m along it, where the step begins, less `kept`
    float pull[4];       // m that each of their particles moves by along it, of those that they are too near
    float kept;      // m, what they are kept apart by: not all of the thickness where they overlap already
    float thickness; // m
    float depth;     // how far they would overlap without contacts, as a share of the shorter segment
    float weight;    // 1/kg, 0 if nothing of them can move
} SweepMeeting;

// What edges of a block have in common.
typedef struct SweepBlock {
    double way[3]; // m, sum
    Vec3 lo, hi;   // m, of the centers
    float widest;  // m, of half the boxes along all axes
} SweepBlock;

typedef struct StrandSweep {
    SweepOwn *own; // all edges that look for others, ascending
    uint32_t count;
    float *center[3];           // m, of the box of each edge
    ShapeIndex index;           // of the centers, its slowest axis the one they are spread along
    float *lo_at[3], *hi_at[3]; // m, of the boxes, wider than rounding needs, by place
    uint32_t *edge_at;          // by place
    SweepLeftOut *left_out_at;  // by place
    SweepEdge *edges_at;        // by place
    float widest;               // m, half of the largest box
    SweepBlock *blocks;
    uint32_t *found; // of each worker
    size_t found_capacity;
    SweepNear *near; // of each worker
    size_t near_capacity;
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

// A cell whose edges look for others: behind themselves alone, or everywhere.
typedef struct SweepCell {
    bool behind;
    uint32_t begin, end;             // places
    PlaceRange rows[SHAPE_ROWS_MAX]; // that hold whatever they may touch
    uint32_t count;
    uint32_t near;    // boxes in `boxes` instead, if there are; the cell's own ones come first
    SweepNear *boxes; // of the worker
} SweepCell;

// The cell of a place and, for searches behind it, the places after it alone.
void strand_sweep_cell(const StrandSweep *sweep, uint32_t place, bool behind, uint32_t worker,
                       SweepCell *out);

// Places of the edges whose boxes touch that of the one at a place of the cell, ascending, without what it
// leaves out. The list belongs to the worker.
const uint32_t *strand_sweep_find(const StrandSweep *sweep, const SweepCell *cell, uint32_t place,
                                  uint32_t worker, uint32_t *count);

// Pairs that are looked at together, at most.
#define SWEEP_PAIRS 1024u

// Which of the pairs of edges at these places meet in the step, nearer than (1 + margin) of their thickness;
// in their order, in which those of one edge follow each other. count: SWEEP_PAIRS at most. Returns how many.
uint32_t strand_sweep_meet(const StrandSweep *sweep, const uint32_t *own, const uint32_t *other,
                           uint32_t count, float margin, SweepMeeting *out);

// The loops, for one instruction set each.
typedef struct SweepKernel {
    // Writes the places of the boxes from begin to end that touch this one; how many. May overwrite
    // SHAPE_LANES entries more.
    uint32_t (*touching)(const SweepBoxes *boxes, Box3 box, SweepLeftOut left_out, PlaceRange range,
                         uint32_t *out);
    // Brings together those of the rows that touch this box: of SWEEP_NEAR boxes at most. Returns how many.
    uint32_t (*bring)(const SweepBoxes *boxes, Box3 box, const PlaceRange *rows, uint32_t count,
                      SweepNear *out);
    // strand_sweep_meet.
    uint32_t (*meeting)(const SweepEdge *edges, const uint32_t *own, const uint32_t *other, uint32_t count,
                        float margin, SweepMeeting *out);
} SweepKernel;

extern const SweepKernel sweep_kernel_plain, sweep_kernel_avx2, sweep_kernel_avx512;

#endif
