// Takes the noise out of a picture of few samples, guided by what the paths saw first.
#ifndef PBF_PHOTO_DENOISE_H
#define PBF_PHOTO_DENOISE_H

#include "photo/film.h"

// "off", "own", "oidn", "auto"; NULL past the end.
const char *denoise_name(uint32_t kind);

// Writes the film's light, means over samples, without its noise to light (width * height). OIDN is Intel's
// Open Image Denoise, if the system has it; AUTO takes it then, and else OWN, of denoise_means.h. Ends soon
// once *stop is true; NULL: never. Errors: RESULT_NO_MEMORY, RESULT_STOPPED, RESULT_FAILED if OIDN is asked
// for and missing.
Result denoise(DenoiseKind kind, const Film *film, const atomic_bool *stop, Vec3 *light);

#endif
