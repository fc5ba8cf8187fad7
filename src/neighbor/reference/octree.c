// An octree whose leaves are cells of one radius, all at one depth, with linked lists of points in index
// arrays (Ryu 2013, sections 3 and 4). The cells around a leaf are found by climbing until both have a parent
// in common and descending on the other side, in a loop over two tables. A search goes from cell to cell in
// order and keeps what is around it on every level, so it climbs only as far as that changes, on average
// about one level a cell, and takes 5 % (dense water) to 15 % (spray) more time than a grid. 32 bytes a node
// and only where there is water, so a waterfall in a wide empty hall takes a hundredth of a grid's memory.
// Space without bounds, 21 levels at most.
#include "core/memory.h"
#include "neighbor/reference/filed_runs.h"
#include "neighbor/reference/octree_tables.h"

#define DEPTH_MAX 22
#define NONE 0u // the first node has no children, and runs count from 1
#define ROOT 1u
#define MIDDLE 13 // of 27 in order

// Children of a node: nodes, or, at the lowest level, heads of lists of runs (the paper's child and hoc).
typedef struct OctreeNode {
    uint32_t child[8];
} OctreeNode;

typedef struct Octree {
    FiledRuns filed;
    // The tables pos and upper by place in the parent and by neighbor in order of z, y, x, itself in the
    // middle: which of those around the parent holds it, and at which place.
    uint8_t parent[8][27], child[8][27];
    uint32_t depth; // levels of nodes, at least 1
    OctreeNode *node;
    uint32_t nodes;
    uint32_t *next; // by run, from 1: next run in the same leaf
    size_t node_capacity, next_capacity;
} Octree;

// The way from the root to a leaf; entry 0 is the deepest, as in Algorithm 2.
typedef struct LeafPath {
    uint32_t stack[DEPTH_MAX]; // nodes
    uint32_t index[DEPTH_MAX]; // places in them
} LeafPath;

// Place of a direction among 27 in order of z, y, x.
static uint32_t slot(const int8_t step[3])
{
    return (uint32_t)((step[2] + 1) * 9 + (step[1] + 1) * 3 + step[0] + 1);
}

static void order_tables(Octree *tree)
{
    OctreeTables tables;
    octree_tables_make(&tables);
    for (int place = 0; place < 8; place++) {
        for (int k = 0; k < OCTREE_DIRECTIONS; k++) {
            int entry = 8 * k + place, upper = tables.upper[entry];
            uint32_t to = slot(tables.step[k]);
            tree->parent[place][to] = (uint8_t)(upper < 0 ? MIDDLE : slot(tables.step[upper / 8]));
            tree->child[place][to] = tables.pos[entry];
        }
        tree->parent[place][MIDDLE] = MIDDLE;
        tree->child[place][MIDDLE] = (uint8_t)place;
    }
}

static inline uint32_t place_in_parent(CellPlace at, uint32_t level)
{
    return (at.x >> level & 1) | (at.y >> level & 1) << 1 | (at.z >> level & 1) << 2;
}

// The highest level on which two cells lie at different places.
static uint32_t highest_difference(const Octree *tree, CellPlace at, CellPlace before)
{
    uint32_t differing = (at.x ^ before.x) | (at.y ^ before.y) | (at.z ^ before.z), level = tree->depth - 1;
    while (level > 0 && !(differing >> level)) level--;
    return level;
}

static Result add_node(Octree *tree, uint32_t *number)
{
    if (tree->nodes == tree->node_capacity)
        TRY(MEMORY_RESERVE(tree->node, tree->node_capacity, tree->nodes, (size_t)tree->nodes + 64, "octree"));
    tree->node[tree->nodes] = (OctreeNode){{NONE}};
    *number = tree->nodes++;
    return result_ok();
}

