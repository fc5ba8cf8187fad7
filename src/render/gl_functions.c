#include "render/gl_functions.h"

#include <GL/glew.h>

// GLEW 2.2 loads every pointer, then stops at GLX where there is no X display: that one error is expected.
bool gl_functions_load(void)
{
    glewExperimental = GL_TRUE;
    GLenum status = glewInit();
    if (status != GLEW_OK && status != GLEW_ERROR_NO_GLX_DISPLAY) return false;
    while (glGetError() != GL_NO_ERROR) {
    }
    return glCreateShader && glDrawArraysInstanced && glFramebufferTexture2D && glVertexAttribDivisor;
}
