// Films: ffmpeg is fed, missed, killed. ffprobe, where it is there, says what came out.
#include "case_helpers.h"
#include "core/memory.h"
#include "export/video.h"
#include "export_helpers.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static char *path_variable;

static int keep_path(void **state)
{
    path_variable = strdup(getenv("PATH"));
    return make_folder(state);
}

static int restore_path(void **state)
{
    setenv("PATH", path_variable, 1);
    free(path_variable);
    return remove_folder(state);
}

static bool ffmpeg_is_there(void)
{
    return system("ffmpeg -version >/dev/null 2>&1 && ffprobe -version >/dev/null 2>&1") == 0;
}

static void assert_failed(Result result, const char *reason)
{
    assert_int_equal(result.code, RESULT_FAILED);
    assert_non_null(strstr(result.text, "film.mp4"));
    if (!strstr(result.text, reason)) fail_msg("\"%s\" does not say \"%s\"", result.text, reason);
}

// A program named ffmpeg that does what the shell lines say, first and alone in PATH.
static void fake_ffmpeg(const char *lines)
{
    const char *path = test_path(folder, "ffmpeg");
    FILE *file = fopen(path, "w");
    fprintf(file, "#!/bin/sh\n%s\n", lines);
    fclose(file);
    chmod(path, 0755);
    setenv("PATH", folder, 1);
}

static Result film(uint32_t width, uint32_t height, double fps, int pictures)
{
    Video *video = NULL;
    size_t bytes = (size_t)width * height * 3;
    uint8_t *rgb = malloc(bytes);
    Result result = video_open(test_path(folder, "film.mp4"), width, height, fps, &video);
    for (int k = 0; k < pictures && result_is_ok(&result); k++) {
        for (size_t b = 0; b < bytes; b++) rgb[b] = b % 3 == 0 ? 200 : (uint8_t)(20 * k);
        result = video_add(video, rgb);
    }
    free(rgb);
    if (!video) return result;
    Result closed = video_close(video);
    return result_is_ok(&result) ? closed : result;
}

static void probe(const char *arguments, char *out, size_t bytes)
{
    char command[800];
    snprintf(command, sizeof command, "ffprobe -v error -select_streams v:0 %s -of csv=p=0 %s/film.mp4",
             arguments, folder);
    FILE *pipe = popen(command, "r");
    if (!fgets(out, (int)bytes, pipe)) out[0] = '\0';
    out[strcspn(out, "\n")] = '\0';
    pclose(pipe);
}

static void a_film_has_its_size_rate_pictures_and_format(void **state)
{
    (void)state;
    if (!ffmpeg_is_there()) skip();
    Result result = film(64, 48, 30, 7);
    if (!result_is_ok(&result)) fail_msg("%s", result.text);
    char text[200];
    probe("-count_frames -show_entries "
          "stream=codec_name,width,height,pix_fmt,color_space,r_frame_rate,nb_read_frames",
          text, sizeof text);
    assert_string_equal(text, "h264,64,48,yuv420p,bt709,30/1,7");
    assert_int_equal(test_folder_entries(folder), 1);
}

static void odd_sizes_and_fractional_rates_work(void **state)
{
    (void)state;
    if (!ffmpeg_is_there()) skip();
    Result result = film(33, 17, 23.976, 2);
    if (!result_is_ok(&result)) fail_msg("%s", result.text);
    char text[200];
    probe("-show_entries stream=width,height", text, sizeof text);
    assert_string_equal(text, "34,18");
}

static void colours_come_back(void **state)
{
    (void)state;
    if (!ffmpeg_is_there()) skip();
    Result result = film(64, 64, 10, 1);
    if (!result_is_ok(&result)) fail_msg("%s", result.text);
    char command[400];
    snprintf(command, sizeof command, "ffmpeg -v error -y -i %s/film.mp4 -frames:v 1 -pix_fmt rgb24 %s/a.png",
             folder, folder);
    assert_int_equal(system(command), 0);
    TestPicture picture = test_read_png(test_path(folder, "a.png"));
    assert_non_null(picture.rgb);
    const uint8_t *middle = picture.rgb + 3 * (32 * 64 + 32);
    assert_in_range(middle[0], 192, 208);
    assert_in_range(middle[1], 0, 8);
    assert_in_range(middle[2], 0, 8);
    free(picture.rgb);
}

static void a_film_without_pictures_is_an_error_and_leaves_nothing(void **state)
{
    (void)state;
    if (!ffmpeg_is_there()) skip();
    Result result = film(64, 48, 30, 0);
    assert_int_equal(result.code, RESULT_FAILED);
    assert_int_equal(test_folder_entries(folder), 0);
}

static void a_missing_ffmpeg_is_named(void **state)
{
    (void)state;
    uint64_t bytes = memory_bytes_in_use();
    setenv("PATH", folder, 1);
    assert_failed(film(64, 48, 30, 1), "ffmpeg was not found");
    assert_int_equal(test_folder_entries(folder), 0);
    assert_int_equal(memory_bytes_in_use(), bytes);
}

