// Whitewater in pictures of water: each of its particles covers a little of the picture, softly and no less
// than a pixel wide, so that many of them are a mist and not beads. Foam counts as lying on the surface;
// bubbles, and what is seen through water, are dimmed by it.
#ifndef PBF_RENDER_WHITEWATER_H
#define PBF_RENDER_WHITEWATER_H

#include "diffuse/diffuse.h"
#include "render/framebuffer.h"
#include "render/studio.h"

typedef struct Whitewater Whitewater;

// Errors: RESULT_FAILED, RESULT_NO_MEMORY. Destroy with the same context current.
Result whitewater_create(Whitewater **out);
void whitewater_destroy(Whitewater *whitewater); // NULL is allowed

// What is around it: depths of samples, of solids and of the water's first front and back.
typedef struct WhitewaterScene {
    const Studio *studio;
    const DiffuseParticles *particles;
    GLuint solid_depth, front_depth, back_depth;
    float spacing; // m, of the water
    float shutter; // s that it is open: what moves is drawn out
} WhitewaterScene;

// Draws over a finished picture. Errors as above.
Result whitewater_draw(Whitewater *whitewater, const WhitewaterScene *scene, const Framebuffer *picture);

#endif
