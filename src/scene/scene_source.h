// The source of a scene: its text, the settings of the command line, and the files that it names. With it a
// scene can be read again, also on another machine, and two scenes can be compared.
#ifndef PBF_SCENE_SCENE_SOURCE_H
#define PBF_SCENE_SCENE_SOURCE_H

#include "core/result.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// An override from the command line: --set KEY=VALUE, with a dotted key ("solver.iterations") and a YAML
// value.
typedef struct SceneOverride {
    const char *key, *value;
} SceneOverride;

// A file and the name that the scene has for it.
typedef struct SceneFile {
    char *name, *text;
    size_t bytes;
} SceneFile;

typedef struct SceneSource {
    char path[4096]; // of the scene; relative names of files start at its folder
    char *text;
    size_t bytes;
    SceneOverride *overrides; // applied in order
    uint32_t override_count;
    SceneFile *files;
    uint32_t file_count;
    size_t override_capacity, file_capacity;
    size_t parsed_bytes; // of files, each as often as it is named
    bool edited;         // its text is not that of its file any more. Not packed
    bool may_be_dry;     // needs neither water nor emitters: whoever reads it adds particles. Not packed
} SceneSource;

// Reads a scene's text. Errors as scene_read's. Free with scene_source_free.
Result scene_source_read(const char *path, SceneSource *out);
void scene_source_free(SceneSource *source); // zeroed is allowed

// Copies a scene's text from memory. path: what messages call it; names of files start at its folder. Errors
// as scene_read's.
Result scene_source_from_text(const char *path, const void *text, size_t bytes, SceneSource *out);

// Errors: RESULT_NO_MEMORY.
Result scene_source_copy(const SceneSource *source, SceneSource *out);

// Appends copies of overrides. Error: RESULT_NO_MEMORY.
Result scene_source_set(SceneSource *source, const SceneOverride *overrides, uint32_t count);

// Gives the source a copy of a file that the scene names; it takes the place of one on the disk. Errors:
// RESULT_USAGE if it has a file of that name or too many, RESULT_NO_MEMORY.
Result scene_source_add_file(SceneSource *source, const char *name, const void *bytes, size_t size);

// Finds a file by its name, in the source or, the first time, on the disk. Errors: RESULT_USAGE "PATH: ...",
// RESULT_NO_MEMORY.
Result scene_source_file(SceneSource *source, const char *name, const SceneFile **out);

// Path of that file: in the scene's folder, unless the name is absolute.
#define SCENE_PATH_BYTES 8192
void scene_source_path(const SceneSource *source, const char *name, char path[SCENE_PATH_BYTES]);

// Turns the source into one run of bytes and back. *bytes is a new block, freed with memory_free. Errors of
// reading: RESULT_USAGE for bytes that scene_source_pack did not make.
Result scene_source_pack(const SceneSource *source, char **bytes, size_t *size);
Result scene_source_unpack(const void *bytes, size_t size, SceneSource *out);

// Calls `take` for every setting that differs between two sources once their overrides are applied: the
// dotted key and what each says ("3", "[0, 0, 1]", "not given" where it leaves the default). Numbers that are
// equal do not differ, however they are written. Stops and returns at take's first error. Other errors: those
// of YAML that cannot be read, RESULT_NO_MEMORY.
typedef Result SceneDifference(const char *key, const char *a, const char *b, void *context);
Result scene_source_compare(const SceneSource *a, const SceneSource *b, SceneDifference *take, void *context);

struct YamlNode;
// The same for two trees (scene_yaml.h).
Result scene_trees_compare(const struct YamlNode *a, const struct YamlNode *b, SceneDifference *take,
                           void *context);

// Reads a source's text into a tree and applies its overrides. Errors: those of YAML, RESULT_USAGE,
// RESULT_NO_MEMORY; the document is to be freed in any case.
struct YamlDocument;
Result scene_source_tree(const SceneSource *source, struct YamlDocument *document, struct YamlNode **root);

#endif
