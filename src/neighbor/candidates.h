// Candidates: the points that may be neighbors of a group of points (a cell, a leaf), packed as a structure
// of arrays, and the two SIMD loops that every method spends its time in: packing them, and filtering them
// against one point of the group. Packing costs a few loads per candidate and is shared by the group; the
// filter then runs over whole vectors without an indirection and with one partial vector in all instead of
// one per cell.
#ifndef PBF_NEIGHBOR_CANDIDATES_H
#define PBF_NEIGHBOR_CANDIDATES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CANDIDATES_LANES 16u

typedef struct Candidates {
    float *x, *y, *z; // m; close() fills up the last vector with infinities
    uint32_t *index;
    struct CandidateSpare *spare; // for sorting
    uint32_t count;
    size_t capacity;
} Candidates;

// Memory of a candidate: it and, for sorting, a copy with two keys.
#define CANDIDATE_BYTES (6 * sizeof(float) + sizeof(uint32_t) + 2 * sizeof(uint64_t))

// Places begin .. end-1 of some streams.
typedef struct PlaceRange {
    uint32_t begin, end;
} PlaceRange;

// Points as streams; index maps places to the caller's points, NULL means they are.
typedef struct PointStreams {
    const float *x, *y, *z; // m
    const uint32_t *index;
} PointStreams;

// The smallest box around some points, m.
typedef struct PointBox {
    float lo[3], hi[3];
} PointBox;

// The definition of "within the radius" (the cutoff); the SIMD kernels do the same operations in this order.
// dx, dy, dz: differences of float coordinates, m. Each product is rounded before it is added.
static inline bool within(float dx, float dy, float dz, float radius_squared)
{
    float xx = dx * dx, yy = dy * dy, zz = dz * dz;
    return xx + yy + zz <= radius_squared;
}

typedef struct CandidateKernel {
    // Appends points begin..end-1 of the streams. There is room (candidates_reserve).
    void (*append)(Candidates *list, const PointStreams *points, uint32_t begin, uint32_t end);
    // Appends the points of the ranges that are within the radius of the box (culling). No other point is
    // within the radius of a point in the box, in the rounded arithmetic of within() too, because every
    // operation is monotonic.
    void (*append_near)(Candidates *list, const PointStreams *points, const PlaceRange *ranges,
                        uint32_t count, const PointBox *box, float radius_squared);
    // After the last append: fills up the last vector.
    void (*close)(Candidates *list);
    // Whether the indices of a closed list ascend, hence so does every row that is filtered from them.
    bool (*ascends)(const Candidates *list);
    // Writes the indices of those within the radius of (x, y, z) to out, except the candidate at position
    // skip; returns how many. Writes up to CANDIDATES_LANES entries more than that.
    uint32_t (*filter)(const Candidates *list, float x, float y, float z, uint32_t skip, float radius_squared,
                       uint32_t *out);
} CandidateKernel;

extern const CandidateKernel candidate_kernel_plain;
#if defined(__x86_64__)
extern const CandidateKernel candidate_kernel_avx2;
extern const CandidateKernel candidate_kernel_avx512;
#endif

// The kernel for cpu_level().
const CandidateKernel *candidate_kernel(void);

// Makes room for `count` candidates in all and the vector behind them; what was packed is kept. False when
// memory is short.
bool candidates_reserve(Candidates *list, uint64_t count);
// Makes the capacity at least this: the next multiple of CANDIDATES_LANES. What was packed is kept. False
// when memory is short.
bool candidates_resize(Candidates *list, uint64_t capacity);
void candidates_free(Candidates *list);

// Brings the candidates of a closed list into ascending order of index.
void candidates_sort(Candidates *list);

// Position of point `index` in the list, which must hold it; starts looking at `hint`.
uint32_t candidates_position(const Candidates *list, uint32_t index, uint32_t hint);

#endif
