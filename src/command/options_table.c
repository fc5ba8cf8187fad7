#include "command/options_table.h"

#include "command/number.h"
#include "core/nearest.h"
#include "export/export.h"
#include "neighbor/neighbor.h"
#include "scene/scene_names.h"

#include <math.h>
#include <string.h>

#define FILMING (COMMAND_RENDER | COMMAND_COMPARE | COMMAND_FRAMES)
#define SIMULATING (COMMAND_RENDER | COMMAND_COMPARE | COMMAND_VIEW | COMMAND_BENCH | COMMAND_CHECK)
#define DRAWING (FILMING | COMMAND_VIEW)
#define WORKERS_MAX 1024
#define COORDINATE_MAX 1e6 // m

static Result parse_spacing(const char *where, const char *text, Options *options)
{
    double metres;
    TRY(number_real(where, text, 0, false, 1000, &metres));
    options->spacing = text;
    return result_ok();
}

static Result parse_frames(const char *where, const char *text, Options *options)
{
    return number_whole(where, text, 1, OPTIONS_FRAMES_MAX, &options->frames);
}

static Result parse_fps(const char *where, const char *text, Options *options)
{
    return number_real(where, text, 0, false, 100000, &options->fps);
}

static Result parse_threads(const char *where, const char *text, Options *options)
{
    return number_whole(where, text, 1, WORKERS_MAX, &options->threads);
}

static Result parse_quiet(const char *where, const char *text, Options *options)
{
    (void)where, (void)text;
    options->quiet = true;
    return result_ok();
}

static Result parse_show_cells(const char *where, const char *text, Options *options)
{
    (void)where, (void)text;
    options->show_cells = true;
    return result_ok();
}

static Result parse_help(const char *where, const char *text, Options *options)
{
    (void)where, (void)text;
    options->help = true;
    return result_ok();
}

static Result parse_set(const char *where, const char *text, Options *options)
{
    // The key and the value are handed on as two texts; argv may be cut, it belongs to the program.
    char *equals = strchr(text, '=');
    if (!equals || equals == text)
        return result_error(
            RESULT_USAGE, "%s: \"%.60s\" is no setting (KEY=VALUE, as in solver.iterations=5)", where, text);
    if (options->override_count == OPTIONS_OVERRIDES_MAX)
        return result_error(RESULT_USAGE, "%s: too many settings (at most %d)", where, OPTIONS_OVERRIDES_MAX);
    *equals = '\0';
    options->overrides[options->override_count++] = (SceneOverride){.key = text, .value = equals + 1};
    return result_ok();
}

static const char *format_names(uint32_t k, const void *context)
{
    (void)context;
    const FileFormat *format = file_format(k);
    return format ? format->name : NULL;
}

static const char *const camera_texts[] = {"auto", "front", "side", "top", NULL};

static const char *camera_names(uint32_t k, const void *context)
{
    (void)context;
    return camera_texts[k];
}

static void list_names(NearestNames *names, char *out, size_t bytes)
{
    size_t used = 0;
    out[0] = '\0';
    for (uint32_t k = 0; names(k, NULL) && used < bytes; k++)
        used += (size_t)snprintf(out + used, bytes - used, "%s%s", k > 0 ? ", " : "", names(k, NULL));
}

// Finds a word among names; the error lists them.
static Result parse_name(const char *where, const char *text, NearestNames *names, uint32_t *out)
{
    *out = 0;
    for (uint32_t k = 0; names(k, NULL); k++) {
        if (strcmp(text, names(k, NULL)) == 0) {
            *out = k;
            return result_ok();
        }
    }
    char known[180];
    list_names(names, known, sizeof known);
    const char *near = nearest_name(text, names, NULL);
    return result_error(RESULT_USAGE, "%s: \"%.40s\" is unknown%s%s (%s)", where, text,
                        near ? "; did you mean " : "", near ? near : "", known);
}

// Cuts the next item of a comma list into item; returns what follows it, NULL after the last.
static const char *next_item(const char *list, char *item, size_t bytes)
{
    size_t length = strcspn(list, ",");
    snprintf(item, bytes, "%.*s", (int)length, list);
    return list[length] ? list + length + 1 : NULL;
}

static Result parse_neighbor(const char *where, const char *text, Options *options)
{
    char item[32];
    options->method_count = 0;
    options->all_methods = strcmp(text, "all") == 0;
    for (const char *rest = options->all_methods ? NULL : text; rest;) {
        uint32_t method;
        rest = next_item(rest, item, sizeof item);
        TRY(parse_name(where, item, scene_method_names, &method));
        if (options->method_count == OPTIONS_METHODS_MAX)
            return result_error(RESULT_USAGE, "%s: too many methods (at most %d)", where,
                                OPTIONS_METHODS_MAX);
        strcpy(options->methods[options->method_count++], item);
    }
    return result_ok();
}

