// Places in a scene's text, for the files that edit it.
#ifndef PBF_SCENE_SCENE_EDIT_TEXT_H
#define PBF_SCENE_SCENE_EDIT_TEXT_H

#include "scene/scene_yaml.h"

typedef struct Edit {
    const char *key;   // for messages
    const char *label; // of the file
    char *text;        // with a NUL; owned
    YamlDocument document;
    YamlNode *root; // of the text as it was parsed last
} Edit;

// "KEY: cannot be written ..."
Result edit_cannot(const Edit *edit);

// Parses the text as it is now. Errors: those of yaml_parse; RESULT_USAGE if it is not a mapping.
Result edit_parse(Edit *edit);

// Puts other text between two places of it. Nodes and places behind it are not right any more then. Errors:
// RESULT_NO_MEMORY.
Result edit_splice(Edit *edit, const char *from, const char *to, const char *text);

// Line and column (from 1, of characters) as a place in the text.
char *edit_place(const Edit *edit, int line, int column);

// Is a list or mapping in brackets?
bool edit_is_flow(const Edit *edit, const YamlNode *node);

// The end of a scalar that begins at a place: in quotes, or else of its line. NULL if it is of another kind.
char *edit_scalar_end(const Edit *edit, const YamlNode *node, char *at);

// The end of a node in brackets: the comma or bracket behind it; NULL if there is none.
char *edit_flow_end(const Edit *edit, const YamlNode *node);

// Of an item of a list that has dashes: its dash, with only blanks before it, and the line behind its last
// one. NULL if it does not look so.
char *edit_dash(const Edit *edit, const YamlNode *item);
char *edit_item_end(const Edit *edit, const YamlNode *item);

#endif
