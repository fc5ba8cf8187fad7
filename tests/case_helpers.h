// What every test may need around it: how long it may take, and a folder to write into.
#ifndef PBF_TESTS_CASE_HELPERS_H
#define PBF_TESTS_CASE_HELPERS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

// cmocka's own takes NaN for equal to any number. The tolerance is relative where numbers are above 1.
#undef assert_float_equal
#define assert_float_equal(found, expected, tolerance)                                                       \
    test_assert_near((double)(found), (double)(expected), (double)(tolerance), __FILE__, __LINE__)
void test_assert_near(double found, double expected, double tolerance, const char *file, int line);

// PBF_TEST_LEVEL: are long tests to be shortened (sanitizer runs), or to be longer than every day?
bool test_is_quick(void);
bool test_is_full(void);

// The folder of the running test, under /tmp. These two are a cmocka set-up and its tear-down: they make it,
// with nothing in child_setup (command_helpers.h), and remove it with what it holds.
extern const char *folder;
int make_folder(void **state);
int remove_folder(void **state);

// Mounts a disk that holds so many kB at FOLDER/disk; false without the right to. remove_folder takes it
// away.
bool mount_small(const char *path, int kilobytes);

// How many entries a folder has, -1 if it cannot be read.
int test_folder_entries(const char *path);

// "FOLDER/NAME"; the last eight results stay valid.
const char *test_path(const char *path, const char *name);

// The whole file with a NUL behind it, from malloc; NULL if it cannot be read. size may be NULL.
char *test_read_file(const char *path, long *size);

#endif
