// The fuzz targets (tests/fuzz) on their corpus, and on each of its files with bytes changed, cut out,
// doubled and swapped. Sanitizers, or a crash, say what is wrong; make fuzz looks further, with libFuzzer.
#include "case_helpers.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define CHANGES_MAX 8

typedef int Target(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed); // of checkpoints
Target fuzz_bgeo, fuzz_checkpoint, fuzz_obj, fuzz_ply, fuzz_scene, fuzz_text, fuzz_vtk, fuzz_vtp;

static uint64_t state_of_chance = 1;

// xorshift64 (Marsaglia 2003); below `end`.
static size_t chance(size_t end)
{
    state_of_chance ^= state_of_chance << 13;
    state_of_chance ^= state_of_chance >> 7;
    state_of_chance ^= state_of_chance << 17;
    return (size_t)(state_of_chance % end);
}

// Changes a copy in a few places; returns its size, at most that of the file and as much again.
static size_t mutate(const uint8_t *file, size_t size, uint8_t *out)
{
    static const char *const words[] = {"0",  "-1", "1e30", "nan", "4294967295", "18446744073709551615",
                                        "\n", "}",  ":"};
    memcpy(out, file, size);
    for (size_t k = chance(CHANGES_MAX) + 1; k > 0 && size > 0; k--) {
        size_t at = chance(size), length = chance(size - at) / 4 + 1;
        const char *word = words[chance(sizeof words / sizeof *words)];
        switch (chance(6)) {
        case 0:
            out[at] = (uint8_t)chance(256);
            break;
        case 1:
            out[at] ^= (uint8_t)(1 << chance(8));
            break;
        case 2: // cut off
            if (chance(4) == 0) size = at;
            break;
        case 3: // cut out
            memmove(out + at, out + at + length, size - at - length);
            size -= length;
            break;
        case 4: // over what is there
            if (at + strlen(word) <= size) memcpy(out + at, word, strlen(word));
            break;
        default: // from elsewhere
            memmove(out + at, out + chance(size - length + 1), length);
        }
    }
    return size;
}

// Returns how many files there were.
static int replay(Target *target, const char *path, const char *suffix, int changes)
{
    int files = 0;
    DIR *entries = opendir(path);
    assert_non_null(entries);
    for (struct dirent *entry; (entry = readdir(entries));) {
        long size = 0;
        if (entry->d_name[0] == '.' || !strstr(entry->d_name, suffix)) continue;
        uint8_t *file = (uint8_t *)test_read_file(test_path(path, entry->d_name), &size);
        uint8_t *changed = malloc((size_t)size + 1);
        assert_true(file && changed);
        target(file, (size_t)size);
        for (int k = 0; k < changes; k++) {
            state_of_chance = (uint64_t)k + 1; // found again by its number
            size_t bytes = mutate(file, (size_t)size, changed);
            uint8_t *exact = malloc(bytes > 0 ? bytes : 1); // a byte too far is seen
            memcpy(exact, changed, bytes);
            target(exact, bytes);
            free(exact);
        }
        free(changed);
        free(file);
        files++;
    }
    closedir(entries);
    return files;
}

static void check(Target *target, const char *name)
{
    char path[60];
    snprintf(path, sizeof path, "tests/fuzz/corpus/%s", name);
    assert_true(replay(target, path, "", test_is_full() ? 20000 : 500) > 0);
}

static void checkpoints(void **state)
{
    (void)state;
    check(fuzz_checkpoint, "checkpoint");
}

// As make fuzz changes them: numbers of blocks that stay whole, which the checks behind see.
static void numbers_in_checkpoints(void **state)
{
    (void)state;
    long size = 0;
    uint8_t *stream = (uint8_t *)test_read_file("tests/fuzz/corpus/checkpoint/contents", &size);
    uint8_t *changed = malloc((size_t)size);
    assert_true(stream && changed);
    for (unsigned seed = 0; seed < (test_is_full() ? 20000 : 500); seed++) {
        memcpy(changed, stream, (size_t)size);
        assert_int_equal(LLVMFuzzerCustomMutator(changed, (size_t)size, (size_t)size, seed), size);
        fuzz_checkpoint(changed, (size_t)size);
    }
    free(changed);
    free(stream);
}

static void meshes_of_obstacles(void **state)
{
    (void)state;
    check(fuzz_obj, "obj");
}

static void ply_files(void **state)
{
    (void)state;
    check(fuzz_ply, "ply");
}

static void vtk_files(void **state)
{
    (void)state;
    check(fuzz_vtk, "vtk");
}

static void xml_vtk_files(void **state)
{
    (void)state;
    check(fuzz_vtp, "vtp");
}

static void bgeo_files(void **state)
{
    (void)state;
    check(fuzz_bgeo, "bgeo");
}

static void tables(void **state)
{
    (void)state;
    check(fuzz_text, "text");
}

static void scenes(void **state)
{
    (void)state;
    check(fuzz_scene, "scene");
    assert_true(replay(fuzz_scene, "scenes", ".yaml", test_is_full() ? 2000 : 50) > 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(checkpoints),
        cmocka_unit_test(numbers_in_checkpoints),
        cmocka_unit_test(meshes_of_obstacles),
        cmocka_unit_test(ply_files),
        cmocka_unit_test(bgeo_files),
        cmocka_unit_test(tables),
        cmocka_unit_test(vtk_files),
        cmocka_unit_test(xml_vtk_files),
        cmocka_unit_test(scenes),
    };
    return cmocka_run_group_tests_name("corpus of", tests, NULL, NULL);
}
