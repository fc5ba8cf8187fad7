// Reads the bytes of a scene file and applies the overrides of a command line.
#ifndef PBF_SCENE_SCENE_FILE_H
#define PBF_SCENE_SCENE_FILE_H

#include "scene/scene.h"
#include "scene/scene_yaml.h"

// The name of a file in messages: its path, without the front where it would push the message off the line.
#define SCENE_LABEL_BYTES 120
void scene_label(const char *path, char label[SCENE_LABEL_BYTES]);

// Reads a file of at most YAML_MAX_BYTES into a new block (freed with memory_free) and makes sure that it is
// UTF-8 text. Errors: RESULT_USAGE "LABEL: ..." or "LABEL:LINE:COLUMN: ...", RESULT_NO_MEMORY.
Result scene_file_read(const char *path, const char *label, char **text, size_t *bytes);

// As scene_file_read, with a copy of bytes in memory.
Result scene_text_copy(const char *label, const void *bytes, size_t size, char **text);

// Finds the first byte that is not part of UTF-8 text without control characters; `bytes` if there is none.
size_t scene_text_check(const char *text, size_t bytes);

// Writes an override's value into the tree; mappings and lists on the way are made where they are missing.
// Errors: RESULT_USAGE "--set KEY: ...", RESULT_NO_MEMORY.
Result scene_override_apply(YamlDocument *document, YamlNode *root, const SceneOverride *override);

#endif