// Goes down to the leaf of a cell and makes the nodes that are missing. `path` still holds the way to the
// cell `before` (depth levels of it, none the first time): only what differs is walked again.
static Result go_down(Octree *tree, CellPlace at, CellPlace before, LeafPath *path)
{
    for (uint32_t level = highest_difference(tree, at, before);; level--) {
        uint32_t place = path->index[level] = place_in_parent(at, level);
        if (level == 0) return result_ok();
        uint32_t child = tree->node[path->stack[level]].child[place];
        if (child == NONE) {
            TRY(add_node(tree, &child));
            tree->node[path->stack[level]].child[place] = child;
        }
        path->stack[level - 1] = child;
    }
}

// Algorithm 1 for runs of points instead of points. The last run comes first: each leaf's list then ascends.
static Result build(void *state, const PointSet *points)
{
    Octree *tree = state;
    if (tree->depth == 0) order_tables(tree); // the first time
    TRY(filed_runs_build(&tree->filed, points));
    uint32_t runs = tree->filed.runs.count;
    TRY(MEMORY_RESERVE(tree->next, tree->next_capacity, 0, (size_t)runs + 1, "octree"));
    tree->depth = 1;
    for (int axis = 0; axis < 3; axis++) {
        while ((UINT64_C(1) << tree->depth) < tree->filed.frame.size[axis]) tree->depth++;
    }
    tree->nodes = 0;
    LeafPath path;
    uint32_t none;
    TRY(add_node(tree, &none));
    TRY(add_node(tree, &path.stack[tree->depth - 1]));
    CellPlace before = {UINT32_MAX, UINT32_MAX, UINT32_MAX};
    for (uint32_t run = runs; run > 0; run--) {
        CellPlace at = filed_runs_cell(&tree->filed, run - 1);
        TRY(go_down(tree, at, before, &path));
        before = at;
        uint32_t *head = &tree->node[path.stack[0]].child[path.index[0]];
        tree->next[run] = *head;
        *head = run;
    }
    return result_ok();
}

// State of a walk from cell to cell: on each level the node that holds the cell with the 26 around it, and
// the lists of the cells around the cell, all in order of memory (z, y, x) instead of direction.
typedef struct Surroundings {
    uint32_t node[DEPTH_MAX][27]; // NONE where there is nothing
    uint32_t list[27];
} Surroundings;

// One iteration of Algorithm 2, for all directions at once: the neighbors of a child at `place` are in its
// parent or in one around it. Only those whose place along x, 0 to 2, is at least `column` are looked up.
static void step_down(const Octree *tree, const uint32_t around[27], uint32_t place, uint32_t column,
                      uint32_t below[27])
{
    const uint8_t *parent = tree->parent[place], *child = tree->child[place];
    const OctreeNode *node = tree->node;
    if (column == 2) {
        for (uint32_t k = 2; k < 27; k += 3) below[k] = node[around[parent[k]]].child[child[k]];
    } else {
        for (uint32_t k = 0; k < 27; k++) below[k] = node[around[parent[k]]].child[child[k]];
    }
}

static inline CellPlace cell_above(CellPlace at, uint32_t level)
{
    return (CellPlace){at.x >> level, at.y >> level, at.z >> level};
}

// Algorithm 2, from the highest level that differs down. `around` still holds the surroundings of the cell
// `before`, the first time those of the root; most steps to the next cell look up nine lists and little else.
static void look_around(const Octree *tree, CellPlace at, CellPlace before, Surroundings *around)
{
    for (uint32_t level = highest_difference(tree, at, before); level > 0; level--) {
        uint32_t *below = around->node[level - 1];
        uint32_t column = cell_step(cell_above(before, level), cell_above(at, level), below);
        step_down(tree, around->node[level], place_in_parent(at, level), column, below);
    }
    uint32_t column = cell_step(before, at, around->list);
    step_down(tree, around->node[0], place_in_parent(at, 0), column, around->list);
}

