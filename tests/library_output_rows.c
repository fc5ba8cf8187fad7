// Rows of the functions of pbf_output.h that need no OpenGL: frames, images, films and comparisons.
#include "case_helpers.h"
#include "library_helpers.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const pbf_result good = {PBF_OK, ""};

// --- frames ---

static const char *const frame_formats[] = {"ply", "mesh_ply", "obstacles_ply", "usda", "ply"};

// Files alone, which need no OpenGL. path: room for the folder's.
static pbf_frames_def frames_def(char path[320])
{
    snprintf(path, 320, "%s/frames", folder);
    return (pbf_frames_def){.size = sizeof(pbf_frames_def),
                            .folder = path,
                            .formats = frame_formats,
                            .format_count = 5,
                            .no_pictures = 1};
}

static pbf_result create_frames(LibraryKit *kit, pbf_frames **made)
{
    char path[320];
    const pbf_frames_def def = frames_def(path);
    return pbf_frames_create(kit->scene, &def, made);
}

// Definitions that no call takes; returns false past the last.
static bool bad_frames_def(uint32_t k, char path[320], pbf_frames_def *out)
{
    static const char *const odd[][2] = {
        {NULL, NULL}, {"", NULL}, {"stl", NULL}, {"diffuse_ply", NULL}, {"strands_vtp", NULL}};
    *out = frames_def(path);
    if (k < 3) return out->size = (const size_t[]){0, 3, SIZE_MAX}[k], true;
    if ((k -= 3) < 5) return out->formats = odd[k], out->format_count = 1, true;
    switch (k - 5) {
    case 0:
        return out->formats = NULL, true;
    case 1:
        return out->format_count = UINT32_MAX, true;
    case 2:
        return out->folder = NULL, true; // formats want one
    case 3:
        return out->folder = "", true;
    case 4:
        return out->folder = "-", true;
    case 5:
        return out->film = "film.mp4", true; // without pictures
    case 6:
        return out->first = UINT32_MAX, true;
    case 7:
        return out->up = "x", true;
    }
    return false;
}

static bool wrong_frames_create(LibraryKit *kit, uint32_t k, pbf_result *out)
{
    char path[320];
    pbf_frames *made;
    pbf_frames_def bad, def = frames_def(path);
    WRONG(pbf_frames_create(NULL, &def, &made));
    WRONG(pbf_frames_create(kit->scene, NULL, &made));
    WRONG(pbf_frames_create(kit->scene, &def, NULL));
    for (uint32_t n = 0; bad_frames_def(n, path, &bad); n++)
        WRONG(pbf_frames_create(kit->scene, &bad, &made));
    return false;
}

static pbf_result right_frames_create(LibraryKit *kit)
{
    pbf_frames *made;
    pbf_result result = create_frames(kit, &made);
    assert_true(!made == (result.code != PBF_OK));
    assert_true(!pbf_frames_picture(made) && !pbf_frames_picture(NULL));
    pbf_frames_destroy(made);
    pbf_frames_destroy(NULL);
    return result;
}

static bool wrong_frames_add(LibraryKit *kit, uint32_t k, pbf_result *out)
{
    const uint32_t numbers[] = {0, 4, 1000000, UINT32_MAX};
    pbf_frames *made;
    WRONG(pbf_frames_add(NULL, 0, kit->sim));
    ASSERT_PBF(create_frames(kit, &made));
    ASSERT_PBF(pbf_frames_add(made, 4, kit->sim));
    bool more = k <= 4;
    if (more) *out = k < 4 ? pbf_frames_add(made, numbers[k], kit->sim) : pbf_frames_add(made, 5, NULL);
    pbf_frames_destroy(made);
    return more;
}

static pbf_result right_frames_add(LibraryKit *kit)
{
    pbf_frames *made;
    pbf_result result = create_frames(kit, &made);
    if (result.code == PBF_OK) result = pbf_frames_add(made, 3, kit->sim);
    pbf_frames_destroy(made);
    return result;
}

static bool wrong_frames_finish(LibraryKit *kit, uint32_t k, pbf_result *out)
{
    pbf_frames *made;
    WRONG(pbf_frames_finish(NULL));
    ASSERT_PBF(create_frames(kit, &made));
    ASSERT_PBF(pbf_frames_finish(made));
    if (k < 2) *out = k == 0 ? pbf_frames_finish(made) : pbf_frames_add(made, 0, kit->sim);
    pbf_frames_destroy(made);
    return k < 2;
}

