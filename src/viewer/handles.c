#include "viewer/handles.h"

#include <math.h>

static const float DEGREES = 57.29577951f; // a radian
static const float PARALLEL = 1e-3f;       // sine below which two directions are alike
static const float RING = 0.8f;            // radius of rings, in arrows
static const float HALF_LEAST = 1e-3f;     // of the size of the arrows, that nothing is scaled below

Ray ray_through(const View *view, float x, float y)
{
    return (Ray){view->eye, view_ray(view, x, y)};
}

static Vec3 at(const Ray *ray, float t)
{
    return vec3_add(ray->from, vec3_scale(ray->along, t));
}

bool ray_near_axis(const Ray *ray, Vec3 center, Vec3 axis, float *t)
{
    Vec3 along = vec3_normalize_or(ray->along, axis), between = vec3_sub(center, ray->from);
    float cosine = vec3_dot(along, axis), sine2 = 1 - cosine * cosine;
    if (sine2 < PARALLEL * PARALLEL) return false;
    *t = (cosine * vec3_dot(between, along) - vec3_dot(between, axis)) / sine2;
    return true;
}

bool ray_meets_plane(const Ray *ray, Vec3 center, Vec3 normal, Vec3 *point)
{
    float slope = vec3_dot(ray->along, normal);
    if (fabsf(slope) < PARALLEL * vec3_length(ray->along)) return false;
    float t = vec3_dot(vec3_sub(center, ray->from), normal) / slope;
    *point = at(ray, t);
    return t > 0;
}

// Two unit vectors across an axis, right-handed with it.
static void across(Vec3 axis, Vec3 *first, Vec3 *second)
{
    Vec3 other = fabsf(axis.x) < 0.6f ? vec3_make(1, 0, 0) : vec3_make(0, 1, 0);
    *second = vec3_normalize_or(vec3_cross(axis, other), other);
    *first = vec3_cross(*second, axis);
}

bool ray_around_axis(const Ray *ray, Vec3 center, Vec3 axis, float *angle)
{
    Vec3 first, second, point;
    if (!ray_meets_plane(ray, center, axis, &point)) return false;
    across(axis, &first, &second);
    Vec3 away = vec3_sub(point, center);
    *angle = atan2f(vec3_dot(away, second), vec3_dot(away, first));
    return true;
}

// The ray in the thing's own axes, in half lengths.
static Ray within(const Ray *ray, Vec3 center, Mat3 rotation, Vec3 half)
{
    Vec3 unit = vec3_make(1 / half.x, 1 / half.y, 1 / half.z);
    return (Ray){vec3_mul(mat3_apply_transposed(rotation, vec3_sub(ray->from, center)), unit),
                 vec3_mul(mat3_apply_transposed(rotation, ray->along), unit)};
}

bool ray_meets_box(const Ray *ray, Vec3 center, Mat3 rotation, Vec3 half, float *t)
{
    Ray own = within(ray, center, rotation, half);
    const float from[3] = {own.from.x, own.from.y, own.from.z};
    const float along[3] = {own.along.x, own.along.y, own.along.z};
    float enter = 0, leave = INFINITY;
    for (int axis = 0; axis < 3; axis++) {
        if (along[axis] == 0 && fabsf(from[axis]) > 1) return false;
        if (along[axis] == 0) continue;
        float a = (-1 - from[axis]) / along[axis], b = (1 - from[axis]) / along[axis];
        enter = fmaxf(enter, fminf(a, b));
        leave = fminf(leave, fmaxf(a, b));
    }
    *t = enter;
    return enter <= leave;
}

bool ray_meets_ball(const Ray *ray, Vec3 center, Mat3 rotation, Vec3 half, float *t)
{
    Ray own = within(ray, center, rotation, half);
    float a = vec3_dot(own.along, own.along), b = vec3_dot(own.from, own.along);
    float root = b * b - a * (vec3_dot(own.from, own.from) - 1);
    if (root < 0) return false;
    float leave = (-b + sqrtf(root)) / a;
    *t = fmaxf((-b - sqrtf(root)) / a, 0);
    return leave >= 0;
}

