// Files: what is written can be read back, and what cannot be written leaves nothing behind.
#include "case_helpers.h"
#include "core/memory.h"
#include "export/export.h"
#include "export/file_writer.h"
#include "export/frame_folder.h"
#include "export_helpers.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

static void assert_error(Result result, ResultCode code, const char *path, const char *reason)
{
    assert_int_equal(result.code, code);
    assert_non_null(strstr(result.text, path));
    if (!strstr(result.text, reason)) fail_msg("\"%s\" does not say \"%s\"", result.text, reason);
}

static void assert_failed(Result result, const char *path, const char *reason)
{
    assert_error(result, RESULT_FAILED, path, reason);
}

// --- particles ---

static void assert_particles(TestParticles read, const FrameView *view)
{
    assert_non_null(read.particle);
    assert_int_equal(read.count, view->count);
    for (uint32_t i = 0; i < read.count; i++) {
        const TestParticle *p = &read.particle[i];
        float expected[7] = {view->origin.x + view->x[i],
                             view->origin.y + view->y[i],
                             view->origin.z + view->z[i],
                             view->vx[i],
                             view->vy[i],
                             view->vz[i],
                             view->density[i]};
        assert_memory_equal(p->position, expected, 12);
        assert_memory_equal(p->velocity, expected + 3, 12);
        assert_memory_equal(&p->density, expected + 6, 4);
        assert_int_equal(p->id, view->id[i]);
        assert_memory_equal(&p->vorticity, &view->vorticity[i], 4);
        assert_true(p->age == 1.25f - view->birth[i]);
        assert_int_equal(p->neighbors, view->neighbors[i]);
        double pressure = -1000.0 / (0.005 * 0.005) * (double)view->lambda_sum[i];
        assert_float_equal(p->pressure, pressure, 1e-6 * fabs(pressure));
    }
    free(read.particle);
}

static void particles_survive_every_format(void **state)
{
    (void)state;
    static const uint32_t counts[] = {0, 1, 2, 1000, TEST_PARTICLES_MAX};
    for (int k = 0; k < 5; k++) {
        FrameView view = test_particles_view(counts[k]);
        ASSERT_OK(test_export_particles(test_path(folder, "a.ply"), export_ply, &view));
        ASSERT_OK(test_export_particles(test_path(folder, "a.vtk"), export_vtk, &view));
        ASSERT_OK(test_export_particles(test_path(folder, "a.vtp"), export_vtp, &view));
        ASSERT_OK(test_export_particles(test_path(folder, "a.bgeo"), export_bgeo, &view));
        assert_particles(test_read_bgeo(test_path(folder, "a.bgeo")), &view);
        assert_particles(test_read_ply(test_path(folder, "a.ply")), &view);
        assert_particles(test_read_vtk(test_path(folder, "a.vtk")), &view);
        assert_particles(test_read_vtp(test_path(folder, "a.vtp")), &view);
        assert_int_equal(test_folder_entries(folder), 4);
    }
}

// Of a fluid that has not made any memory yet, as a nozzle's at time 0.
static void frames_without_particles_and_meshes_without_triangles_make_whole_files(void **state)
{
    (void)state;
    FrameView view = {.spacing = 0.1f, .rest_density = 1000};
    SurfaceMesh mesh = {0};
    for (uint32_t k = 0; file_format(k); k++) {
        const FileFormat *format = file_format(k);
        const char *path = test_path(folder, format->name);
        long bytes;
        if (format->kind == GEOMETRY_OBSTACLES || format->kind == GEOMETRY_STAGE) continue;
        Geometry surface =
            format->kind == GEOMETRY_STRANDS ? geometry_of_strands(&view) : geometry_of_surface(&mesh);
        ASSERT_OK(format->kind == GEOMETRY_PARTICLES ? test_export_particles(path, format->write, &view)
                                                     : format->write(path, &surface));
        free(test_read_file(path, &bytes));
        assert_true(bytes > 20);
    }
    assert_particles(test_read_ply(test_path(folder, "ply")), &view);
    assert_particles(test_read_vtk(test_path(folder, "vtk")), &view);
    assert_particles(test_read_vtp(test_path(folder, "vtp")), &view);
    assert_particles(test_read_bgeo(test_path(folder, "bgeo")), &view);
}

