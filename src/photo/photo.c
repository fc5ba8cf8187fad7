#include "photo/photo.h"

#include "core/clock.h"
#include "core/hash.h"
#include "core/memory.h"
#include "photo/denoise.h"
#include "photo/film.h"
#include "photo/look_light.h"
#include "photo/stage.h"
#include "photo/tone.h"

#include <string.h>

// Photons that are sent for each sample of a pixel.
#define PHOTONS_A_SAMPLE 50000u
#define PHOTONS_LEAST 400000u
#define PHOTONS_MOST 20000000u

#define BLOOM 0.03f

// The sky is kept for the next picture with the same look.
struct Photo {
    LookDef look;
    bool has_sky;
    Sky sky;
};

PhotoDef photo_def_default(void)
{
    return (PhotoDef){.samples = 64, .noise = 0.01f, .denoise = DENOISE_AUTO};
}

Result photo_check(void)
{
    return ray_scene_check();
}

Result photo_create(Photo **out)
{
    *out = NULL;
    TRY(photo_check());
    *out = memory_allocate_zeroed(sizeof **out);
    return *out ? result_ok() : result_no_memory("the path tracer", sizeof **out);
}

void photo_destroy(Photo *photo)
{
    if (!photo) return;
    sky_free(&photo->sky);
    memory_free(photo);
}

static Result need_sky(Photo *photo, const LookDef *look)
{
    if (photo->has_sky && memcmp(&photo->look, look, sizeof *look) == 0) return result_ok();
    sky_free(&photo->sky);
    photo->has_sky = false;
    TRY(look_sky(look, look_toward_sun(look), &photo->sky));
    photo->look = *look;
    photo->has_sky = true;
    return result_ok();
}

static uint32_t photons_for(uint32_t samples)
{
    uint64_t photons = (uint64_t)samples * PHOTONS_A_SAMPLE;
    return photons < PHOTONS_LEAST  ? PHOTONS_LEAST
           : photons > PHOTONS_MOST ? PHOTONS_MOST
                                    : (uint32_t)photons;
}

// Processor seconds since the last call.
static double lap(double *clock)
{
    double now = clock_processor_seconds(), taken = now - *clock;
    *clock = now;
    return taken;
}

static Result expose(const PhotoDef *def, const LookDef *look, const Stage *stage, const PhotoCamera *camera,
                     Film *film)
{
    Exposure exposure = {.samples = def->samples,
                         .noise = def->noise,
                         .scale = look_exposure(look->exposure),
                         .seconds = def->time_limit,
                         .tell = def->tell,
                         .context = def->context};
    film->in_water = path_in_water(&stage->scene, camera->eye);
    return film_expose(film, &stage->scene, camera, &exposure);
}

static Result develop(const PhotoDef *def, const LookDef *look, const Film *film, uint8_t *rgb)
{
    size_t bytes = (size_t)film->width * film->height * sizeof(Vec3);
    Vec3 *light = memory_allocate(bytes);
    if (!light) return result_no_memory("the picture", bytes);
    Tone tone = {.exposure = look_exposure(look->exposure), .bloom = BLOOM};
    Result result = denoise(def->denoise, film, light);
    if (result_is_ok(&result)) result = tone_develop(&tone, light, film->width, film->height, rgb);
    memory_free(light);
    return result;
}

// Another moment has other noise, which a film shows as grain.
static uint32_t seed_of(double time)
{
    return (uint32_t)hash_bytes(HASH_START, &time, sizeof time);
}

Result photo_take(Photo *photo, const PhotoDef *def, const LookDef *asked, const PhotoSubject *subject,
                  const PhotoCamera *camera, uint32_t width, uint32_t height, uint8_t *rgb,
                  PhotoReport *report)
{
    Stage stage = {0};
    Film film = {0};
    PhotoReport unused;
    LookDef look = look_resolve(asked);
    double clock = clock_processor_seconds();
    if (!report) report = &unused;
    *report = (PhotoReport){0};
    TRY(need_sky(photo, &look));
    TRY(stage_build(&look, subject, &photo->sky, &stage));
    report->triangles = stage.mesh[0].triangle_count + stage.mesh[1].triangle_count;
    report->build_seconds = lap(&clock);
    Result result = stage_add_caustics(&stage, &look, subject->view->spacing, photons_for(def->samples));
    report->caustics_seconds = lap(&clock);
    if (result_is_ok(&result)) result = film_open(width, height, seed_of(subject->view->time), &film);
    if (result_is_ok(&result)) result = expose(def, &look, &stage, camera, &film);
    report->path_seconds = lap(&clock);
    if (result_is_ok(&result)) {
        report->noise = film_noise(&film);
        result = develop(def, &look, &film, rgb);
    }
    report->develop_seconds = lap(&clock);
    film_free(&film);
    stage_free(&stage);
    return result;
}
