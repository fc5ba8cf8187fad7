// Neighbor searches of the particle literature, each as its paper describes it, for comparison with the
// default in one solver. None is needed to understand or run the program: only the table of methods names
// them.
#ifndef PBF_NEIGHBOR_REFERENCE_REFERENCE_H
#define PBF_NEIGHBOR_REFERENCE_REFERENCE_H

#include "neighbor/method.h"

extern const NeighborMethod neighbor_brute_force;       // every pair
extern const NeighborMethod neighbor_spatial_hash;      // Teschner et al. 2003
extern const NeighborMethod neighbor_cell_hash;         // Game Physics Pearls, chapter 6
extern const NeighborMethod neighbor_hierarchical_hash; // Pouchol et al. 2009
extern const NeighborMethod neighbor_octree;            // Ryu 2013
extern const NeighborMethod neighbor_kd_tree;           // balanced, buckets of points

#endif
