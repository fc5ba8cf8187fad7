// The film of a camera: samples of all pixels, taken in rounds, in tiles that stop when they are clear.
#ifndef PBF_PHOTO_FILM_H
#define PBF_PHOTO_FILM_H

#include "core/result.h"
#include "photo/path.h"
#include "photo/photo.h"
#include "photo/stop.h"

// Scaled luminance above this is white, whatever its noise.
#define FILM_WHITE 8.0f

// Sums over the samples of a pixel.
typedef struct FilmPixel {
    Vec3 light;
    float square; // of luminance, scaled as the exposure says, each sample's at most FILM_WHITE
    Vec3 albedo, normal;
} FilmPixel;

typedef struct Film {
    uint32_t width, height; // px
    FilmPixel *pixel;
    uint32_t tiles_x, tiles_y;
    uint32_t *samples; // of each tile's pixels
    float *noise;      // of each tile; see film_noise
    uint32_t seed;
    SamplerTable *points; // that all pixels draw by
    bool in_water;        // the eye
    float scale;          // of light in `square`, that of the exposure
    uint32_t exposed; // samples of pixels that are not clear yet, of rounds that are done; after a stop, some
                      // have more
} Film;

// Starts an empty film. Error: RESULT_NO_MEMORY. Free with film_free.
Result film_open(uint32_t width, uint32_t height, uint32_t seed, Film *out);
void film_free(Film *film); // zeroed is allowed

// How much a film is exposed.
typedef struct Exposure {
    uint32_t samples; // of a pixel, at most
    float noise;      // a tile is done below this; 0: it takes all samples
    float scale;      // of light: what becomes 1 is white
    double seconds;   // ends after the first round that passes it; 0: no limit
    // Ends within some tiles once it is true; the next exposure goes on there. NULL: nothing does.
    const atomic_bool *stop;
    // Told after every round; an error ends the exposure. NULL: nobody.
    Result (*tell)(uint32_t samples, uint32_t of, float noise, void *context);
    void *context;
} Exposure;

// Adds samples. The result does not depend on threads, nor on stops in between, except where `seconds` ends
// it. Errors: those of `tell`, RESULT_STOPPED.
Result film_expose(Film *film, const PathScene *scene, const PhotoCamera *camera, const Exposure *exposure);

// Would film_expose with these add nothing?
bool film_is_done(const Film *film, uint32_t samples, float noise);

// Mean over the pixels of the standard error of luminance over luminance + 0.05, both scaled.
float film_noise(const Film *film);

// Samples of a pixel.
uint32_t film_samples(const Film *film, uint32_t x, uint32_t y);

#endif
