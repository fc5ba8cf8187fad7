// Fixed-radius neighbor search, the public interface. Every method gives the same neighbor lists, bit for
// bit; only time and memory differ. The default, cluster_grid, gives pairs of clusters of particles instead
// (a cluster pair list). How a method plugs in: neighbor/method.h.
#ifndef PBF_NEIGHBOR_NEIGHBOR_H
#define PBF_NEIGHBOR_NEIGHBOR_H

#include "core/result.h"
#include "neighbor/point_order.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct NeighborSearch NeighborSearch;

// Points as a structure of arrays, owned by the caller. Streams come from memory_allocate (64-byte aligned,
// padded).
typedef struct PointView {
    const float *x, *y, *z; // m
    uint32_t count;
} PointView;

// Neighbor lists in compressed rows (CSR with a length for each row). Row i: index[begin[i]] ..
// index[begin[i] + count[i] - 1]; a point is never its own neighbor. Entries are ordered by the neighbor's
// cell (z, then y, then x; edges of 1.0001 radii, counted from 0) and by index inside a cell, so rows ascend
// if the points are sorted by neighbor_search_order. Rows lie in memory in any order and may have gaps
// between them. Offsets are 64-bit: 67 neighbors of 32 million particles overflow 31 bits. The index array is
// padded: reading 16 entries from any row's last entry on stays inside it.
typedef struct NeighborLists {
    const uint64_t *begin;
    const uint32_t *count;
    const uint32_t *index;
    uint32_t rows;
} NeighborLists;

// Every four points that follow each other in memory are a cluster: points 4k to 4k+3 are cluster k.
#define NEIGHBOR_CLUSTER 4u

// Coordinate of padding points in the last cluster: out of reach of all others, but with a finite square.
#define NEIGHBOR_FAR 1e15f

// A cluster pair list. Row k names clusters that have a point within the radius of a point of cluster k.
// Every `block` clusters that follow each other are a block, and of two clusters of one block only the lower
// names the other, so that a loop over pairs computes theirs once and applies it to both (Newton's third
// law). The first single[k] entries from partner[begin[k]] on are k itself and clusters of other blocks,
// whose rows name k too; the rest, up to partner[begin[k] + count[k] - 1], are later clusters of k's own
// block. Both parts ascend, except that k comes first.
typedef struct NeighborClusters {
    const uint64_t *begin;
    const uint32_t *count, *single;
    const uint32_t *partner;
    uint32_t rows, block;
} NeighborClusters;

// The result of a search in the method's own form: lists or clusters.
typedef struct NeighborPairs {
    bool clustered;
    NeighborLists lists;       // unless clustered
    NeighborClusters clusters; // if clustered
    const uint32_t *neighbors; // number of each point's neighbors
} NeighborPairs;

// Costs of one run. Candidates and neighbors are the columns of Takeshita's Table 2, summed over all points:
// points whose distance was tested (without the point itself), and points found within the radius.
typedef struct NeighborStats {
    double construction_ms, search_ms;
    uint64_t candidates, neighbors;
    uint64_t evaluated;       // pairs computed for one of the two, inside and outside of the cutoff
    uint64_t shared;          // pairs computed once for both
    uint64_t structure_bytes; // the search structure alone
    uint64_t point_bytes;     // part of it in arrays by points or their runs (sorted copies, linked lists)
    uint64_t list_bytes;      // rows and offsets
    bool compact; // the points' box has too many cells for a grid's table: only cells with points are listed
} NeighborStats;

// The methods' names and aliases in the order in which programs list them. NULL past the end.
const char *neighbor_method_name(uint32_t k);

// The name of the method that an alias stands for; any other name, even an unknown one, stands for itself.
const char *neighbor_method_itself(const char *name);

// One sentence on what a method is good for, for help texts. k as above.
const char *neighbor_method_summary(uint32_t k);

// Whether the method gives pairs of clusters (a cluster pair list). Sums over these agree with sums over
// lists to rounding; sums over lists agree bit for bit, whichever method made them.
bool neighbor_method_is_clustered(const char *name);

