// Neighbor searches on points of the caller.
#include "library/handles.h"
#include "neighbor/neighbor.h"

#define METHOD "uniform_grid"

struct pbf_search {
    pbf_context *context;
    NeighborSearch *search;
    PointStreams points;
};

const char *pbf_method(uint32_t k)
{
    return neighbor_method_name(k);
}

static Result create(pbf_context *context, const char *method, double radius, pbf_search **out)
{
    NeighborSearch *search;
    TRY(neighbor_search_create(method ? method : METHOD, radius, &search));
    *out = memory_allocate_zeroed(sizeof **out);
    if (!*out) {
        neighbor_search_destroy(search);
        return result_no_memory("a search", sizeof **out);
    }
    (*out)->context = context_hold(context);
    (*out)->search = search;
    return result_ok();
}

pbf_result pbf_search_create(pbf_context *context, const char *method, double radius, pbf_search **out)
{
    if (!out) return call_refused(context, missing("out"));
    *out = NULL;
    RETURN_CALL(context, create(context, method, radius, out));
}

static Result run(pbf_search *search, const pbf_points *points, pbf_rows *out)
{
    NeighborLists lists;
    NeighborStats stats;
    if (!out) return missing("out");
    *out = (pbf_rows){0};
    TRY(points_copy(points, "points", &search->points));
    const PointStreams *p = &search->points;
    TRY(neighbor_search_run(search->search, (PointView){p->x, p->y, p->z, p->count}, &lists, &stats));
    *out = (pbf_rows){.begin = lists.begin,
                      .length = lists.count,
                      .index = lists.index,
                      .rows = lists.rows,
                      .neighbors = stats.neighbors,
                      .candidates = stats.candidates,
                      .build_ms = stats.construction_ms,
                      .search_ms = stats.search_ms};
    return result_ok();
}

pbf_result pbf_search_run(pbf_search *search, const pbf_points *points, pbf_rows *out)
{
    if (!search) return call_refused(NULL, missing("search"));
    RETURN_CALL(search->context, run(search, points, out));
}

void pbf_search_destroy(pbf_search *search)
{
    if (!search) return;
    pbf_context *context = search->context;
    Host *before = call_begin(context);
    neighbor_search_destroy(search->search);
    points_free(&search->points);
    memory_free(search);
    call_close(context, before);
}
