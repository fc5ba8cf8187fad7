// Readers of the files that pbf writes, independent of its writers.
#ifndef PBF_TESTS_EXPORT_HELPERS_H
#define PBF_TESTS_EXPORT_HELPERS_H

#include <stdint.h>

typedef struct TestPicture {
    uint32_t width, height;
    uint8_t *rgb; // malloc, NULL if the file is no valid PNG of 8-bit RGB
} TestPicture;
TestPicture test_read_png(const char *path);

typedef struct TestParticle {
    float position[3], velocity[3], density;
    uint32_t id;
    float vorticity, age;
    uint32_t neighbors;
} TestParticle;

typedef struct TestParticles {
    uint32_t count;
    TestParticle *particle; // malloc, NULL if the file does not parse to its last byte
} TestParticles;
TestParticles test_read_ply(const char *path);
TestParticles test_read_vtk(const char *path);
TestParticles test_read_vtp(const char *path);

#endif
