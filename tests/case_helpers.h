// What every test may need around it: how long it may take, and a folder to write into.
#ifndef PBF_TESTS_CASE_HELPERS_H
#define PBF_TESTS_CASE_HELPERS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/result.h"

// Stops the test with the message if a result is an error.
#define ASSERT_OK(...)                                                                                       \
    do {                                                                                                     \
        Result assert_result_ = (__VA_ARGS__);                                                               \
        if (!result_is_ok(&assert_result_)) fail_msg("%s", assert_result_.text);                             \
    } while (0)

// cmocka's own takes NaN for equal to any number, and its tolerance for a relative one where numbers are
// above 1.
#undef assert_float_equal
#define assert_float_equal(found, expected, tolerance)                                                       \
    test_assert_near((double)(found), (double)(expected), (double)(tolerance), __FILE__, __LINE__)
void test_assert_near(double found, double expected, double tolerance, const char *file, int line);

// PBF_TEST_LEVEL: are long tests to be shortened (sanitizer runs), or to be longer than every day?
bool test_is_quick(void);
bool test_is_full(void);

// Is the program built with the address sanitizer? What averages over long runs say is tested as released;
// there a run need only come through the same code.
bool test_is_sanitized(void);

// From one case to the next: 1, and so many in a sanitized program, where all of them run the same code.
size_t test_stride(size_t sanitized);

// Processor time that only what hangs takes: what is refused before it is worked on takes a second or three,
// on the busiest machine a few times as much, and minutes or hours if nothing refused.
#define TEST_HANG_SECONDS 60

// The folder of the running test, under /tmp. These two are a cmocka set-up and its tear-down: they make it,
// with nothing in child_setup (command_helpers.h), and remove it with what it holds.
extern const char *folder;
int make_folder(void **state);
int remove_folder(void **state);

// Runs a command line; its exit status. What it printed is in test_shell_output, both streams together.
int test_shell(const char *words);
extern char test_shell_output[20000];

// Stops the test with what a command line printed unless it ended with status 0.
#define SHELL(words)                                                                                         \
    do {                                                                                                     \
        if (test_shell(words) != 0) fail_msg("%s: %s", words, test_shell_output);                            \
    } while (0)

// Mounts a disk that holds so many kB at FOLDER/disk; false without the right to. remove_folder takes it
// away.
bool mount_small(const char *path, int kilobytes);

// How many entries a folder has, -1 if it cannot be read.
int test_folder_entries(const char *path);

// make_folder, with this text as FOLDER/scene.yaml.
int make_folder_with_scene(void **state, const char *text);

// "FOLDER/NAME"; the last eight results stay valid.
const char *test_path(const char *path, const char *name);

// Writes a file into the folder of the running test; returns its path.
const char *test_write_file(const char *name, const void *bytes, size_t size);

// Stops the test unless two files hold the same bytes.
void test_assert_same_files(const char *path, const char *other);

// A whole file of the running test's folder, as test_read_file; stops the test if it is missing.
char *test_folder_file(const char *name, long *size);

// The whole file with a NUL behind it, from malloc; NULL if it cannot be read. size may be NULL.
char *test_read_file(const char *path, long *size);

#endif
