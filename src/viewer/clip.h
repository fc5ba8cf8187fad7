// A part of a frame's particles as a frame of its own: some of them, or what lies on one side of a plane.
#ifndef PBF_VIEWER_CLIP_H
#define PBF_VIEWER_CLIP_H

#include "core/result.h"
#include "viewer/snapshot.h"

#include <stdbool.h>

// Memory that is kept from call to call; zero-initialize, free with view_rows_free.
typedef struct ViewRows {
    void *streams;
    size_t capacity; // particles
    uint8_t *keep;
    size_t keep_capacity;
} ViewRows;

// A mark for each of count particles, to be filled by the caller. Errors: RESULT_NO_MEMORY.
Result view_rows_marks(ViewRows *rows, uint32_t count, uint8_t **keep);

// Keeps the particles whose marks are 1, in their order. Its streams are then those of rows and
// stay valid until the next call. Errors: RESULT_NO_MEMORY.
Result view_rows_take(ViewRows *rows, FrameView *view);

// Keeps about one particle in `of` (>= 1), the same ones in every frame of a fluid. The spacing of the view
// grows so that they fill the same volume. Errors: RESULT_NO_MEMORY.
Result view_rows_thin(ViewRows *rows, double of, FrameView *view);

void view_rows_free(ViewRows *rows);

// --- water cut open ---

typedef struct ClipPlane {
    bool on;
    int axis;    // 0 x, 1 y, 2 z; what lies above `place` along it goes
    float place; // m, domain coordinates
} ClipPlane;

// Coordinate of a place along the plane's axis.
float clip_along(const ClipPlane *plane, Vec3 p);

// Is a place (domain coordinates) cut away?
bool clip_hides(const ClipPlane *plane, Vec3 p);

// Memory that cuts keep; zero-initialize, free with clip_free.
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
