// The rules of the house that a compiler does not check: who may include whom, and which file opens which
// library.
#include <ctype.h>
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

// From the ground up; a folder includes itself and what has a smaller number.
static const struct Layer {
    const char *folder;
    int level;
} layers[] = {
    {"core", 0},     {"neighbor", 1}, {"obstacle", 1}, {"strand", 2}, {"fluid", 3},  {"diffuse", 4},
    {"surface", 5},  {"measure", 5},  {"export", 6},   {"photo", 7},  {"render", 8}, {"scene", 9},
    {"library", 10}, {"viewer", 11},  {"command", 12}, {"mpi", 13},
};
#define LAYER_COUNT (sizeof layers / sizeof *layers)

// A library's headers start like this and are included below this path only.
static const struct Door {
    const char *header, *path;
} doors[] = {
    {"libfyaml", "scene/"},
    {"png.h", "export/"},
    {"embree3", "photo/embree.h"},
    {"GL/", "render/"},
    {"EGL/", "render/"},
    {"GLFW/", "render/window.c"},
    {"imgui", "render/gui"},
    {"backends/imgui", "render/gui.cpp"},
    {"cglm", "render/"},
    {"KHR/", "render/"},
    {"zstd", "export/block_file.c"},
    {"zlib", "export/unpack.c"},
    {"openvdb/", "export/openvdb/door.cpp"},
    {"omp.h", "core/parallel.c"},
    {"mpi.h", "mpi/mpi_links.c"},
};
#define DOOR_COUNT (sizeof doors / sizeof *doors)

typedef void LineCheck(const char *path, int number, const char *line, void *context);

static const struct Layer *layer_of(const char *path)
{
    for (size_t k = 0; k < LAYER_COUNT; k++) {
        size_t length = strlen(layers[k].folder);
        if (strncmp(path, layers[k].folder, length) == 0 && path[length] == '/') return &layers[k];
    }
    return NULL;
}

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), tail = strlen(end);
    return length >= tail && strcmp(text + length - tail, end) == 0;
}

static bool begins_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

static int check_file(const char *path, LineCheck *check, void *context)
{
    char full[600], line[4096];
    snprintf(full, sizeof full, "src/%s", path);
    FILE *file = fopen(full, "r");
    assert_non_null(file);
    for (int number = 1; fgets(line, sizeof line, file); number++) check(path, number, line, context);
    fclose(file);
    return 1;
}

// Runs a check over every line of every source below src; returns the number of files.
static int check_folder(const char *folder, LineCheck *check, void *context)
{
    char full[600];
    int files = 0;
    snprintf(full, sizeof full, "src/%s", folder);
    DIR *entries = opendir(full);
    assert_non_null(entries);
    for (struct dirent *entry; (entry = readdir(entries));) {
        char path[560];
        if (entry->d_name[0] == '.') continue;
        snprintf(path, sizeof path, "%s%s%.255s", folder, *folder ? "/" : "", entry->d_name);
        if (entry->d_type == DT_DIR) files += check_folder(path, check, context);
        if (ends_with(path, ".c") || ends_with(path, ".h") || ends_with(path, ".cpp"))
            files += check_file(path, check, context);
    }
    closedir(entries);
    return files;
}

// The name between the quotes or brackets of an include, or false.
static bool included_header(const char *line, char header[256], bool *ours)
{
    while (isspace((unsigned char)*line)) line++;
    if (*line++ != '#') return false;
    while (isspace((unsigned char)*line)) line++;
    char open;
    if (sscanf(line, "include %c%255[^\">]", &open, header) != 2) return false;
    *ours = open == '"';
    return true;
}

static void complain(int *violations, const char *path, int number, const char *what)
{
    print_error("src/%s:%d: %s\n", path, number, what);
    ++*violations;
}

static void check_layer(const char *path, int number, const char *line, void *context)
{
    char header[256], what[600];
    bool ours;
    if (!included_header(line, header, &ours) || !ours) return;
    const struct Layer *from = layer_of(path), *to = layer_of(header);
    // The library's headers lie in one folder where they are installed, too.
    if (from && strcmp(from->folder, "library") == 0 && begins_with(header, "pbf")) return;
    if (!to) {
        snprintf(what, sizeof what, "\"%s\" is in no known folder", header);
        complain(context, path, number, what);
    } else if (from && from != to && to->level >= from->level) {
        snprintf(what, sizeof what, "%s may not include \"%s\"", from->folder, header);
        complain(context, path, number, what);
    }
}