static void an_ffmpeg_that_dies_is_quoted_and_raises_no_signal(void **state)
{
    (void)state;
    fake_ffmpeg("echo some hint >&2; echo no such encoder >&2; exit 3");
    assert_failed(film(640, 480, 30, 20), "ffmpeg failed: no such encoder");
    assert_int_equal(test_folder_entries(folder), 1);
}

static void an_ffmpeg_that_fails_at_the_end_leaves_no_film(void **state)
{
    (void)state;
    fake_ffmpeg("while read -r line; do :; done; exit 1");
    assert_failed(film(64, 48, 30, 3), "it gave no reason");
    assert_int_equal(test_folder_entries(folder), 1);
}

// Whole boxes, one of which describes the film: whatever ffmpeg says.
static void a_film_that_is_not_whole_is_none(void **state)
{
    (void)state;
    static const struct {
        const char *boxes;
        bool whole;
    } cases[] = {{"\\0\\0\\0\\010free\\0\\0\\0\\011moov-", true},
                 {"\\0\\0\\0\\010free", false},
                 {"\\0\\0\\0\\010moov\\0\\0\\0\\011mdat", false},
                 {"\\0\\0\\0\\010moovmda", false},
                 {"\\0\\0\\0\\001moov\\0\\0\\0\\0\\0\\0\\0\\020", true}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char lines[300];
        snprintf(lines, sizeof lines,
                 "for to; do :; done; while read -r line; do :; done; printf '%s' > \"${to#file:}\"",
                 cases[k].boxes);
        fake_ffmpeg(lines);
        if (cases[k].whole) {
            assert_string_equal(film(8, 8, 30, 1).text, "");
            assert_int_equal(unlink(test_path(folder, "film.mp4")), 0);
        } else {
            assert_failed(film(8, 8, 30, 1), "it gave no reason");
        }
        assert_int_equal(test_folder_entries(folder), 1);
    }
}

static void an_abandoned_film_is_removed(void **state)
{
    (void)state;
    if (!ffmpeg_is_there()) skip();
    Video *video = NULL;
    Result result = video_open(test_path(folder, "film.mp4"), 64, 48, 30, &video);
    assert_true(result_is_ok(&result));
    video_abandon(video);
    video_abandon(NULL);
    assert_int_equal(test_folder_entries(folder), 0);
}

static void the_film_of_a_run_that_is_just_ending_is_made_again(void **state)
{
    (void)state;
    if (!ffmpeg_is_there()) skip();
    int ready[2];
    char byte, name[80];
    assert_int_equal(pipe(ready), 0);
    pid_t child = fork();
    if (child == 0) { // holds the film, and ends a moment later
        snprintf(name, sizeof name, "film.mp4.%ld-0.tmp", (long)getpid());
        int fd = open(test_path(folder, name), O_WRONLY | O_CREAT, 0666);
        if (flock(fd, LOCK_EX) != 0 || write(ready[1], "r", 1) != 1) _exit(1);
        usleep(100000);
        _exit(0);
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    Video *video = NULL;
    Result result = video_open(test_path(folder, "film.mp4"), 64, 48, 30, &video);
    if (!result_is_ok(&result)) fail_msg("%s", result.text);
    video_abandon(video);
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_int_equal(test_folder_entries(folder), 0);
    close(ready[0]), close(ready[1]);
}

static void a_film_cannot_be_a_device_or_in_a_missing_folder(void **state)
{
    (void)state;
    Video *video = NULL;
    Result result = video_open("/dev/null", 64, 48, 30, &video);
    assert_int_equal(result.code, RESULT_USAGE);
    result = video_open(test_path(folder, "no/film.mp4"), 64, 48, 30, &video);
    assert_int_equal(result.code, RESULT_USAGE);
    assert_non_null(strstr(result.text, "no/film.mp4: cannot write: its folder is missing"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, keep_path, restore_path)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_film_has_its_size_rate_pictures_and_format),
        TEST(odd_sizes_and_fractional_rates_work),
        TEST(colours_come_back),
        TEST(a_film_without_pictures_is_an_error_and_leaves_nothing),
        TEST(a_missing_ffmpeg_is_named),
        TEST(an_ffmpeg_that_dies_is_quoted_and_raises_no_signal),
        TEST(an_ffmpeg_that_fails_at_the_end_leaves_no_film),
        TEST(a_film_that_is_not_whole_is_none),
        TEST(an_abandoned_film_is_removed),
        TEST(the_film_of_a_run_that_is_just_ending_is_made_again),
        TEST(a_film_cannot_be_a_device_or_in_a_missing_folder),
    };
    return cmocka_run_group_tests_name("video", tests, NULL, NULL);
}
