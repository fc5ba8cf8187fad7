// What whitewater is made of; shared by the files of this folder.
#ifndef PBF_DIFFUSE_DIFFUSE_STATE_H
#define PBF_DIFFUSE_DIFFUSE_STATE_H

#include "diffuse/diffuse.h"
#include "diffuse/velocity_field.h"

enum {
    DIFFUSE_STREAM_BYTES = 4,                                        // of a particle
    DIFFUSE_BYTES = DIFFUSE_STREAM_COUNT * DIFFUSE_STREAM_BYTES + 1, // with whether it is dead
};

// What a step leaves for the next one has to be in its stored state, too.
struct Diffuse {
    DiffuseDef def;
    DiffuseParticles particles;
    uint32_t next_id;
    // scratch
    VelocityField field;
    uint8_t *dead; // of each
    double *sums;  // of blocks of water: births
    size_t sums_capacity;
    uint32_t *begins; // of the same blocks: where those born of them go
    size_t begins_capacity;
};

// Below this part of the water that there could be around it, it is spray; above the other one a bubble.
// Published: 6 and 20 of about 30 neighbors.
#define SPRAY_BELOW 0.2f
#define BUBBLE_ABOVE 0.67f

static inline DiffuseClass diffuse_class_of(float share)
{
    return share < SPRAY_BELOW ? DIFFUSE_SPRAY : share > BUBBLE_ABOVE ? DIFFUSE_BUBBLE : DIFFUSE_FOAM;
}

// The water around a place (domain coordinates, m).
typedef struct Surroundings {
    float share;   // of the space that bodies leave, that water fills; about 1 inside
    Vec3 velocity; // m/s, of that water; 0 without any
} Surroundings;

// Needs the field. body: the bodies within the influence radius.
Surroundings diffuse_look(const Diffuse *diffuse, const FrameView *view, Vec3 at, const uint32_t *body,
                          uint32_t bodies);

// Numbers of the bodies that touch the box around two places, an influence radius wider.
#define NEAR_BODIES 8u
uint32_t diffuse_bodies_near(const FrameView *view, Vec3 a, Vec3 b, uint32_t body[NEAR_BODIES]);

// A particle under way (domain coordinates, m; m/s).
typedef struct Flight {
    Vec3 from, at, velocity;
    bool touched; // a surface
} Flight;

// Ends the way at the surface of bodies and of the tank's walls, which take most of the speed towards them;
// sides that repeat themselves take it up. body: those near the way.
void diffuse_keep_out(const FrameView *view, const uint32_t *body, uint32_t bodies, Flight *flight);

// Moves and ages all, and removes those that end.
void diffuse_move(Diffuse *diffuse, const DiffuseStep *step, const FrameView *view);

// How many the potentials ask for in this step; adds them to the totals.
double diffuse_expect(Diffuse *diffuse, const DiffuseStep *step, const FrameView *view);

// Adds as many as diffuse_expect said, fewer where room is short. Needs the field.
void diffuse_bear(Diffuse *diffuse, const DiffuseStep *step, const FrameView *view, double expected);

#endif