static void series_list_their_files_with_times_and_escape_names(void **state)
{
    (void)state;
    const char *const files[] = {"a&<\"b\".vtp", "c\\d.vtp"};
    const double times[] = {0, 1.0 / 3};
    ASSERT_OK(export_series_pvd(test_path(folder, "s.pvd"), (FileSeries){files, times, 2, UP_DEFAULT}));
    ASSERT_OK(
        export_series_vtk(test_path(folder, "s.vtk.series"), (FileSeries){files, times, 2, UP_DEFAULT}));
    char *pvd = test_read_file(test_path(folder, "s.pvd"), NULL);
    char *json = test_read_file(test_path(folder, "s.vtk.series"), NULL);
    assert_non_null(strstr(pvd, "<DataSet timestep=\"0\" part=\"0\" file=\"a&amp;&lt;&quot;b&quot;.vtp\"/>"));
    assert_non_null(strstr(pvd, "<DataSet timestep=\"0.333333333\" part=\"0\" file=\"c\\d.vtp\"/>"));
    assert_non_null(strstr(json, "{\"name\": \"a&<\\\"b\\\".vtp\", \"time\": 0},"));
    assert_non_null(strstr(json, "{\"name\": \"c\\\\d.vtp\", \"time\": 0.333333333}\n"));
    free(pvd);
    free(json);
}

static void the_format_table_is_consistent(void **state)
{
    (void)state;
    uint32_t count = 0;
    for (; file_format(count); count++) {
        const FileFormat *format = file_format(count);
        assert_int_equal(format->write == NULL, format->kind == GEOMETRY_STAGE);
        assert_true(!format->series == !format->write_series);
    }
    assert_true(count >= 12);
}

// --- pictures ---

static uint8_t *make_picture(uint32_t width, uint32_t height)
{
    size_t bytes = (size_t)width * height * 3;
    uint8_t *rgb = malloc(bytes);
    for (size_t k = 0; k < bytes; k++) rgb[k] = (uint8_t)(k * 2654435761u >> 13);
    return rgb;
}

static void pictures_of_any_size_are_read_back_bit_for_bit(void **state)
{
    (void)state;
    static const uint32_t sizes[][2] = {{1, 1}, {3, 2}, {640, 360}, {1, 3000}, {16384, 1}, {1279, 719}};
    for (int k = 0; k < 6; k++) {
        uint32_t width = sizes[k][0], height = sizes[k][1];
        uint8_t *rgb = make_picture(width, height);
        ASSERT_OK(export_png(test_path(folder, "a.png"), rgb, width, height));
        TestPicture read = test_read_png(test_path(folder, "a.png"));
        assert_non_null(read.rgb);
        assert_int_equal(read.width, width);
        assert_int_equal(read.height, height);
        assert_memory_equal(read.rgb, rgb, (size_t)width * height * 3);
        free(rgb);
        free(read.rgb);
    }
}

static void a_picture_that_libpng_refuses_is_an_error_and_leaks_nothing(void **state)
{
    (void)state;
    uint8_t pixel[3] = {0};
    uint64_t bytes = memory_bytes_in_use();
    Result result = export_png(test_path(folder, "a.png"), pixel, 0, 1);
    assert_failed(result, "a.png", "cannot encode");
    assert_int_equal(memory_bytes_in_use(), bytes);
    assert_int_equal(test_folder_entries(folder), 0);
}

// --- the world says no ---

static void folders_that_are_missing_and_names_that_are_taken_are_named(void **state)
{
    (void)state;
    FrameView view = test_particles_view(10);
    assert_failed(test_export_particles(test_path(folder, "no/a.ply"), export_ply, &view), "no/a.ply",
                  "No such file");
    assert_error(test_export_particles(folder, export_vtk, &view), RESULT_USAGE, folder,
                 "is a folder, not a file");
    assert_failed(test_export_particles("", export_vtp, &view), "", "No such file");
    char *name = calloc(1, 5001);
    memset(name, 'a', 5000);
    Result result = test_export_particles(name, export_ply, &view);
    assert_int_equal(result.code, RESULT_USAGE);
    assert_non_null(strstr(result.text, "aaa: cannot write: File name too long"));
    free(name);
    assert_int_equal(test_folder_entries(folder), 0);
    // A folder that takes no files is named itself, not a file that is never made there.
    result = frame_folder_make("/proc");
    assert_int_equal(result.code, RESULT_FAILED);
    assert_ptr_equal(strstr(result.text, "/proc: cannot write: "), result.text);
}

static void a_full_device_is_an_error(void **state)
{
    (void)state;
    FrameView view = test_particles_view(1000);
    if (access("/dev/full", W_OK) != 0) skip();
    fflush(stdout);
    int kept = dup(STDOUT_FILENO), full = open("/dev/full", O_WRONLY);
    dup2(full, STDOUT_FILENO);
    uint8_t *rgb = make_picture(64, 64);
    Result particles = test_export_particles("-", export_ply, &view), picture = export_png("-", rgb, 64, 64);
    dup2(kept, STDOUT_FILENO);
    close(full);
    close(kept);
    free(rgb);
    assert_failed(particles, "-: ", "No space left");
    assert_failed(picture, "-: ", "No space left");
}

