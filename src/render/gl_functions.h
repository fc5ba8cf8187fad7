// Loads the functions of the OpenGL context that is current, whoever made it.
#ifndef PBF_RENDER_GL_FUNCTIONS_H
#define PBF_RENDER_GL_FUNCTIONS_H

#include <stdbool.h>

// False if what OpenGL 3.3 needs is missing.
bool gl_functions_load(void);

#endif
