#include "case_helpers.h"

#include "command_helpers.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

const char *folder;

void test_assert_near(double found, double expected, double tolerance, const char *file, int line)
{
    if (found == expected || fabs(found - expected) <= tolerance) return;
    print_error("%.9g is not %.9g within %.3g\n", found, expected, tolerance);
    _fail(file, line);
}

static bool level_is(const char *name)
{
    const char *level = getenv("PBF_TEST_LEVEL");
    return level && strcmp(level, name) == 0;
}

bool test_is_quick(void)
{
    return level_is("quick");
}

bool test_is_full(void)
{
    return level_is("full");
}

bool test_is_sanitized(void)
{
#ifdef __SANITIZE_ADDRESS__
    return true;
#else
    return false;
#endif
}

size_t test_stride(size_t sanitized)
{
    return test_is_sanitized() ? sanitized : 1;
}

int make_folder(void **state)
{
    static char path[64];
    (void)state;
    child_setup = (ChildSetup){0};
    strcpy(path, "/tmp/pbf-test-XXXXXX");
    folder = mkdtemp(path);
    return folder ? 0 : -1;
}

static void remove_tree(const char *path)
{
    DIR *entries = opendir(path);
    if (!entries) return;
    for (struct dirent *entry; (entry = readdir(entries));) {
        char entry_path[600];
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        snprintf(entry_path, sizeof entry_path, "%.300s/%.255s", path, entry->d_name);
        if (entry->d_type == DT_DIR) remove_tree(entry_path);
        unlink(entry_path);
    }
    closedir(entries);
    rmdir(path);
}

int remove_folder(void **state)
{
    (void)state;
    child_setup = (ChildSetup){0};
    umount(test_path(folder, "disk"));
    remove_tree(folder);
    return 0;
}

bool mount_small(const char *path, int kilobytes)
{
    char options[40];
    snprintf(options, sizeof options, "size=%dk", kilobytes);
    mkdir(path, 0700);
    return mount("tmpfs", path, "tmpfs", 0, options) == 0;
}

int test_folder_entries(const char *path)
{
    DIR *entries = opendir(path);
    if (!entries) return -1;
    int count = -2; // . and ..
    while (readdir(entries)) count++;
    closedir(entries);
    return count;
}

const char *test_path(const char *path, const char *name)
{
    static char paths[8][600];
    static int next;
    char *joined = paths[next++ % 8];
    snprintf(joined, sizeof paths[0], "%.300s/%.290s", path, name);
    return joined;
}

const char *test_write_file(const char *name, const void *bytes, size_t size)
{
    const char *path = test_path(folder, name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
    return path;
}

int make_folder_with_scene(void **state, const char *text)
{
    if (make_folder(state) != 0) return -1;
    test_write_file("scene.yaml", text, strlen(text));
    return 0;
}

void test_assert_same_files(const char *path, const char *other)
{
    long sizes[2] = {0};
    char *bytes[2] = {test_read_file(path, &sizes[0]), test_read_file(other, &sizes[1])};
    for (int k = 0; k < 2; k++)
        if (!bytes[k]) fail_msg("%s is missing", k ? other : path);
    if (sizes[0] != sizes[1] || memcmp(bytes[0], bytes[1], (size_t)sizes[0]) != 0)
        fail_msg("%s and %s differ", path, other);
    for (int k = 0; k < 2; k++) free(bytes[k]);
}

char *test_folder_file(const char *name, long *size)
{
    char *text = test_read_file(test_path(folder, name), size);
    if (!text) fail_msg("%s is missing", name);
    return text;
}

char *test_read_file(const char *path, long *size)
{
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    fseek(file, 0, SEEK_END);
    long bytes = ftell(file);
    rewind(file);
    char *text = malloc((size_t)bytes + 1);
    if (fread(text, 1, (size_t)bytes, file) != (size_t)bytes) {
        free(text);
        text = NULL;
    } else {
        text[bytes] = '\0';
    }
    fclose(file);
    if (size) *size = bytes;
    return text;
}

char test_shell_output[20000];

int test_shell(const char *words)
{
    char command[2000];
    snprintf(command, sizeof command, "{ %s\n} 2>&1", words);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    test_shell_output[fread(test_shell_output, 1, sizeof test_shell_output - 1, pipe)] = '\0';
    int status = pclose(pipe);
    return WEXITSTATUS(status);
}
