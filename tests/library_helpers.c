#include "library_helpers.h"

#include "case_helpers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void assert_refused(const char *what, pbf_result result, pbf_code wanted)
{
    if (result.code != wanted || !*result.text || strchr(result.text, '\n') || strstr(result.text, "--set"))
        fail_msg("%s: code %d, \"%s\"", what, (int)result.code, result.text);
}

pbf_scene *library_scene(pbf_context *context, const pbf_setting *settings, size_t count)
{
    static const char text[] = "spacing: 0.1\n"
                               "tank: {corner: [1, 2, 3], size: [1.6, 0.8, 1.2]}\n"
                               "water: [{box: {min: [1, 2, 3], max: [1.8, 2.8, 3.8]}}]\n"
                               "obstacles: [{name: ball, sphere: {radius: 0.2}, position: [2.2, 2.4, 3.2]}]\n"
                               "output: {size: [64, 48], legend: false}\n";
    pbf_scene *scene = NULL;
    ASSERT_PBF(pbf_scene_parse(context, "test", text, sizeof text - 1, NULL, 0, settings, count, &scene));
    return scene;
}

pbf_sim *library_sim(pbf_context *context, const pbf_setting *settings, size_t count)
{
    pbf_scene *scene = library_scene(context, settings, count);
    pbf_sim *sim = NULL;
    ASSERT_PBF(pbf_sim_create(scene, &sim));
    pbf_scene_destroy(scene);
    return sim;
}

// --- memory that runs out ---

static void *heap_allocate(size_t bytes, size_t alignment, void *user)
{
    LibraryHeap *heap = user;
    if (atomic_fetch_sub(&heap->left, 1) == 0) return NULL;
    atomic_fetch_add(&heap->blocks, 1);
    return aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}

static void heap_release(void *block, void *user)
{
    LibraryHeap *heap = user;
    atomic_fetch_sub(&heap->blocks, 1);
    free(block);
}

static void heap_log(pbf_log_level level, const char *text, void *user)
{
    LibraryHeap *heap = user;
    if (level == PBF_LOG_ERROR && *text) atomic_fetch_add(&heap->errors, 1);
}

pbf_context_def library_heap_def(LibraryHeap *heap)
{
    return (pbf_context_def){.size = sizeof(pbf_context_def),
                             .threads = 1,
                             .allocate = heap_allocate,
                             .release = heap_release,
                             .log = heap_log,
                             .user = heap};
}

// --- the kit ---

static void write_state(const LibraryKit *kit)
{
    FILE *file = fopen(kit->state, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(kit->stored, 1, kit->stored_bytes, file), kit->stored_bytes);
    fclose(file);
}

static void make_kit(LibraryKit *kit)
{
    const float at[3][3] = {{0.1f, 0.1f, 0.1f}, {0.2f, 0.1f, 0.1f}, {0.1f, 0.2f, 0.1f}};
    pbf_points points = pbf_points_of(&at[0][0], 3);
    *kit = (LibraryKit){.heap = {.left = -1}};
    pbf_context_def def = library_heap_def(&kit->heap);
    snprintf(kit->particles, sizeof kit->particles, "%s/kit.ply", folder);
    snprintf(kit->state, sizeof kit->state, "%s/kit.pbf", folder);
    snprintf(kit->file, sizeof kit->file, "%s/written.ply", folder);
    ASSERT_PBF(pbf_context_create(&def, &kit->context));
    kit->scene = library_scene(kit->context, NULL, 0);
    ASSERT_PBF(pbf_sim_create(kit->scene, &kit->sim));
    ASSERT_PBF(pbf_sim_advance(kit->sim, 0.01, NULL, NULL));
    ASSERT_PBF(pbf_sim_save(kit->sim, &kit->stored, &kit->stored_bytes));
    write_state(kit);
    ASSERT_PBF(pbf_sim_write(kit->sim, "ply", kit->particles, NULL));
    ASSERT_PBF(pbf_cloud_load(kit->context, kit->particles, &kit->cloud));
    ASSERT_PBF(pbf_search_create(kit->context, NULL, 0.15, &kit->search));
    ASSERT_PBF(pbf_surface(kit->context, &points, NULL, 0.1, NULL, 0, &kit->mesh));
    ASSERT_PBF(pbf_sim_restore(kit->sim, kit->stored, kit->stored_bytes)); // whose next step needs memory
}

