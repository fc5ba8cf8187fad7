// A picture that is asked for by one thread and taken by another: what photo_take is given, with a copy of
// what is on the stage, so that frame and mesh may go.
#ifndef PBF_PHOTO_PHOTO_WISH_H
#define PBF_PHOTO_PHOTO_WISH_H

#include "photo/photo.h"
#include "photo/stage.h"

typedef struct PhotoWish {
    PhotoDef def;
    LookDef look; // resolved
    PhotoCamera camera;
    uint32_t width, height;
    double time;     // s, of the frame
    uint64_t staged; // of the stage: equal for equal ones; 0: for none
    uint64_t film;   // of the film, likewise
    Stage *stage;    // owned; NULL: that of the picture before
} PhotoWish;

// As photo_take is called. Without a stage: photo_wish_gather copies it. Free with photo_wish_free.
// Error: RESULT_NO_MEMORY.
PhotoWish photo_wish(const PhotoDef *def, const LookDef *look, const PhotoSubject *subject,
                     const PhotoCamera *camera, uint32_t width, uint32_t height);
Result photo_wish_gather(PhotoWish *wish, const PhotoSubject *subject);
void photo_wish_free(PhotoWish *wish);

// Takes the picture, or its next round, and the wish's stage. Without one, the photo has it from the wish
// before with the same `staged`. *report may be NULL. Errors: as photo_take; after RESULT_STOPPED the same
// wish goes on where it was, without a stage, with the same bits.
Result photo_fulfil(Photo *photo, PhotoWish *wish, uint8_t *rgb, PhotoReport *report);

#endif
