#include "photo/photo_wish.h"

#include "core/clock.h"
#include "core/hash.h"
#include "core/memory.h"
#include "photo/denoise.h"
#include "photo/film.h"
#include "photo/look_light.h"
#include "photo/radiance.h"
#include "photo/tone.h"

#include <math.h>
#include <string.h>

// Photons that are sent for each sample of a pixel.
#define PHOTONS_A_SAMPLE 50000u
#define PHOTONS_LEAST 400000u
#define PHOTONS_MOST 20000000u

// Of the time that a picture may take, what photons get.
#define PHOTONS_TIME (1.0 / 3)

#define BLOOM 0.03f

// The sky is kept for the next picture with the same look; stage and film while a picture is refined.
struct Photo {
    LookDef look;
    bool has_sky;
    Sky sky;
    Stage stage;
    Film film;
    uint64_t staged, filmed; // what they are of; 0: nothing that goes on
    bool lit;                // the stage is
};

PhotoDef photo_def_default(void)
{
    return (PhotoDef){.samples = 64, .noise = 0.01f, .denoise = DENOISE_AUTO};
}

Result photo_check(const LookDef *look)
{
    TRY(ray_scene_check());
    return photo_check_environment(look);
}

Result photo_check_environment(const LookDef *look)
{
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
    photo->lit = false;
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

static StagePhotons photons_for(const PhotoDef *def)
{
    uint64_t photons = def->round > 0 ? 0 : (uint64_t)def->samples * PHOTONS_A_SAMPLE;
    uint32_t count = photons < PHOTONS_LEAST  ? PHOTONS_LEAST
                     : photons > PHOTONS_MOST ? PHOTONS_MOST
                                              : (uint32_t)photons;
    return (StagePhotons){count, PHOTONS_TIME * def->time_limit};
}

// What is left of a limit since then, s; 0: there is none.
static double time_left(double limit, double begun)
{
    return limit > 0 ? fmax(limit - (clock_seconds() - begun), 1e-9) : 0;
}

static Result expose(Photo *photo, const PhotoWish *wish, double begun)
{
    Film *film = &photo->film;
    const PhotoDef *def = &wish->def;
    uint32_t samples = def->samples;
    if (def->round > 0 && samples > film->exposed + def->round) samples = film->exposed + def->round;
    Exposure exposure = {.samples = samples,
                         .noise = def->noise,
                         .scale = look_exposure(wish->look.exposure),
                         .seconds = time_left(def->time_limit, begun),
                         .stop = def->stop,
                         .tell = def->tell,
                         .context = def->context};
    film->in_water = scene_in_water(&photo->stage.scene, wish->camera.eye);
    return film_expose(film, &photo->stage.scene, &wish->camera, &exposure);
}

static Result develop(const PhotoWish *wish, const Film *film, uint8_t *rgb)
{
    size_t bytes = (size_t)film->width * film->height * sizeof(Vec3);
    const atomic_bool *stop = wish->def.stop;
    Vec3 *light = memory_allocate(bytes);
    if (!light) return result_no_memory("the picture", bytes);
    Tone tone = {.exposure = look_exposure(wish->look.exposure), .bloom = BLOOM};
    Result result = denoise(wish->def.denoise, film, stop, light);
    if (result_is_ok(&result)) result = tone_develop(&tone, light, film->width, film->height, stop, rgb);
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

PhotoWish photo_wish(const PhotoDef *def, const LookDef *look, const PhotoSubject *subject,
                     const PhotoCamera *camera, uint32_t width, uint32_t height)
{
    PhotoWish wish = {.def = *def,
                      .look = look_resolve(look),
                      .camera = *camera,
                      .width = width,
                      .height = height,
                      .time = subject->view->time,
                      .film = film_key(camera, width, height)};
    wish.staged = stage_key(def, &wish.look, subject);
    return wish;
}

Result photo_wish_gather(PhotoWish *wish, const PhotoSubject *subject)
{
    Stage stage;
    TRY(stage_gather(&wish->look, subject, &stage));
    wish->stage = memory_allocate(sizeof stage);
    if (wish->stage)
        *wish->stage = stage;
    else
        stage_free(&stage);
    return wish->stage ? result_ok() : result_no_memory("the stage", sizeof stage);
}

void photo_wish_free(PhotoWish *wish)
{
    if (wish->stage) stage_free(wish->stage);
    memory_free(wish->stage);
    wish->stage = NULL;
}

// The wish's stage takes the place of the one that there is.
static void take_stage(Photo *photo, PhotoWish *wish)
{
    photo_forget(photo);
    photo->stage = *wish->stage;
    photo->staged = wish->staged;
    memory_free(wish->stage);
    wish->stage = NULL;
}

static Result light_stage(Photo *photo, const PhotoWish *wish)
{
    if (photo->lit) return result_ok();
    TRY(need_sky(photo, &wish->look));
    TRY(stage_light(&photo->stage, &wish->look, &photo->sky, photons_for(&wish->def), wish->def.stop));
    photo->lit = true;
    return result_ok();
}

static Result need_film(Photo *photo, const PhotoWish *wish)
{
    if (photo->filmed == wish->film) return result_ok();
    film_free(&photo->film);
    photo->filmed = 0;
    TRY(film_open(wish->width, wish->height, seed_of(wish->time), &photo->film));
    photo->filmed = wish->film;
    return result_ok();
}

static Result fulfil(Photo *photo, PhotoWish *wish, uint8_t *rgb, PhotoReport *report)
{
    double begun = clock_seconds();
    report->rebuilt = wish->stage != NULL;
    if (wish->stage) take_stage(photo, wish);
    TRY(light_stage(photo, wish));
    TRY(need_film(photo, wish));
    TRY(expose(photo, wish, begun));
    report->done = film_is_done(&photo->film, wish->def.samples, wish->def.noise);
    report->samples = photo->film.exposed;
    return develop(wish, &photo->film, rgb);
}

Result photo_fulfil(Photo *photo, PhotoWish *wish, uint8_t *rgb, PhotoReport *report)
{
    PhotoReport unused;
    if (!report) report = &unused;
    *report = (PhotoReport){0};
    Result result = fulfil(photo, wish, rgb, report);
    bool stays = (result_is_ok(&result) || result.code == RESULT_STOPPED) && photo->staged != 0;
    if (!stays) photo_forget(photo);
    return result;
}

Result photo_take(Photo *photo, const PhotoDef *def, const LookDef *look, const PhotoSubject *subject,
                  const PhotoCamera *camera, uint32_t width, uint32_t height, uint8_t *rgb,
                  PhotoReport *report)
{
    PhotoWish wish = photo_wish(def, look, subject, camera, width, height);
    Result result = result_ok();
    if (wish.staged == 0 || wish.staged != photo->staged) {
        photo_forget(photo); // before the next one takes as much memory
        result = photo_wish_gather(&wish, subject);
    }
    if (result_is_ok(&result)) result = photo_fulfil(photo, &wish, rgb, report);
    photo_wish_free(&wish);
    return result;
}
