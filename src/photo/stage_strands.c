#include "photo/stage_strands.h"

#include "core/memory.h"
#include "strand/strand_tubes.h"

#include <string.h>

#define SIDES 8u
#define GLOSS 0.04f // wet, or greasy
#define ROUGHNESS 0.25f

void stage_strands_free(StageStrands *strands)
{
    memory_free(strands->vertex);
    memory_free(strands->normal);
    memory_free(strands->velocity);
    memory_free(strands->triangle);
    memory_free(strands->group);
    memory_free(strands->material);
    *strands = (StageStrands){0};
}

static Result allocate(const StrandTubes *tubes, uint32_t groups, StageStrands *out)
{
    size_t vertices = tubes->vertex_count, triangles = tubes->triangle_count;
    out->vertex = memory_allocate(vertices * sizeof *out->vertex);
    out->normal = memory_allocate(vertices * sizeof *out->normal);
    out->velocity = memory_allocate(vertices * sizeof *out->velocity);
    out->triangle = memory_allocate(triangles * sizeof *out->triangle);
    out->group = memory_allocate(triangles * sizeof *out->group);
    out->material = memory_allocate(groups * sizeof *out->material);
    if (out->vertex && out->normal && out->velocity && out->triangle && out->group && out->material)
        return result_ok();
    return result_no_memory("the strands' triangles", vertices * 3 * sizeof(Vec3) + triangles * 16);
}

static void fill_materials(const StrandView *view, StageStrands *out)
{
    for (uint32_t k = 0; k < view->group_count; k++) {
        const float *color = view->defs[k].color;
        out->material[k] = (Material){
            MATTER_OPAQUE,
            {.albedo = vec3_make(color[0], color[1], color[2]), .gloss = GLOSS, .roughness = ROUGHNESS}};
    }
}

// Vertices and triangles are those of strand_tubes_make, strand by strand: a ring of vertices for each
// particle and two for the ends.
static void fill_strand(const StrandView *view, uint32_t strand, StageStrands *out)
{
    uint32_t first = view->first[strand], end = view->first[strand + 1];
    Vec3 *velocity = out->velocity + (size_t)first * SIDES + 2 * (size_t)strand;
    for (uint32_t i = first; i < end; i++) {
        for (uint32_t k = 0; k < SIDES; k++) *velocity++ = view->velocity[i];
    }
    *velocity++ = view->velocity[first];
    *velocity = view->velocity[end - 1];
    for (uint32_t t = 2 * SIDES * first; t < 2 * SIDES * end; t++) out->group[t] = view->group[strand];
}

static Result fill(const StrandView *view, const StrandTubes *tubes, StageStrands *out)
{
    TRY(allocate(tubes, view->group_count, out));
    for (uint32_t k = 0; k < tubes->vertex_count; k++) {
        out->vertex[k] = tubes->vertices[k].position;
        out->normal[k] = tubes->vertices[k].normal;
    }
    memcpy(out->triangle, tubes->triangles, tubes->triangle_count * sizeof *tubes->triangles);
    fill_materials(view, out);
    for (uint32_t k = 0; k < view->strand_count; k++) fill_strand(view, k, out);
    out->mesh = (RayMesh){.vertex = out->vertex,
                          .normal = out->normal,
                          .velocity = out->velocity,
                          .vertex_count = tubes->vertex_count,
                          .triangle = (const uint32_t(*)[3])out->triangle,
                          .triangle_count = tubes->triangle_count};
    out->made_of = (PathMesh){out->material, out->group};
    return result_ok();
}

Result stage_strands_make(const Strands *strands, StageStrands *out)
{
    StrandTubes tubes = {0};
    *out = (StageStrands){0};
    if (!strands) return result_ok();
    StrandView view = strands_view(strands);
    Result result = strand_tubes_make(&view, SIDES, &tubes);
    if (result_is_ok(&result)) result = fill(&view, &tubes, out);
    strand_tubes_free(&tubes);
    return result;
}
