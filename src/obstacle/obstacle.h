// Boundaries of the fluid: the tank around it and rigid bodies in it, at rest or moving on a prescribed path.
// Shapes are signed distance functions (SDF, negative inside the solid). All positions are domain
// coordinates: meters from the domain's lower corner, z up; with a tank, its inside is [0, size].
#ifndef PBF_OBSTACLE_OBSTACLE_H
#define PBF_OBSTACLE_OBSTACLE_H

#include "core/mat3.h"
#include "core/result.h"
#include "core/vec3.h"
#include "obstacle/mesh.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum TankFace {
    TANK_X_LO,
    TANK_X_HI,
    TANK_Y_LO,
    TANK_Y_HI,
    TANK_Z_LO,
    TANK_Z_HI,
    TANK_FACE_COUNT
} TankFace;

// Inner walls of a container; `present` is false for an unbounded scene. An open face lets fluid out.
typedef struct TankDef {
    bool present;
    Vec3 size; // m, each > 0
    bool open[TANK_FACE_COUNT];
    bool no_slip;     // viscous fluid sticks to the walls
    bool periodic[3]; // along x, y, z: what leaves at one side comes in at the other. Both are open
} TankDef;

typedef enum ShapeKind {
    SHAPE_BOX,      // half_extent
    SHAPE_SPHERE,   // radius
    SHAPE_CYLINDER, // radius, half_height along the local z axis, flat ends
    SHAPE_CAPSULE,  // radius, half_height of the straight part along the local z axis, round ends
    SHAPE_MESH,     // mesh, grid (built from the mesh)
} ShapeKind;

typedef struct Shape {
    ShapeKind kind;
    Vec3 half_extent;  // m
    float radius;      // m
    float half_height; // m
    TriangleMesh mesh; // owned
    DistanceGrid grid; // owned
} Shape;

typedef struct Pose {
    Vec3 position;
    Mat3 rotation; // local to domain
} Pose;

// A pose in double precision: velocities are differences of poses that hardly differ.
typedef struct RigidPose {
    double position[3];    // m
    double rotation[3][3]; // local to domain, row major
} RigidPose;

// A way that was asked for while the fluid is under way (obstacles_lead): evenly from one pose to another, at
// rest before and after.
typedef struct Lead {
    double begin, end; // s, begin < end
    RigidPose from, to;
} Lead;

// A keyframe of a prescribed path: a whole pose, which replaces the body's position and rotation. Between
// keyframes position and Euler angles are interpolated with smooth starts and stops (cubic Hermite,
// Catmull-Rom tangents, zero at both ends of the path); before the first and after the last the body rests.
typedef struct Keyframe {
    double time;   // s, ascending
    Vec3 position; // m
    Vec3 rotation; // degrees about x, then y, then z
} Keyframe;

typedef struct MotionDef {
    enum { MOTION_NONE, MOTION_OSCILLATION, MOTION_KEYFRAMES, MOTION_LEAD } kind;
    // Oscillation: position + amplitude * sin(2 pi (t - start) / period + phase) for t in [start, stop], with
    // rotation likewise; the swing grows (smoothstep) over the first `ramp` seconds so that the start is
    // smooth. Before start and after stop the body rests where it is then.
    Vec3 amplitude;          // m
    Vec3 rotation_amplitude; // degrees
    double period, phase;    // s > 0; degrees
    double start, stop;      // s; stop may be INFINITY
    double ramp;             // s, >= 0
    Keyframe *keyframes;     // owned by the definition
    uint32_t keyframe_count;
    Lead lead;
} MotionDef;

// What a body looks like it is made of, in pictures of the style `photo`.
typedef enum ObstacleMaterial {
    MATERIAL_GLOSSY,
    MATERIAL_MATTE,
    MATERIAL_METAL,
    MATERIAL_GLASS
} ObstacleMaterial;

typedef struct ObstacleDef {
    char name[64];
    Shape shape;
    Vec3 position; // m, of the shape's center (a mesh: of its file's origin)
    Vec3 rotation; // degrees about x, then y, then z
    MotionDef motion;
    float friction;      // Coulomb coefficient, 0..1
    bool no_slip;        // viscous fluid sticks to it
    float contact_angle; // degrees, of the liquid on it; 0: as on the tank's walls
    float color[3];      // linear RGB
    ObstacleMaterial material;
} ObstacleDef;

