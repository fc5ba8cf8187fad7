// Loads the functions of the OpenGL context that is current, whoever made it.
#ifndef PBF_RENDER_GL_FUNCTIONS_H
#define PBF_RENDER_GL_FUNCTIONS_H

#include <stdbool.h>

// False if what OpenGL 3.3 needs is missing.
bool gl_functions_load(void);

// Does a driver of this name (GL_RENDERER) draw on the processor, where the water is moved, too?
bool gl_is_software(const char *renderer);

// Does the driver of the context that was loaded last?
bool gl_draws_on_processor(void);

#endif