static pbf_result right_frames_finish(LibraryKit *kit)
{
    pbf_frames *made;
    pbf_result result = create_frames(kit, &made);
    if (result.code == PBF_OK) result = pbf_frames_finish(made);
    pbf_frames_destroy(made);
    return result;
}

static bool wrong_frames_missing(LibraryKit *kit, uint32_t k, pbf_result *out)
{
    char path[320], text[20];
    uint32_t frame;
    pbf_frames_def bad, def = frames_def(path);
    WRONG(pbf_frames_missing(NULL, &def, 0, 1, &frame, text, sizeof text));
    WRONG(pbf_frames_missing(kit->scene, NULL, 0, 1, &frame, text, sizeof text));
    WRONG(pbf_frames_missing(kit->scene, &def, 0, 1, NULL, text, sizeof text));
    WRONG(pbf_frames_missing(kit->scene, &def, 0, 1, &frame, NULL, sizeof text));
    WRONG(pbf_frames_missing(kit->scene, &def, 0, 1, &frame, text, 0));
    for (uint32_t n = 0; bad_frames_def(n, path, &bad); n++)
        WRONG(pbf_frames_missing(kit->scene, &bad, 0, 1, &frame, text, sizeof text));
    return false;
}

static pbf_result right_frames_missing(LibraryKit *kit)
{
    char path[320], text[400];
    uint32_t frame;
    const pbf_frames_def def = frames_def(path);
    pbf_result result = pbf_frames_missing(kit->scene, &def, 5, 8, &frame, text, sizeof text);
    assert_true(frame == 5 && strstr(text, "_0005.ply") && strncmp(text, path, strlen(path)) == 0);
    if (result.code == PBF_OK) result = pbf_frames_missing(kit->scene, &def, 2, 2, &frame, text, sizeof text);
    assert_true(frame == 2 && !*text);
    return result;
}

// --- images and films ---

static uint8_t pixels[2][3][4]; // 3 x 2

static bool wrong_image_write(LibraryKit *kit, uint32_t k, pbf_result *out)
{
    WRONG(pbf_image_write(kit->context, NULL, 3, 2, pixels, sizeof pixels, 0));
    WRONG(pbf_image_write(kit->context, "", 3, 2, pixels, sizeof pixels, 0));
    WRONG(pbf_image_write(kit->context, "-", 3, 2, pixels, sizeof pixels, 0));
    WRONG(pbf_image_write(kit->context, "no/such/folder/a.png", 3, 2, pixels, sizeof pixels, 0));
    WRONG(pbf_image_write(kit->context, kit->file, 0, 2, pixels, sizeof pixels, 0));
    WRONG(pbf_image_write(kit->context, kit->file, 3, 0, pixels, sizeof pixels, 0));
    WRONG(pbf_image_write(kit->context, kit->file, UINT32_MAX, UINT32_MAX, pixels, SIZE_MAX, 0));
    WRONG(pbf_image_write(kit->context, kit->file, 3, 2, NULL, sizeof pixels, 0));
    WRONG(pbf_image_write(kit->context, kit->file, 3, 2, pixels, sizeof pixels - 1, 0));
    WRONG(pbf_image_write(kit->context, kit->file, 3, 2, pixels, sizeof pixels, 11));
    WRONG(pbf_image_write(kit->context, kit->file, 3, 2, pixels, sizeof pixels, SIZE_MAX));
    return false;
}

// The memory sanitizer takes for unset what libpng writes.
#ifdef __has_feature
#if __has_feature(memory_sanitizer)
#define LIBPNG_IS_UNKNOWN
#endif
#endif

static pbf_result right_image_write(LibraryKit *kit)
{
#ifdef LIBPNG_IS_UNKNOWN
    return (void)kit, good;
#endif
    return pbf_image_write(kit->context, kit->file, 3, 2, pixels, sizeof pixels, 12);
}

static bool films_can_be_made(void)
{
    return test_shell("ffmpeg -version >/dev/null 2>&1") == 0;
}

