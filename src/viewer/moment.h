// A state of the water that the window can return to, packed where memory is short.
#ifndef PBF_VIEWER_MOMENT_H
#define PBF_VIEWER_MOMENT_H

#include "core/blocks.h"
#include "fluid/fluid.h"
#include "scene/shared_scene.h"

typedef struct Moment {
    double time;        // s, simulated
    uint32_t frame;     // the last one that was reached
    bool between;       // it is later than that frame
    uint64_t steps;     // since the scene was started
    bool touched;       // the user has acted on the water since the moment before
    SharedScene *scene; // held
    FluidDef fluid;     // its settings,
    uint32_t changed;   // and those of them that the user has changed: as Sides.changed
    StateBlocks state;  // owned; empty while it is packed
    void *packed;       // owned; NULL while it is not
    size_t packed_bytes;
    size_t bytes; // that it takes
    uint32_t run; // of the history
} Moment;

void moment_free(Moment *moment); // NULL is allowed

// Is there something to pack?
bool moment_can_pack(const Moment *moment);

// Packs the state, which then takes a third to a half of the bytes. Errors: RESULT_NO_MEMORY; the moment is
// then as it was.
Result moment_pack(Moment *moment);

// The state as numbers: the moment's own, or those of *unpacked, which is freed with blocks_free. Errors:
// RESULT_NO_MEMORY.
Result moment_open(const Moment *moment, StateBlocks *unpacked, const StateBlocks **out);

#endif
