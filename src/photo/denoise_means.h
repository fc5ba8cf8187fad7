// Non-local means over the pixels of a film: each becomes the mean of those around it whose surroundings look
// the same, but for noise.
#ifndef PBF_PHOTO_DENOISE_MEANS_H
#define PBF_PHOTO_DENOISE_MEANS_H

#include "core/result.h"
#include "core/vec3.h"

#include <stdatomic.h>
#include <stdint.h>

// What a film knows of each pixel: width * height of each.
typedef struct FilmMeans {
    Vec3 *light, *albedo, *normal; // means over the samples
    float *variance;               // of the mean's luminance
} FilmMeans;

// Takes the noise out of means->light, guided by the others (Buades et al. 2005, with distances in standard
// errors as of Rousselle et al. 2012, "Adaptive rendering with non-local means filtering"). white: light that
// is white in the picture. The same for any number of threads. Ends soon once *stop is true; NULL: never.
// Errors: RESULT_NO_MEMORY, RESULT_STOPPED.
Result denoise_means(const FilmMeans *means, uint32_t width, uint32_t height, float white,
                     const atomic_bool *stop);

#endif
