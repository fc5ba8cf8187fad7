#include "render/obstacles_draw.h"

#include "core/hash.h"
#include "core/memory.h"
#include "obstacle/solid.h"
#include "render/gl_program.h"
#include "render/strands_draw.h"

#include <cglm/cglm.h>
#include <string.h>

// One body's triangles in buffers of OpenGL, and what they were made from. Bodies with equal solids share
// them; the first one owns them.
typedef struct DrawnBody {
    GLuint array, buffers[2]; // vertices, indices
    GLsizei count;            // of indices
    bool owner;
    uint64_t hash;
} DrawnBody;

struct ObstacleDrawer {
    GlProgram program, depth_program;
    uint64_t shapes; // obstacles_shapes of what is drawn
    DrawnBody *bodies;
    size_t count, capacity;
    bool hidden;
    StrandDrawer *strands;
};

// Pose and size of a drawn solid.
typedef struct Placement {
    Vec3 position, scale;
    Mat3 rotation;
    bool visible;
} Placement;

Result obstacle_drawer_create(ObstacleDrawer **out)
{
    *out = NULL;
    ObstacleDrawer *self = memory_allocate_zeroed(sizeof *self);
    if (!self) return result_no_memory("the renderer", sizeof *self);
    Result result = gl_program_create("solid.vert", "solid.frag", &self->program);
    if (result_is_ok(&result))
        result = gl_program_create("solid.vert", "depth_only.frag", &self->depth_program);
    if (result_is_ok(&result)) result = strand_drawer_create(&self->strands);
    if (!result_is_ok(&result)) {
        obstacle_drawer_destroy(self);
        return result;
    }
    *out = self;
    return result_ok();
}

static void drop_bodies(ObstacleDrawer *drawer)
{
    for (size_t k = 0; k < drawer->count; k++) {
        if (!drawer->bodies[k].owner) continue;
        glDeleteBuffers(2, drawer->bodies[k].buffers);
        glDeleteVertexArrays(1, &drawer->bodies[k].array);
    }
    drawer->count = 0;
}

void obstacle_drawer_destroy(ObstacleDrawer *drawer)
{
    if (!drawer) return;
    drop_bodies(drawer);
    gl_program_destroy(&drawer->program);
    gl_program_destroy(&drawer->depth_program);
    strand_drawer_destroy(drawer->strands);
    memory_free(drawer->bodies);
    memory_free(drawer);
}

// Identity of a body's solid; those of unit size are alike whatever the body's size.
static uint64_t solid_hash(const Shape *shape)
{
    bool unit = solid_is_unit(shape);
    const float numbers[3] = {(float)shape->kind, unit ? 0 : shape->radius, unit ? 0 : shape->half_height};
    uint64_t hash = hash_bytes(HASH_START, numbers, sizeof numbers);
    if (shape->kind == SHAPE_MESH) {
        hash = hash_bytes(hash, shape->mesh.vertices, shape->mesh.vertex_count * sizeof(Vec3));
        hash = hash_bytes(hash, shape->mesh.triangles, 3 * sizeof(uint32_t) * shape->mesh.triangle_count);
    }
    return hash;
}

static Result upload(const Shape *shape, int quarter, DrawnBody *out)
{
    Solid solid;
    TRY(solid_of_shape(shape, quarter, &solid));
    out->count = (GLsizei)(3 * solid.triangle_count);
    out->owner = true;
    glGenBuffers(2, out->buffers);
    glGenVertexArrays(1, &out->array);
    glBindVertexArray(out->array);
    glBindBuffer(GL_ARRAY_BUFFER, out->buffers[0]);
    glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)(solid.vertex_count * sizeof(SolidVertex)), solid.vertices,
                 GL_STATIC_DRAW);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, out->buffers[1]);
    glBufferData(GL_ELEMENT_ARRAY_BUFFER, (GLsizeiptr)(solid.triangle_count * sizeof *solid.triangles),
                 solid.triangles, GL_STATIC_DRAW);
    gl_float_attributes((const GLint[]){3, 3}, 2, 0); // of SolidVertex
    solid_free(&solid);
    return gl_check("an obstacle's triangles");
}

static Result add_body(ObstacleDrawer *drawer, const Shape *shape, uint32_t count)
{
    DrawnBody body = {.hash = solid_hash(shape)};
    for (size_t k = 0; k < drawer->count && body.array == 0; k++) {
        const DrawnBody *other = &drawer->bodies[k];
        if (other->owner && other->hash == body.hash) body = *other;
    }
    body.owner = false;
    if (body.array == 0) TRY(upload(shape, solid_quarter(count), &body));
    drawer->bodies[drawer->count++] = body;
    return result_ok();
}

