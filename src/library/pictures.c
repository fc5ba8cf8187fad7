// Pictures. All of OpenGL happens on a thread that lives for one call, so that contexts of the host's threads
// stay as they are, and one call at a time: the functions of OpenGL are loaded once for the process.
#include "library/surfaces.h"
#include "render/gl_context.h"
#include "render/render.h"
#include "render/spray.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>

struct pbf_picture {
    pbf_context *context;
    RenderDef def;
    GlContext *gl;
    Renderer *renderer;
    uint8_t *rgb;
};

// --- the thread ---

typedef struct Errand {
    Result (*run)(pbf_picture *picture, const void *order);
    pbf_picture *picture;
    const void *order;
    Result result;
} Errand;

static void *run_errand(void *context)
{
    Errand *errand = context;
    pbf_picture *picture = errand->picture;
    call_begin(picture->context);
    errand->result = picture->gl ? gl_context_take(picture->gl) : gl_context_open_headless(&picture->gl);
    if (!result_is_ok(&errand->result)) return NULL;
    errand->result = errand->run(picture, errand->order);
    if (picture->gl) gl_context_leave(picture->gl);
    return NULL;
}

static Result on_own_thread(pbf_picture *picture, Result (*run)(pbf_picture *, const void *),
                            const void *order)
{
    static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;
    Errand errand = {.run = run, .picture = picture, .order = order};
    sigset_t all, before;
    pthread_t thread;
    sigfillset(&all);
    pthread_mutex_lock(&one_at_a_time);
    pthread_sigmask(SIG_SETMASK, &all, &before); // signals are for the host's threads
    int failed = pthread_create(&thread, NULL, run_errand, &errand);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (failed)
        errand.result = result_error(RESULT_FAILED, "a thread for drawing: %s", strerror(failed));
    else
        pthread_join(thread, NULL);
    pthread_mutex_unlock(&one_at_a_time);
    return errand.result;
}

// --- life ---

static Result close_renderer(pbf_picture *picture, const void *order)
{
    (void)order;
    renderer_destroy(picture->renderer);
    gl_context_close(picture->gl);
    picture->renderer = NULL;
    picture->gl = NULL;
    return result_ok();
}

static Result open_renderer(pbf_picture *picture, const void *order)
{
    (void)order;
    Result result = renderer_create(&picture->def, &picture->renderer);
    if (!result_is_ok(&result)) close_renderer(picture, NULL);
    return result;
}

static void picture_free(pbf_picture *picture)
{
    pbf_context *context = picture->context;
    memory_free(picture->rgb);
    memory_free(picture);
    context_release(context);
}

static Result create(const pbf_scene *scene, const pbf_setting *settings, size_t count, pbf_picture **out)
{
    SharedScene *shared;
    TRY(scene_with(scene->shared, settings, count, &shared));
    RenderDef def = shared->def.output.render;
    shared_scene_release(shared);
    pbf_picture *picture = memory_allocate_zeroed(sizeof *picture);
    size_t bytes = (size_t)def.width * def.height * 3;
    if (picture) picture->rgb = memory_allocate(bytes);
    if (!picture || !picture->rgb) {
        memory_free(picture);
        return result_no_memory("a picture", bytes);
    }
    picture->context = context_hold(scene->context);
    picture->def = def;
    Result result = on_own_thread(picture, open_renderer, NULL);
    if (result_is_ok(&result))
        *out = picture;
    else
        picture_free(picture);
    return result;
}

pbf_result pbf_picture_create(const pbf_scene *scene, const pbf_setting *settings, size_t count,
                              pbf_picture **out)
{
    if (!out) return call_refused(scene ? scene->context : NULL, missing("out"));
    *out = NULL;
    if (!scene) return call_refused(NULL, missing("scene"));
    Host *before = call_begin(scene->context);
    return call_end(scene->context, before, create(scene, settings, count, out));
}

void pbf_picture_destroy(pbf_picture *picture)
{
    if (!picture) return;
    Host *before = call_begin(picture->context);
    on_own_thread(picture, close_renderer, NULL);
    host_enter(NULL);
    picture_free(picture);
    host_enter(before);
}

pbf_result pbf_picture_size(const pbf_picture *picture, uint32_t *width, uint32_t *height)
{
    if (!picture) return call_refused(NULL, missing("picture"));
    if (!width || !height) return call_refused(picture->context, missing(width ? "height" : "width"));
    *width = picture->def.width;
    *height = picture->def.height;
    return call_refused(picture->context, result_ok());
}

// --- drawing ---

// Water with its surface is drawn with its drops.
static Result draw_water(pbf_picture *picture, const pbf_sim *sim, const FrameView *view)
{
    SurfaceMesh mesh = {0}, spray = {0};
    Result result = sim_surface(sim, &mesh);
    if (result_is_ok(&result)) result = spray_make(&mesh, view, &spray);
    if (result_is_ok(&result))
        result = renderer_draw(picture->renderer, view, spray.vertex_count > 0 ? &spray : &mesh);
    surface_mesh_free(&spray);
    surface_mesh_free(&mesh);
    return result;
}

static Result draw(pbf_picture *picture, const void *order)
{
    const pbf_sim *sim = order;
    FrameView view = fluid_view(sim->fluid);
    if (render_style_needs_mesh(picture->def.style))
        TRY(draw_water(picture, sim, &view));
    else
        TRY(renderer_draw(picture->renderer, &view, NULL));
    return renderer_read(picture->renderer, picture->rgb);
}

static Result check_room(const pbf_picture *picture, size_t bytes, size_t *row_bytes)
{
    size_t row = (size_t)picture->def.width * 4, rows = picture->def.height;
    if (*row_bytes == 0) *row_bytes = row;
    if (*row_bytes < row)
        return result_error(RESULT_USAGE, "rows of %zu bytes (at least %zu)", *row_bytes, row);
    if (bytes >= row && (rows == 1 || *row_bytes <= (bytes - row) / (rows - 1))) return result_ok();
    return result_error(RESULT_USAGE, "%zu rows of %zu bytes do not fit into %zu", rows, *row_bytes, bytes);
}

static Result draw_to(pbf_picture *picture, const pbf_sim *sim, uint8_t *rgba, size_t bytes, size_t row_bytes)
{
    TRY(check_room(picture, bytes, &row_bytes));
    TRY(on_own_thread(picture, draw, sim));
    const uint8_t *from = picture->rgb;
    for (uint32_t y = 0; y < picture->def.height; y++) {
        uint8_t *to = rgba + y * row_bytes;
        for (uint32_t x = 0; x < picture->def.width; x++, from += 3, to += 4) {
            memcpy(to, from, 3);
            to[3] = 255;
        }
    }
    return result_ok();
}

pbf_result pbf_picture_draw(pbf_picture *picture, const pbf_sim *sim, void *rgba, size_t bytes,
                            size_t row_bytes)
{
    if (!picture) return call_refused(NULL, missing("picture"));
    if (!sim || !rgba) return call_refused(picture->context, missing(sim ? "rgba" : "sim"));
    Host *before = call_begin(picture->context);
    return call_end(picture->context, before, draw_to(picture, sim, rgba, bytes, row_bytes));
}
