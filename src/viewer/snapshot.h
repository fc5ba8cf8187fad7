// A copy of a finished step that outlives the fluid's next one: all that a FrameView shows.
#ifndef PBF_VIEWER_SNAPSHOT_H
#define PBF_VIEWER_SNAPSHOT_H

#include "core/result.h"
#include "diffuse/diffuse.h"
#include "fluid/frame_view.h"
#include "surface/surface.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Zero-initialize; keeps its memory from copy to copy; free with snapshot_free.
typedef struct Snapshot {
    FrameView view;   // its streams and obstacles are the snapshot's
    SurfaceMesh mesh; // of the water's surface, empty if has_mesh is false
    bool has_mesh;
    double mesh_ms;           // time that the mesh took
    void *block;              // of all streams
    size_t capacity;          // particles
    DiffuseParticles diffuse; // whitewater, in a block of its own
    void *diffuse_block;
    size_t diffuse_capacity;
    Obstacles *obstacles; // NULL if the view has none
    Strands *strands;     // NULL if the view has none
    uint64_t fluid;       // whose obstacles and strands they are
} Snapshot;

// Copies the view. fluid: a number that no two fluids share; from the same one obstacles and strands are only
// moved.
// Errors: RESULT_NO_MEMORY; the snapshot is then empty.
Result snapshot_take(Snapshot *snapshot, const FrameView *view, uint64_t fluid);

// Makes the surface of the copied particles as `def` says (its spacing is set here), with its drops. Errors:
// those of surface_reconstruct.
Result snapshot_add_mesh(Snapshot *snapshot, const SurfaceDef *def);

void snapshot_free(Snapshot *snapshot);

#endif
