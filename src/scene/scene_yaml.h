// YAML as a small tree of our own, with the place every value came from. Aliases are already resolved; tags,
// other documents, keys that are not plain text and anything that passes the limits below are refused.
#ifndef PBF_SCENE_SCENE_YAML_H
#define PBF_SCENE_SCENE_YAML_H

#include "core/result.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Limits of a scene: far more than anybody writes, little enough that any file is read in a fraction of a
// second.
#define YAML_MAX_BYTES 1000000
#define YAML_MAX_NODES 500000 // after aliases are resolved, so that aliases of aliases cannot fill the memory
#define YAML_MAX_DEPTH 24
#define YAML_MAX_ANCHORS 256

typedef enum YamlKind { YAML_SCALAR, YAML_LIST, YAML_MAPPING } YamlKind;

typedef struct YamlNode {
    YamlKind kind;
    bool quoted;         // a scalar in quotes or a text block: never a number
    const char *text;    // scalar; no NUL inside
    const char *key;     // under a mapping, else NULL
    const char *set_key; // the override that it comes from, NULL if it comes from the file
    int line, column;    // from 1; of the value
    int key_line, key_column;
    struct YamlNode *parent, *first, *last, *next;
} YamlNode;

// Owns all nodes and texts.
typedef struct YamlDocument {
    struct YamlBlock *blocks;
    size_t block_used;
    uint32_t nodes;
} YamlDocument;

// Parses one YAML document of UTF-8 text without control characters. label: what messages call the text
// ("dam.yaml" or "--set KEY"). set_key: NULL for a file; else kept (not copied) in every node. *root is NULL
// if it has no content. Errors: RESULT_USAGE "LABEL:LINE:COLUMN: ..." or "--set KEY: ...",
// RESULT_NO_MEMORY.
Result yaml_parse(YamlDocument *document, const char *label, const char *set_key, const char *text,
                  size_t bytes, YamlNode **root);

// Frees all nodes. A zeroed document is valid and empty.
void yaml_free(YamlDocument *document);

// The child of that key, or NULL; node may be NULL or anything.
YamlNode *yaml_child(const YamlNode *node, const char *key);

// The item of a list, from 0, or NULL.
YamlNode *yaml_item(const YamlNode *node, uint32_t index);
uint32_t yaml_count(const YamlNode *node); // children

// Makes an empty node of a kind in the document, or copies length bytes of text there (NUL added). NULL if
// memory is short or, for nodes, their limit is reached.
YamlNode *yaml_new_node(YamlDocument *document, YamlKind kind);
char *yaml_new_text(YamlDocument *document, const char *text, size_t length);

// Puts a node at the end of a parent's children, or in the place of one of them; takes one of them out.
void yaml_append(YamlNode *parent, YamlNode *child);
void yaml_remove(YamlNode *parent, const YamlNode *child);
void yaml_replace(YamlNode *parent, YamlNode *old, YamlNode *child);

#endif