// The program calls the library as others do, through library/pbf.h. What its commands include besides, and
// why: how headers begin that a file may include.
static struct Beside {
    const char *path, *header;
    bool used;
} beside[] = {
    // the tables of names that the command line and its help take and list
    {"options.h", "export/geometry.h", false},
    {"options.h", "surface/slice.h", false},
    {"options_table.c", "export/export.h", false},
    {"options_table.c", "fluid/fluid_params.h", false},
    {"options_table.c", "neighbor/neighbor.h", false},
    {"options_table.c", "render/render_params.h", false},
    {"help.c", "export/export.h", false},
    {"help.c", "neighbor/neighbor.h", false},
    {"help.c", "viewer/actions.h", false},
    {"help_completion.c", "scene/", false},
    {"help_keys.c", "scene/", false},
    {"help_log.c", "measure/", false},
    {"help_man.c", "export/export.h", false},
    {"help_man.c", "neighbor/neighbor.h", false},
    {"bench_report.c", "neighbor/neighbor.h", false},
    {"run_record.c", "neighbor/neighbor.h", false},
    {"run_record.c", "export/export.h", false},
    {"compare.c", "neighbor/neighbor.h", false},
    {"scenes.c", "scene/scene_library.h", false},
    {"version.c", "render/gl_", false}, // the driver
    // the scene of the command line: changed by options, described, compared with that of an earlier run
    {"options.h", "scene/scene.h", false},
    {"options_scene.c", "fluid/emitter.h", false},
    {"options_scene.c", "scene/", false},
    {"check.c", "scene/water.h", false},
    {"run_cost.c", "scene/water.h", false},
    {"run_needs.c", "export/export.h", false},
    {"run_needs.c", "obstacle/solid.h", false},
    {"run_needs.c", "photo/photo.h", false},
    {"render.c", "library/inside.h", false},
    {"bench.c", "library/inside.h", false}, // which files it names
    // checkpoints of a run, which hold its options and the range of its colors besides the state
    {"checkpoint.c", "export/block_file.h", false},
    {"checkpoint.c", "library/inside.h", false},
    // charts
    {"compare_report.c", "export/export.h", false},
    {"compare_report.c", "render/", false},
    {"bench_plot.c", "export/export.h", false},
    {"bench_plot.c", "render/", false},
    // the window
    {"view.c", "viewer/viewer.h", false},
};
#define BESIDE_COUNT (sizeof beside / sizeof *beside)

static bool is_of_every_command(const char *header)
{
    return begins_with(header, "command/") || begins_with(header, "core/") ||
           strcmp(header, "library/pbf.h") == 0 || strcmp(header, "export/file_writer.h") == 0 ||
           strcmp(header, "export/frame_folder.h") == 0;
}

static void check_beside(const char *path, int number, const char *line, void *context)
{
    char header[256], what[600];
    bool ours;
    if (!included_header(line, header, &ours) || !ours || is_of_every_command(header)) return;
    for (size_t k = 0; k < BESIDE_COUNT; k++) {
        if (!begins_with(path + strlen("command/"), beside[k].path)) continue;
        if (!begins_with(header, beside[k].header)) continue;
        beside[k].used = true;
        return;
    }
    snprintf(what, sizeof what, "\"%s\" is behind library/pbf.h", header);
    complain(context, path, number, what);
}

static void commands_call_the_library_but_where_the_table_says(void **state)
{
    (void)state;
    int violations = 0;
    check_folder("command", check_beside, &violations);
    assert_int_equal(violations, 0);
    for (size_t k = 0; k < BESIDE_COUNT; k++) {
        if (!beside[k].used) fail_msg("%s includes no %s", beside[k].path, beside[k].header);
    }
}

// A folder's own folder is a corner that the rest of it can be read without: what is in it may include its
// parent, of which only the file named here looks into it.
static const struct Corner {
    const char *folder, *opened_by;
} corners[] = {{"neighbor/reference/", "neighbor/methods.c"},
               {"obstacle/reference/", "obstacle/broad_phase.h"}};
