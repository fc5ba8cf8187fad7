// The schema's machinery: tables say which keys a mapping may have, of what kind, in which range and where
// the value goes; one reader goes by them. The tables themselves are in scene_tables.c.
#ifndef PBF_SCENE_SCENE_SCHEMA_H
#define PBF_SCENE_SCENE_SCHEMA_H

#include "core/nearest.h"
#include "core/result.h"
#include "scene/scene_source.h"
#include "scene/scene_yaml.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// What the readers share while one scene is read.
typedef struct SceneReading {
    const char *label;   // what messages call the file
    SceneSource *source; // the files that the scene names
} SceneReading;

typedef enum SchemaKind {
    SCHEMA_FLOAT,   // float
    SCHEMA_DOUBLE,  // double
    SCHEMA_COUNT,   // uint32_t
    SCHEMA_FLAG,    // bool: true, false
    SCHEMA_VECTOR,  // Vec3: list of three numbers, each in the range
    SCHEMA_TEXT,    // char[size]; one of `choice`'s names if that is set
    SCHEMA_CHOICE,  // int: number of one of `choice`'s names
    SCHEMA_MAPPING, // `table`, into the struct at the offset
    SCHEMA_LIST,    // of `element`s: pointer at the offset, uint32_t count at count_offset
    SCHEMA_OTHER,   // `read` does it, into the address at the offset
} SchemaKind;

typedef struct SchemaField SchemaField;

typedef struct SchemaTable {
    const SchemaField *fields; // the last one has no key
} SchemaTable;

typedef Result SchemaRead(const SceneReading *reading, const YamlNode *node, const SchemaField *field,
                          void *target);

struct SchemaField {
    const char *key;
    SchemaKind kind;
    size_t offset, count_offset;
    size_t size;   // of a text with its NUL, or of a list's element
    double lo, hi; // of numbers
    bool above_lo; // lo itself is not allowed
    bool required;
    bool variant;             // exactly one of a table's variants must be there
    NearestNames *choice;     // names in order, without a context; NULL past the end
    const SchemaTable *table; // of a mapping, or of the mappings in a list
    SchemaRead *read;         // of another value, or of a list's element
    uint32_t most;            // items in a list
    const char *unit;         // "" if there is none
    const char *expects;      // of another value: what a message says it should be
};

// The whole schema: the mapping that a scene file is.
extern const SchemaTable SCENE_SCHEMA;

// The mapping under `surface`, into a SurfaceDef.
extern const SchemaTable SURFACE_SCHEMA;

// Reads a mapping by a table into target. Keys are refused that are unknown, double or not allowed together;
// values outside their range; required ones that are missing. Optional values that are missing leave target
// as it was. Errors: RESULT_USAGE with the place, RESULT_NO_MEMORY.
Result schema_read(const SceneReading *reading, const YamlNode *node, const SchemaTable *table, void *target);

// Which of a table's keys are variants and present in the mapping: the first, or NULL.
const char *schema_variant(const YamlNode *node, const SchemaTable *table);

// "FILE:LINE:COLUMN: a.b: text", or "--set KEY: text" for a value of an override; the second points at the
// node's key.
Result schema_error(const SceneReading *reading, const YamlNode *node, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
Result schema_error_at_key(const SceneReading *reading, const YamlNode *node, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// A finite number within the field's range. Errors as above.
Result schema_number(const SceneReading *reading, const YamlNode *node, const SchemaField *field,
                     double *out);

// The same as a message "must be WHAT, found ...".
Result schema_wrong_kind(const SceneReading *reading, const YamlNode *node, const char *what);

// What a number may be, as messages and the documentation say it: "above 0, up to 1000 m".
void schema_range(const SchemaField *field, char *text, size_t size);

// The number of one of the field's names.
Result schema_choice(const SceneReading *reading, const YamlNode *node, const SchemaField *field,
                     uint32_t *out);

// A list of `count` numbers within the field's range.
Result schema_numbers(const SceneReading *reading, const YamlNode *node, const SchemaField *field,
                      uint32_t count, double *out);

#endif
