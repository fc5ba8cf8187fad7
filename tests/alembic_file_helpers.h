// A reader of Alembic files (Ogawa), written apart from the program's writer: as much as tests need.
#ifndef PBF_TESTS_ALEMBIC_FILE_HELPERS_H
#define PBF_TESTS_ALEMBIC_FILE_HELPERS_H

#include <stdint.h>

typedef struct AlembicFile {
    uint8_t *bytes; // malloc
    uint64_t size;
} AlembicFile;

#define ALEMBIC_SAMPLES_KEPT 8

// A sample of a property; data is good for ALEMBIC_SAMPLES_KEPT calls.
typedef struct AlembicSample {
    const void *data;
    uint64_t bytes;
    uint32_t samples; // of the property
} AlembicSample;

// Opens a file; fails the test if it is not complete. Free bytes.
AlembicFile alembic_open(const char *path);

// A sample of a property: object "water" or "body/mesh", property ".geom/P". Fails the test if there is none,
// or what leads to it does not lie in the file.
AlembicSample alembic_sample(const AlembicFile *file, const char *object, const char *property,
                             uint32_t sample);

// Time of a sample, s, by the file's second time sampling.
double alembic_time(const AlembicFile *file, uint32_t sample);

#endif