float snapped(float value, float step)
{
    return step > 0 ? roundf(value / step) * step : value;
}

// Rodrigues' rotation of a vector.
static Vec3 turned(Vec3 v, Vec3 axis, float angle)
{
    Vec3 along = vec3_scale(axis, vec3_dot(axis, v) * (1 - cosf(angle)));
    return vec3_add(vec3_add(vec3_scale(v, cosf(angle)), vec3_scale(vec3_cross(axis, v), sinf(angle))),
                    along);
}

static Vec3 column(Mat3 m, int k)
{
    return mat3_apply(m, vec3_make(k == 0, k == 1, k == 2));
}

Vec3 rotation_turned(Vec3 degrees, Vec3 axis, float angle)
{
    Mat3 old = mat3_from_euler_degrees(degrees);
    Vec3 x = turned(column(old, 0), axis, angle), y = turned(column(old, 1), axis, angle);
    Vec3 z = turned(column(old, 2), axis, angle), out = {0};
    out.y = asinf(fminf(fmaxf(-x.z, -1), 1));
    if (fabsf(x.z) < 1 - 1e-6f) {
        out.x = atan2f(y.z, z.z);
        out.z = atan2f(x.y, x.x);
    } else {
        out.x = atan2f(-z.y, y.y); // the first axis points up or down: the other two turn about the same one
    }
    return vec3_scale(out, DEGREES);
}

// --- the handles of one thing ---

static Vec3 axis_of(const Handles *handles, Handle handle)
{
    if (handle.kind == HANDLE_SCALE)
        return vec3_scale(column(handles->rotation, handle.axis), (float)handle.side);
    return vec3_make(handle.axis == 0, handle.axis == 1, handle.axis == 2);
}

static float half_of(const Handles *handles, int axis)
{
    return vec3_component(handles->half, axis);
}

Handle handles_at(const Handles *handles, uint32_t k)
{
    for (int axis = 0; axis < 3; axis++) {
        for (int side = -1; side <= 1 && handles->scales[axis]; side += 2) {
            if (k-- == 0) return (Handle){HANDLE_SCALE, axis, side};
        }
    }
    for (int axis = 3; axis >= 0; axis--) {
        if (k-- == 0) return (Handle){HANDLE_MOVE, axis, 0};
    }
    for (int axis = 0; axis < 3 && handles->turns; axis++) {
        if (k-- == 0) return (Handle){HANDLE_TURN, axis, 0};
    }
    return (Handle){0};
}

uint32_t handles_line(const Handles *handles, Handle handle, Vec3 points[HANDLE_POINTS_MAX])
{
    Vec3 first, second, axis = axis_of(handles, handle);
    points[0] = handles->center;
    if (handle.kind == HANDLE_SCALE)
        points[0] = vec3_add(handles->center, vec3_scale(axis, half_of(handles, handle.axis)));
    if (handle.kind == HANDLE_SCALE || handle.axis == 3) return 1;
    points[1] = vec3_add(handles->center, vec3_scale(axis, handles->size));
    if (handle.kind == HANDLE_MOVE) {
        points[0] = vec3_add(handles->center, vec3_scale(axis, 0.15f * handles->size));
        return 2;
    }
    across(axis, &first, &second);
    for (int k = 0; k < HANDLE_POINTS_MAX; k++) {
        float angle = 6.2831853f * (float)k / (HANDLE_POINTS_MAX - 1), radius = RING * handles->size;
        Vec3 away =
            vec3_add(vec3_scale(first, radius * cosf(angle)), vec3_scale(second, radius * sinf(angle)));
        points[k] = vec3_add(handles->center, away);
    }
    return HANDLE_POINTS_MAX;
}

