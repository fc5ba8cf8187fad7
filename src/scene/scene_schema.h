// Reads scene files by tables of parameters (core/param.h): keys of a mapping, allowed values, and where they
// go. The tables themselves are in scene_tables.c.
#ifndef PBF_SCENE_SCENE_SCHEMA_H
#define PBF_SCENE_SCENE_SCHEMA_H

#include "core/param.h"
#include "core/result.h"
#include "scene/scene_source.h"
#include "scene/scene_yaml.h"

// Shared by the readers while one scene is read.
typedef struct SceneReading {
    const char *label;   // what messages call the file
    SceneSource *source; // the files that the scene names
} SceneReading;

// Table of a whole scene file, of a SceneDef.
extern const ParamRow SCENE_ROWS[];

// Reads a mapping by a table into the table's struct. Refuses keys that are unknown, given twice or not
// allowed together, values out of range, and missing required keys. Missing optional keys leave the struct as
// it was. Errors: RESULT_USAGE with the place, RESULT_NO_MEMORY.
Result schema_read(const SceneReading *reading, const YamlNode *node, const ParamRow *rows, void *target);

// The first of a table's outermost keys that is a variant and present in the mapping, or NULL.
const char *schema_variant(const YamlNode *node, const ParamRow *rows);

// "FILE:LINE:COLUMN: a.b: text", or "--set KEY: text" for a value of an override; the second points at the
// node's key.
Result schema_error(const SceneReading *reading, const YamlNode *node, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
Result schema_error_at_key(const SceneReading *reading, const YamlNode *node, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
