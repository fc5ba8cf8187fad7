// Memory that runs out: whichever allocation fails, a message, nothing lost, and what is still there goes on.
#include "export_helpers.h"
#include "fluid_helpers.h"
#include "neighbor_helpers.h"
#include "scene_helpers.h"
#include "surface_helpers.h"

#include "core/memory.h"
#include "core/parallel.h"
#include "export/block_file.h"
#include "export/export.h"
#include "export/particle_file.h"
#include "fluid/contact.h"
#include "fluid/ghosts.h"
#include "fluid/pressure_grid.h"
#include "fluid/spins.h"
#include "fluid/stretch.h"
#include "neighbor/cell_runs.h"
#include "neighbor/cluster_tree.h"
#include "neighbor/point_sort.h"
#include "neighbor/reference/cell_table.h"
#include "neighbor/reference/kd_points.h"
#include "neighbor/reference/shape_reference.h"
#include "neighbor/row_store.h"
#include "neighbor/shape/shape_index.h"
#include "photo/sky.h"
#include "scene/scene.h"
#include "surface/field.h"
#include "surface/isoline.h"
#include "surface/kernels.h"
#include "surface/mesh_parts.h"
#include "surface/point_bins.h"
#include "surface/slice.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// What fails for want of memory says so in one line.
static void assert_no_memory(const char *what, uint64_t n, Result result)
{
    if (result.code != RESULT_NO_MEMORY || strncmp(result.text, "out of memory: ", 15) != 0 ||
        strchr(result.text, '\n'))
        fail_msg("%s, allocation %llu: code %d: \"%s\"", what, (unsigned long long)n, result.code,
                 result.text);
}

static void assert_nothing_lost(const char *what, uint64_t n, uint64_t before)
{
    if (memory_bytes_in_use() != before)
        fail_msg("%s, allocation %llu: %lld bytes are lost", what, (unsigned long long)n,
                 (long long)(memory_bytes_in_use() - before));
}

// --- a search ---

// Fails the nth allocation of a first and a second run; a third one finds all neighbors. False if there are
// fewer.
static bool fail_in_search(const char *method, const TestPoints *few, const TestPoints *points,
                           const TestRows *rows, uint64_t n)
{
    NeighborSearch *search;
    NeighborLists lists;
    NeighborStats stats;
    memory_fail_at(n);
    Result result = neighbor_search_create(method, points->radius, &search);
    if (!result_is_ok(&result)) {
        assert_true(memory_fail_at(0) && !search);
        assert_no_memory(method, n, result);
        return true;
    }
    result = neighbor_search_run(search, test_points_view(few), &lists, &stats);
    if (result_is_ok(&result)) result = neighbor_search_run(search, test_points_view(points), &lists, &stats);
    bool reached = memory_fail_at(0);
    if (reached) assert_no_memory(method, n, result);
    lists = test_search_run(search, points, &stats);
    test_lists_compare(points, rows, &lists, method);
    neighbor_search_destroy(search);
    return reached;
}

static void a_search_without_memory_can_be_run_again(void **state)
{
    (void)state;
    parallel_set_workers(1);
    TestPoints few = test_points_make(3);
    for (uint32_t m = 0; neighbor_method_name(m); m++) {
        const char *method = neighbor_method_name(m);
        if (neighbor_method_is_clustered(method)) continue; // fluids step with it: test_fluid_step.c
        for (uint32_t shape = 0; shape < 2; shape++) {
            TestPoints points = test_points_make(shape == 0 ? 12 : 14);
            TestRows rows = test_rows_make(&points);
            uint64_t before = memory_bytes_in_use(), n = 1;
            while (fail_in_search(method, &few, &points, &rows, n)) assert_nothing_lost(method, n++, before);
            print_message("%s, %s: %llu allocations\n", method, points.name, (unsigned long long)n - 1);
            assert_true(n > 5);
            test_rows_free(&rows);
            test_points_free(&points);
        }
    }
    test_points_free(&few);
    parallel_set_workers(0);
}

// --- a surface ---

static bool fail_in_surface(const SurfaceDef *def, const TestCloud *cloud, uint64_t n)
{
    SurfaceMesh mesh;
    memory_fail_at(n);
    Result result = surface_reconstruct(def, test_cloud_points(cloud, true), &mesh);
    bool reached = memory_fail_at(0);
    if (reached) {
        assert_no_memory("surface", n, result);
        assert_true(!mesh.vertex && !mesh.triangle && mesh.vertex_count == 0 && mesh.triangle_count == 0);
    } else {
        assert_true(result_is_ok(&result));
    }
    surface_mesh_free(&mesh);
    return reached;
}