#define CORNER_COUNT (sizeof corners / sizeof *corners)

static void check_corner(const char *path, int number, const char *line, void *context)
{
    char header[256], what[600];
    bool ours;
    if (!included_header(line, header, &ours) || !ours) return;
    for (size_t k = 0; k < CORNER_COUNT; k++) {
        const char *folder = corners[k].folder;
        if (strncmp(header, folder, strlen(folder)) != 0 || strncmp(path, folder, strlen(folder)) == 0)
            continue;
        if (strcmp(path, corners[k].opened_by) == 0) continue;
        snprintf(what, sizeof what, "\"%s\" is for %s alone", header, corners[k].opened_by);
        complain(context, path, number, what);
    }
}

static void the_default_path_is_read_without_the_papers_searches(void **state)
{
    (void)state;
    int violations = 0;
    check_folder("", check_corner, &violations);
    assert_int_equal(violations, 0);
}

static void folders_include_only_what_stands_below_them(void **state)
{
    (void)state;
    int violations = 0;
    assert_true(check_folder("", check_layer, &violations) > 20);
    assert_int_equal(violations, 0);
}

static void check_view(const char *path, int number, const char *line, void *context)
{
    char header[256];
    bool ours;
    if (strncmp(path, "render/", 7) != 0 && strncmp(path, "export/", 7) != 0) return;
    if (!included_header(line, header, &ours) || strncmp(header, "fluid/", 6) != 0) return;
    if (strcmp(header, "fluid/frame_view.h") != 0)
        complain(context, path, number, "pictures and files see FrameView alone");
}

static void pictures_and_files_see_the_fluid_through_frame_view_alone(void **state)
{
    (void)state;
    int violations = 0;
    check_folder("", check_view, &violations);
    assert_int_equal(violations, 0);
}

static void check_door(const char *path, int number, const char *line, void *context)
{
    char header[256], what[600];
    bool ours;
    if (!included_header(line, header, &ours) || ours) return;
    for (size_t k = 0; k < DOOR_COUNT; k++) {
        if (strncmp(header, doors[k].header, strlen(doors[k].header)) != 0) continue;
        if (strncmp(path, doors[k].path, strlen(doors[k].path)) == 0) continue;
        snprintf(what, sizeof what, "<%s> is for %s alone", header, doors[k].path);
        complain(context, path, number, what);
    }
    // The alignment of its types depends on a file's instruction set.
    if (strncmp(header, "cglm", 4) == 0 && ends_with(path, ".h"))
        complain(context, path, number, "cglm in a header");
}

static void every_library_has_one_door(void **state)
{
    (void)state;
    int violations = 0;
    check_folder("", check_door, &violations);
    assert_int_equal(violations, 0);
}

static bool has_word(const char *line, const char *word)
{
    for (const char *at = strstr(line, word); at; at = strstr(at + 1, word)) {
        bool starts = at == line || !(isalnum((unsigned char)at[-1]) || at[-1] == '_');
        if (starts && at[strlen(word)] == '(') return true;
    }
    return false;
}

static void check_heap(const char *path, int number, const char *line, void *context)
{
    static const char *const words[] = {"malloc", "calloc", "realloc", "aligned_alloc", "posix_memalign"};
    if (strcmp(path, "core/memory.c") == 0) return;
    for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
        if (has_word(line, words[k])) complain(context, path, number, "memory comes from core/memory.h");
    }
}

static void memory_comes_from_one_place(void **state)
{
    (void)state;
    int violations = 0;
    check_folder("", check_heap, &violations);
    assert_int_equal(violations, 0);
}

static void check_pragma(const char *path, int number, const char *line, void *context)
{
    if (strstr(line, "#pragma omp") && strcmp(path, "core/parallel.c") != 0)
        complain(context, path, number, "threads are reached through core/parallel.h");
}

static void threads_are_reached_through_one_file(void **state)
{
    (void)state;
    int violations = 0;
    check_folder("", check_pragma, &violations);
    assert_int_equal(violations, 0);
}

// --- the files of the viewer: a header and its source are one, and none needs one that needs it ---

enum { FILES_MAX = 64 };

