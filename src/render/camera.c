// From a CameraDef to matrices; automatic framing.
#include "render/view.h"

#include <cglm/cglm.h>
#include <string.h>

// From the front, a little from the right and above, so that depth, width and height of a tank are all
// visible.
static const Vec3 AUTOMATIC_DIRECTION = {0.46f, -1.0f, 0.46f};
// Share of the picture that the framed box may fill; the rest is margin, and space for the legend at the
// bottom.
static const float FILL_X = 0.90f, FILL_Y_UP = 0.90f, FILL_Y_DOWN = 0.84f;

static Vec3 center_of(Box3 box)
{
    return vec3_scale(vec3_add(box.lo, box.hi), 0.5f);
}

// Turns the view; its matrix then moves nothing yet.
static void set_axes(View *view, Vec3 forward)
{
    mat4 look;
    if (!(vec3_length(forward) > 1e-20f)) forward = vec3_make(0, 1, 0);
    bool vertical = fabsf(forward.z) > 0.9999f * vec3_length(forward);
    glm_lookat(GLM_VEC3_ZERO, (vec3){forward.x, forward.y, forward.z}, vertical ? GLM_YUP : GLM_ZUP, look);
    view->right = vec3_make(look[0][0], look[1][0], look[2][0]);
    view->up = vec3_make(look[0][1], look[1][1], look[2][1]);
    view->forward = vec3_make(-look[0][2], -look[1][2], -look[2][2]);
    memcpy(view->view, look, sizeof look);
}

// Moves the view, whose axes are set, to its eye.
static void set_matrices(View *view, mat4 projection)
{
    mat4 axes, to_eye, look, product;
    memcpy(axes, view->view, sizeof axes);
    glm_translate_make(to_eye, (vec3){-view->eye.x, -view->eye.y, -view->eye.z});
    glm_mat4_mul(axes, to_eye, look);
    glm_mat4_mul(projection, look, product);
    memcpy(view->view, look, sizeof look);
    memcpy(view->projection, projection, sizeof view->projection);
    memcpy(view->view_projection, product, sizeof product);
}

// The nearest eye on the line of sight from which all corners lie inside the picture's inner part. With eye
// offsets (ex, ey) and distance d, a corner at (x, y, z) along the axes needs |x - ex| <= tan_x (z + d) and
// so on.
static void frame_box(View *view, Box3 box)
{
    float left = -INFINITY, right = -INFINITY, down = -INFINITY, up = -INFINITY, nearest = INFINITY;
    float tan_x = view->tan_x * FILL_X, tan_up = view->tan_y * FILL_Y_UP,
          tan_down = view->tan_y * FILL_Y_DOWN;
    Vec3 center = center_of(box);
    for (int k = 0; k < 8; k++) {
        Vec3 p = vec3_sub(box3_corner(box, k), center);
        float x = vec3_dot(p, view->right), y = vec3_dot(p, view->up), z = vec3_dot(p, view->forward);
        right = fmaxf(right, x - tan_x * z);
        left = fmaxf(left, -x - tan_x * z);
        up = fmaxf(up, y - tan_up * z);
        down = fmaxf(down, -y - tan_down * z);
        nearest = fminf(nearest, z);
    }
    float distance = fmaxf((left + right) / (2 * tan_x), (up + down) / (tan_up + tan_down));
    distance = fmaxf(distance, 0.05f * vec3_length(vec3_sub(box.hi, box.lo)) - nearest);
    float ex = 0.5f * (right - left);
    float ey = 0.5f * (up - tan_up * distance - down + tan_down * distance);
    view->eye = vec3_add(center, vec3_scale(view->right, ex));
    view->eye = vec3_add(view->eye, vec3_scale(view->up, ey));
    view->eye = vec3_sub(view->eye, vec3_scale(view->forward, distance));
}

View view_of_camera(const CameraDef *camera, Vec3 origin, Box3 bounds, float aspect)
{
    View view = {0};
    float fov = glm_clamp(camera->fov, 1, 170) * (GLM_PIf / 180);
    view.tan_y = tanf(0.5f * fov);
    view.tan_x = view.tan_y * aspect;
    if (camera->automatic) {
        set_axes(&view, vec3_scale(AUTOMATIC_DIRECTION, -1));
        frame_box(&view, bounds);
    } else {
        view.eye = vec3_sub(camera->eye, origin);
        set_axes(&view, vec3_sub(camera->target, camera->eye));
    }
    // The far plane lies behind the whole scene; the near plane keeps depth precise (32-bit float).
    float size = vec3_length(vec3_sub(bounds.hi, bounds.lo));
    float reach = vec3_length(vec3_sub(view.eye, center_of(bounds)));
    view.near = 0.004f * (camera->automatic ? reach : fminf(fmaxf(reach, 0.1f * size), 2 * size)) + 1e-6f;
    view.far = reach + 50 * size;
    view.reach = fmaxf(vec3_dot(vec3_sub(center_of(bounds), view.eye), view.forward), 10 * view.near);
    mat4 projection;
    glm_perspective(fov, aspect, view.near, view.far, projection);
    set_matrices(&view, projection);
    return view;
}

View view_of_light(Vec3 toward_light, Box3 bounds)
{
    View view = {0};
    set_axes(&view, vec3_scale(toward_light, -1));
    Vec3 center = center_of(bounds);
    Vec3 half = vec3_make(0, 0, 0);
    for (int k = 0; k < 8; k++) {
        Vec3 p = vec3_sub(box3_corner(bounds, k), center);
        half.x = fmaxf(half.x, fabsf(vec3_dot(p, view.right)));
        half.y = fmaxf(half.y, fabsf(vec3_dot(p, view.up)));
        half.z = fmaxf(half.z, fabsf(vec3_dot(p, view.forward)));
    }
    half = vec3_scale(half, 1.05f);
    view.eye = vec3_sub(center, vec3_scale(view.forward, 2 * half.z));
    view.parallel = true;
    view.reach = 2 * half.z;
    view.tan_x = half.x;
    view.tan_y = half.y;
    view.near = half.z;
    view.far = 3 * half.z;
    mat4 projection;
    glm_ortho(-half.x, half.x, -half.y, half.y, view.near, view.far, projection);
    set_matrices(&view, projection);
    return view;
}

Vec3 view_ray(const View *view, float x, float y)
{
    Vec3 aside = vec3_add(vec3_scale(view->right, x * view->tan_x), vec3_scale(view->up, y * view->tan_y));
    return vec3_add(view->forward, aside);
}

bool view_project(const View *view, Vec3 point, float *x, float *y, float *depth)
{
    Vec3 way = vec3_sub(point, view->eye);
    float ahead = vec3_dot(way, view->forward);
    if (!(ahead > view->near)) return false;
    *x = vec3_dot(way, view->right) / (ahead * view->tan_x);
    *y = vec3_dot(way, view->up) / (ahead * view->tan_y);
    *depth = ahead;
    return true;
}
