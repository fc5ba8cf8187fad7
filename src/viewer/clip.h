// Water cut open: what lies on one side of a plane.
#ifndef PBF_VIEWER_CLIP_H
#define PBF_VIEWER_CLIP_H

#include "core/result.h"
#include "viewer/snapshot.h"
#include "viewer/view_rows.h"

#include <stdbool.h>

typedef struct ClipPlane {
    bool on;
    int axis;    // 0 x, 1 y, 2 z; what lies above `place` along it goes
    float place; // m, domain coordinates
} ClipPlane;

// Is a place (domain coordinates) cut away?
bool clip_hides(const ClipPlane *plane, Vec3 p);

// Memory that cuts keep; zero-initialise, free with clip_free.
typedef struct Clip {
    ViewRows rows;
    uint32_t (*triangles)[3];
    size_t triangle_capacity;
    SurfaceMesh mesh; // shares all but the triangles with the snapshot's
} Clip;

// The part of a snapshot that a plane leaves; *view and *mesh (NULL if the snapshot has none) stay valid
// until the next call and while the snapshot does. Errors: RESULT_NO_MEMORY.
Result clip_apply(Clip *clip, const ClipPlane *plane, const Snapshot *snapshot, FrameView *view,
                  const SurfaceMesh **mesh);

void clip_free(Clip *clip);

#endif