// Where the second of two values begins: behind the one comma that is in no brackets or quotes. NULL if there
// is none or more than one.
static char *second_value(char *text)
{
    int depth = 0;
    char quote = 0, *comma = NULL;
    for (char *c = text; *c; c++) {
        if (quote) {
            if (*c == quote) quote = 0;
        } else if (*c == '"' || *c == '\'') {
            quote = *c;
        } else if (*c == '[' || *c == '{') {
            depth++;
        } else if (*c == ']' || *c == '}') {
            depth--;
        } else if (*c == ',' && depth == 0) {
            if (comma) return NULL;
            comma = c;
        }
    }
    return comma ? comma + 1 : NULL;
}

static Result parse_compare(const char *where, const char *text, Options *options)
{
    char *equals = strchr(text, '='), *second = equals ? second_value(equals + 1) : NULL;
    if (!second || equals == text || second - equals == 2 || !*second)
        return result_error(RESULT_USAGE,
                            "%s: \"%.60s\" is no key with two values (as in solver.iterations=3,10)", where,
                            text);
    *equals = second[-1] = '\0'; // argv may be cut, it belongs to the program
    options->compare_key = text;
    options->compare_values[0] = equals + 1;
    options->compare_values[1] = second;
    return result_ok();
}

static Result parse_export(const char *where, const char *text, Options *options)
{
    char item[32];
    for (const char *rest = text; rest;) {
        uint32_t format;
        bool known = false;
        rest = next_item(rest, item, sizeof item);
        TRY(parse_name(where, item, format_names, &format));
        for (uint32_t k = 0; k < options->format_count; k++) known |= options->formats[k] == format;
        if (known) continue;
        CHECK(options->format_count < OPTIONS_FORMATS_MAX); // there are no more formats
        options->formats[options->format_count++] = format;
    }
    return result_ok();
}

static Result keep_path(const char *where, const char *text, const char **out)
{
    if (!*text) return result_error(RESULT_USAGE, "%s: the path is empty", where);
    *out = text;
    return result_ok();
}

static Result parse_out(const char *where, const char *text, Options *options)
{
    return keep_path(where, text, &options->out);
}

static Result parse_video(const char *where, const char *text, Options *options)
{
    size_t length = strlen(text);
    if (length < 5 || strcmp(text + length - 4, ".mp4") != 0)
        return result_error(RESULT_USAGE, "%s: \"%.100s\" is no MP4 file (a name that ends in .mp4)", where,
                            text);
    return keep_path(where, text, &options->video);
}

static Result parse_json(const char *where, const char *text, Options *options)
{
    return keep_path(where, text, &options->json);
}

static Result parse_plot(const char *where, const char *text, Options *options)
{
    size_t length = strlen(text);
    if (length < 5 || strcmp(text + length - 4, ".png") != 0)
        return result_error(RESULT_USAGE, "%s: \"%.100s\" is no PNG file (a name that ends in .png)", where,
                            text);
    return keep_path(where, text, &options->plot);
}

static Result parse_scene_dir(const char *where, const char *text, Options *options)
{
    return keep_path(where, text, &options->scene_dir);
}

static Result parse_paused(const char *where, const char *text, Options *options)
{
    (void)where, (void)text;
    options->paused = true;
    return result_ok();
}

static Result parse_size(const char *where, const char *text, Options *options)
{
    char width[16], height[16], tail;
    if (sscanf(text, "%15[0-9]x%15[0-9]%c", width, height, &tail) == 2) {
        Result result = number_whole(where, width, 1, OPTIONS_PIXELS_MAX, &options->width);
        if (result_is_ok(&result))
            result = number_whole(where, height, 1, OPTIONS_PIXELS_MAX, &options->height);
        if (result_is_ok(&result)) return result;
    }
    return result_error(RESULT_USAGE, "%s: \"%.60s\" is no picture size (WIDTHxHEIGHT, each 1 to %d pixels)",
                        where, text, OPTIONS_PIXELS_MAX);
}

static Result parse_style(const char *where, const char *text, Options *options)
{
    uint32_t style;
    TRY(parse_name(where, text, scene_style_names, &style));
    options->style = (RenderStyle)style;
    options->style_given = true;
    return result_ok();
}