static void devices_and_pipes_are_refused_and_stay(void **state)
{
    (void)state;
    FrameView view = test_particles_view(10);
    struct stat status;
    assert_error(test_export_particles("/dev/null", export_ply, &view), RESULT_USAGE, "/dev/null",
                 "is a device, not a file");
    assert_int_equal(stat("/dev/null", &status), 0);
    assert_true(S_ISCHR(status.st_mode));
    const char *pipe = test_path(folder, "pipe.ply");
    assert_int_equal(mkfifo(pipe, 0600), 0);
    assert_error(test_export_particles(pipe, export_ply, &view), RESULT_USAGE, "pipe.ply",
                 "is a named pipe, not a file");
    assert_int_equal(test_folder_entries(folder), 1);
}

static void write_beyond_limit(const char *path)
{
    struct rlimit limit = {20000, 20000};
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &limit);
    FrameView view = test_particles_view(TEST_PARTICLES_MAX);
    Result result = test_export_particles(path, export_ply, &view);
    _exit(result.code == RESULT_FAILED && strstr(result.text, "File too large") ? 0 : 1);
}

static void a_file_that_does_not_fit_leaves_the_old_one_and_no_other(void **state)
{
    (void)state;
    FrameView view = test_particles_view(100);
    const char *path = test_path(folder, "a.ply");
    ASSERT_OK(test_export_particles(path, export_ply, &view));
    pid_t child = fork();
    if (child == 0) write_beyond_limit(path);
    int status = 0;
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
    assert_int_equal(test_folder_entries(folder), 1);
    view = test_particles_view(100);
    assert_particles(test_read_ply(path), &view);
}