typedef struct Files {
    char name[FILES_MAX][64]; // "viewer/look"
    int count;
    bool includes[FILES_MAX][FILES_MAX];
} Files;

static int file_number(Files *files, const char *path)
{
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(path, "."), path);
    for (int k = 0; k < files->count; k++) {
        if (strcmp(files->name[k], name) == 0) return k;
    }
    assert_true(files->count < FILES_MAX);
    strcpy(files->name[files->count], name);
    return files->count++;
}

static void note_include(const char *path, int number, const char *line, void *context)
{
    char header[256];
    bool ours;
    Files *files = context;
    (void)number;
    if (!included_header(line, header, &ours) || strncmp(header, "viewer/", 7) != 0) return;
    int from = file_number(files, path), to = file_number(files, header);
    if (from != to) files->includes[from][to] = true;
}

// Adds to each file's includes what these include.
static void close_includes(Files *files)
{
    for (int via = 0; via < files->count; via++) {
        for (int from = 0; from < files->count; from++) {
            for (int to = 0; to < files->count; to++)
                files->includes[from][to] |= files->includes[from][via] && files->includes[via][to];
        }
    }
}

static int files_in_circles(Files *files)
{
    int count = 0;
    close_includes(files);
    for (int k = 0; k < files->count; k++) {
        if (!files->includes[k][k]) continue;
        print_error("src/%s.h and .c are part of a circle of includes\n", files->name[k]);
        count++;
    }
    return count;
}

static void no_files_of_the_viewer_form_a_circle(void **state)
{
    (void)state;
    static Files files;
    assert_true(check_folder("viewer", note_include, &files) > 20);
    assert_int_equal(files_in_circles(&files), 0);
}

// The name of a function that a line begins to define (or declares), if it is not static.
static bool defined_function(const char *line, char name[64])
{
    const char *open = strchr(line, '('), *start = open;
    if (!isalpha((unsigned char)line[0]) || !open || strncmp(line, "static ", 7) == 0) return false;
    if (strncmp(line, "typedef ", 8) == 0) return false;
    while (start > line && (isalnum((unsigned char)start[-1]) || start[-1] == '_')) start--;
    snprintf(name, 64, "%.*s", (int)(open - start), start);
    return start > line && open > start;
}

// A header that spoke for other files would make a circle of calls look like none of includes.
static void check_own_header(const char *path, int number, const char *line, void *context)
{
    char name[64], header[600], text[4096];
    if (!ends_with(path, ".c") || !defined_function(line, name)) return;
    snprintf(header, sizeof header, "src/%.*s.h", (int)strcspn(path, "."), path);
    FILE *file = fopen(header, "r");
    bool declared = false;
    while (file && fgets(text, sizeof text, file)) declared |= has_word(text, name);
    if (file) fclose(file);
    if (!declared) complain(context, path, number, "a function that the file's own header does not declare");
}

static void files_of_the_viewer_speak_for_themselves(void **state)
{
    (void)state;
    int violations = 0;
    check_folder("viewer", check_own_header, &violations);
    assert_int_equal(violations, 0);
}

// --- how it reads ---

// "is no" of another language's grammar: "is not a file", "without a file". Pages are looked at by hand.
static void check_words(const char *path, int number, const char *line, void *context)
{
    for (const char *at = strstr(line, "is no "); at; at = strstr(at + 1, "is no ")) {
        if ((at == line || !isalnum((unsigned char)at[-1])) && islower((unsigned char)at[6]))
            complain(context, path, number, "\"is no\": say \"is not a\", or \"without\"");
    }
}

static void sentences_are_idiomatic(void **state)
{
    (void)state;
    int violations = 0;
    check_folder("", check_words, &violations);
    assert_int_equal(violations, 0);
}

// Functions of the viewer have 60 lines at most.
typedef struct Lengths {
    int head, violations; // the first line of a function; 0: outside of functions
} Lengths;

static void check_length(const char *path, int number, const char *line, void *context)
{
    Lengths *lengths = context;
    if (strcmp(line, "}\n") == 0 && lengths->head > 0) {
        if (number - lengths->head >= 60)
            complain(&lengths->violations, path, lengths->head, "a long function");
        lengths->head = 0;
    } else if (isalpha((unsigned char)line[0]) && strchr(line, '(')) {
        lengths->head = number;
    }
}

