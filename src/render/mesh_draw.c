#include "render/mesh_draw.h"

#include "core/memory.h"
#include "render/gl_program.h"

struct MeshDrawer {
    GLuint program, depth_program;
    GLuint array, buffers[3]; // positions, normals, indices
    GLsizei indices;
};

Result mesh_drawer_create(MeshDrawer **out)
{
    *out = NULL;
    MeshDrawer *self = memory_allocate_zeroed(sizeof *self);
    if (!self) return result_no_memory("the renderer", sizeof *self);
    glGenVertexArrays(1, &self->array);
    glGenBuffers(3, self->buffers);
    Result result = gl_program_create("solid.vert", "solid.frag", &self->program);
    if (result_is_ok(&result))
        result = gl_program_create("solid.vert", "depth_only.frag", &self->depth_program);
    if (!result_is_ok(&result)) {
        mesh_drawer_destroy(self);
        return result;
    }
    *out = self;
    return gl_check("the water's surface");
}

void mesh_drawer_destroy(MeshDrawer *drawer)
{
    if (!drawer) return;
    glDeleteProgram(drawer->program);
    glDeleteProgram(drawer->depth_program);
    glDeleteBuffers(3, drawer->buffers);
    glDeleteVertexArrays(1, &drawer->array);
    memory_free(drawer);
}

Result mesh_drawer_load(MeshDrawer *drawer, const SurfaceMesh *mesh)
{
    drawer->indices = mesh ? (GLsizei)(3 * mesh->triangle_count) : 0;
    if (drawer->indices == 0) return result_ok();
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
    return gl_check("the water's surface");
}

static void draw(const MeshDrawer *drawer, GLuint program, const View *view)
{
    static const float unmoved[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    if (drawer->indices == 0) return;
    glUseProgram(program);
    gl_set_mat4(program, "view_projection", view->view_projection);
    gl_set_mat4(program, "model", unmoved);
    gl_set_vec3(program, "scale", vec3_make(1, 1, 1));
    gl_set_vec3(program, "linear_color", vec3_make(0.09f, 0.30f, 0.48f));
    glBindVertexArray(drawer->array);
    glDrawElements(GL_TRIANGLES, drawer->indices, GL_UNSIGNED_INT, NULL);
}

void mesh_drawer_draw(const MeshDrawer *drawer, const View *view)
{
    draw(drawer, drawer->program, view);
}

void mesh_drawer_draw_depth(const MeshDrawer *drawer, const View *light)
{
    draw(drawer, drawer->depth_program, light);
}
