// What fuzz targets share. They read from memory: a target that opened files would be hundreds of times
// slower. make fuzz links each with libFuzzer; tests/test_fuzz_corpus.c calls all of them on the corpus.
#ifndef PBF_TESTS_FUZZ_INPUT_H
#define PBF_TESTS_FUZZ_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// libFuzzer's entry; every target defines it. For the test it has another name.
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// A copy with a NUL behind it, as readers get a file's bytes; free with free.
char *fuzz_copy(const uint8_t *data, size_t size);

// Is more than reading to be done? For one input of sixteen, always the same: surfaces and steps take a
// hundred times as long as most of what is read.
bool fuzz_goes_on(const uint8_t *data, size_t size);

// What `pbf mesh` does with a file of particles; large ones are read only.
void fuzz_particle_file(const char *name, const uint8_t *data, size_t size);

#endif
