// Strands: hair, grass or ropes. A strand is a row of particles that keep their distance; it bends, collides
// with bodies, walls and other strands, and is held at its root by the scene or by a body. Lengths are solved
// for at once, as a tridiagonal system, so that a strand hardly stretches whatever hangs on it.
//
// Position based dynamics (Mueller et al. 2007, "Position Based Dynamics") with the direct solution of
// linearized lengths (as Han and Harada 2013, "Tridiagonal matrix formulation for inextensible hair strand
// simulation"), bending as springs against curvature solved implicitly, and collisions by swept edges.
// Positions are domain coordinates (obstacle/obstacle.h). Results do not depend on the number of threads.
#ifndef PBF_STRAND_STRAND_H
#define PBF_STRAND_STRAND_H

#include "core/blocks.h"
#include "core/result.h"
#include "core/vec3.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct Obstacles Obstacles;

typedef enum StrandLayout {
    STRAND_ROPE,   // one from `from` to `to`
    STRAND_MEADOW, // roots at random in the box lo to hi, growing along `direction`
    STRAND_CAP,    // roots at random on a body where it looks along `direction`, growing out of it
} StrandLayout;

typedef enum StrandHold {
    HOLD_NONE,    // it drifts
    HOLD_ROOT,    // the root stays where it is, and the strand swings about it
    HOLD_CLAMPED, // the root keeps its direction, too
    HOLD_BOTH,    // both ends stay where they are
} StrandHold;

// Strands that are alike. strand_params.c has a row for each key.
typedef struct StrandDef {
    char name[64];
    StrandLayout layout;
    Vec3 from, to;     // m
    Vec3 lo, hi;       // m
    Vec3 direction;    // of any length > 0
    float cap_angle;   // degrees, of the cone around `direction`
    char obstacle[64]; // the body that the roots are held by; "": none
    uint32_t count;
    uint32_t seed;     // of what is at random
    float length[2];   // m, shortest and longest; a rope's is the distance of its ends
    uint32_t segments; // of each strand, 1..STRAND_SEGMENTS_MAX
    StrandHold hold;
    float radius;      // m
    float density;     // kg/m^3
    float stiffness;   // N m^2, of bending
    float friction;    // Coulomb coefficient against bodies and walls
    bool self_contact; // strands do not pass through each other
    float drag_time;   // s, in which it takes on the speed of the water around
    float damping;     // 1/s, of its motion
    float color[3];    // linear RGB
} StrandDef;

#define STRAND_SEGMENTS_MAX 256

// What a definition is but for what it says.
#define STRAND_DEF_DEFAULT                                                                                   \
    {                                                                                                        \
        .name = "strands", .direction = {0, 0, 1}, .cap_angle = 180, .count = 1, .length = {0.5f, 0.5f},     \
        .segments = 20, .hold = HOLD_ROOT, .radius = 0.002f, .density = 1000, .friction = 0.2f,              \
        .self_contact = true, .drag_time = 0.05f, .color = {0.1f, 0.16f, 0.03f},                             \
    }

typedef struct Strands Strands;

// Makes the strands of all definitions, straight and at rest, on bodies where they stand. Definitions are
// copied; obstacles may be NULL where none names a body. Errors: RESULT_USAGE "strands.K: what is wrong"
// (a body that is not there; more than 2^31 particles), RESULT_NO_MEMORY.
Result strands_create(const StrandDef *defs, uint32_t count, const Obstacles *obstacles, Strands **out);
void strands_destroy(Strands *strands); // NULL is allowed

// Makes a copy to be shown while the original moves on. Errors: RESULT_NO_MEMORY.
Result strands_copy(const Strands *from, Strands **out);
// Updates such a copy to where the original's particles are. Allocates nothing.
void strands_follow(Strands *copy, const Strands *from);

// What is there now; valid until the next step.
typedef struct StrandView {
    uint32_t strand_count, particle_count, group_count;
    const uint32_t *first; // of each strand, its first particle, the root; and one past the last
    const uint32_t *group; // of each strand, its definition
    const StrandDef *defs;
    const Vec3 *position; // m
    const Vec3 *velocity; // m/s
} StrandView;
StrandView strands_view(const Strands *strands);

// Box around all particles; empty if there are none.
Box3 strands_bounds(const Strands *strands);

// kg, of each particle of a strand.
float strands_mass(const Strands *strands, uint32_t strand);

// A step of the strands.
typedef struct StrandStep {
    double dt;                  // s
    Vec3 gravity;               // m/s^2
    const Obstacles *obstacles; // already moved to the end of the step; may be NULL
    const Vec3 *kick;           // m/s, what else changes each particle's velocity; NULL: nothing
    bool lengths_only;          // for tests: without bodies and contacts
} StrandStep;

// Makes room for a step, which then cannot fail for lack of memory. Errors: RESULT_NO_MEMORY; nothing has
// changed.
Result strands_reserve(Strands *strands);

// Moves strands by one step. Errors: RESULT_NO_MEMORY unless there is room; RESULT_FAILED for a position that
// is not finite.
Result strands_step(Strands *strands, const StrandStep *step);

// Lists positions and velocities for a stored state ("strand_x", "strand_v"), which refers to the strands'
// memory; and takes such a state. Errors: RESULT_USAGE "what is wrong".
void strands_store(const Strands *strands, StateBlocks *blocks);
Result strands_restore(Strands *strands, const StateBlocks *blocks);

// Folds positions and velocities into a hash (core/hash.h).
uint64_t strands_hash(const Strands *strands, uint64_t hash);

#endif
