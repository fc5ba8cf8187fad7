// Particles as sphere impostors: point sprites on which the sphere is ray-cast per pixel, with occlusion
// culling. Exact in perspective; sprites over the driver's size limit become quads.
#ifndef PBF_RENDER_PARTICLES_H
#define PBF_RENDER_PARTICLES_H

#include "core/result.h"
#include "fluid/frame_view.h"
#include "render/view.h"

#include <stdint.h>

// Drawn radius in spacings: a little over one half, so that water at rest looks closed.
static const float PARTICLE_DRAWN_RADIUS = 0.56f;

// Drawn radius for screen-space water: no gaps between neighbors, however they lie.
static const float PARTICLE_SCREEN_RADIUS = 0.75f;

typedef struct ParticleDrawer ParticleDrawer;

// selective: culls hidden particles before the driver sees them, which pays with a software renderer; the
// picture is the same. Errors: RESULT_FAILED, RESULT_NO_MEMORY. Destroy with the same context current.
Result particle_drawer_create(bool selective, ParticleDrawer **out);
void particle_drawer_destroy(ParticleDrawer *drawer); // NULL is allowed

// Loads the particles to draw: positions, and one value of the field each. The streams belong to the view and
// must stay valid until the last draw. *values (view->count of them) belong to the drawer until the next
// load. radius: drawn radius in spacings. While the view's content id stays, only what differs is loaded.
Result particle_drawer_load(ParticleDrawer *drawer, const FrameView *view, FieldKey field, float radius,
                            const float **values);

float particle_drawer_radius(const ParticleDrawer *drawer); // m

// Draws into the bound geometry buffer of width x height pixels: colors from the map texture over [lo, hi].
Result particle_drawer_draw(ParticleDrawer *drawer, const View *view, uint32_t width, uint32_t height,
                            unsigned colormap, float lo, float hi);

// Draws depths into the bound shadow map of the light.
Result particle_drawer_draw_depth(ParticleDrawer *drawer, const View *light, uint32_t width, uint32_t height);

// Adds to the bound buffer of width x height pixels the length of each pixel's ray through water, in m along
// the view's forward direction: every sphere's chord, times the share of the spheres' volumes that is water.
// solids: depth texture of the same view, behind which nothing counts (0: everything counts; a light's view
// has none).
Result particle_drawer_draw_thickness(ParticleDrawer *drawer, const View *view, uint32_t width,
                                      uint32_t height, unsigned solids);

// Draws the spheres' back sides, where rays leave them, into the bound depth buffer of width x height pixels.
Result particle_drawer_draw_back(ParticleDrawer *drawer, const View *view, uint32_t width, uint32_t height);

#endif
