#include "render/water_layers.h"

#include "render/gl_program.h"

Result water_layers_create(WaterLayers *out, uint32_t width, uint32_t height, int parts)
{
    *out = (WaterLayers){0};
    Result result = framebuffer_create(&out->front, width, height, GL_RGBA16, 0, true);
    if (result_is_ok(&result) && (parts & WATER_BACK))
        result = framebuffer_create(&out->back, width, height, GL_RGBA16, 0, true);
    if (result_is_ok(&result) && (parts & WATER_THICKNESS))
        result = framebuffer_create(&out->thickness, width, height, GL_R32F, 0, false);
    if (!result_is_ok(&result)) water_layers_destroy(out);
    return result;
}

void water_layers_destroy(WaterLayers *layers)
{
    framebuffer_destroy(&layers->front);
    framebuffer_destroy(&layers->back);
    framebuffer_destroy(&layers->thickness);
}

Result water_programs_create(WaterPrograms *out)
{
    *out = (WaterPrograms){0};
    TRY(gl_program_create("water_layer.vert", "water_layer.frag", &out->surface));
    TRY(gl_program_create("water_layer.vert", "water_second.frag", &out->second));
    return gl_program_create("water_layer.vert", "water_thickness.frag", &out->thickness);
}

void water_programs_destroy(WaterPrograms *programs)
{
    gl_program_destroy(&programs->surface);
    gl_program_destroy(&programs->thickness);
    gl_program_destroy(&programs->second);
}

static void use_program(const GlProgram *program, const View *view)
{
    Vec3 f = view->forward;
    gl_program_use(program);
    gl_set_mat4(program, U_layer_projection, view->view_projection);
    gl_set_vec4(program, U_layer_depth, f.x, f.y, f.z, -vec3_dot(f, view->eye));
}

static void draw_side(const Framebuffer *target, const MeshDrawer *mesh, GLenum hidden_side)
{
    framebuffer_bind(target);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    glCullFace(hidden_side);
    mesh_drawer_draw_faces(mesh);
}

void water_layers_draw_mesh(const WaterLayers *layers, const WaterPrograms *programs, const MeshDrawer *mesh,
                            const View *view, GLuint solids)
{
    glEnable(GL_DEPTH_TEST);
    glEnable(GL_CULL_FACE);
    use_program(&programs->surface, view);
    draw_side(&layers->front, mesh, GL_BACK);
    if (layers->back.name) draw_side(&layers->back, mesh, GL_FRONT);
    glDisable(GL_CULL_FACE);
    glDisable(GL_DEPTH_TEST);

    if (!layers->thickness.name) return;
    framebuffer_bind(&layers->thickness);
    glClear(GL_COLOR_BUFFER_BIT);
    use_program(&programs->thickness, view);
    gl_set_int(&programs->thickness, U_has_solids, solids != 0);
    gl_set_texture(&programs->thickness, U_solid_depth, 0, solids);
    gl_set_vec2(&programs->thickness, U_depth_scale, view->projection[10], view->projection[14]);
    glEnable(GL_BLEND);
    glBlendFunc(GL_ONE, GL_ONE);
    mesh_drawer_draw_faces(mesh);
    glDisable(GL_BLEND);
}

void water_layers_draw_second(const WaterLayers *layers, const WaterPrograms *programs,
                              const MeshDrawer *mesh, const View *view, uint32_t samples, float gap,
                              const Framebuffer *second)
{
    glEnable(GL_DEPTH_TEST);
    glEnable(GL_CULL_FACE);
    use_program(&programs->second, view);
    gl_set_texture(&programs->second, U_back_depth, 0, layers->back.depth);
    gl_set_int(&programs->second, U_samples, (int)samples);
    gl_set_float(&programs->second, U_gap, gap);
    gl_set_vec2(&programs->second, U_depth_scale, view->projection[10], view->projection[14]);
    draw_side(second, mesh, GL_BACK);
    glDisable(GL_CULL_FACE);
    glDisable(GL_DEPTH_TEST);
}
