// What outputs must not replace: the files that a command reads, and one another.
#ifndef PBF_COMMAND_KEPT_FILES_H
#define PBF_COMMAND_KEPT_FILES_H

#include "command/options.h"
#include "library/pbf.h"

// The files that a command reads; zeroed: none. Free with kept_files_free.
typedef struct KeptFiles {
    struct FileId *files;
    uint32_t count;
    size_t capacity;
} KeptFiles;

// Adds a file. What is not there, or is not a file, is left out. Error: RESULT_NO_MEMORY.
Result kept_files_add(KeptFiles *kept, const char *path);

// Adds the inputs of a call, and the files that they stand for (NULL: none further). Error: RESULT_NO_MEMORY.
Result kept_files_add_inputs(KeptFiles *kept, const Options *options, const pbf_sequence_data *sequence);

// Adds a scene's file, and those that it names: meshes, the picture of its sky. Error: RESULT_NO_MEMORY.
Result kept_files_add_scene(KeptFiles *kept, const SceneDef *scene);
void kept_files_free(KeptFiles *kept);

// A file that is to be written, and the option that says so. path NULL or "-": none.
typedef struct OutputFile {
    const char *option, *path;
} OutputFile;

// Checks that no output is a kept file, or one with another output, under whatever names. Error:
// RESULT_USAGE.
Result kept_files_check(const KeptFiles *kept, const OutputFile *outputs, uint32_t count);

// Will a command with these options replace or remove a file of that name in the folder --out?
typedef bool ReplacesFile(const Options *options, const char *name);

// The same for the log, the film and the folder of the options, for a command that reads a scene and a
// checkpoint (NULL: none) besides its inputs.
Result kept_files_check_run(const Options *options, const SceneDef *scene, const char *checkpoint,
                            ReplacesFile *replaces);

#endif
