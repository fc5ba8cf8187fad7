// Pictures, for those alone and for those of frames.
#ifndef PBF_LIBRARY_PICTURES_H
#define PBF_LIBRARY_PICTURES_H

#include "library/handles.h"
#include "render/cells.h"
#include "render/gl_context.h"
#include "render/render.h"

struct pbf_picture {
    pbf_context *context;
    RenderDef def;
    char method[32]; // of the scene's neighbor search
    float radius;    // m, of that
    bool borrowed;   // of frames, which destroy it
    GlContext *gl;
    Renderer *renderer;
    Cells cells;
    uint8_t *rgb;
    pbf_samples_callback on_samples;
    void *user;
};

// Notes it where the legend does not fit into the picture. Errors: RESULT_FAILED without OpenGL,
// RESULT_NO_MEMORY.
Result pictures_create(pbf_context *context, const SceneDef *scene, pbf_picture **out);
void pictures_destroy(pbf_picture *picture); // NULL is allowed

// Draws to picture->rgb. mesh: of the water, domain coordinates, where the style needs it. Errors: those of
// the renderer; RESULT_STOPPED.
Result pictures_draw(pbf_picture *picture, const FrameView *view, const SurfaceMesh *mesh);

// Errors: those of cells_open.
Result pictures_show_cells(pbf_picture *picture, bool shown);

#endif