// Makes a search. radius: m, 1e-18 to 1e18. Errors: RESULT_USAGE for an unknown name (the message lists
// the known ones) or another radius, RESULT_NO_MEMORY. Destroy with neighbor_search_destroy.
Result neighbor_search_create(const char *method, double radius, NeighborSearch **out);
void neighbor_search_destroy(NeighborSearch *search); // NULL is allowed

// From now on a run ends soon with RESULT_STOPPED once *stop is true, which any thread may set and has to
// stay until the run has returned; of lists the costs so far are told all the same. NULL: never.
void neighbor_search_watch(NeighborSearch *search, const atomic_bool *stop);

// Lists for every point all other points within the radius: dx*dx + dy*dy + dz*dz <= radius*radius in float,
// products rounded before they are added in this order. *lists belongs to the search and stays valid until
// the next run or destroy. Memory grows to its high-water mark and is kept: a run no larger than an earlier
// one allocates nothing. Coordinates must be finite. Fastest for points in the order of
// neighbor_search_order; others are sorted first. Errors: RESULT_NO_MEMORY; RESULT_FAILED for a coordinate
// that is not finite (the message names the point). After an error the search can be used again. Call from
// one thread; it uses all workers.
Result neighbor_search_run(NeighborSearch *search, PointView points, NeighborLists *lists,
                           NeighborStats *stats);

// Finds all pairs in the method's own form. Streams must be padded to whole vectors of sixteen, the slots
// after the last point filled with NEIGHBOR_FAR. Clusters follow the caller's order: any order is correct,
// that of neighbor_search_order makes small clusters.
Result neighbor_search_pairs(NeighborSearch *search, PointView points, NeighborPairs *pairs,
                             NeighborStats *stats);

// A part of points that are kept in one order by several processes, of which each finds the rows of its own:
// these are whole blocks of all points' clusters (only the last cluster of all may be short). Behind them,
// from the next multiple of sixteen points on, lie the clusters of other parts that come near them: `lower`
// of those before the part in the order, then those behind it, both ascending. Between the two, points are
// out of everybody's reach and of each other's.
typedef struct NeighborPart {
    uint32_t points;   // own
    uint32_t lower;    // clusters
    uint64_t clusters; // of all parts
} NeighborPart;

// Clusters in a block of so many clusters in all (NeighborClusters.block).
uint32_t neighbor_cluster_block(uint64_t clusters);

// As neighbor_search_pairs, by a method that gives clusters, for a part of all points: rows of its own
// clusters with the same partners in the same order as among all points, named by their places in `points`.
// Neighbors and costs are those of its own.
Result neighbor_search_part(NeighborSearch *search, PointView points, const NeighborPart *part,
                            NeighborPairs *pairs, NeighborStats *stats);

// A cell of a search structure: a grid's or hash's cell, a leaf or node of a tree, a box around points.
typedef struct NeighborBox {
    float lo[3], hi[3]; // m
    uint32_t points;    // number of points filed under it
    uint32_t level;     // 0: it holds points itself; above: it holds boxes of the levels below
} NeighborBox;

// All zero before the first use; free with neighbor_boxes_free.
typedef struct NeighborBoxes {
    NeighborBox *box;
    uint32_t count;
    size_t capacity;
} NeighborBoxes;
void neighbor_boxes_free(NeighborBoxes *boxes);

// Builds the method's structure over the points and lists the boxes that it divides space into, for pictures.
// Every point is filed under a box of level 0 and lies in it, except points further than 2^20 cells from 0
// and the few strays that uniform_grid files under the outermost cells of its table. brute_force has none.
// Boxes of one level meet at their faces only (aabb_grid, kd_tree: lie apart); those of clusters may overlap.
// Errors: as neighbor_search_run.
Result neighbor_search_boxes(NeighborSearch *search, PointView points, NeighborBoxes *boxes);

// The order of points in which the search and loops over its pairs are fastest (cache locality, small
// clusters). spacing: m, the distance of points where they are dense.
PointOrder neighbor_search_order(const NeighborSearch *search, float spacing);

#endif
