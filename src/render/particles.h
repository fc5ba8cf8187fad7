// Particles as spheres: which of them a view can see, and drawing those as sprites on which the sphere is
// solved per pixel. Exact in perspective; sprites over the driver's size limit become quads.
#ifndef PBF_RENDER_PARTICLES_H
#define PBF_RENDER_PARTICLES_H

#include "core/result.h"
#include "fluid/frame_view.h"
#include "render/view.h"

#include <stdint.h>

// Drawn radius in spacings: a little over one half, so that water at rest looks closed.
static const float PARTICLE_DRAWN_RADIUS = 0.56f;

// The same for water that is smoothed in the picture: no gaps between neighbours, however they lie.
static const float PARTICLE_SCREEN_RADIUS = 0.75f;

typedef struct ParticleDrawer ParticleDrawer;

// selective: leaves out particles that others hide before the driver sees them, which pays where the
// processor draws; the picture is the same. Errors: RESULT_FAILED, RESULT_NO_MEMORY. Destroy with the same
// context current.
Result particle_drawer_create(bool selective, ParticleDrawer **out);
void particle_drawer_destroy(ParticleDrawer *drawer); // NULL is allowed

// Takes over what is to be drawn: positions, and one value each of the field. The streams stay the view's and
// must stay valid until the last draw. *values (view->count of them) belong to the drawer until the next
// load. radius: drawn radius in spacings. Where the content id of a view stays, only what differs is taken
// over.
Result particle_drawer_load(ParticleDrawer *drawer, const FrameView *view, FieldKey field, float radius,
                            const float **values);

float particle_drawer_radius(const ParticleDrawer *drawer); // m

// Draws into the bound geometry buffer of width x height pixels: colors from the map texture over [lo, hi].
Result particle_drawer_draw(ParticleDrawer *drawer, const View *view, uint32_t width, uint32_t height,
                            unsigned colormap, float lo, float hi);

// Draws depths into the bound shadow map of the light.
Result particle_drawer_draw_depth(ParticleDrawer *drawer, const View *light, uint32_t width, uint32_t height);

// Adds to the bound buffer of width x height pixels how far each pixel's ray runs through water, in m along
// the view's forward direction: every sphere's chord, times the share of the spheres' volumes that is water.
// solids: depth texture of the same view, behind which nothing counts (0: everything counts; a light's view
// has none).
Result particle_drawer_draw_thickness(ParticleDrawer *drawer, const View *view, uint32_t width,
                                      uint32_t height, unsigned solids);

// Draws into the bound depth buffer of width x height pixels where rays leave the spheres.
Result particle_drawer_draw_back(ParticleDrawer *drawer, const View *view, uint32_t width, uint32_t height);

#endif
