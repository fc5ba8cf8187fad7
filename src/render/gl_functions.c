#include "render/gl_functions.h"

#include <GL/glew.h>

#include <stdio.h>
#include <string.h>

static bool on_processor;
static char description[256];

bool gl_is_software(const char *renderer)
{
    // Mesa's, Mesa's without a name, Google's, Apple's, and Microsoft's on Windows and in WSL.
    static const char *const names[] = {"llvmpipe",    "softpipe", "swrast",      "Software",
                                        "SwiftShader", "GDI",      "Basic Render"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (renderer && strstr(renderer, names[k])) return true;
    return false;
}

const char *gl_description(void)
{
    return description;
}

bool gl_draws_on_processor(void)
{
    return on_processor;
}

// GLEW 2.2 loads every pointer, then fails at GLX without an X display: that one error is expected.
bool gl_functions_load(void)
{
    glewExperimental = GL_TRUE;
    GLenum status = glewInit();
    if (status != GLEW_OK && status != GLEW_ERROR_NO_GLX_DISPLAY) return false;
    while (glGetError() != GL_NO_ERROR) {
    }
    const char *renderer = (const char *)glGetString(GL_RENDERER);
    on_processor = gl_is_software(renderer);
    snprintf(description, sizeof description, "%s, OpenGL %s", renderer ? renderer : "an unknown driver",
             (const char *)glGetString(GL_VERSION));
    return glCreateShader && glDrawArraysInstanced && glFramebufferTexture2D && glVertexAttribDivisor;
}
