#include "render/strands_draw.h"

#include "core/hash.h"
#include "core/memory.h"
#include "strand/strand_tubes.h"

struct StrandDrawer {
    StrandTubes tubes;
    GLuint array, buffers[2]; // vertices, indices
    uint64_t hash;            // of the strands that are in the buffers
    uint32_t sides;
};

Result strand_drawer_create(StrandDrawer **out)
{
    StrandDrawer *self = memory_allocate_zeroed(sizeof *self);
    *out = self;
    if (!self) return result_no_memory("the renderer", sizeof *self);
    glGenBuffers(2, self->buffers);
    glGenVertexArrays(1, &self->array);
    return result_ok();
}

void strand_drawer_destroy(StrandDrawer *drawer)
{
    if (!drawer) return;
    glDeleteBuffers(2, drawer->buffers);
    glDeleteVertexArrays(1, &drawer->array);
    strand_tubes_free(&drawer->tubes);
    memory_free(drawer);
}

static Result upload(StrandDrawer *drawer, const StrandView *view)
{
    drawer->sides = strand_tube_sides(view->particle_count);
    TRY(strand_tubes_make(view, drawer->sides, &drawer->tubes));
    const StrandTubes *tubes = &drawer->tubes;
    glBindVertexArray(drawer->array);
    glBindBuffer(GL_ARRAY_BUFFER, drawer->buffers[0]);
    glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)(tubes->vertex_count * sizeof(TubeVertex)), tubes->vertices,
                 GL_STREAM_DRAW);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, drawer->buffers[1]);
    glBufferData(GL_ELEMENT_ARRAY_BUFFER, (GLsizeiptr)(tubes->triangle_count * sizeof *tubes->triangles),
                 tubes->triangles, GL_STREAM_DRAW);
    gl_float_attributes((const GLint[]){3, 3}, 2, 0); // of TubeVertex
    return gl_check("the tubes of strands");
}

Result strand_drawer_draw(StrandDrawer *drawer, const Strands *strands, const GlProgram *program,
                          bool colored)
{
    static const float identity[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    StrandView view = strands_view(strands);
    uint64_t hash = strands_hash(strands, HASH_START);
    if (drawer->hash != hash) TRY(upload(drawer, &view));
    drawer->hash = hash;
    gl_set_mat4(program, U_model, identity);
    gl_set_vec3(program, U_scale, vec3_make(1, 1, 1));
    glBindVertexArray(drawer->array);
    for (uint32_t strand = 0, end; strand < view.strand_count; strand = end) {
        const StrandDef *def = &view.defs[view.group[strand]];
        end = strand + def->count;
        if (colored)
            gl_set_vec3(program, U_linear_color, vec3_make(def->color[0], def->color[1], def->color[2]));
        uint32_t first = view.first[strand], count = view.first[end] - first;
        glDrawElements(GL_TRIANGLES, (GLsizei)(6 * drawer->sides * count), GL_UNSIGNED_INT,
                       (const void *)((size_t)6 * drawer->sides * first * sizeof(uint32_t)));
    }
    return gl_check("drawing strands");
}