static void free_kit(LibraryKit *kit)
{
    pbf_picture_destroy(kit->picture);
    pbf_mesh_destroy(kit->mesh);
    pbf_search_destroy(kit->search);
    pbf_cloud_destroy(kit->cloud);
    pbf_free(kit->stored);
    pbf_sim_destroy(kit->sim);
    pbf_scene_destroy(kit->scene);
    pbf_context_destroy(kit->context);
}

// What no failing call may change.
typedef struct KitState {
    uint64_t hash, version;
    char cfl[40];
} KitState;

static KitState state_of(const LibraryKit *kit)
{
    KitState state = {.hash = pbf_sim_hash(kit->sim)};
    pbf_info info;
    ASSERT_PBF(pbf_sim_info(kit->sim, &info));
    ASSERT_PBF(pbf_scene_get(kit->scene, "solver.cfl", state.cfl, sizeof state.cfl));
    state.version = info.version;
    return state;
}

static void expect_state(const LibraryRow *row, const char *what, long n, const LibraryKit *kit,
                         const KitState *before)
{
    KitState now = state_of(kit);
    if (now.hash == before->hash && now.version == before->version && strcmp(now.cfl, before->cfl) == 0)
        return;
    fail_msg("%s, %s %ld: the state has changed", row->name, what, n);
}

static void expect_text(const LibraryRow *row, const char *what, long n, const pbf_result *result)
{
    const char *text = result->text;
    if (!row->silent && (!*text || strchr(text, '\n') || strstr(text, "--set")))
        fail_msg("%s, %s %ld: \"%s\"", row->name, what, n, text);
}

static void try_wrong(const LibraryRow *row, LibraryKit *kit)
{
    KitState before = state_of(kit);
    pbf_result result;
    for (uint32_t k = 0; row->wrong && row->wrong(kit, k, &result); k++) {
        bool writes = strstr(row->name, "_write") != NULL; // to where nothing can be written
        if (result.code != PBF_USAGE && !(writes && result.code == PBF_FAILED))
            fail_msg("%s, wrong call %u: code %d, \"%s\"", row->name, k, (int)result.code, result.text);
        expect_text(row, "wrong call", k, &result);
        expect_state(row, "wrong call", k, kit, &before);
    }
}

static void try_right(const LibraryRow *row, LibraryKit *kit)
{
    KitState before = state_of(kit);
    for (long n = 0;; n += test_is_quick() ? 7 : 1) {
        int errors = atomic_load(&kit->heap.errors);
        atomic_store(&kit->heap.left, n);
        pbf_result result = row->right(kit);
        bool failed = atomic_exchange(&kit->heap.left, -1) < 0;
        if (!failed && result.code != PBF_OK) fail_msg("%s: %s", row->name, result.text);
        if (!failed) {
            print_message("%s: %ld allocations failed in turn\n", row->name, n);
            return;
        }
        if (result.code != PBF_NO_MEMORY)
            fail_msg("%s, allocation %ld: code %d, \"%s\"", row->name, n, (int)result.code, result.text);
        expect_text(row, "allocation", n, &result);
        if (!row->silent) assert_int_equal(atomic_load(&kit->heap.errors), errors + 1);
        expect_state(row, "allocation", n, kit, &before);
    }
}

void library_try_row(const LibraryRow *row)
{
    LibraryKit kit;
    make_kit(&kit);
    try_wrong(row, &kit);
    try_right(row, &kit);
    free_kit(&kit);
    if (atomic_load(&kit.heap.blocks) != 0)
        fail_msg("%s: %ld blocks are left", row->name, atomic_load(&kit.heap.blocks));
}

