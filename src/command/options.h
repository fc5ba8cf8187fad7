// The options of all commands: one table (options_table.c) drives parsing, help and the nearest name that an
// error suggests.
#ifndef PBF_COMMAND_OPTIONS_H
#define PBF_COMMAND_OPTIONS_H

#include "core/result.h"
#include "export/geometry.h"
#include "scene/scene.h"
#include "surface/slice.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define OPTIONS_OVERRIDES_MAX 64
#define OPTIONS_KEY_SIZE 96
#define OPTIONS_FORMATS_MAX 32
#define OPTIONS_METHODS_MAX 32
#define OPTIONS_GIVEN_MAX 64
#define OPTIONS_FRAMES_MAX SCENE_FRAMES_MAX
#define OPTIONS_PIXELS_MAX 16384

// Commands as bits, so that a row of the option table can say which ones take it.
enum {
    COMMAND_RENDER = 1 << 0,
    COMMAND_BENCH = 1 << 1,
    COMMAND_CHECK = 1 << 2,
    COMMAND_HELP = 1 << 3,
    COMMAND_MESH = 1 << 4,
    COMMAND_COMPARE = 1 << 5,
    COMMAND_VIEW = 1 << 6,
    COMMAND_FRAMES = 1 << 7,
    COMMAND_SCENES = 1 << 8,
    COMMAND_RUN = 1 << 9,
    COMMAND_SLICE = 1 << 10,
    COMMAND_FOAM = 1 << 11,
};

typedef enum CameraView {
    CAMERA_SCENE,
    CAMERA_AUTO,
    CAMERA_FRONT,
    CAMERA_BACK,
    CAMERA_LEFT,
    CAMERA_RIGHT,
    CAMERA_SIDE,
    CAMERA_TOP,
    CAMERA_BOTTOM,
    CAMERA_PLACED
} CameraView;

// An option as it was written; value is "" for a switch.
typedef struct OptionGiven {
    const char *name, *value;
} OptionGiven;

// A scene key and its value, of --set.
typedef struct OptionSetting {
    char key[OPTIONS_KEY_SIZE];
    const char *value;
} OptionSetting;

// A scene key and its value on both sides of a comparison, of --compare.
typedef struct OptionComparison {
    char key[OPTIONS_KEY_SIZE]; // "" for none
    char first[256];
    const char *second;
} OptionComparison;

// Values from the command line; those of options_default (mostly zero or NULL) where it says nothing. Texts
// point into argv.
typedef struct Options {
    // The first positional argument: a scene (a file, or a name of scene_library.h); for `mesh` and
    // `slice` particles, for `help` a command or `keys`.
    const char *scene;
    char **inputs; // all positional arguments
    uint32_t input_count;
    bool help, quiet, markdown;
    uint32_t threads;
    OptionGiven given[OPTIONS_GIVEN_MAX]; // all options but those of the scene's keys, in order
    uint32_t given_count;

    // the scene, and what is simulated
    const SceneSource *source; // of a stored state: read if `scene` is NULL
    const char *spacing;
    OptionSetting settings[OPTIONS_OVERRIDES_MAX];
    uint32_t setting_count;
    OptionComparison compare;
    const char *methods[OPTIONS_METHODS_MAX]; // of --neighbor
    uint32_t method_count;
    bool all_methods;
    uint32_t frames;
    double fps;
    const char *resume; // a checkpoint, or a folder with some

    // pictures
    uint32_t width, height;
    RenderStyle style;
    uint32_t samples;
    double time_limit; // s
    FieldKey color_by;
    bool show_cells;
    bool stored_color_by_given; // by the run that stored the state
    FieldKey stored_color_by;
    CameraView camera;
    Vec3 eye, target;
    float fov; // degrees

    // files
    const char *out, *video;
    uint32_t formats[OPTIONS_FORMATS_MAX]; // of --export: numbers of file_format
    uint32_t format_count;
    UpAxis up;                                   // of exported files
    bool clip;                                   // surfaces end at walls whatever the scene says
    uint32_t checkpoint_every, keep_checkpoints; // frames; files
    bool overwrite, dry_run, no_pictures;
    const char *log;
    int log_every; // LogEvery of run_log.h

    // bench
    uint32_t steps, warmup;
    double start; // s
    const char *json, *plot;

    // mesh
    double radius; // m, 0 if it is not given

    // slice
    bool plane_given;
    Vec3 plane_point, plane_normal; // m
    double slice_cell;              // spacings
    SliceField slice_field;
    uint32_t contours;
    double sector; // degrees, 0: off

    // view
    const char *scene_dir;
    bool paused;

    // help
    bool man;
    int completion; // of which shell
} Options;

// Parses what follows the command's name. command: one of the bits above. Errors: RESULT_USAGE
// "--name: what is wrong (what is allowed)".
Result options_parse(int count, char **arguments, unsigned command, Options *out);

// Parses on top of what *out says already; every command may then have several inputs.
Result options_parse_more(int count, char **arguments, unsigned command, Options *out);

// Frames a second of a sequence of files that says no times: those of --fps.
#define OPTIONS_SEQUENCE_FPS 24
double options_sequence_fps(const Options *options);

// Tells whether the command line, or what a stored state adds to it, has an option of that name.
bool options_given(const Options *options, const char *name);

// The value that was given last with an option of that name, "" if it takes none; NULL if it was not given.
const char *options_value(const Options *options, const char *name);

// Does --export ask for files of the surface alone?
bool options_export_surfaces(const Options *options);

// Lists the settings of --set as a scene takes them; valid as long as the options. Returns how many.
uint32_t options_overrides(const Options *options, SceneOverride out[OPTIONS_OVERRIDES_MAX]);

// Checks, for commands that take --out and --video or --log, that what they make has somewhere to go. Error:
// RESULT_USAGE.
Result options_check_output(const Options *options);

// Prints the options that a command takes, one aligned line each.
void options_print_help(FILE *to, unsigned command);

// Reads the scene that the options name and changes it as they say. Errors name the option or the scene's
// place. Free with scene_free.
Result options_read_scene(const Options *options, SceneDef *out);

// The error of a command line without a scene.
Result options_no_scene(void);

// Name of a side of a comparison: "aabb_grid", "solver.iterations = 10".
typedef struct SideName {
    char text[80];
} SideName;

// Reads the two scenes of a comparison, which differ in the methods of --neighbor, in the values of
// --compare, or in both. Errors: also RESULT_USAGE if the options do not name two sides. Free both with
// scene_free.
Result options_read_sides(const Options *options, SceneDef out[2], SideName names[2]);

// Counts the frames of a run: --frames, or as many as the scene's duration holds. Error: RESULT_USAGE for
// more than OPTIONS_FRAMES_MAX.
Result options_frame_count(const Options *options, const SceneDef *scene, uint32_t *out);

#endif
