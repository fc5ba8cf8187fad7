// Settings written into a scene's text, which stays as its author wrote it: comments, order and layout.
#ifndef PBF_SCENE_SCENE_EDIT_H
#define PBF_SCENE_SCENE_EDIT_H

#include "scene/scene_source.h"

// The scene's text with all its overrides in it: a value that stands there is replaced where it stands, a new
// key comes under its section. Reading it gives the same scene as the source. *text is a new block with a NUL
// behind it, freed with memory_free. An override may name an item of a list by its number
// ("water.0.sphere.radius"), or add one: the number behind the last. Errors: RESULT_USAGE "KEY: ..." for a
// value that cannot be written so (a text block, an alias), RESULT_NO_MEMORY.
Result scene_edited_text(const SceneSource *source, char **text);

// The same text without an item of a list ("obstacles"), or with a copy of it behind it. Errors: as above.
Result scene_item_text(const SceneSource *source, const char *list, uint32_t index, bool repeat, char **text);

#endif