static void a_symbolic_link_stays_a_link(void **state)
{
    (void)state;
    FrameView view = test_particles_view(5);
    const char *target = test_path(folder, "target.ply"), *link = test_path(folder, "link.ply");
    ASSERT_OK(test_export_particles(target, export_ply, &view));
    assert_int_equal(symlink("target.ply", link), 0);
    view = test_particles_view(7);
    ASSERT_OK(test_export_particles(link, export_ply, &view));
    struct stat status;
    assert_int_equal(lstat(link, &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    assert_particles(test_read_ply(target), &view);
}

// Where its bytes were to go is known to whoever made it.
static void a_link_to_nothing_is_refused_and_left(void **state)
{
    FrameView view = test_particles_view(5);
    const char *link = test_path(folder, "link.ply");
    (void)state;
    assert_int_equal(symlink("none.ply", link), 0);
    Result result = test_export_particles(link, export_ply, &view), probe = file_target_probe(link);
    assert_int_equal(result.code, RESULT_USAGE);
    assert_non_null(strstr(result.text, "/link.ply: is a link to nothing, not a file"));
    assert_string_equal(probe.text, result.text);
    assert_int_equal(test_folder_entries(folder), 1);
    assert_int_equal(access(link, F_OK), -1);
}

static void a_file_with_two_names_is_replaced_under_one_of_them_alone(void **state)
{
    (void)state;
    FrameView view = test_particles_view(5);
    const char *from = test_path(folder, "a.ply"), *to = test_path(folder, "b.ply");
    struct stat first, second;
    assert_false(file_target_link(from, to));
    ASSERT_OK(test_export_particles(from, export_ply, &view));
    ASSERT_OK(test_export_particles(to, export_ply, &view));
    for (int k = 0; k < 2; k++) { // the second time they are the same file already
        assert_true(file_target_link(from, to));
        assert_int_equal(test_folder_entries(folder), 2);
        assert_true(stat(from, &first) == 0 && stat(to, &second) == 0 && first.st_ino == second.st_ino);
    }
    view = test_particles_view(7);
    ASSERT_OK(test_export_particles(to, export_ply, &view));
    assert_particles(test_read_ply(to), &view);
    view = test_particles_view(5);
    assert_particles(test_read_ply(from), &view);
    assert_false(file_target_link(from, "/dev/null"));
    assert_false(file_target_link(from, folder));
    assert_false(file_target_link(from, test_path(folder, "none/a.ply")));
    assert_int_equal(test_folder_entries(folder), 2);
}

static void a_stale_temporary_file_is_no_obstacle(void **state)
{
    (void)state;
    char name[80];
    snprintf(name, sizeof name, "a.ply.%ld-0.tmp", (long)getpid());
    FILE *stale = fopen(test_path(folder, name), "w");
    fputs("left behind", stale);
    fclose(stale);
    FrameView view = test_particles_view(5);
    ASSERT_OK(test_export_particles(test_path(folder, "a.ply"), export_ply, &view));
    assert_particles(test_read_ply(test_path(folder, "a.ply")), &view);
    assert_int_equal(test_folder_entries(folder), 2);
}

// A temporary file of a.ply by process `process`, last written to `age` s ago.
static void leave_temporary(long process, long age)
{
    char name[80];
    snprintf(name, sizeof name, "a.ply.%ld-0.tmp", process);
    FILE *file = fopen(test_path(folder, name), "w");
    assert_non_null(file);
    fclose(file);
    struct timespec then[2] = {{.tv_sec = time(NULL) - age}, {.tv_sec = time(NULL) - age}};
    assert_int_equal(utimensat(AT_FDCWD, test_path(folder, name), then, 0), 0);
}

static int left_temporaries(void)
{
    file_target_remove_stale(test_path(folder, "a.ply"));
    return test_folder_entries(folder);
}

// Folders that cannot be looked through do not keep anybody from writing into them.
static void a_file_is_taken_where_its_folder_cannot_be_listed(void **state)
{
    (void)state;
    FileTarget target;
    int fd;
    struct rlimit before, none = {0};
    ASSERT_OK(file_target_open(test_path(folder, "a.ply"), &target, &fd));
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    none.rlim_max = before.rlim_max;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    bool taken = file_target_take(&target, fd);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_true(taken);
    close(fd);
    ASSERT_OK(file_target_commit(&target));
}

static void files_of_processes_that_are_gone_are_removed(void **state)
{
    (void)state;
    pid_t child = fork();
    if (child == 0) _exit(0);
    siginfo_t info; // has ended, and is not reaped
    assert_int_equal(waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT), 0);
    leave_temporary(child, 0);
    assert_int_equal(left_temporaries(), 0);
    assert_int_equal(waitpid(child, NULL, 0), child);
    leave_temporary(child, 0);
    assert_int_equal(left_temporaries(), 0);
    leave_temporary(getppid(), 0); // at work
    assert_int_equal(left_temporaries(), 1);
    leave_temporary(getppid(), 3600); // the number is another process's now
    assert_int_equal(left_temporaries(), 0);
    leave_temporary(getpid(), 3600);
    char name[80];
    snprintf(name, sizeof name, "a.ply.%ld-0.tmp", (long)getpid());
    int fd = open(test_path(folder, name), O_RDONLY);
    assert_int_equal(flock(fd, LOCK_EX), 0); // a film that waits for its next frame
    assert_int_equal(left_temporaries(), 1);
    close(fd);
    assert_int_equal(left_temporaries(), 0);
}

static void a_discarded_file_never_appears(void **state)
{
    (void)state;
    FileWriter writer;
    ASSERT_OK(file_writer_open(test_path(folder, "a"), &writer));
    file_writer_print(&writer, "some %d", 1);
    file_writer_discard(&writer);
    assert_int_equal(test_folder_entries(folder), 0);
}

static void files_get_the_permissions_that_the_user_asked_for(void **state)
{
    (void)state;
    FrameView view = test_particles_view(5);
    struct stat status;
    mode_t mask = umask(027);
    ASSERT_OK(test_export_particles(test_path(folder, "a.ply"), export_ply, &view));
    umask(mask);
    assert_int_equal(stat(test_path(folder, "a.ply"), &status), 0);
    assert_int_equal(status.st_mode & 0777, 0640);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(particles_survive_every_format),
        TEST(frames_without_particles_and_meshes_without_triangles_make_whole_files),
        TEST(series_list_their_files_with_times_and_escape_names),
        TEST(the_format_table_is_consistent),
        TEST(pictures_of_any_size_are_read_back_bit_for_bit),
        TEST(a_picture_that_libpng_refuses_is_an_error_and_leaks_nothing),
        TEST(folders_that_are_missing_and_names_that_are_taken_are_named),
        TEST(a_full_device_is_an_error),
        TEST(devices_and_pipes_are_refused_and_stay),
        TEST(a_file_that_does_not_fit_leaves_the_old_one_and_no_other),
        TEST(a_symbolic_link_stays_a_link),
        TEST(a_link_to_nothing_is_refused_and_left),
        TEST(a_file_with_two_names_is_replaced_under_one_of_them_alone),
        TEST(a_stale_temporary_file_is_no_obstacle),
        TEST(a_file_is_taken_where_its_folder_cannot_be_listed),
        TEST(files_of_processes_that_are_gone_are_removed),
        TEST(a_discarded_file_never_appears),
        TEST(files_get_the_permissions_that_the_user_asked_for),
    };
    return cmocka_run_group_tests_name("export", tests, NULL, NULL);
}
