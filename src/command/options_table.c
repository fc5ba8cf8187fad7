#include "command/options_table.h"

#include "command/run_log.h"
#include "core/c_locale.h"
#include "core/nearest.h"
#include "export/export.h"
#include "fluid/fluid_params.h"
#include "neighbor/neighbor.h"
#include "render/render_params.h"

#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define FILMING (COMMAND_RENDER | COMMAND_COMPARE | COMMAND_FRAMES)
#define RUNNING (COMMAND_RENDER | COMMAND_RUN)
#define SIMULATING (RUNNING | COMMAND_COMPARE | COMMAND_VIEW | COMMAND_BENCH | COMMAND_CHECK)
#define DRAWING (FILMING | COMMAND_VIEW)
#define STARTING (COMMAND_BENCH | COMMAND_COMPARE | COMMAND_VIEW)
#define WORKERS_MAX 1024
#define COORDINATE_MAX 1e6 // m

const Options options_default = {
    .steps = 20, .warmup = 3, .keep_checkpoints = 2, .slice_cell = 0.5, .contours = 8};

static double sequence_fps(void)
{
    return OPTIONS_SEQUENCE_FPS;
}

static double photo_samples(void)
{
    return photo_def_default().samples;
}

// --- names ---

static const char *format_names(uint32_t k, const void *context)
{
    (void)context;
    const FileFormat *format = file_format(k);
    return format ? format->name : NULL;
}

const char *option_format_name(uint32_t format)
{
    return format_names(format, NULL);
}

bool options_export_surfaces(const Options *options)
{
    for (uint32_t k = 0; k < options->format_count; k++) {
        if (file_format(options->formats[k])->kind == GEOMETRY_SURFACE) return true;
    }
    return false;
}

static const char *camera_names(uint32_t k, const void *context)
{
    static const char *const names[] = {"auto", "front", "back",   "left", "right",
                                        "side", "top",   "bottom", NULL};
    (void)context;
    return names[k];
}

static const char *log_names(uint32_t k, const void *context)
{
    (void)context;
    return log_every_name(k);
}

static const char *up_names(uint32_t k, const void *context)
{
    static const char *const names[] = {"auto", "y", "z", NULL};
    (void)context;
    return names[k];
}

static const char *shell_names(uint32_t k, const void *context)
{
    (void)context;
    return k == 0 ? "bash" : NULL;
}

// --- values that are not just a number, a name or a text ---

// Cuts the next item of a comma list into item; returns what follows it, NULL after the last.
static const char *next_item(const char *list, char *item, size_t size)
{
    size_t length = strcspn(list, ",");
    snprintf(item, size, "%.*s", (int)length, list);
    return list[length] ? list + length + 1 : NULL;
}

// Copies the key of "KEY=..." to `key`; returns what follows, NULL if it is not such a text.
static const char *cut_key(const char *text, char key[OPTIONS_KEY_SIZE])
{
    size_t length = strcspn(text, "=");
    if (length == 0 || length >= OPTIONS_KEY_SIZE || text[length] != '=') return NULL;
    snprintf(key, OPTIONS_KEY_SIZE, "%.*s", (int)length, text);
    return text + length + 1;
}

static Result read_setting(const ParamRow *value, const char *text, Options *options)
{
    (void)value;
    OptionSetting *setting = &options->settings[options->setting_count];
    if (options->setting_count == OPTIONS_OVERRIDES_MAX)
        return result_error(RESULT_USAGE, "too many settings (at most %d)", OPTIONS_OVERRIDES_MAX);
    setting->value = cut_key(text, setting->key);
    if (!setting->value)
        return result_error(RESULT_USAGE, "\"%.60s\" is not a setting (KEY=VALUE, as in solver.iterations=5)",
                            text);
    options->setting_count++;
    return result_ok();
}

