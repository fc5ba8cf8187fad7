// Ogawa, the container of Alembic files: data and groups of them, each of which refers to its children by
// their places in the file, so that children come first and a file is written from its beginning to its end.
//
//   "Ogawa" 0xff, version 0 1, the place of the root group
//   data    number of bytes (8), bytes
//   group   number of children (8), their places (8 each), with the highest bit set for data
#ifndef PBF_EXPORT_OGAWA_H
#define PBF_EXPORT_OGAWA_H

#include "export/file_writer.h"

#define OGAWA_NO_DATA (UINT64_C(1) << 63) // data of no bytes

typedef struct OgawaWriter {
    FileWriter file;
    uint64_t at; // bytes so far
    bool short_of_memory;
} OgawaWriter;

// A group that is being filled; {0} is an empty one.
typedef struct OgawaGroup {
    uint64_t *child;
    size_t capacity;
    uint32_t count;
} OgawaGroup;

// Errors: RESULT_FAILED, RESULT_NO_MEMORY. End with ogawa_commit or ogawa_discard.
Result ogawa_open(const char *path, OgawaWriter *out);

// Writes data of one or two pieces; returns the place for its group.
uint64_t ogawa_data(OgawaWriter *writer, const void *head, size_t head_bytes, const void *data, size_t bytes);

void ogawa_add(OgawaWriter *writer, OgawaGroup *group, uint64_t place);

// Writes a group and empties it; returns its place.
uint64_t ogawa_group(OgawaWriter *writer, OgawaGroup *group);

// Frees a group that is not going to be written.
void ogawa_group_free(OgawaGroup *group);

// Names the root group and ends the file. Errors: RESULT_FAILED, RESULT_NO_MEMORY; then nothing is left of
// it.
Result ogawa_commit(OgawaWriter *writer, uint64_t root);
void ogawa_discard(OgawaWriter *writer);

#endif
