// Files of particles that show one run: named one by one, as a pattern, as a folder, or by an index.
#ifndef PBF_EXPORT_FILE_SEQUENCE_H
#define PBF_EXPORT_FILE_SEQUENCE_H

#include "core/result.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct SequenceFile {
    char *path;
    uint64_t number; // in its name, or its place in the sequence where names do not tell files apart
    double time;     // s, if the sequence is timed
} SequenceFile;

typedef struct FileSequence {
    SequenceFile *files; // in the order of their numbers; in that of the index if there is one
    uint32_t count;
    bool timed; // by an index
    bool alone; // one file, named as it is
} FileSequence;

// Finds the files of `inputs`: files; patterns of the shell, and {} for a number ("splash_{}.bgeo"); folders,
// of which one sequence of particles is taken; indices (.pvd, .series). Errors: RESULT_USAGE if there are
// none, or several sequences to choose from; RESULT_NO_MEMORY. Free with file_sequence_free, also after an
// error.
Result file_sequence_find(char *const *inputs, uint32_t count, FileSequence *out);
void file_sequence_free(FileSequence *sequence);

#endif
