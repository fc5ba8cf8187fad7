// Layers of the water's surface in a view: where rays first enter the water, where they leave it, and how
// much water lies in between.
#ifndef PBF_RENDER_WATER_LAYERS_H
#define PBF_RENDER_WATER_LAYERS_H

#include "core/result.h"
#include "render/framebuffer.h"
#include "render/gl_program.h"
#include "render/mesh_draw.h"
#include "render/view.h"

// Buffers of one size, except the thickness of water from particles, which may be smaller. Normals are
// stored as n / 2 + 1/2.
typedef struct WaterLayers {
    Framebuffer front;     // normal and depth of the first surface that faces the view
    Framebuffer back;      // normal and depth of the first that faces away; may be absent
    Framebuffer thickness; // m along the view's forward direction, summed over all water; may be absent
} WaterLayers;

enum { WATER_BACK = 1, WATER_THICKNESS = 2 };

// parts: sum of WATER_BACK and WATER_THICKNESS. Errors: RESULT_FAILED, RESULT_NO_MEMORY; *out is then empty.
Result water_layers_create(WaterLayers *out, uint32_t width, uint32_t height, int parts);
void water_layers_destroy(WaterLayers *layers); // a zeroed one is allowed

typedef struct WaterPrograms {
    GlProgram surface, thickness, second;
} WaterPrograms;

Result water_programs_create(WaterPrograms *out);
void water_programs_destroy(WaterPrograms *programs);

// Draws the layers that exist from a closed mesh. solids: depth texture of the solids, of the layers' size;
// only water in front of them counts; 0: all water counts. The thickness is the sum over all faces of their
// distance, negative for faces toward the view, so it is exact for any closed mesh.
void water_layers_draw_mesh(const WaterLayers *layers, const WaterPrograms *programs, const MeshDrawer *mesh,
                            const View *view, GLuint solids);

// Draws into `second` (normal and depth, one pixel for `samples` of the layers' along each axis) the first
// surface that faces the view more than `gap` (m) behind the layers' back.
void water_layers_draw_second(const WaterLayers *layers, const WaterPrograms *programs,
                              const MeshDrawer *mesh, const View *view, uint32_t samples, float gap,
                              const Framebuffer *second);

#endif