// px between a place and a line from a to b.
static float distance_to_line(const float a[2], const float b[2], float px, float py)
{
    float dx = b[0] - a[0], dy = b[1] - a[1], length2 = dx * dx + dy * dy;
    float share = length2 > 0 ? ((px - a[0]) * dx + (py - a[1]) * dy) / length2 : 0;
    share = fminf(fmaxf(share, 0), 1);
    return hypotf(a[0] + share * dx - px, a[1] + share * dy - py);
}

static float distance_to(const Handles *handles, Handle handle, const View *view, Frame frame, float px,
                         float py)
{
    Vec3 points[HANDLE_POINTS_MAX];
    uint32_t count = handles_line(handles, handle, points);
    float nearest = INFINITY, before[2] = {NAN, NAN};
    for (uint32_t k = 0; k < count; k++) {
        float x, y, depth, now[2] = {NAN, NAN};
        if (view_project(view, points[k], &x, &y, &depth)) {
            now[0] = frame_px(frame, x);
            now[1] = frame_py(frame, y);
        }
        nearest = fminf(nearest, distance_to_line(k > 0 ? before : now, now, px, py));
        before[0] = now[0];
        before[1] = now[1];
    }
    return nearest;
}

Handle handles_pick(const Handles *handles, const View *view, Frame frame, float px, float py, float reach)
{
    Handle found = {0};
    for (uint32_t k = 0; handles_at(handles, k).kind; k++) {
        Handle handle = handles_at(handles, k);
        float distance = distance_to(handles, handle, view, frame, px, py);
        if (!(distance < reach)) continue;
        reach = distance;
        found = handle;
    }
    return found;
}

// --- dragging ---

// Where the ray is on the handle.
static bool grasp(const HandleDrag *drag, const View *view, const Ray *ray, Vec3 *point, float *value)
{
    Vec3 axis = axis_of(&drag->at, drag->handle);
    if (drag->handle.kind == HANDLE_TURN) return ray_around_axis(ray, drag->at.center, axis, value);
    if (drag->handle.kind == HANDLE_MOVE && drag->handle.axis == 3)
        return ray_meets_plane(ray, drag->at.center, view->forward, point);
    return ray_near_axis(ray, drag->at.center, axis, value);
}

bool handle_drag_begin(HandleDrag *drag, const Handles *handles, Handle handle, const View *view,
                       const Ray *ray)
{
    *drag = (HandleDrag){.handle = handle, .at = *handles};
    if (handle.kind && grasp(drag, view, ray, &drag->point, &drag->start)) return true;
    drag->handle.kind = HANDLE_NONE;
    return false;
}

bool handle_drag_to(const HandleDrag *drag, const View *view, const Ray *ray, float step, float turn_step,
                    HandleMove *move)
{
    Vec3 point = {0}, center = drag->at.center;
    float value = 0;
    *move = (HandleMove){0};
    if (!grasp(drag, view, ray, &point, &value)) return false;
    float way = value - drag->start;
    if (drag->handle.kind == HANDLE_TURN) move->angle = snapped(way * DEGREES, turn_step) / DEGREES;
    if (drag->handle.kind == HANDLE_SCALE)
        move->half = fmaxf(snapped(half_of(&drag->at, drag->handle.axis) + way, 0.5f * step),
                           step > 0 ? 0.5f * step : HALF_LEAST * drag->at.size);
    if (drag->handle.kind != HANDLE_MOVE) return true;
    bool free = drag->handle.axis == 3;
    Vec3 axis = axis_of(&drag->at, drag->handle);
    Vec3 goal = vec3_add(center, free ? vec3_sub(point, drag->point) : vec3_scale(axis, way));
    Vec3 grid = vec3_make(snapped(goal.x, step), snapped(goal.y, step), snapped(goal.z, step));
    // Along an arrow nothing moves across it.
    move->offset = vec3_sub(grid, center);
    if (!free) move->offset = vec3_mul(move->offset, axis);
    return true;
}
