// Particles to write, and readers of the files that pbf writes, independent of its writers.
#ifndef PBF_TESTS_EXPORT_HELPERS_H
#define PBF_TESTS_EXPORT_HELPERS_H

#include "export/export.h"

#include <stdint.h>

// Particles with a number of its own in every stream, TEST_PARTICLES_MAX at most. The streams are those of
// the next call, too.
#define TEST_PARTICLES_MAX 70001
FrameView test_particles_view(uint32_t count);

// Writes particles with the writer of a format.
Result test_export_particles(const char *path, Result (*write)(const char *path, const Geometry *geometry),
                             const FrameView *view);

typedef struct TestPicture {
    uint32_t width, height;
    uint8_t *rgb; // malloc, NULL if the file is not a valid PNG of 8-bit RGB
} TestPicture;
TestPicture test_read_png(const char *path);

typedef struct TestParticle {
    float position[3], velocity[3], density;
    uint32_t id;
    float vorticity, age;
    uint32_t neighbors;
    float pressure;
} TestParticle;

typedef struct TestParticles {
    uint32_t count;
    TestParticle *particle; // malloc, NULL if the file does not parse to its last byte
} TestParticles;
TestParticles test_read_ply(const char *path);
TestParticles test_read_vtk(const char *path);
TestParticles test_read_vtp(const char *path);
TestParticles test_read_bgeo(const char *path);

#endif
