// Readers of the files that pbf writes, independent of its writers, and folders for tests to write into.
#ifndef PBF_TESTS_EXPORT_HELPERS_H
#define PBF_TESTS_EXPORT_HELPERS_H

#include <stdbool.h>
#include <stdint.h>

// A fresh folder under /tmp; its path lives until the next call. Remove with test_folder_remove.
const char *test_folder_make(void);
void test_folder_remove(const char *folder);

// How many entries a folder has, -1 if it cannot be read.
int test_folder_entries(const char *folder);

// "FOLDER/NAME"; the last eight results stay valid.
const char *test_path(const char *folder, const char *name);

// The whole file with a NUL behind it, from malloc; NULL if it cannot be read. size may be NULL.
char *test_read_file(const char *path, long *size);

typedef struct TestPicture {
    uint32_t width, height;
    uint8_t *rgb; // malloc, NULL if the file is no valid PNG of 8-bit RGB
} TestPicture;
TestPicture test_read_png(const char *path);

typedef struct TestParticle {
    float position[3], velocity[3], density;
    uint32_t id;
} TestParticle;

typedef struct TestParticles {
    uint32_t count;
    TestParticle *particle; // malloc, NULL if the file does not parse to its last byte
} TestParticles;
TestParticles test_read_ply(const char *path);
TestParticles test_read_vtk(const char *path);
TestParticles test_read_vtp(const char *path);

#endif
