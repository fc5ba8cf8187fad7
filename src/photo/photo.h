// Pictures by a path tracer, for --style photo: water, glass, bodies and floor in the light of a look. Needs
// no OpenGL.
#ifndef PBF_PHOTO_PHOTO_H
#define PBF_PHOTO_PHOTO_H

#include "core/result.h"
#include "fluid/frame_view.h"
#include "photo/look.h"
#include "surface/surface.h"

#include <stdatomic.h>
#include <stdint.h>

typedef struct PhotoCamera {
    Vec3 eye;                // m
    Vec3 right, up, forward; // unit
    float tan_x, tan_y;      // tangents of half the angles of view
    float lens;              // m, radius; 0: everything is sharp
    float focus;             // m, distance along `forward` of what is sharp
} PhotoCamera;

// What takes the noise out of a picture; see photo/denoise.h.
typedef enum DenoiseKind { DENOISE_OFF, DENOISE_OWN, DENOISE_OIDN, DENOISE_AUTO, DENOISE_KINDS } DenoiseKind;

// How long and how well. Fill with photo_def_default.
typedef struct PhotoDef {
    uint32_t samples;  // of a pixel, at most
    float noise;       // tiles of the picture that have less are done
    double time_limit; // s a picture, of which photons get a part; 0: none
    DenoiseKind denoise;
    uint32_t round;          // samples that a picture gets at a time, refined call by call; 0: all at once
    const atomic_bool *stop; // a call ends soon with RESULT_STOPPED once it is true; NULL: nothing ends it
    // Told after every round of samples; an error ends the picture. NULL: nobody.
    Result (*tell)(uint32_t samples, uint32_t of, float noise, void *context);
    void *context;
} PhotoDef;

PhotoDef photo_def_default(void);

// What is in a picture.
typedef struct PhotoSubject {
    const FrameView *view;
    const SurfaceMesh *mesh; // the water, domain coordinates; NULL: none
    Box3 stage;              // m, what light and floor are arranged around
    bool hide_tank, hide_obstacles;
    float shutter; // s that it is open
} PhotoSubject;

// What a call did.
typedef struct PhotoReport {
    bool rebuilt;     // the stage; false: another round of the picture before
    bool done;        // no further round would add samples
    uint32_t samples; // of a pixel, at most
} PhotoReport;

typedef struct Photo Photo;

// Fails where the program cannot trace rays, RESULT_FAILED, or where the look names a picture of the sky that
// is not one: its errors.
Result photo_check(const LookDef *look);

// The latter alone.
Result photo_check_environment(const LookDef *look);

// Error: RESULT_NO_MEMORY, RESULT_FAILED where the program cannot trace rays.
Result photo_create(Photo **out);
void photo_destroy(Photo *photo); // NULL is allowed

// Takes a picture of width x height pixels. rgb: sRGB, top row first. The same for any number of threads
// unless a time limit ends it. *report may be NULL. With rounds, a call
// with the same frame (a content id that is not 0), camera, look and size goes on with the picture before.
// Errors: those of a sky's file, of def->tell, RESULT_NO_MEMORY, RESULT_STOPPED.
Result photo_take(Photo *photo, const PhotoDef *def, const LookDef *look, const PhotoSubject *subject,
                  const PhotoCamera *camera, uint32_t width, uint32_t height, uint8_t *rgb,
                  PhotoReport *report);

#endif
