// Loads the functions of the OpenGL context that is current, whoever made it.
#ifndef PBF_RENDER_GL_FUNCTIONS_H
#define PBF_RENDER_GL_FUNCTIONS_H

#include <stdbool.h>

// False if what OpenGL 3.3 needs is missing.
bool gl_functions_load(void);

// Name and version of the driver that the current context draws with, until the functions are loaded again.
const char *gl_description(void);

// Does a driver of this name (GL_RENDERER) render in software, on the cores that simulate?
bool gl_is_software(const char *renderer);

// Does the driver of the context loaded last render in software?
bool gl_draws_on_processor(void);

#endif