// Packs the lists. Points are in the order of cells, so what three cells of a row hold is one piece of
// memory, from the first run of the first list to the last of the last. Returns the position of the first
// point of own_run.
static uint32_t pack(const Octree *tree, const uint32_t lists[27], uint32_t own_run, RowWriter *writer)
{
    const uint32_t *first = tree->filed.runs.first;
    uint32_t own = 0;
    row_list_start(writer);
    for (int k = 0; k < 27; k += 3) {
        uint32_t low = lists[k] - 1, high = lists[k]; // NONE becomes the largest number
        for (int x = 1; x < 3; x++) {
            low = lists[k + x] - 1 < low ? lists[k + x] - 1 : low;
            high = lists[k + x] > high ? lists[k + x] : high;
        }
        if (high == NONE) continue;
        while (tree->next[high] != NONE) high = tree->next[high];
        if (k == 12) own = writer->list.count + first[own_run] - first[low];
        row_list_append(writer, &tree->filed.points, first[low], first[high]);
    }
    return own;
}

// A walk from cell to cell.
typedef struct Walk {
    const Octree *tree;
    CellPlace before;
    Surroundings around;
} Walk;

static uint32_t pack_run(void *context, uint32_t run, CellPlace at, RowWriter *writer)
{
    Walk *walk = context;
    look_around(walk->tree, at, walk->before, &walk->around);
    walk->before = at;
    return pack(walk->tree, walk->around.list, run, writer);
}

static void find(const void *state, uint32_t begin, uint32_t end, RowWriter *writer)
{
    const Octree *tree = state;
    Walk walk;
    walk.tree = tree;
    walk.before = (CellPlace){UINT32_MAX, UINT32_MAX, UINT32_MAX};
    for (int k = 0; k < 27; k++) walk.around.node[tree->depth - 1][k] = k == MIDDLE ? ROOT : NONE;
    filed_runs_find(&tree->filed, begin, end, writer, pack_run, &walk);
}

static void release(void *state)
{
    Octree *tree = state;
    cell_runs_free(&tree->filed.runs);
    memory_free(tree->node);
    memory_free(tree->next);
}

static MethodBytes bytes(const void *state)
{
    const Octree *tree = state;
    MethodBytes held = filed_runs_bytes(&tree->filed);
    uint64_t lists = tree->filed.runs.count * (uint64_t)sizeof(uint32_t);
    held.total += tree->nodes * (uint64_t)sizeof(OctreeNode) + lists;
    held.per_point += lists;
    return held;
}

// Recursion: one call a level. node is at `level`, its first cell at `corner`.
static Result list_below(const Octree *tree, uint32_t node, uint32_t level, CellPlace corner,
                         NeighborBoxes *boxes)
{
    const uint32_t *first = tree->filed.runs.first;
    TRY(cell_box_add(boxes, &tree->filed.frame, corner, level + 1, 0, level + 1));
    for (uint32_t place = 0; place < 8; place++) {
        uint32_t child = tree->node[node].child[place], points = 0;
        CellPlace at = {corner.x + ((place & 1) << level), corner.y + ((place >> 1 & 1) << level),
                        corner.z + ((place >> 2) << level)};
        if (child == NONE) continue;
        if (level > 0) {
            TRY(list_below(tree, child, level - 1, at, boxes));
            continue;
        }
        for (uint32_t run = child; run != NONE; run = tree->next[run]) points += first[run] - first[run - 1];
        TRY(cell_box_add(boxes, &tree->filed.frame, at, 0, points, 0));
    }
    return result_ok();
}

static Result list_boxes(const void *state, NeighborBoxes *boxes)
{
    const Octree *tree = state;
    return list_below(tree, ROOT, tree->depth - 1, (CellPlace){0, 0, 0}, boxes);
}

const NeighborMethod neighbor_octree = {
    .name = "octree",
    .summary = "leaves of one radius with linked lists; least memory in large empty scenes",
    .in_order = true,
    .state_bytes = sizeof(Octree),
    .build = build,
    .find = find,
    .boxes = list_boxes,
    .release = release,
    .bytes = bytes,
};