static Result parse_color_by(const char *where, const char *text, Options *options)
{
    uint32_t field;
    TRY(parse_name(where, text, scene_field_names, &field));
    options->color_by = (FieldKey)field;
    options->color_by_given = true;
    return result_ok();
}

// Reads the comma list into numbers; returns how many there were, -1 if one is no number or there are too
// many.
static int read_numbers(const char *text, double *numbers, int capacity)
{
    char item[40];
    int count = 0;
    for (const char *rest = text; rest; count++) {
        rest = next_item(rest, item, sizeof item);
        if (count == capacity || !number_parse(item, &numbers[count])) return -1;
        if (fabs(numbers[count]) > COORDINATE_MAX) return -1;
    }
    return count;
}

static Result parse_camera_place(const char *where, const char *text, Options *options)
{
    double n[7] = {0};
    int count = read_numbers(text, n, 7);
    if (count < 6)
        return result_error(RESULT_USAGE,
                            "%s: \"%.60s\" is no place (EX,EY,EZ,TX,TY,TZ[,FOV]: eye and target in m)", where,
                            text);
    if (count == 7 && !(n[6] >= 1 && n[6] <= 170))
        return result_error(RESULT_USAGE, "%s: a field of view of %g is out of range (1 to 170 degrees)",
                            where, n[6]);
    options->camera = CAMERA_PLACED;
    options->eye = vec3_make((float)n[0], (float)n[1], (float)n[2]);
    options->target = vec3_make((float)n[3], (float)n[4], (float)n[5]);
    options->fov = (float)n[6];
    if (vec3_length(vec3_sub(options->eye, options->target)) > 0) return result_ok();
    return result_error(RESULT_USAGE, "%s: the eye is where it looks (two different points)", where);
}

static Result parse_camera(const char *where, const char *text, Options *options)
{
    uint32_t view;
    if (strchr(text, ',')) return parse_camera_place(where, text, options);
    TRY(parse_name(where, text, camera_names, &view));
    options->camera = (CameraView)(CAMERA_AUTO + view);
    return result_ok();
}

static Result parse_steps(const char *where, const char *text, Options *options)
{
    return number_whole(where, text, 1, 1000000, &options->steps);
}

static Result parse_warmup(const char *where, const char *text, Options *options)
{
    options->warmup_given = true;
    return number_whole(where, text, 0, 1000000, &options->warmup);
}

static Result parse_start(const char *where, const char *text, Options *options)
{
    return number_real(where, text, 0, true, 1e6, &options->start);
}

static Result parse_checkpoint_every(const char *where, const char *text, Options *options)
{
    return number_whole(where, text, 1, OPTIONS_FRAMES_MAX, &options->checkpoint_every);
}

static Result parse_keep_checkpoints(const char *where, const char *text, Options *options)
{
    return number_whole(where, text, 1, OPTIONS_FRAMES_MAX, &options->keep_checkpoints);
}

static Result parse_resume(const char *where, const char *text, Options *options)
{
    return keep_path(where, text, &options->resume);
}

static Result parse_overwrite(const char *where, const char *text, Options *options)
{
    (void)where, (void)text;
    options->overwrite = true;
    return result_ok();
}

static Result parse_dry_run(const char *where, const char *text, Options *options)
{
    (void)where, (void)text;
    options->dry_run = true;
    return result_ok();
}