// Broad-phase structures, which find the bodies near a box. All give the same answers.
typedef enum BroadPhaseKind {
    BROAD_PHASE_BVH,               // a tree of boxes, queried per block of particles: the fastest
    BROAD_PHASE_HIERARCHICAL_HASH, // Pouchol et al. 2009, queried per particle, as there
    BROAD_PHASE_MULTILEVEL_HASH,   // Eitz and Lixu 2007, queried per particle
} BroadPhaseKind;

// The kind's name in scenes; NULL past the end.
const char *broad_phase_name(uint32_t kind);

typedef struct Obstacles Obstacles;

// Makes the set at time 0. Takes the shapes, keyframes and meshes out of `bodies` (ownership moves on
// success; on failure the caller still owns them). wall_friction: of the tank. Errors: RESULT_NO_MEMORY.
Result obstacles_create(TankDef tank, float wall_friction, ObstacleDef *bodies, uint32_t count,
                        Obstacles **out);
void obstacles_destroy(Obstacles *obstacles); // NULL is allowed

// Frees what a definition owns, if its ownership did not move.
void obstacle_def_free(ObstacleDef *body);

// Makes a copy that owns its own mesh, grid and keyframes. Errors: RESULT_NO_MEMORY.
Result obstacle_def_copy(const ObstacleDef *body, ObstacleDef *out);

// Box around the body as it stands at time 0, in the coordinates of its definition.
Box3 obstacle_def_bounds(const ObstacleDef *body);

// Signed distance to it, m; likewise.
float obstacle_def_distance(const ObstacleDef *body, Vec3 point);

// Makes a copy of all bodies as they stand and move now, to be queried while the original moves on;
// obstacles_shapes gives the same for both. Errors: RESULT_NO_MEMORY.
Result obstacles_copy(const Obstacles *from, Obstacles **out);

// Updates the bodies of a copy to where those of the original are now, moving as they do: queries then give
// what the original's give. Allocates nothing.
void obstacles_follow(Obstacles *copy, const Obstacles *from);

// Chooses the broad phase; a new set has BROAD_PHASE_BVH. Errors: RESULT_NO_MEMORY, after which
// BROAD_PHASE_BVH is in use again.
Result obstacles_set_broad_phase(Obstacles *obstacles, BroadPhaseKind kind);
BroadPhaseKind obstacles_broad_phase(const Obstacles *obstacles);

// Moves all bodies from their poses at t0 to those at t1 >= t0 (s). t0 == t1 puts them at rest there.
// Allocates nothing, except when a hash grows. Errors: RESULT_NO_MEMORY.
Result obstacles_move(Obstacles *obstacles, double t0, double t1);

// Undoes the last move with its shifts: bodies are as after the move before it, from t0 to t1. Errors:
// RESULT_NO_MEMORY, never if a hash has not grown since.
Result obstacles_move_back(Obstacles *obstacles, double t0, double t1);

// From the next move's end on, the body is `offset` (m) further from where its definition puts it.
void obstacles_shift(Obstacles *obstacles, uint32_t body, Vec3 offset);

// How far a body is from where its definition puts it (m): before the last move, and after it.
void obstacles_shifts(const Obstacles *obstacles, uint32_t body, Vec3 shifts[2]);

// Makes the next move one between these two; it also moves bodies that rest.
void obstacles_set_shifts(Obstacles *obstacles, uint32_t body, const Vec3 shifts[2]);

// From now on the body moves as `lead` says, instead of how its definition says; shifts come on top. The lead
// begins at the end of the last move, where the body is then.
void obstacles_lead(Obstacles *obstacles, uint32_t body, const Lead *lead);

// m/s: how fast any point of a body that is led at most is after time t (s).
double obstacles_lead_speed(const Obstacles *obstacles, double t);

uint32_t obstacles_count(const Obstacles *obstacles); // of bodies, which are numbered from 0

