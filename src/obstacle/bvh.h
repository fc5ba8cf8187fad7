// A bounding volume hierarchy over boxes: a binary tree split at the median of the box centers.
#ifndef PBF_OBSTACLE_BVH_H
#define PBF_OBSTACLE_BVH_H

#include "core/vec3.h"

#include <stdbool.h>
#include <stdint.h>

// A leaf (count > 0) holds order[first .. first + count); an inner node has the children first and first + 1.
typedef struct BvhNode {
    Box3 box;
    uint32_t first, count;
} BvhNode;

// Enough for a walk that pushes both children: the tree is balanced, so it is at most 33 levels deep.
#define BVH_STACK 68

// Builds the tree in the caller's arrays: order holds count numbers, nodes has room for 2 * count. The root
// is node 0. count > 0, leaf_size > 0. Allocates nothing; the outcome depends on the boxes alone.
void bvh_build(const Box3 *boxes, uint32_t count, uint32_t leaf_size, BvhNode *nodes, uint32_t *order);

// Squared distance from a point to a box, 0 inside.
static inline float box3_distance_squared(Box3 box, Vec3 point)
{
    Vec3 below = vec3_sub(box.lo, point), above = vec3_sub(point, box.hi);
    float x = below.x > above.x ? below.x : above.x, y = below.y > above.y ? below.y : above.y;
    float z = below.z > above.z ? below.z : above.z;
    x = x > 0 ? x : 0, y = y > 0 ? y : 0, z = z > 0 ? z : 0;
    return x * x + y * y + z * z;
}

#endif