static void a_surface_without_memory_is_empty(void **state)
{
    (void)state;
    parallel_set_workers(1);
    TestCloud cloud = test_cloud_make(400);
    test_cloud_add_box(&cloud, vec3_make(0, 0, 0), 6, 5, 4, 0.1);
    test_cloud_add_box(&cloud, vec3_make(40, 0, 0), 2, 2, 2, 0.1);
    test_cloud_add(&cloud, 3, 4, 30);
    SurfaceDef def = surface_def_default(1);
    def.smoothing = 2;
    uint64_t before = memory_bytes_in_use(), n = 1;
    while (fail_in_surface(&def, &cloud, n)) assert_nothing_lost("surface", n++, before);
    print_message("surface: %llu allocations\n", (unsigned long long)n - 1);
    assert_true(n > 40);
    test_cloud_free(&cloud);
    parallel_set_workers(0);
}

// --- a run ---

// In memory where possible: thousands of files are synced.
static int make_fast_folder(void **state)
{
    static char fast[60];
    if (make_folder(state) != 0) return -1;
    snprintf(fast, sizeof fast, "/dev/shm/pbf-test-%ld", (long)getpid());
    if (mkdir(fast, 0700) != 0) return 0;
    rmdir(folder);
    folder = fast;
    return 0;
}

static const char EVERYTHING[] =
    "spacing: 0.2\n"
    "tank: {size: [1.2, 1.2, 2], open: [top]}\n"
    "water: [{box: {min: [0, 0, 0], max: [0.6, 1.2, 0.6]}}, {sphere: {center: [0.8, 0.6, 1.2], radius: "
    "0.3}}]\n"
    "obstacles: [{mesh: {file: cube.obj, scale: 0.3, cell: 0.2}, position: [0.8, 0.4, 0.1]},\n"
    "  {sphere: {radius: 0.1}, motion: {keyframes: [{time: 0, position: [1, 1, 1]}, {time: 1, position: [1, "
    "1, 0]}]}}]\n"
    "emitters: [{disc: {radius: 0.2}, position: [0.6, 0.6, 1.6], rotation: [180, 0, 0], speed: 4}]\n"
    "drains: [{sphere: {radius: 0.2}, position: [0.2, 0.2, 0.2]}]\n";

static Result write_format(const FileFormat *format, const FrameView *view, const SurfaceMesh *mesh,
                           const ObstacleMesh *obstacles)
{
    const char *path = test_path(folder, format->name);
    if (format->kind == GEOMETRY_STAGE) return result_ok(); // made of a whole run
    if (format->kind == GEOMETRY_PARTICLES) return test_export_particles(path, format->write, view);
    Geometry geometry = format->kind == GEOMETRY_SURFACE   ? geometry_of_surface(mesh)
                        : format->kind == GEOMETRY_STRANDS ? geometry_of_strands(view)
                                                           : geometry_of_obstacles(obstacles);
    return format->write(path, &geometry);
}

// A frame in every format.
static Result write_files(const FrameView *view, const SceneDef *scene)
{
    SurfacePoints points = {view->x, view->y, view->z, view->vx, view->vy, view->vz, view->count};
    SurfaceMesh mesh;
    ObstacleMesh obstacles = {0};
    TRY(surface_reconstruct(&scene->surface, points, &mesh));
    Result result = obstacle_mesh_make(view, &obstacles);
    for (uint32_t k = 0; file_format(k) && result_is_ok(&result); k++)
        result = write_format(file_format(k), view, &mesh, &obstacles);
    surface_mesh_free(&mesh);
    obstacle_mesh_free(&obstacles);
    return result;
}

static Result store_and_restore(const Fluid *fluid, const SceneDef *scene)
{
    StateBlocks blocks = {0}, read;
    Fluid *again;
    fluid_store(fluid, &blocks);
    TRY(block_file_write(test_path(folder, "state"), &blocks));
    TRY(block_file_read(test_path(folder, "state"), &read));
    Result result = scene_restore(scene, &read, &again);
    blocks_free(&read);
    if (result_is_ok(&result)) result = fluid_step(again, fluid_time(again) + 0.006, NULL);
    fluid_destroy(again);
    return result;
}

static Result read_particles(const char *name)
{
    ParticleFile file;
    Result result = particle_file_read(test_path(folder, name), &file);
    particle_file_free(&file);
    return result;
}

static Result run_fluid(const SceneDef *scene)
{
    Fluid *fluid;
    TRY(scene_build(scene, &fluid));
    Result result = result_ok();
    for (int k = 0; k < 3 && result_is_ok(&result); k++)
        result = fluid_step(fluid, fluid_time(fluid) + 0.03, NULL);
    FrameView view = fluid_view(fluid);
    if (result_is_ok(&result)) result = write_files(&view, scene);
    if (result_is_ok(&result)) result = store_and_restore(fluid, scene);
    fluid_destroy(fluid);
    if (result_is_ok(&result)) result = read_particles("ply");
    if (result_is_ok(&result)) result = read_particles("vtk");
    if (result_is_ok(&result)) result = read_particles("vtp");
    return result_is_ok(&result) ? read_particles("state") : result;
}

static Result copy_source(const SceneDef *scene)
{
    SceneSource copy;
    TRY(scene_source_copy(&scene->source, &copy));
    scene_source_free(&copy);
    return result_ok();
}