static pbf_result create_film(LibraryKit *kit, pbf_film **made)
{
    char path[320];
    snprintf(path, sizeof path, "%s/film.mp4", folder);
    return pbf_film_create(kit->context, path, 3, 2, 25, made);
}

static bool wrong_film_create(LibraryKit *kit, uint32_t k, pbf_result *out)
{
    pbf_film *made;
    WRONG(pbf_film_create(kit->context, "a.mp4", 3, 2, 25, NULL));
    WRONG(pbf_film_create(kit->context, NULL, 3, 2, 25, &made));
    WRONG(pbf_film_create(kit->context, "", 3, 2, 25, &made));
    WRONG(pbf_film_create(kit->context, "-", 3, 2, 25, &made));
    WRONG(pbf_film_create(kit->context, "a.mp4", 0, 2, 25, &made));
    WRONG(pbf_film_create(kit->context, "a.mp4", 3, UINT32_MAX, 25, &made));
    WRONG(pbf_film_create(kit->context, "a.mp4", 3, 2, 0, &made));
    WRONG(pbf_film_create(kit->context, "a.mp4", 3, 2, 1e308, &made));
    for (size_t n = 0; n < LIBRARY_ODD; n++)
        WRONG(pbf_film_create(kit->context, "a.mp4", 3, 2, library_odd[n], &made));
    return false;
}

static pbf_result right_film_create(LibraryKit *kit)
{
    pbf_film *made = NULL;
    pbf_film_destroy(made);
    if (!films_can_be_made()) return good;
    pbf_result result = create_film(kit, &made);
    assert_true(!made == (result.code != PBF_OK));
    pbf_film_destroy(made);
    return result;
}

static bool wrong_film_add(LibraryKit *kit, uint32_t k, pbf_result *out)
{
    pbf_film *made;
    WRONG(pbf_film_add(NULL, pixels, sizeof pixels, 0));
    if (!films_can_be_made()) return false;
    ASSERT_PBF(create_film(kit, &made));
    if (k == 0) *out = pbf_film_add(made, NULL, sizeof pixels, 0);
    if (k == 1) *out = pbf_film_add(made, pixels, sizeof pixels - 1, 0);
    if (k == 2) *out = pbf_film_add(made, pixels, sizeof pixels, 11);
    pbf_film_destroy(made);
    return k < 3;
}

static pbf_result right_film_add(LibraryKit *kit)
{
    pbf_film *made;
    if (!films_can_be_made()) return good;
    pbf_result result = create_film(kit, &made);
    for (int n = 0; n < 2 && result.code == PBF_OK; n++)
        result = pbf_film_add(made, pixels, sizeof pixels, 0);
    if (result.code == PBF_OK) result = pbf_film_finish(made);
    pbf_film_destroy(made);
    return result;
}

static bool wrong_film_finish(LibraryKit *kit, uint32_t k, pbf_result *out)
{
    pbf_film *made;
    WRONG(pbf_film_finish(NULL));
    if (!films_can_be_made()) return false;
    ASSERT_PBF(create_film(kit, &made));
    ASSERT_PBF(pbf_film_add(made, pixels, sizeof pixels, 0));
    ASSERT_PBF(pbf_film_finish(made));
    if (k < 2) *out = k == 0 ? pbf_film_finish(made) : pbf_film_add(made, pixels, sizeof pixels, 0);
    pbf_film_destroy(made);
    return k < 2;
}

// --- comparisons ---

static pbf_result create_pair(LibraryKit *kit, pbf_pair **made)
{
    return pbf_pair_create(kit->scene, kit->scene, NULL, made);
}

static pbf_result right_phase(LibraryKit *kit)
{
    (void)kit;
    assert_string_equal(pbf_phase(1), "construction");
    assert_null(pbf_phase(PBF_PHASE_NUMBERS));
    return good;
}

static bool wrong_pair_create(LibraryKit *kit, uint32_t k, pbf_result *out)
{
    pbf_pair *made;
    WRONG(pbf_pair_create(NULL, kit->scene, NULL, &made));
    WRONG(pbf_pair_create(kit->scene, NULL, NULL, &made));
    WRONG(pbf_pair_create(kit->scene, kit->scene, NULL, NULL));
    WRONG(pbf_pair_create(kit->scene, kit->scene, "", &made));
    WRONG(pbf_pair_create(kit->scene, kit->scene, "no/such/state.pbf", &made));
    WRONG(pbf_pair_create(kit->scene, kit->scene, kit->particles, &made));
    return false;
}