// Uploads the bodies' triangles once, and again when the bodies change.
static Result refresh(ObstacleDrawer *drawer, const Obstacles *obstacles)
{
    uint32_t count = obstacles_count(obstacles);
    if (drawer->shapes == obstacles_shapes(obstacles)) return result_ok();
    drop_bodies(drawer);
    drawer->shapes = 0;
    TRY(MEMORY_RESERVE(drawer->bodies, drawer->capacity, 0, count, "the obstacles"));
    for (uint32_t k = 0; k < count; k++) TRY(add_body(drawer, &obstacles_body(obstacles, k)->shape, count));
    drawer->shapes = obstacles_shapes(obstacles);
    return result_ok();
}

static void set_component(Vec3 *v, int k, float value)
{
    *(k == 0 ? &v->x : k == 1 ? &v->y : &v->z) = value;
}

// Shortens the solid to the tank along one of its own axes where that axis is also one of the tank's.
static void cut_along(Placement *place, int own_axis, Vec3 tank)
{
    Vec3 unit = {0, 0, 0};
    set_component(&unit, own_axis, 1);
    Vec3 direction = mat3_apply(place->rotation, unit);
    for (int k = 0; k < 3; k++) {
        if (fabsf(vec3_component(direction, k)) < 0.9999f) continue;
        float center = vec3_component(place->position, k), half = vec3_component(place->scale, own_axis);
        float lo = fmaxf(center - half, 0), hi = fminf(center + half, vec3_component(tank, k));
        if (hi <= lo) place->visible = false;
        set_component(&place->position, k, 0.5f * (lo + hi));
        set_component(&place->scale, own_axis, 0.5f * (hi - lo));
    }
}

static Placement place_body(const Obstacles *obstacles, uint32_t body)
{
    const Shape *shape = &obstacles_body(obstacles, body)->shape;
    Pose pose = obstacles_pose(obstacles, body);
    TankDef tank = obstacles_tank(obstacles);
    Placement place = {pose.position, solid_scale(shape), pose.rotation, true};
    for (int k = 0; k < 3 && tank.present; k++) {
        if (shape->kind == SHAPE_BOX || (shape->kind == SHAPE_CYLINDER && k == 2))
            cut_along(&place, k, tank.size);
    }
    return place;
}

static void model_matrix(const Placement *place, mat4 model)
{
    mat3 rotation;
    memcpy(rotation, place->rotation.row, sizeof rotation);
    glm_mat3_transpose(rotation); // cglm's matrices are lists of columns
    glm_translate_make(model, (vec3){place->position.x, place->position.y, place->position.z});
    glm_mat4_ins3(rotation, model);
}

void obstacle_drawer_hide(ObstacleDrawer *drawer, bool hidden)
{
    drawer->hidden = hidden;
}

static void draw_bodies(ObstacleDrawer *drawer, const Obstacles *obstacles, const GlProgram *program,
                        bool depth_only)
{
    for (uint32_t k = 0; k < drawer->count; k++) {
        Placement place = place_body(obstacles, k);
        if (!place.visible) continue;
        mat4 model;
        model_matrix(&place, model);
        const float *color = obstacles_body(obstacles, k)->color;
        gl_set_mat4(program, U_model, (float *)model);
        gl_set_vec3(program, U_scale, place.scale);
        if (!depth_only) gl_set_vec3(program, U_linear_color, vec3_make(color[0], color[1], color[2]));
        glBindVertexArray(drawer->bodies[k].array);
        glDrawElements(GL_TRIANGLES, drawer->bodies[k].count, GL_UNSIGNED_INT, NULL);
    }
}

Result obstacle_drawer_draw(ObstacleDrawer *drawer, const FrameView *frame, const View *view, bool depth_only)
{
    const GlProgram *program = depth_only ? &drawer->depth_program : &drawer->program;
    bool bodies = frame->obstacles && !drawer->hidden;
    if (bodies) TRY(refresh(drawer, frame->obstacles));
    if (!bodies && !frame->strands) return result_ok();
    gl_program_use(program);
    gl_set_mat4(program, U_view_projection, view->view_projection);
    if (bodies) draw_bodies(drawer, frame->obstacles, program, depth_only);
    if (frame->strands) TRY(strand_drawer_draw(drawer->strands, frame->strands, program, !depth_only));
    return gl_check("drawing obstacles");
}