static void functions_of_the_viewer_are_short(void **state)
{
    (void)state;
    Lengths lengths = {0};
    check_folder("viewer", check_length, &lengths);
    assert_int_equal(lengths.violations, 0);
}

static void the_checks_see_a_broken_rule(void **state)
{
    (void)state;
    int violations = 0;
    check_layer("core/a.c", 1, "#include \"scene/scene.h\"\n", &violations);
    check_layer("obstacle/a.c", 1, "#  include \"neighbor/neighbor.h\"\n", &violations);
    check_door("fluid/a.c", 1, "#include <png.h>\n", &violations);
    check_view("render/a.c", 1, "#include \"fluid/fluid.h\"\n", &violations);
    check_heap("scene/a.c", 1, "    char *a = malloc(3);\n", &violations);
    check_corner("neighbor/cell_order.c", 1, "#include \"neighbor/reference/cell_table.h\"\n", &violations);
    assert_int_equal(violations, 6);
    violations = 0;
    check_beside("command/mesh.c", 1, "#include \"surface/surface.h\"\n", &violations);
    check_beside("command/run.c", 1, "#include \"fluid/fluid.h\"\n", &violations);
    check_beside("command/run.c", 1, "#include \"library/pbf.h\"\n", &violations);
    assert_int_equal(violations, 2);
    violations = 6;
    check_layer("scene/a.c", 1, "#include \"core/result.h\"\n", &violations);
    check_door("export/png.c", 1, "#include <png.h>\n", &violations);
    check_corner("neighbor/reference/a.c", 1, "#include \"neighbor/reference/cell_table.h\"\n", &violations);
    assert_int_equal(violations, 6);
    check_own_header("viewer/look.c", 1, "void hand_grab(Hand *hand)\n", &violations);
    assert_int_equal(violations, 7);
    check_own_header("viewer/look.c", 1, "bool look_has_color_bar(const Look *look)\n", &violations);
    assert_int_equal(violations, 7);
    check_words("viewer/look.c", 1, "// This is no file.\n", &violations);
    assert_int_equal(violations, 8);
    check_words("viewer/look.c", 1, "// This is not a file.\n", &violations);
    assert_int_equal(violations, 8);
    for (int lines = 60; lines <= 61; lines++) {
        Lengths lengths = {0};
        check_length("viewer/look.c", 1, "static void look(const Look *look)\n", &lengths);
        check_length("viewer/look.c", 2, "{\n", &lengths);
        check_length("viewer/look.c", lines, "}\n", &lengths);
        assert_int_equal(lengths.violations, lines > 60);
    }
}

static void the_check_sees_a_circle(void **state)
{
    (void)state;
    static Files files;
    note_include("viewer/a.c", 1, "#include \"viewer/b.h\"\n", &files);
    note_include("viewer/b.h", 1, "#include \"viewer/c.h\"\n", &files);
    note_include("viewer/a.c", 2, "#include \"viewer/a.h\"\n", &files);
    note_include("viewer/d.c", 1, "#include \"viewer/a.h\"\n", &files);
    assert_int_equal(files_in_circles(&files), 0);
    note_include("viewer/c.c", 1, "#include \"viewer/a.h\"\n", &files);
    assert_int_equal(files_in_circles(&files), 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_checks_see_a_broken_rule),
        cmocka_unit_test(the_check_sees_a_circle),
        cmocka_unit_test(folders_include_only_what_stands_below_them),
        cmocka_unit_test(the_default_path_is_read_without_the_papers_searches),
        cmocka_unit_test(pictures_and_files_see_the_fluid_through_frame_view_alone),
        cmocka_unit_test(every_library_has_one_door),
        cmocka_unit_test(commands_call_the_library_but_where_the_table_says),
        cmocka_unit_test(memory_comes_from_one_place),
        cmocka_unit_test(threads_are_reached_through_one_file),
        cmocka_unit_test(no_files_of_the_viewer_form_a_circle),
        cmocka_unit_test(files_of_the_viewer_speak_for_themselves),
        cmocka_unit_test(sentences_are_idiomatic),
        cmocka_unit_test(functions_of_the_viewer_are_short),
    };
    return cmocka_run_group_tests_name("layers", tests, NULL, NULL);
}
