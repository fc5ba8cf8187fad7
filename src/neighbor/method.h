// The interface of a search method. neighbor.c checks the points, cuts the rows into blocks, spreads them
// over the workers, stores and orders the rows, counts, and grows memory; a method builds its structure and
// names candidates for the rows.
//
// The usual find(): for a run of rows that share their candidates (one cell), row_list_start, row_list_append
// for each piece of memory that holds some, then rows_filter.
#ifndef PBF_NEIGHBOR_METHOD_H
#define PBF_NEIGHBOR_METHOD_H

#include "core/result.h"
#include "neighbor/candidates.h"
#include "neighbor/neighbor.h"

#include <stdbool.h>

// The points of a run: finite, at least one. `build` gets them in the order of cells (NeighborLists), sorted
// if the caller's are not; `build_clusters` in the caller's order.
typedef struct PointSet {
    const float *x, *y, *z;
    uint32_t count;
    float lo[3], hi[3];       // their bounding box
    float radius;             // of the search, m
    const uint64_t *keys;     // of the cells of cell_frame; NULL for clusters
    const NeighborPart *part; // for clusters: whose rows are wanted; NULL: of all
} PointSet;

typedef struct MethodBytes {
    uint64_t total;     // held by the structure
    uint64_t per_point; // part of it in arrays by points, or by runs where runs stand for points
    bool compact;       // a grid that lists cells instead of making a table of all
} MethodBytes;

// Sums over the rows that were written.
typedef struct RowSums {
    uint64_t candidates, neighbors; // see NeighborStats
    uint64_t entries;               // of rows
    uint64_t shared;                // entries that serve both sides of a pair (find_clusters)
} RowSums;

// A buffer that grows without keeping its contents.
typedef struct RowBuffer {
    uint32_t *at;
    size_t capacity;
} RowBuffer;

// The pages that rows go into; row_store.c's own.
typedef struct RowPages {
    struct RowStore *store;
    uint32_t *pool;   // all rows; NULL while memory for them is only measured
    uint64_t at, end; // what is left of the page, as positions in the pool
    uint32_t *target; // where the open row is being written
    RowBuffer spare;  // rows with many candidates are written here first
    bool too_many;    // memory cannot hold the neighbors counted so far
} RowPages;

// How places in the sorted points become the caller's indices; row_store.c's own.
typedef struct RowNames {
    const uint32_t *map; // sorted points -> the caller's; NULL if they are the same
    bool in_order;       // NeighborMethod.in_order
    bool mapped;         // the list's indices are the caller's already
    uint32_t list_end;   // behind the last place that was appended in order
} RowNames;

// The state of a worker that writes rows: methods read radius_squared, failed and list.count, add to sums and
// call the functions below.
typedef struct RowWriter {
    _Alignas(64) float radius_squared;
    bool failed;     // out of memory: find may return early
    Candidates list; // kept between rows and runs
    const CandidateKernel *kernel;
    RowSums sums;
    RowPages pages;
    RowNames names;
    RowBuffer scratch; // the method's
} RowWriter;

typedef struct NeighborMethod {
    const char *name;
    const char *summary;
    // find() appends ranges of the points to its lists in ascending order: rows need no sorting.
    bool in_order;
    uint32_t block;     // rows found at a time, between which a search can be stopped; 0: as many as are fast
    size_t state_bytes; // of the method's state, which is all zero before the first build
    // points stay valid until the last find of the run. Runs alone: may use parallel_for.
    Result (*build)(void *state, const PointSet *points);
    // Writes the rows at places begin..end-1 of an order that the method chooses (by index, or by cell); all
    // places together are every row once. Several workers call it at once, each with its own writer.
    void (*find)(const void *state, uint32_t begin, uint32_t end, RowWriter *writer);
    // Optional, both or none: pairs of clusters of four consecutive points, in the caller's order.
    Result (*build_clusters)(void *state, const PointSet *points);
    // Writes the rows of clusters begin..end-1, which are a block (NeighborClusters), with their `single`,
    // and the number of neighbors of each of their points. Counts these, not the entries of its rows, in
    // writer->sums.neighbors, and entries that serve both sides in writer->sums.shared.
    void (*find_clusters)(const void *state, uint32_t begin, uint32_t end, RowWriter *writer,
                          uint32_t *single, uint32_t *neighbors);
    // Lists the boxes of the structure that was just built; NULL where there is none.
    Result (*boxes)(const void *state, NeighborBoxes *boxes);
    // Both NULL where the state owns no memory.
    void (*release)(void *state); // frees what the state owns, not the state
    MethodBytes (*bytes)(const void *state);
} NeighborMethod;

// Appends a box for pictures. Errors: RESULT_NO_MEMORY.
Result neighbor_box_add(NeighborBoxes *boxes, const float lo[3], const float hi[3], uint32_t points,
                        uint32_t level);

extern const NeighborMethod neighbor_cluster_grid; // the default
extern const NeighborMethod neighbor_uniform_grid; // the baseline of the lists
extern const NeighborMethod neighbor_aabb_grid;

// The method with this name or alias. Error: RESULT_USAGE, listing the known ones.
Result neighbor_method_find(const char *name, const NeighborMethod **out);

// Opens a row that will have at most `bound` entries; write them to the returned place, at most
// CANDIDATES_LANES entries more may be overwritten. NULL when memory is short.
uint32_t *row_open(RowWriter *writer, uint64_t bound);

// Closes the open row, which ascends unless its indices are the caller's, as that of point `row`. candidates:
// points that were tested, without the point itself.
void row_close(RowWriter *writer, uint32_t row, uint32_t count, uint64_t candidates);

// Empties writer->list.
void row_list_start(RowWriter *writer);

// Appends places begin..end-1 of the streams to writer->list. Does nothing when memory is short; rows_filter
// will not write then.
void row_list_append(RowWriter *writer, const PointStreams *points, uint32_t begin, uint32_t end);

// Appends those points of the ranges that come within the radius of the box.
void row_list_append_near(RowWriter *writer, const PointStreams *points, const PlaceRange *ranges,
                          uint32_t count, const PointBox *box);

// Room for `count` numbers that a method needs while it works on a list; kept until the next call that asks
// for more. NULL when memory is short.
uint32_t *row_scratch(RowWriter *writer, uint64_t count);

// Writes the rows of the points at places begin..end-1 of the streams: what writer->list (complete, but not
// closed) has within the radius. The first of these points is at position `own` of the list and the others
// follow it.
void rows_filter(RowWriter *writer, const PointStreams *points, uint32_t begin, uint32_t end, uint32_t own);

#endif
