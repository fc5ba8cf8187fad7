#include "render/mesh_draw.h"

#include "core/memory.h"
#include "render/gl_program.h"

struct MeshDrawer {
    GLuint array, buffers[3]; // positions, normals, indices
    GLsizei indices;
    uint64_t content_id; // of the contents, 0 if unknown
};

Result mesh_drawer_create(MeshDrawer **out)
{
    *out = NULL;
    MeshDrawer *self = memory_allocate_zeroed(sizeof *self);
    if (!self) return result_no_memory("the renderer", sizeof *self);
    glGenVertexArrays(1, &self->array);
    glGenBuffers(3, self->buffers);
    *out = self;
    return gl_check("the water's surface");
}

void mesh_drawer_destroy(MeshDrawer *drawer)
{
    if (!drawer) return;
    glDeleteBuffers(3, drawer->buffers);
    glDeleteVertexArrays(1, &drawer->array);
    memory_free(drawer);
}

Result mesh_drawer_load(MeshDrawer *drawer, const SurfaceMesh *mesh, uint64_t content_id)
{
    drawer->indices = mesh ? (GLsizei)(3 * mesh->triangle_count) : 0;
    if (drawer->indices == 0 || (content_id != 0 && drawer->content_id == content_id)) return result_ok();
    drawer->content_id = 0;
    glBindVertexArray(drawer->array);
    const Vec3 *streams[2] = {mesh->vertex, mesh->normal};
    for (GLuint k = 0; k < 2; k++) {
        glBindBuffer(GL_ARRAY_BUFFER, drawer->buffers[k]);
        glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)(mesh->vertex_count * sizeof(Vec3)), streams[k],
                     GL_STREAM_DRAW);
        glEnableVertexAttribArray(k);
        glVertexAttribPointer(k, 3, GL_FLOAT, GL_FALSE, sizeof(Vec3), NULL);
    }
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, drawer->buffers[2]);
    glBufferData(GL_ELEMENT_ARRAY_BUFFER, (GLsizeiptr)(mesh->triangle_count * sizeof *mesh->triangle),
                 mesh->triangle, GL_STREAM_DRAW);
    glBindVertexArray(0);
    TRY(gl_check("the water's surface"));
    drawer->content_id = content_id;
    return result_ok();
}

void mesh_drawer_draw_faces(const MeshDrawer *drawer)
{
    if (drawer->indices == 0) return;
    glBindVertexArray(drawer->array);
    glDrawElements(GL_TRIANGLES, drawer->indices, GL_UNSIGNED_INT, NULL);
}