// One option may mean different things to different commands: then it has a row for each meaning.
static const OptionRow rows[] = {
    {"--out", "DIR", "folder for frame_0000.png, ...; made if it is missing", COMMAND_RENDER | COMMAND_FRAMES,
     parse_out},
    {"--out", "FILE", "the mesh: FILE.ply, FILE.obj, FILE.vtk, FILE.vtp or FILE.usda", COMMAND_MESH,
     parse_out},
    {"--out", "DIR", "folder for the frames, compare.csv and reduction.png", COMMAND_COMPARE, parse_out},
    {"--out", "DIR", "folder for pictures and recordings (where you are)", COMMAND_VIEW, parse_out},
    {"--scene-dir", "DIR", "folder of the scenes on the keys 1 to 9 and 0 (the scene's own)", COMMAND_VIEW,
     parse_scene_dir},
    {"--paused", NULL, "wait for the space bar", COMMAND_VIEW, parse_paused},
    {"--video", "FILE.mp4", "also a film (H.264, needs ffmpeg)", FILMING, parse_video},
    {"--export", "LIST", "also files of each frame, as in ply,mesh_ply (list below)",
     COMMAND_RENDER | COMMAND_FRAMES, parse_export},
    {"--size", "WxH", "pixels of a frame, as in 1920x1080", DRAWING, parse_size},
    {"--style", "NAME", "how water is drawn: particles, surface, screen_space", DRAWING, parse_style},
    {"--color-by", "KEY", "field that colours the particles: speed, density, ...", DRAWING, parse_color_by},
    {"--show-cells", NULL, "draw the cells or boxes of the neighbor search", DRAWING, parse_show_cells},
    {"--camera", "VIEW", "auto, front, side, top, or EX,EY,EZ,TX,TY,TZ[,FOV]", DRAWING, parse_camera},
    {"--checkpoint-every", "N", "also the whole state after every N frames", COMMAND_RENDER,
     parse_checkpoint_every},
    {"--keep-checkpoints", "K", "of these, keep the last K (2)", COMMAND_RENDER, parse_keep_checkpoints},
    {"--resume", "PATH", "go on from a checkpoint, or the newest whole one of a folder", COMMAND_RENDER,
     parse_resume},
    {"--resume", "PATH", "start from a checkpoint, or the newest whole one of a folder",
     COMMAND_BENCH | COMMAND_COMPARE | COMMAND_VIEW, parse_resume},
    {"--overwrite", NULL, "replace the frames of another run in the folder", COMMAND_RENDER | COMMAND_FRAMES,
     parse_overwrite},
    {"--dry-run", NULL, "check everything, say what the run will need, and stop", COMMAND_RENDER,
     parse_dry_run},
    {"--steps", "N", "steps that count (20)", COMMAND_BENCH, parse_steps},
    {"--warmup", "N", "steps before them (3)", COMMAND_BENCH, parse_warmup},
    {"--start", "SECONDS", "simulate to this time first (0)", COMMAND_BENCH, parse_start},
    {"--json", "FILE", "also the results as JSON; - for standard output", COMMAND_BENCH, parse_json},
    {"--plot", "FILE.png", "also charts, and their numbers in FILE.dat", COMMAND_BENCH,
     parse_plot},
    {"--spacing", "METRES", "distance between particles at rest", SIMULATING | COMMAND_MESH, parse_spacing},
    {"--frames", "N", "number of frames, from time 0 on", SIMULATING & ~(COMMAND_VIEW | COMMAND_BENCH),
     parse_frames},
    {"--frames", "N", "no more steps than N frames hold", COMMAND_BENCH, parse_frames},
    {"--frames", "N", "leave after so many frames, simulated as fast as it goes", COMMAND_VIEW, parse_frames},
    {"--fps", "F", "frames a second of simulated time", SIMULATING, parse_fps},
    {"--threads", "N", "threads (one for each core)", SIMULATING | COMMAND_MESH | COMMAND_FRAMES,
     parse_threads},
    {"--neighbor", "NAME", "method of the neighbor search", COMMAND_RENDER | COMMAND_CHECK, parse_neighbor},
    {"--neighbor", "LIST", "methods of the neighbor search, as in octree,kd_tree; or all", COMMAND_BENCH,
     parse_neighbor},
    {"--neighbor", "A,B", "the two methods of the neighbor search", COMMAND_COMPARE, parse_neighbor},
    {"--neighbor", "NAME", "method of the neighbor search; A,B: two side by side", COMMAND_VIEW,
     parse_neighbor},
    {"--compare", "KEY=A,B", "two values of a scene key, as in solver.iterations=3,10",
     COMMAND_COMPARE | COMMAND_VIEW, parse_compare},
    {"--set", "KEY=VALUE", "any scene key, as in solver.iterations=5; repeatable", SIMULATING, parse_set},
    {"--set", "KEY=VALUE", "a key that pictures depend on, as in surface.cell=0.3; repeatable",
     COMMAND_FRAMES, parse_set},
    {"--set", "KEY=VALUE", "a key of a scene's surface, as in surface.cell=0.3; repeatable", COMMAND_MESH,
     parse_set},
    {"--quiet", NULL, "no progress; results and errors only", SIMULATING | COMMAND_MESH | COMMAND_FRAMES,
     parse_quiet},
    {"--help", NULL, "this text", SIMULATING | COMMAND_MESH | COMMAND_FRAMES | COMMAND_HELP, parse_help},
};

const OptionRow *option_row(uint32_t k)
{
    return k < sizeof rows / sizeof *rows ? &rows[k] : NULL;
}

bool option_cuts_text(const OptionRow *row)
{
    return row->parse == parse_set || row->parse == parse_compare;
}