// Identifies the set's shapes: not 0, unique among the sets that this process has made, except that copies
// share it.
uint64_t obstacles_shapes(const Obstacles *obstacles);

// Definitions that the set was made from; a body's definition remains owned by the set.
const ObstacleDef *obstacles_body(const Obstacles *obstacles, uint32_t body);
TankDef obstacles_tank(const Obstacles *obstacles);
float obstacles_wall_friction(const Obstacles *obstacles);
Pose obstacles_pose(const Obstacles *obstacles, uint32_t body); // at t1 of the last move
Box3 obstacles_box(const Obstacles *obstacles, uint32_t body);  // around the body in that pose

// What the body encloses, m^3; of a mesh parts that overlap count each.
double obstacle_volume(const Obstacles *obstacles, uint32_t body);

// Box around everywhere the body is between t0 and t1 of the last move.
Box3 obstacles_bounds(const Obstacles *obstacles, uint32_t body);

// Whether the body is a box whose sides lie along the axes at t1, to a thousandth of their length.
bool obstacle_is_straight(const Obstacles *obstacles, uint32_t body);

// Broad phase: writes the numbers of the bodies whose swept bounds touch `box` to out, ascending, the first
// `capacity` of them; returns how many there are (may exceed capacity). Thread-safe.
uint32_t obstacles_touching(const Obstacles *obstacles, Box3 box, uint32_t *out, uint32_t capacity);

// The point of a body's surface nearest to a point in space, at t1.
typedef struct SurfacePoint {
    float distance;  // m, negative inside the body
    Vec3 normal;     // unit, out of the body
    Vec3 velocity;   // m/s of the body at the point in space, as if it reached so far, from the last move
    float thickness; // m of solid behind the surface along -normal; INFINITY when not known
} SurfacePoint;
SurfacePoint obstacle_surface(const Obstacles *obstacles, uint32_t body, Vec3 point);

// A side of a solid: all of it is behind the plane at `distance` (m, negative behind it) of a point, and not
// further behind than `thickness` (m).
typedef struct SolidSide {
    Vec3 normal; // unit, out of the body
    float distance, thickness;
} SolidSide;
#define SOLID_SIDES_MAX 3

// The sides that face a point, at t1, of a body that has edges: between them is all of a box; of a cylinder
// the curved side counts as the plane that touches it. Returns how many; 0 for shapes without edges, and for
// meshes, whose edges are not known.
uint32_t obstacle_sides(const Obstacles *obstacles, uint32_t body, Vec3 point,
                        SolidSide out[SOLID_SIDES_MAX]);

// Signed distance alone, m.
float obstacle_distance(const Obstacles *obstacles, uint32_t body, Vec3 point);

// Continuous collision detection: does a point that was at `from` at t0 and would be at `to` at t1 run into
// the body on the way? Both ends are seen from the moving body, so a plate that sweeps over a resting point
// counts. If so *stop is where, in domain coordinates at t1, the point first comes within `clearance` (m, >=
// 0) of the surface, and *normal the surface's normal there; what is left of the way, from *stop to `to`, may
// still slide along the surface. A point that starts within the clearance is stopped only where it would
// enter the solid itself, so it may move away or along, yet not pass through; one that starts inside the
// solid is never a hit: both are left to obstacle_surface.
bool obstacle_sweep(const Obstacles *obstacles, uint32_t body, Vec3 from, Vec3 to, float clearance,
                    Vec3 *stop, Vec3 *normal);

// m/s, of the body at a point in space, as if it reached so far, from the last move. Thread-safe.
Vec3 obstacle_velocity(const Obstacles *obstacles, uint32_t body, Vec3 point);

// The most (m) that a point at rest in the box moves by for the body, which moves meanwhile.
float obstacle_rest_way(const Obstacles *obstacles, uint32_t body, Box3 box);

// Smallest signed distance to any body, and to the tank's closed walls (negative outside the tank); INFINITY
// if there are none.
float obstacles_distance(const Obstacles *obstacles, Vec3 point);

// Whether a body, other than the tank, covers the point or lies within distance (m, >= 0) of it.
bool obstacles_within(const Obstacles *obstacles, Vec3 point, float distance);

#endif
