// Takes photographs on a thread of its own, round by round, while another one goes on and shows them. What is
// asked for takes the place of what was asked for before.
#ifndef PBF_PHOTO_PHOTOGRAPHER_H
#define PBF_PHOTO_PHOTOGRAPHER_H

#include "photo/photo.h"

typedef struct Photographer Photographer;

// wake: called on the photographer's thread when there is something new to look at; NULL: nobody. Errors:
// those of photo_create, RESULT_FAILED without a thread.
Result photographer_create(void (*wake)(void), Photographer **out);
void photographer_destroy(Photographer *photographer); // within 0.2 s; NULL is allowed

// Asks for a picture, as photo_take with rounds does; one that is in the making goes on if it is the same.
// Copies what is on the stage, where that is another one than before; never waits for a picture. def->stop is
// not looked at. Error: RESULT_NO_MEMORY.
Result photographer_ask(Photographer *photographer, const PhotoDef *def, const LookDef *look,
                        const PhotoSubject *subject, const PhotoCamera *camera, uint32_t width,
                        uint32_t height);

// The last round of the picture that was asked for last: *rgb, width * height * 3 bytes as of photo_take,
// stays until the next look; NULL while there is none. Errors: those of photo_take, once.
Result photographer_look(Photographer *photographer, const uint8_t **rgb, PhotoReport *report);

// Nobody looks for a while: what is in the making stops, until it is asked for again.
void photographer_rest(Photographer *photographer);

// Is there a round that nobody has looked at, or an error?
bool photographer_has_news(Photographer *photographer);

#endif
