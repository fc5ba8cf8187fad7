// How fast particles turn about themselves: the state of micropolar fluids (step_swirls.c), in the particles'
// order.
#ifndef PBF_FLUID_SPINS_H
#define PBF_FLUID_SPINS_H

#include "core/blocks.h"
#include "fluid/particles.h"

typedef struct Spins {
    Streams3 now;    // 1/s
    Streams3 before; // room for a reorder
    Streams3 gain;   // 1/s, in a step
    float *memory;
    size_t stride;  // floats that a stream has room for
    uint32_t count; // particles
} Spins;

// Bytes of a particle that spins.
enum { SPINS_BYTES = 9 * sizeof(float) * 9 / 8 };

// Makes `count` particles spin, those that are new at 0, with room for `ghosts` behind them. 0: forgets them.
// Errors: RESULT_NO_MEMORY; nothing changed then.
Result spins_reserve(Spins *spins, uint32_t count, uint32_t ghosts);
void spins_free(Spins *spins);

// Puts them in a new order of particles, some of which may be gone. order: where each was. Nothing spins:
// nothing happens.
void spins_reorder(Spins *spins, const uint32_t *order, uint32_t count);

// Gives the spin of a particle to a slot no later than its own, and forgets those from `count` on.
void spins_move(Spins *spins, uint32_t to, uint32_t from);
void spins_cut(Spins *spins, uint32_t count);

// Adds them to a state, if there are any.
void spins_store(const Spins *spins, StateBlocks *blocks);

// Those of a state of `count` particles, 0 where it has none. blocks: NULL: nothing spins. Errors:
// RESULT_NO_MEMORY, RESULT_USAGE "spin_x: what is wrong".
Result spins_restore(Spins *spins, const StateBlocks *blocks, uint32_t count);

#endif