// Finds the second of two values: behind the only comma outside of brackets and quotes. NULL if there is none
// or more than one.
static const char *second_value(const char *text)
{
    int depth = 0;
    char quote = 0;
    const char *comma = NULL;
    for (const char *c = text; *c; c++) {
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

static Result read_comparison(const ParamRow *value, const char *text, Options *options)
{
    (void)value;
    OptionComparison *compare = &options->compare;
    const char *first = cut_key(text, compare->key), *second = first ? second_value(first) : NULL;
    size_t length = second ? (size_t)(second - 1 - first) : 0;
    if (length == 0 || length >= sizeof compare->first || !*second)
        return result_error(RESULT_USAGE,
                            "\"%.60s\" is not a key with two values (as in solver.iterations=3,10)", text);
    snprintf(compare->first, sizeof compare->first, "%.*s", (int)length, first);
    compare->second = second;
    return result_ok();
}

// The scene reads the text again, among its keys.
static Result read_spacing(const ParamRow *value, const char *text, Options *options)
{
    double meters;
    TRY(param_parse_number(value, text, &meters));
    options->spacing = text;
    return result_ok();
}

static Result read_methods(const ParamRow *value, const char *text, Options *options)
{
    char item[32];
    options->method_count = 0;
    options->all_methods = strcmp(text, "all") == 0;
    for (const char *rest = options->all_methods ? NULL : text; rest;) {
        uint32_t method;
        rest = next_item(rest, item, sizeof item);
        if (strcmp(item, "all") == 0)
            return result_error(RESULT_USAGE, "\"all\" stands alone, without other names (all, or a list as "
                                              "octree,kd_tree)");
        TRY(param_parse_name(value, item, &method));
        if (options->method_count == OPTIONS_METHODS_MAX)
            return result_error(RESULT_USAGE, "too many methods (at most %d)", OPTIONS_METHODS_MAX);
        options->methods[options->method_count++] = value->names(method, NULL);
    }
    return result_ok();
}

static Result read_formats(const ParamRow *value, const char *text, Options *options)
{
    char item[32];
    for (const char *rest = text; rest;) {
        uint32_t format;
        bool known = false;
        rest = next_item(rest, item, sizeof item);
        TRY(param_parse_name(value, item, &format));
        for (uint32_t k = 0; k < options->format_count; k++) known |= options->formats[k] == format;
        if (known) continue;
        CHECK(options->format_count < OPTIONS_FORMATS_MAX); // there are no more formats
        options->formats[options->format_count++] = format;
    }
    return result_ok();
}

static Result read_size(const ParamRow *value, const char *text, Options *options)
{
    char width[16], height[16], tail;
    if (sscanf(text, "%15[0-9]x%15[0-9]%c", width, height, &tail) == 2) {
        Result result = param_parse(value, width, &options->width);
        if (result_is_ok(&result)) result = param_parse(value, height, &options->height);
        if (result_is_ok(&result)) return result;
    }
    return result_error(RESULT_USAGE, "\"%.60s\" is not a picture size (WIDTHxHEIGHT, each 1 to %d pixels)",
                        text, OPTIONS_PIXELS_MAX);
}

// Reads a comma list of coordinates; returns how many there were, -1 for one that is not a number or out of
// range, or for too many.
static int read_coordinates(const char *text, double *numbers, int capacity)
{
    char item[40];
    int count = 0;
    for (const char *rest = text; rest; count++) {
        rest = next_item(rest, item, sizeof item);
        if (count == capacity || !param_number(item, &numbers[count])) return -1;
        if (!(fabs(numbers[count]) <= COORDINATE_MAX)) return -1;
    }
    return count;
}

static Result read_camera_place(const char *text, Options *options)
{
    double n[7] = {0};
    int count = read_coordinates(text, n, 7);
    if (count < 6)
        return result_error(RESULT_USAGE,
                            "\"%.60s\" is not a place (EX,EY,EZ,TX,TY,TZ[,FOV]: eye and target in m)", text);
    if (count == 7 && !(n[6] >= 1 && n[6] <= 170))
        return result_error(RESULT_USAGE, "a field of view of %g is out of range (1 to 170 degrees)", n[6]);
    options->camera = CAMERA_PLACED;
    options->eye = vec3_make((float)n[0], (float)n[1], (float)n[2]);
    options->target = vec3_make((float)n[3], (float)n[4], (float)n[5]);
    options->fov = (float)n[6];
    if (vec3_length(vec3_sub(options->eye, options->target)) > 0) return result_ok();
    return result_error(RESULT_USAGE, "eye and target are the same point (two different points)");
}

static Result read_camera(const ParamRow *value, const char *text, Options *options)
{
    uint32_t view;
    if (strchr(text, ',')) return read_camera_place(text, options);
    Result result = param_parse_name(value, text, &view);
    if (!result_is_ok(&result))
        return result_error(result.code, "%s; or a place, EX,EY,EZ,TX,TY,TZ[,FOV]", result.text);
    options->camera = (CameraView)(CAMERA_AUTO + view);
    return result_ok();
}

static Result read_plane(const ParamRow *value, const char *text, Options *options)
{
    double n[6];
    (void)value;
    if (read_coordinates(text, n, 6) != 6)
        return result_error(RESULT_USAGE,
                            "\"%.60s\" is not a plane (PX,PY,PZ,NX,NY,NZ: a point in m and a normal)", text);
    options->plane_given = true;
    options->plane_point = vec3_make((float)n[0], (float)n[1], (float)n[2]);
    options->plane_normal = vec3_make((float)n[3], (float)n[4], (float)n[5]);
    if (vec3_length(options->plane_normal) > 0) return result_ok();
    return result_error(RESULT_USAGE, "the normal has no direction (three numbers that are not all 0)");
}

// --- the table ---

#define SWITCH(member) .value = {.kind = PARAM_FLAG, PARAM_AT(Options, member)}
#define TEXT(member) .value = {.kind = PARAM_STRING, PARAM_AT(Options, member)}
#define COUNT(member, least, most)                                                                           \
    .value = {.kind = PARAM_COUNT, PARAM_AT(Options, member), PARAM_FROM(least, most)}
#define CHOICE(member, choices) .value = {.kind = PARAM_CHOICE, PARAM_AT(Options, member), .names = choices}

// A designator: clang takes the members that follow it as left out on purpose.
#define IN(some) .commands = (some)

static const OptionRow rows[] = {
    {"--out", TEXT(out), .letter = 'o',
     .uses =
         {{IN(COMMAND_RENDER | COMMAND_FRAMES), "DIR",
           "folder for frame_0000.png, ...; created if it is missing"},
          {IN(COMMAND_RUN), "DIR", "folder for files of --export and checkpoints; created if it is missing"},
          {IN(COMMAND_MESH), "FILE",
           "the mesh: FILE.ply, FILE.obj, FILE.vtk, FILE.vtp or FILE.usda; of a sequence FILE_0000.ply, ..."},
          {IN(COMMAND_SLICE), "FILE", "the slice: FILE.svg (lines), FILE.png (heat map) or FILE.vtp (both)"},
          {IN(COMMAND_FOAM), "DIR", "folder for diffuse_0000.ply, ...; created if it is missing"},
          {IN(COMMAND_COMPARE), "DIR", "folder for the frames, compare.csv and reduction.png"},
          {IN(COMMAND_VIEW), "DIR", "folder for pictures and recordings (the current one)"}}},
    {"--scene-dir", TEXT(scene_dir),
     .uses = {{IN(COMMAND_VIEW), "DIR", "folder of the scenes on the keys 1 to 9 and 0 (the scene's own)"}}},
    {"--paused", SWITCH(paused), .uses = {{IN(COMMAND_VIEW), NULL, "wait for the space bar"}}},
    {"--video", TEXT(video), .suffix = ".mp4", .scope = OPTION_OF_EXTENT,
     .uses = {{IN(FILMING), "FILE.mp4", "also write a film (H.264, needs ffmpeg)"}}},
    {"--export", .value = {.names = format_names}, .read = read_formats, .scope = OPTION_OF_RUN,
     .uses = {{IN(RUNNING | COMMAND_FRAMES), "LIST",
               "also write files of each frame, as in ply,mesh_ply (list below)"},
              {IN(COMMAND_FOAM), "LIST", "diffuse_ply (the default), diffuse_vtp or both",
               "diffuse_ply, diffuse_vtp"}}},
    {"--log", TEXT(log), .suffix = ".csv", .scope = OPTION_OF_EXTENT,
     .uses = {{IN(RUNNING), "FILE.csv",
               "also write measurements, a row a frame (pbf help log lists the columns)"}}},
    {"--log-every", CHOICE(log_every, log_names), .scope = OPTION_OF_EXTENT,
     .uses = {{IN(RUNNING), "WHAT", "rows of the log", .needs = "--log"}}},
    {"--no-pictures", SWITCH(no_pictures), .scope = OPTION_OF_RUN,
     .uses = {{IN(COMMAND_RENDER), NULL, "draw nothing, as pbf run"}}},
    {"--clip", SWITCH(clip), .scope = OPTION_OF_RUN,
     .uses = {{IN(RUNNING | COMMAND_FRAMES), NULL,
               "end the surface at the tank's walls, as it does by default (surface.clip)"}}},
    {"--up", CHOICE(up, up_names), .scope = OPTION_OF_RUN,
     .uses = {{IN(RUNNING | COMMAND_FRAMES), "AXIS",
               "axis that points up in files; auto is y in Alembic, else z"},
              {IN(COMMAND_MESH | COMMAND_FOAM), "AXIS", "axis that points up in files; auto is z"}}},
    {"--size", .value = {.kind = PARAM_COUNT, PARAM_FROM(1, OPTIONS_PIXELS_MAX)}, .read = read_size,
     .scope = OPTION_OF_PICTURE,
     .uses = {{IN(DRAWING | COMMAND_CHECK), "WxH", "pixels of a frame, as in 1920x1080"}}},
    {"--style", CHOICE(style, render_style_names), .scope = OPTION_OF_PICTURE,
     .uses = {{IN(DRAWING | COMMAND_CHECK), "NAME", "how water is drawn"}}},
    {"--samples", COUNT(samples, 1, 1000000), .scope = OPTION_OF_PICTURE,
     .uses = {{IN(DRAWING), "N", "photo: paths of light for each pixel, at most; else the scene's",
               .standard = photo_samples}}},
    {"--time-limit",
     .value = {.kind = PARAM_DOUBLE, PARAM_AT(Options, time_limit), PARAM_ABOVE(0, 1e6), .unit = "s"},
     .scope = OPTION_OF_PICTURE,
     .uses = {{IN(DRAWING), "SECONDS", "photo: take no more samples of a picture after this time"}}},
    {"--color-by", CHOICE(color_by, render_field_names), .scope = OPTION_OF_PICTURE,
     .uses = {{IN(DRAWING), "KEY", "field that colors the particles"}}},
    {"--show-cells", SWITCH(show_cells), .scope = OPTION_OF_RUN,
     .uses = {{IN(DRAWING), NULL, "draw the cells or boxes of the neighbor search"}}},
    {"--camera", .value = {.kind = PARAM_CHOICE, .names = camera_names}, .read = read_camera,
     .scope = OPTION_OF_PICTURE, .uses = {{IN(DRAWING), "VIEW", "EX,EY,EZ,TX,TY,TZ[,FOV], or one of these"}}},
    {"--checkpoint-every", COUNT(checkpoint_every, 1, OPTIONS_FRAMES_MAX), .scope = OPTION_OF_EXTENT,
     .uses = {{IN(RUNNING), "N", "also write the whole state after every N frames"}}},
    {"--keep-checkpoints", COUNT(keep_checkpoints, 1, OPTIONS_FRAMES_MAX), .scope = OPTION_OF_EXTENT,
     .uses = {{IN(RUNNING), "K", "of these, keep the last K", .needs = "--out"}}},
    {"--resume", TEXT(resume),
     .uses = {{IN(RUNNING), "PATH", "go on from a checkpoint, or from the newest complete one of a folder"},
              {IN(STARTING), "PATH",
               "start from a checkpoint, or from the newest complete one of a folder"}}},
    {"--overwrite", SWITCH(overwrite),
     .uses = {{IN(RUNNING | COMMAND_FRAMES), NULL, "replace the frames of another run in the folder"},
              {IN(COMMAND_FOAM), NULL, "replace the whitewater of a run in the folder"}}},
    {"--dry-run", SWITCH(dry_run),
     .uses = {{IN(RUNNING), NULL, "check everything, say what the run will need, and stop"}}},
    {"--steps", COUNT(steps, 1, 1000000), .uses = {{IN(COMMAND_BENCH), "N", "steps that count"}}},
    {"--warmup", COUNT(warmup, 0, 1000000), .uses = {{IN(COMMAND_BENCH), "N", "steps before them"}}},
    {"--start", .value = {.kind = PARAM_DOUBLE, PARAM_AT(Options, start), PARAM_FROM(0, 1e6), .unit = "s"},
     .uses = {{IN(COMMAND_BENCH), "SECONDS", "simulate up to this time first (0)"}}},
    {"--json", TEXT(json),
     .uses = {{IN(COMMAND_BENCH), "FILE", "also write the results as JSON; - for standard output"}}},
    {"--plot", TEXT(plot), .suffix = ".png",
     .uses = {{IN(COMMAND_BENCH), "FILE.png", "also draw charts, and write their numbers to FILE.dat"}}},
    {"--plane", .read = read_plane,
     .uses = {{IN(COMMAND_SLICE), "PX,PY,PZ,NX,NY,NZ", "a point of the plane, m, and its normal"}}},
    {"--field", CHOICE(slice_field, slice_field_name),
     .uses = {{IN(COMMAND_SLICE), "NAME", "field of the heat map and the contours"}}},
    {"--contours", COUNT(contours, 0, 64),
     .uses = {{IN(COMMAND_SLICE), "N", "contours of the field, about; 0 for the water's border alone"}}},
    {"--cell", .value = {.kind = PARAM_DOUBLE, PARAM_AT(Options, slice_cell), PARAM_FROM(0.05, 10)},
     .uses = {{IN(COMMAND_SLICE), "SPACINGS", "edge of a grid cell"}}},
    {"--sector",
     .value = {.kind = PARAM_DOUBLE, PARAM_AT(Options, sector), PARAM_FROM(1, 180), .unit = "degrees"},
     .uses = {{IN(COMMAND_SLICE), "DEGREES",
               "particles reach only this far around their velocity, both ways"}}},
    {"--spacing", .value = {.kind = PARAM_DOUBLE, PARAM_FROM(1e-5, 1000), .unit = "m"}, .read = read_spacing,
     .uses = {{IN(SIMULATING | COMMAND_MESH | COMMAND_SLICE | COMMAND_FOAM), "METERS",
               "distance between particles at rest"}}},
    {"--radius",
     .value = {.kind = PARAM_DOUBLE, PARAM_AT(Options, radius), PARAM_FROM(5e-6, 500), .unit = "m"},
     .uses = {{IN(COMMAND_MESH | COMMAND_SLICE | COMMAND_FOAM), "METERS",
               "radius of the particles: half the spacing"}}},
    {"--frames", COUNT(frames, 1, OPTIONS_FRAMES_MAX), .scope = OPTION_OF_EXTENT,
     .uses = {{IN(SIMULATING & ~(COMMAND_VIEW | COMMAND_BENCH)), "N", "number of frames, from time 0 on"},
              {IN(COMMAND_BENCH), "N", "at most as many steps as N frames take"},
              {IN(COMMAND_VIEW), "N", "exit after this many frames, simulated at full speed"}}},
    {"--fps", .value = {.kind = PARAM_DOUBLE, PARAM_AT(Options, fps), PARAM_ABOVE(0, 100000)},
     .scope = OPTION_OF_PICTURE,
     .uses = {{IN(SIMULATING), "F", "frames a second of simulated time"},
              {IN(COMMAND_MESH | COMMAND_FOAM), "F", "frames a second of a sequence that says no times",
               .standard = sequence_fps}}},
    {"--threads", COUNT(threads, 1, WORKERS_MAX),
     .uses = {{IN(SIMULATING | COMMAND_MESH | COMMAND_FRAMES | COMMAND_FOAM), "N",
               "threads (one for each core)"}}},
    {"--neighbor", .value = {.names = fluid_method_names}, .read = read_methods, .scope = OPTION_OF_RUN,
     .uses = {{IN(RUNNING | COMMAND_CHECK), "NAME", "method of the neighbor search"},
              {IN(COMMAND_BENCH), "LIST", "methods of the neighbor search, as in octree,kd_tree; or all"},
              {IN(COMMAND_COMPARE), "A,B", "the two methods of the neighbor search"},
              {IN(COMMAND_VIEW), "NAME", "method of the neighbor search; A,B: two side by side"}}},
    {"--compare", .read = read_comparison, .scope = OPTION_OF_SCENE,
     .uses = {{IN(COMMAND_COMPARE | COMMAND_VIEW), "KEY=A,B",
               "two values of a scene key, as in solver.iterations=3,10"}}},
    {"--set", .read = read_setting, .scope = OPTION_OF_SCENE,
     .uses = {{IN(SIMULATING), "KEY=VALUE", "any scene key, as in solver.iterations=5; repeatable"},
              {IN(COMMAND_FRAMES), "KEY=VALUE",
               "a key that pictures depend on, as in surface.cell=0.3; repeatable",
               "surface.*, camera.*, look.*, output.*, name, solver.neighbor, *.color, *.material"},
              {IN(COMMAND_MESH), "KEY=VALUE",
               "a key of a scene's surface, as in surface.cell=0.3; repeatable", "surface.*"},
              {IN(COMMAND_FOAM), "KEY=VALUE",
               "a key of whitewater, of the tank that holds the water, or the gravity; repeatable",
               "whitewater.*, tank.*, fluid.gravity"}}},
    {"--markdown", SWITCH(markdown),
     .uses = {{IN(COMMAND_HELP), NULL, "print keys, or log, as the tables of the pages"}}},
    {"--man", SWITCH(man),
     .uses = {{IN(COMMAND_HELP), NULL, "print all of this as a manual page, for man -l"}}},
    {"--completion", CHOICE(completion, shell_names),
     .uses = {{IN(COMMAND_HELP), "SHELL", "print a script that completes command lines"}}},
    {"--quiet", SWITCH(quiet), .letter = 'q',
     .uses = {{IN(SIMULATING | COMMAND_MESH | COMMAND_SLICE | COMMAND_FRAMES | COMMAND_FOAM), NULL,
               "no progress; results and errors only"}}},
    {"--help", SWITCH(help), .letter = 'h', .uses = {{IN(~0u), NULL, "this text"}}},
};

const OptionRow *option_row(uint32_t k)
{
    return k < sizeof rows / sizeof *rows ? &rows[k] : NULL;
}

const OptionUse *option_use(const OptionRow *row, unsigned commands)
{
    for (const OptionUse *use = row->uses; use->commands; use++) {
        if (use->commands & commands) return use;
    }
    return NULL;
}

bool option_takes(const OptionUse *use, const char *name)
{
    char pattern[40], section[OPTIONS_KEY_SIZE + 1];
    snprintf(section, sizeof section, "%s.", name);
    for (const char *rest = use->takes; rest;) {
        rest = next_item(rest, pattern, sizeof pattern);
        const char *start = pattern + strspn(pattern, " ");
        if (fnmatch(start, name, 0) == 0 || fnmatch(start, section, 0) == 0) return true;
    }
    return !use->takes;
}

const OptionRow *option_find(const char *name)
{
    bool letter = name[0] == '-' && name[1] != '\0' && name[2] == '\0';
    for (uint32_t k = 0; option_row(k); k++) {
        if (letter ? name[1] == rows[k].letter : strcmp(name, rows[k].name) == 0) return &rows[k];
    }
    return NULL;
}

const char *option_help(const OptionRow *row, const OptionUse *use, char *text, size_t size)
{
    const void *standard = (const char *)&options_default + row->value.offset;
    char more[80] = "";
    bool choice = row->value.kind == PARAM_CHOICE;
    bool number = row->value.kind == PARAM_COUNT || row->value.kind == PARAM_DOUBLE;
    if (choice)
        param_allowed(&row->value, "", more, sizeof more);
    else if (use->standard)
        c_snprintf(more, sizeof more, "%.10g", use->standard());
    else if (number && !row->read && param_get(&row->value, standard, 0) > 0)
        param_value(&row->value, standard, more, sizeof more);
    snprintf(text, size, "%s%s%s%s", use->help,
             !*more   ? ""
             : choice ? ": "
                      : " (",
             more, *more && !choice ? ")" : "");
    return text;
}
