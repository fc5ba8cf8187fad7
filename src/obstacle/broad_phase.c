#include "obstacle/broad_phase.h"

#include "core/memory.h"

// Two bodies a leaf: their boxes are compared one by one anyway.
#define LEAF_SIZE 2
// A query that touches more bodies than this tests all of them in order instead of sorting.
#define SORT_MAX 64

const char *broad_phase_name(uint32_t kind)
{
    static const char *const names[] = {[BROAD_PHASE_BVH] = "bvh",
                                        [BROAD_PHASE_HIERARCHICAL_HASH] = "hierarchical_hash",
                                        [BROAD_PHASE_MULTILEVEL_HASH] = "multilevel_hash"};
    return kind < sizeof names / sizeof names[0] ? names[kind] : NULL;
}

Result broad_phase_create(BroadPhase *phase, const Box3 *boxes, uint32_t count)
{
    *phase = (BroadPhase){.boxes = boxes, .count = count};
    phase->nodes = memory_allocate(2 * (size_t)count * sizeof(BvhNode));
    phase->order = memory_allocate(count * sizeof(uint32_t));
    if (phase->nodes && phase->order) return result_ok();
    broad_phase_free(phase);
    return result_no_memory("obstacles", count * (2 * sizeof(BvhNode) + sizeof(uint32_t)));
}

void broad_phase_free(BroadPhase *phase)
{
    memory_free(phase->nodes);
    memory_free(phase->order);
    size_hash_free(&phase->hash);
    *phase = (BroadPhase){0};
}

Result broad_phase_build(BroadPhase *phase)
{
    if (phase->count == 0) return result_ok();
    bvh_build(phase->boxes, phase->count, LEAF_SIZE, phase->nodes, phase->order);
    if (phase->kind == BROAD_PHASE_BVH) return result_ok();
    return size_hash_build(&phase->hash, phase->kind == BROAD_PHASE_HIERARCHICAL_HASH, SIZE_CLASS_STEP,
                           phase->boxes, phase->count);
}

// Brute force: the same answer, in ascending order.
static uint32_t touching_in_order(const BroadPhase *phase, Box3 box, uint32_t *out, uint32_t capacity)
{
    uint32_t found = 0;
    for (uint32_t k = 0; k < phase->count; k++) {
        if (!box3_touches(phase->boxes[k], box)) continue;
        if (found < capacity) out[found] = k;
        found++;
    }
    return found;
}

static void insert_sorted(uint32_t *sorted, uint32_t count, uint32_t number)
{
    while (count > 0 && sorted[count - 1] > number) {
        sorted[count] = sorted[count - 1];
        count--;
    }
    sorted[count] = number;
}

static uint32_t touching_in_tree(const BroadPhase *phase, Box3 box, uint32_t *out, uint32_t capacity)
{
    uint32_t room = capacity < SORT_MAX ? capacity : SORT_MAX, found = 0;
    uint32_t stack[BVH_STACK], depth = 0;
    stack[depth++] = 0;
    while (depth > 0) {
        const BvhNode *node = &phase->nodes[stack[--depth]];
        if (!box3_touches(node->box, box)) continue;
        if (node->count == 0) {
            stack[depth++] = node->first;
            stack[depth++] = node->first + 1;
            continue;
        }
        for (uint32_t k = node->first; k < node->first + node->count; k++) {
            uint32_t body = phase->order[k];
            if (!box3_touches(phase->boxes[body], box)) continue;
            if (found == room) return touching_in_order(phase, box, out, capacity);
            insert_sorted(out, found++, body);
        }
    }
    return found;
}

static uint32_t touching_in_hash(const BroadPhase *phase, Box3 box, uint32_t *out, uint32_t capacity)
{
    uint32_t near[SORT_MAX];
    // A box that meets more cells than there are bodies is quicker compared with all of them.
    if (!(size_hash_effort(&phase->hash, box) <= 8.0 + phase->count))
        return touching_in_order(phase, box, out, capacity);
    uint32_t room = capacity < SORT_MAX ? capacity : SORT_MAX;
    uint32_t found = size_hash_touching(&phase->hash, box, near, SORT_MAX);
    if (found > room) return touching_in_order(phase, box, out, capacity);
    for (uint32_t k = 0; k < found; k++) insert_sorted(out, k, near[k]);
    return found;
}

uint32_t broad_phase_touching(const BroadPhase *phase, Box3 box, uint32_t *out, uint32_t capacity)
{
    if (phase->count == 0) return 0;
    if (phase->kind == BROAD_PHASE_BVH) return touching_in_tree(phase, box, out, capacity);
    return touching_in_hash(phase, box, out, capacity);
}
