#include "photo/photo.h"

#include "core/hash.h"
#include "core/memory.h"
#include "photo/denoise.h"
#include "photo/film.h"
#include "photo/look_light.h"
#include "photo/radiance.h"
#include "photo/stage.h"
#include "photo/tone.h"

#include <string.h>

// Photons that are sent for each sample of a pixel.
#define PHOTONS_A_SAMPLE 50000u
#define PHOTONS_LEAST 400000u
#define PHOTONS_MOST 20000000u

#define BLOOM 0.03f

// The sky is kept for the next picture with the same look; stage and film while a picture is refined.
struct Photo {
    LookDef look;
    bool has_sky;
    Sky sky;
    Stage stage;
    Film film;
    uint64_t staged, filmed; // what they are of; 0: nothing that goes on
};

PhotoDef photo_def_default(void)
{
    return (PhotoDef){.samples = 64, .noise = 0.01f, .denoise = DENOISE_AUTO};
}

Result photo_check(const LookDef *look)
{
    TRY(ray_scene_check());
    return look->environment[0] ? radiance_check(look->environment) : result_ok();
}

Result photo_create(Photo **out)
{
    *out = NULL;
    TRY(ray_scene_check());
    *out = memory_allocate_zeroed(sizeof **out);
    return *out ? result_ok() : result_no_memory("the path tracer", sizeof **out);
}

static void photo_forget(Photo *photo)
{
    film_free(&photo->film);
    stage_free(&photo->stage);
    photo->staged = photo->filmed = 0;
}

void photo_destroy(Photo *photo)
{
    if (!photo) return;
    photo_forget(photo);
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

static uint32_t photons_for(const PhotoDef *def)
{
    uint64_t photons = def->round > 0 ? 0 : (uint64_t)def->samples * PHOTONS_A_SAMPLE;
    return photons < PHOTONS_LEAST  ? PHOTONS_LEAST
           : photons > PHOTONS_MOST ? PHOTONS_MOST
                                    : (uint32_t)photons;
}

static Result expose(Photo *photo, const PhotoDef *def, const LookDef *look, const PhotoCamera *camera)
{
    Film *film = &photo->film;
    uint32_t samples = def->samples, had = film_most_samples(film);
    if (def->round > 0 && samples > had + def->round) samples = had + def->round;
    Exposure exposure = {.samples = samples,
                         .noise = def->noise,
                         .scale = look_exposure(look->exposure),
                         .seconds = def->time_limit,
                         .tell = def->tell,
                         .context = def->context};
    film->in_water = scene_in_water(&photo->stage.scene, camera->eye);
    return film_expose(film, &photo->stage.scene, camera, &exposure);
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

// --- what goes on from call to call ---

// 0: nothing does.
static uint64_t stage_key(const PhotoDef *def, const LookDef *look, const PhotoSubject *subject)
{
    if (def->round == 0 || subject->view->content_id == 0) return 0;
    const uint64_t words[2] = {subject->view->content_id,
                               (uint64_t)subject->hide_tank << 1 | (uint64_t)subject->hide_obstacles};
    uint64_t hash = hash_bytes(hash_bytes(HASH_START, words, sizeof words), look, sizeof *look);
    hash = hash_bytes(hash, &subject->stage, sizeof subject->stage);
    return hash_bytes(hash, &subject->shutter, sizeof subject->shutter) | 1;
}

static uint64_t film_key(const PhotoCamera *camera, uint32_t width, uint32_t height)
{
    const uint32_t size[2] = {width, height};
    return hash_bytes(hash_bytes(HASH_START, size, sizeof size), camera, sizeof *camera) | 1;
}

static Result need_stage(Photo *photo, const PhotoDef *def, const LookDef *look, const PhotoSubject *subject,
                         PhotoReport *report)
{
    uint64_t key = stage_key(def, look, subject);
    if (key == 0 || key != photo->staged) {
        photo_forget(photo);
        TRY(need_sky(photo, look));
        TRY(stage_build(look, subject, &photo->sky, &photo->stage));
        TRY(stage_add_caustics(&photo->stage, look, subject->view->spacing, photons_for(def)));
        photo->staged = key;
        report->rebuilt = true;
    }
    return result_ok();
}

static Result need_film(Photo *photo, const PhotoSubject *subject, const PhotoCamera *camera, uint32_t width,
                        uint32_t height)
{
    uint64_t key = film_key(camera, width, height);
    if (photo->filmed == key) return result_ok();
    film_free(&photo->film);
    photo->filmed = 0;
    TRY(film_open(width, height, seed_of(subject->view->time), &photo->film));
    photo->filmed = key;
    return result_ok();
}

static Result take(Photo *photo, const PhotoDef *def, const LookDef *look, const PhotoSubject *subject,
                   const PhotoCamera *camera, uint32_t width, uint32_t height, uint8_t *rgb,
                   PhotoReport *report)
{
    TRY(need_stage(photo, def, look, subject, report));
    TRY(need_film(photo, subject, camera, width, height));
    TRY(expose(photo, def, look, camera));
    report->done = film_is_done(&photo->film, def->samples, def->noise);
    return develop(def, look, &photo->film, rgb);
}

Result photo_take(Photo *photo, const PhotoDef *def, const LookDef *asked, const PhotoSubject *subject,
                  const PhotoCamera *camera, uint32_t width, uint32_t height, uint8_t *rgb,
                  PhotoReport *report)
{
    PhotoReport unused;
    LookDef look = look_resolve(asked);
    if (!report) report = &unused;
    *report = (PhotoReport){0};
    Result result = take(photo, def, &look, subject, camera, width, height, rgb, report);
    if (!result_is_ok(&result) || photo->staged == 0) photo_forget(photo);
    return result;
}
