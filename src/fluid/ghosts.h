// Periodic sides. Particles near a side have copies (ghosts) beyond the other one, behind the particles in
// memory, so that searches and passes need to know nothing of it: pairs across a side are pairs with ghosts.
// What a pass computes for a ghost is wrong, as it has no neighbors further out, and nobody looks at it:
// before every pass ghosts are made copies of their particles again.
#ifndef PBF_FLUID_GHOSTS_H
#define PBF_FLUID_GHOSTS_H

#include "core/result.h"
#include "fluid/particles.h"
#include "fluid/passes.h"
#include "obstacle/obstacle.h"

#include <stddef.h>
#include <stdint.h>

// A ghost: the particle that it is a copy of, and how far away from it.
typedef struct Ghost {
    uint32_t particle;
    Vec3 shift; // m
} Ghost;

// Those of a step, in an order that depends on positions alone. Zeroed: none.
struct Ghosts {
    Ghost *ghost;
    size_t capacity;
    uint32_t count, room; // how many there are, and may be
    uint32_t particles;   // the first ghost's number
};
void ghosts_free(Ghosts *ghosts);

// Does the tank have periodic sides?
bool ghosts_wanted(const TankDef *tank);

// Makes room for the ghosts of a step in which no particle moves further than `way` (m) before its neighbors
// are looked for. Errors: RESULT_NO_MEMORY.
Result ghosts_reserve(Ghosts *ghosts, Particles *particles, const TankDef *tank, float reach, float way);

// Finds the ghosts of particles at these positions (m, domain coordinates) that somebody may have within
// `reach` (m), and puts their positions behind those of the particles. Error: RESULT_FAILED if particles have
// gone further than there is room for.
Result ghosts_find(Ghosts *ghosts, const TankDef *tank, float reach, Streams3 at, uint32_t count);

// Makes ghosts copies of their particles: all that a pass reads of a neighbor.
void ghosts_refresh(const Ghosts *ghosts, const PassView *view);

// Lets particles that have left through a side in at the other one.
void ghosts_wrap(const TankDef *tank, Particles *particles);

#endif