static Result do_everything(const char *path, const char *method)
{
    SceneOverride overrides[] = {{"solver.iterations", "2"}, {"solver.neighbor", method}};
    SceneCount count;
    SceneDef scene;
    TRY(scene_read(path, overrides, 2, &scene));
    Result result = scene_count(&scene, &count);
    if (result_is_ok(&result)) result = copy_source(&scene);
    if (result_is_ok(&result)) result = run_fluid(&scene);
    scene_free(&scene);
    return result;
}

// Every allocation of a run in turn.
static void fail_each_allocation(const char *path, const char *method)
{
    uint64_t before = memory_bytes_in_use(), n = 0, step = test_is_quick() ? 5 : 1;
    for (bool reached = true; reached; n += step) {
        memory_fail_at(n + 1);
        Result result = do_everything(path, method);
        reached = memory_fail_at(0);
        if (reached) assert_no_memory(method, n + 1, result);
        if (!reached && !result_is_ok(&result)) fail_msg("%s: %s", method, result.text);
        assert_nothing_lost(method, n + 1, before);
    }
    print_message("%s: %llu allocations\n", method, (unsigned long long)n);
    assert_true(n > 100);
}

static void every_allocation_that_fails_ends_in_a_message_without_a_leak(void **state)
{
    (void)state;
    static const char *const methods[] = {"uniform_grid", "octree", "cluster_grid"};
    scene_folder_make(NULL);
    scene_write("cube.obj", CUBE_OBJ, strlen(CUBE_OBJ));
    char path[200];
    snprintf(path, sizeof path, "%s", scene_write("scene.yaml", EVERYTHING, strlen(EVERYTHING)));
    parallel_set_workers(1);
    for (size_t k = 0; k < (test_is_quick() ? 1 : sizeof methods / sizeof *methods); k++)
        fail_each_allocation(path, methods[k]);
    parallel_set_workers(0);
    scene_folder_remove(NULL);
}

// --- what was freed ---

#define ASSERT_EMPTY_AFTER(Type, member, freeing)                                                            \
    do {                                                                                                     \
        static Type freed;                                                                                   \
        static const Type empty;                                                                             \
        freed.member = 1;                                                                                    \
        freeing(&freed);                                                                                     \
        if (memcmp(&freed, &empty, sizeof freed) != 0) fail_msg("%s left something", #freeing);              \
    } while (0)

// It can be used, and freed, again.
static void what_was_freed_is_empty(void **state)
{
    (void)state;
    ASSERT_EMPTY_AFTER(ContactRows, begin_capacity, contact_rows_free);
    ASSERT_EMPTY_AFTER(Stretch, stride, stretch_free);
    ASSERT_EMPTY_AFTER(Spins, stride, spins_free);
    ASSERT_EMPTY_AFTER(Ghosts, room, ghosts_free);
    ASSERT_EMPTY_AFTER(Poisson, capacity, poisson_free);
    ASSERT_EMPTY_AFTER(PressureGrid, capacity, pressure_grid_free);
    ASSERT_EMPTY_AFTER(Candidates, count, candidates_free);
    ASSERT_EMPTY_AFTER(CellRuns, count, cell_runs_free);
    ASSERT_EMPTY_AFTER(ClusterTree, count, cluster_tree_free);
    ASSERT_EMPTY_AFTER(NeighborBoxes, count, neighbor_boxes_free);
    ASSERT_EMPTY_AFTER(PointSort, copy_capacity, point_sort_free);
    ASSERT_EMPTY_AFTER(RowStore, begin_capacity, row_store_free);
    ASSERT_EMPTY_AFTER(CellTable, mask, cell_table_free);
    ASSERT_EMPTY_AFTER(KdPoints, count, kd_points_free);
    ASSERT_EMPTY_AFTER(ShapeHash, count, shape_hash_free);
    ASSERT_EMPTY_AFTER(ShapeIndex, count, shape_index_free);
    ASSERT_EMPTY_AFTER(BlockTable, used, block_table_free);
    ASSERT_EMPTY_AFTER(Field, count, field_free);
    ASSERT_EMPTY_AFTER(Isolines, count, isolines_free);
    ASSERT_EMPTY_AFTER(Kernels, count, kernels_free);
    ASSERT_EMPTY_AFTER(MeshPieces, count, mesh_pieces_free);
    ASSERT_EMPTY_AFTER(PointBins, count, point_bins_free);
    ASSERT_EMPTY_AFTER(Sky, width, sky_free);
    ASSERT_EMPTY_AFTER(Slice, rows, slice_free);
    ASSERT_EMPTY_AFTER(SurfaceMesh, vertex_count, surface_mesh_free);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_search_without_memory_can_be_run_again),
        cmocka_unit_test(a_surface_without_memory_is_empty),
        cmocka_unit_test(what_was_freed_is_empty),
        cmocka_unit_test_setup_teardown(every_allocation_that_fails_ends_in_a_message_without_a_leak,
                                        make_fast_folder, remove_folder),
    };
    return cmocka_run_group_tests_name("memory", tests, NULL, NULL);
}
