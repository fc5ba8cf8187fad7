// The table of the methods, in the order in which programs list them.
#include "neighbor/method.h"
#include "neighbor/reference/reference.h"

#include <stdio.h>
#include <string.h>

static const struct MethodRow {
    const NeighborMethod *method;
    const char *alias, *alias_summary; // another name of the method; NULL: its own
} rows[] = {
    {&neighbor_uniform_grid, NULL, NULL},
    {&neighbor_aabb_grid, NULL, NULL},
    {&neighbor_octree, NULL, NULL},
    {&neighbor_hierarchical_hash, NULL, NULL},
    {&neighbor_spatial_hash, NULL, NULL},
    {&neighbor_cell_hash, NULL, NULL},
    // Eitz and Lixu 2007, as in Pouchol et al. 2009, Eqs. 2 and 3: cells of sizes 2^c in one table, each
    // object filed in the smallest class that is not smaller than it. Particles are all of one size.
    {&neighbor_cell_hash, "multilevel_hash", "alias of cell_hash: particles of one size fill a single level"},
    {&neighbor_kd_tree, NULL, NULL},
    {&neighbor_cluster_grid, NULL, NULL},
    {&neighbor_brute_force, NULL, NULL},
};
#define ROW_COUNT (sizeof rows / sizeof *rows)

const char *neighbor_method_name(uint32_t k)
{
    if (k >= ROW_COUNT) return NULL;
    return rows[k].alias ? rows[k].alias : rows[k].method->name;
}

const char *neighbor_method_summary(uint32_t k)
{
    if (k >= ROW_COUNT) return NULL;
    return rows[k].alias ? rows[k].alias_summary : rows[k].method->summary;
}

static const NeighborMethod *method_named(const char *name)
{
    for (uint32_t k = 0; k < ROW_COUNT; k++) {
        if (strcmp(neighbor_method_name(k), name) == 0) return rows[k].method;
    }
    return NULL;
}

const char *neighbor_method_itself(const char *name)
{
    const NeighborMethod *method = method_named(name);
    return method ? method->name : name;
}

bool neighbor_method_is_clustered(const char *name)
{
    const NeighborMethod *method = method_named(name);
    return method && method->find_clusters;
}

Result neighbor_method_find(const char *name, const NeighborMethod **out)
{
    *out = method_named(name);
    if (*out) return result_ok();
    char known[200] = "";
    for (uint32_t k = 0; k < ROW_COUNT; k++) {
        size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "%s%s", k > 0 ? ", " : "", neighbor_method_name(k));
    }
    return result_error(RESULT_USAGE, "neighbor: unknown method '%.40s' (%s)", name, known);
}
