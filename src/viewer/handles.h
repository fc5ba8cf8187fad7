// Geometry of handles that move, turn and scale a thing: where the mouse's ray meets axes, planes and rings,
// without a window. Lengths in m, angles in radians unless they are a scene's (degrees).
#ifndef PBF_VIEWER_HANDLES_H
#define PBF_VIEWER_HANDLES_H

#include "core/mat3.h"
#include "render/view.h"
#include "viewer/frame.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct Ray {
    Vec3 from, along; // along: of any length
} Ray;

// The ray through a point of the picture, x and y from -1 to 1.
Ray ray_through(const View *view, float x, float y);

// Where an axis through `center` (along: a unit vector) comes nearest to a ray: *t from the center. False if
// the ray runs along the axis.
bool ray_near_axis(const Ray *ray, Vec3 center, Vec3 axis, float *t);

// Where a ray meets a plane in front of it. False if it does not.
bool ray_meets_plane(const Ray *ray, Vec3 center, Vec3 normal, Vec3 *point);

// The angle about an axis at which a ray meets the plane across it, right-handed, from a direction that
// depends on the axis alone. False if the plane is seen from its edge.
bool ray_around_axis(const Ray *ray, Vec3 center, Vec3 axis, float *angle);

// How far along a ray (in its own length) it enters a box or an ellipsoid with these half axes; 0 from
// within. False if it passes.
bool ray_meets_box(const Ray *ray, Vec3 center, Mat3 rotation, Vec3 half, float *t);
bool ray_meets_ball(const Ray *ray, Vec3 center, Mat3 rotation, Vec3 half, float *t);

// The nearest multiple of a step; the value itself if the step is 0.
float snapped(float value, float step);

// A scene's rotation (degrees about x, then y, then z) after a further turn about an axis of the scene.
Vec3 rotation_turned(Vec3 degrees, Vec3 axis, float angle);

// --- the handles of one thing ---

typedef enum HandleKind { HANDLE_NONE, HANDLE_MOVE, HANDLE_TURN, HANDLE_SCALE } HandleKind;

typedef struct Handle {
    HandleKind kind;
    int axis; // 0 to 2: of the scene for moving and turning, of the thing for scaling; MOVE 3: across the
              // line of sight
    int side; // SCALE: of the thing, -1 or 1
} Handle;

enum { HANDLE_POINTS_MAX = 49 };

typedef struct Handles {
    Vec3 center;   // of the thing
    Mat3 rotation; // of the thing to the scene
    Vec3 half;     // its half lengths
    bool turns, scales[3];
    float size; // of arrows
} Handles;

// The k-th handle; its kind is HANDLE_NONE past the last.
Handle handles_at(const Handles *handles, uint32_t k);

// Its line: an arrow's two ends, a ring, a single point. Returns the number of points.
uint32_t handles_line(const Handles *handles, Handle handle, Vec3 points[HANDLE_POINTS_MAX]);

// The handle of a picture nearest to a place of the window, within `reach` px; HANDLE_NONE if there is none.
Handle handles_pick(const Handles *handles, const View *view, Frame frame, float px, float py, float reach);

// A drag: the handles as they were, and where the ray met the handle.
typedef struct HandleDrag {
    Handle handle; // HANDLE_NONE: there is none
    Handles at;
    Vec3 point;
    float start; // place on an axis, or angle
} HandleDrag;

// False, without a drag, if the ray cannot grasp it.
bool handle_drag_begin(HandleDrag *drag, const Handles *handles, Handle handle, const View *view,
                       const Ray *ray);

// Outcome of a drag so far.
typedef struct HandleMove {
    Vec3 offset; // MOVE
    float angle; // TURN
    float half;  // SCALE: the new half length along the axis, above 0
} HandleMove;

// step: m, that the center or a whole length is snapped to; turn_step: degrees, likewise of turns; 0: none.
// False where the ray does not tell.
bool handle_drag_to(const HandleDrag *drag, const View *view, const Ray *ray, float step, float turn_step,
                    HandleMove *move);

#endif
