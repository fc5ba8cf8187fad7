#include "obstacle/bvh.h"

#include "core/result.h"

typedef struct Builder {
    const Box3 *boxes;
    uint32_t leaf_size;
    BvhNode *nodes;
    uint32_t node_count;
    uint32_t *order;
} Builder;

// Twice the center: the scale does not matter for an order.
static Vec3 center(const Builder *builder, uint32_t item)
{
    return vec3_add(builder->boxes[item].lo, builder->boxes[item].hi);
}

static bool comes_before(const Builder *builder, int axis, uint32_t a, uint32_t b)
{
    float ca = vec3_component(center(builder, a), axis), cb = vec3_component(center(builder, b), axis);
    return ca < cb || (ca == cb && a < b);
}

// Puts the item that belongs at `middle` there, smaller ones before it (quickselect, Hoare).
static void select_middle(const Builder *builder, int axis, uint32_t *items, int64_t count, int64_t middle)
{
    int64_t lo = 0, hi = count - 1;
    while (lo < hi) {
        uint32_t pivot = items[lo + (hi - lo) / 2];
        int64_t i = lo, j = hi;
        while (i <= j) {
            while (comes_before(builder, axis, items[i], pivot)) i++;
            while (comes_before(builder, axis, pivot, items[j])) j--;
            if (i <= j) {
                uint32_t swap = items[i];
                items[i++] = items[j];
                items[j--] = swap;
            }
        }
        if (middle <= j)
            hi = j;
        else if (middle >= i)
            lo = i;
        else
            return;
    }
}

static int widest_axis(Vec3 extent)
{
    if (extent.x >= extent.y && extent.x >= extent.z) return 0;
    return extent.y >= extent.z ? 1 : 2;
}

static void build_node(Builder *builder, uint32_t node, uint32_t first, uint32_t count)
{
    uint32_t *items = builder->order + first;
    Box3 box = builder->boxes[items[0]];
    Box3 centers = {center(builder, items[0]), center(builder, items[0])};
    for (uint32_t k = 1; k < count; k++) {
        box = box3_join(box, builder->boxes[items[k]]);
        Vec3 c = center(builder, items[k]);
        centers = box3_join(centers, (Box3){c, c});
    }
    if (count <= builder->leaf_size) {
        builder->nodes[node] = (BvhNode){box, first, count};
        return;
    }
    uint32_t half = count / 2;
    select_middle(builder, widest_axis(vec3_sub(centers.hi, centers.lo)), items, count, half);
    uint32_t children = builder->node_count;
    builder->node_count += 2;
    builder->nodes[node] = (BvhNode){box, children, 0};
    build_node(builder, children, first, half);
    build_node(builder, children + 1, first + half, count - half);
}

void bvh_build(const Box3 *boxes, uint32_t count, uint32_t leaf_size, BvhNode *nodes, uint32_t *order)
{
    CHECK(count > 0 && leaf_size > 0);
    Builder builder = {boxes, leaf_size, nodes, 1, order};
    for (uint32_t k = 0; k < count; k++) order[k] = k;
    build_node(&builder, 0, 0, count);
}