static pbf_result right_pair_create(LibraryKit *kit)
{
    pbf_pair *made;
    pbf_result result = pbf_pair_create(kit->scene, kit->scene, kit->state, &made);
    assert_true(!made == (result.code != PBF_OK));
    assert_null(pbf_pair_sim(NULL, 0));
    assert_null(pbf_pair_sim(made, 2));
    pbf_info info = {.steps = 0};
    if (made) ASSERT_PBF(pbf_sim_info(pbf_pair_sim(made, 1), &info));
    assert_true(!made || (info.particles == 512 && info.steps > 0));
    pbf_pair_destroy(made);
    pbf_pair_destroy(NULL);
    return result;
}

static bool wrong_pair_step(LibraryKit *kit, uint32_t k, pbf_result *out)
{
    pbf_pair *made;
    int met;
    WRONG(pbf_pair_step(NULL, 1, &met));
    ASSERT_PBF(create_pair(kit, &made));
    bool more = k < LIBRARY_ODD + 1;
    // Infinity is later than any time.
    double until = k < LIBRARY_ODD && library_odd[k] != (double)INFINITY ? library_odd[k] : 0;
    if (more) *out = pbf_pair_step(made, until, &met);
    pbf_pair_destroy(made);
    return more;
}

static pbf_result right_pair_step(LibraryKit *kit)
{
    pbf_pair *made;
    int met = 0;
    pbf_result result = create_pair(kit, &made);
    for (int n = 0; n < 2 && result.code == PBF_OK; n++) result = pbf_pair_step(made, 1, &met);
    assert_int_equal(met, result.code == PBF_OK);
    pbf_pair_destroy(made);
    return result;
}

static bool wrong_pair_get(LibraryKit *kit, uint32_t k, pbf_result *out)
{
    pbf_pair_data data;
    pbf_pair *made;
    WRONG(pbf_pair_get(NULL, &data));
    ASSERT_PBF(create_pair(kit, &made));
    if (k == 0) *out = pbf_pair_get(made, NULL);
    pbf_pair_destroy(made);
    return k == 0;
}

static pbf_result right_pair_get(LibraryKit *kit)
{
    pbf_pair *made;
    pbf_pair_data data = {.round = 7};
    pbf_result result = create_pair(kit, &made);
    if (result.code == PBF_OK) result = pbf_pair_get(made, &data);
    assert_true(result.code != PBF_OK || (data.round == 0 && !data.parted && data.difference.identical));
    pbf_pair_destroy(made);
    return result;
}

static const LibraryRow rows[] = {
    {"pbf_frames_create", wrong_frames_create, right_frames_create, false},
    {"pbf_frames_add", wrong_frames_add, right_frames_add, false},
    {"pbf_frames_picture", NULL, right_frames_create, false},
    {"pbf_frames_finish", wrong_frames_finish, right_frames_finish, false},
    {"pbf_frames_destroy", NULL, right_frames_create, false},
    {"pbf_frames_missing", wrong_frames_missing, right_frames_missing, false},
    {"pbf_image_write", wrong_image_write, right_image_write, false},
    {"pbf_film_create", wrong_film_create, right_film_create, false},
    {"pbf_film_add", wrong_film_add, right_film_add, false},
    {"pbf_film_finish", wrong_film_finish, right_film_add, false},
    {"pbf_film_destroy", NULL, right_film_create, false},
    {"pbf_phase", NULL, right_phase, false},
    {"pbf_pair_create", wrong_pair_create, right_pair_create, false},
    {"pbf_pair_step", wrong_pair_step, right_pair_step, false},
    {"pbf_pair_get", wrong_pair_get, right_pair_get, false},
    {"pbf_pair_sim", NULL, right_pair_create, false},
    {"pbf_pair_destroy", NULL, right_pair_get, false},
};

LibraryRows library_rows_of_output(void)
{
    return (LibraryRows){rows, sizeof rows / sizeof *rows};
}