// The name of a function that a line declares, or NULL.
static const char *declared(const char *line, char name[64])
{
    const char *at = strstr(line, "pbf_"), *open = strchr(line, '(');
    if (strncmp(line, "PBF_API", 7) != 0 || !open) return NULL;
    for (; at && at < open; at = strstr(at + 1, "pbf_")) {
        size_t length = strcspn(at, " (*");
        if (at + length == open && length < 64) return memcpy(name, at, length), name[length] = 0, name;
    }
    return NULL;
}

static bool has_row(const LibraryRows *lists, size_t count, const char *name)
{
    for (size_t l = 0; l < count; l++) {
        for (size_t k = 0; k < lists[l].count; k++) {
            if (strcmp(lists[l].rows[k].name, name) == 0) return true;
        }
    }
    return false;
}

static bool needs_opengl(const char *name)
{
    return strncmp(name, "pbf_picture_", 12) == 0 || strncmp(name, "pbf_sheet_", 10) == 0;
}

void library_check_rows(const LibraryRows *lists, size_t count, bool pictures)
{
    static const char *const headers[] = {"src/library/pbf.h", "src/library/pbf_output.h"};
    char line[300], name[64];
    size_t found = 0, rows = 0;
    for (size_t h = 0; h < sizeof headers / sizeof *headers; h++) {
        FILE *header = fopen(headers[h], "r");
        assert_non_null(header);
        while (fgets(line, sizeof line, header)) {
            if (!declared(line, name) || needs_opengl(name) != pictures) continue;
            if (!has_row(lists, count, name)) fail_msg("%s has no row", name);
            found++;
        }
        fclose(header);
    }
    for (size_t l = 0; l < count; l++) rows += lists[l].count;
    assert_int_equal(found, rows);
}

// --- what no call takes ---

const double library_odd[LIBRARY_ODD] = {NAN, INFINITY, -INFINITY, -1, -1e308};

bool library_bad_settings(uint32_t k, const pbf_setting **settings, size_t *count)
{
    static const pbf_setting bad[][2] = {{{NULL, "1"}},
                                         {{"spacing", NULL}},
                                         {{"", "1"}},
                                         {{"spacing", ""}},
                                         {{"spacing", ".nan"}},
                                         {{"spacing", ".inf"}},
                                         {{"spacing", "1e308"}},
                                         {{"spacing", "-1"}},
                                         {{"spacing", "["}},
                                         {{"no.such.key", "1"}},
                                         {{"solver.cfl", "0.3"}, {"solver.cfl", "x"}}};
    if (k < 2) return *settings = k ? bad[0] : NULL, *count = k ? SIZE_MAX : 1, true;
    k -= 2;
    if (k >= sizeof bad / sizeof *bad) return false;
    *settings = bad[k];
    *count = bad[k][1].key ? 2 : 1;
    return true;
}

bool library_bad_points(uint32_t k, pbf_points *out)
{
    static float at[5][3];
    static double wide[3];
    const double numbers[] = {NAN, INFINITY, -INFINITY, 1e308, -1e39};
    pbf_points five = pbf_points_of(&at[0][0], 5);
    if (k < 15) {
        memset(wide, 0, sizeof wide);
        wide[k / 5] = numbers[k % 5];
        *out = (pbf_points){&wide[0], &wide[1], &wide[2], sizeof wide, 1, PBF_DOUBLE};
        return true;
    }
    *out = k == 15 ? pbf_points_of(NULL, 5) : five;
    if (k == 16) out->z = NULL;
    if (k == 17) out->stride = 0;
    if (k == 18) out->stride = 3;
    if (k == 19) out->stride = SIZE_MAX;
    if (k == 20) out->type = PBF_UINT32;
    if (k == 21) out->type = (pbf_type)77;
    if (k == 22) out->count = UINT32_MAX;
    return k < 23;
}
