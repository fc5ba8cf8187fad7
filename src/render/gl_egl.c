// The OpenGL context of headless runs, through EGL.
#include "render/gl_context.h"

#include "core/memory.h"
#include "render/gl_functions.h"

#include <GL/glew.h>

#include <EGL/egl.h>
#include <EGL/eglext.h>

#include <string.h>

#define ADDRESSES_NEEDED ((uint64_t)640 << 20) // bytes; measured with Mesa 22.3 and two threads

struct GlContext {
    EGLDisplay display;
    EGLContext context;
};

// Names in EGL's extension strings are prefixes of one another, so whole words are compared.
static bool has_extension(const char *list, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = list; at && (at = strstr(at, name)); at += length) {
        if ((at == list || at[-1] == ' ') && (at[length] == ' ' || at[length] == 0)) return true;
    }
    return false;
}

// Makes a 3.3 core context on the display and makes it current without a surface.
static bool open_on_display(GlContext *self, EGLDisplay display)
{
    if (display == EGL_NO_DISPLAY || !eglInitialize(display, NULL, NULL)) return false;
    static const EGLint config_wanted[] = {EGL_SURFACE_TYPE, 0, EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT,
                                           EGL_NONE};
    static const EGLint context_wanted[] = {EGL_CONTEXT_MAJOR_VERSION,
                                            3,
                                            EGL_CONTEXT_MINOR_VERSION,
                                            3,
                                            EGL_CONTEXT_OPENGL_PROFILE_MASK,
                                            EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT,
                                            EGL_NONE};
    const char *extensions = eglQueryString(display, EGL_EXTENSIONS);
    EGLConfig config = EGL_NO_CONFIG_KHR;
    EGLint configs = 0;
    bool can = has_extension(extensions, "EGL_KHR_surfaceless_context") && eglBindAPI(EGL_OPENGL_API);
    if (can && !has_extension(extensions, "EGL_KHR_no_config_context")) {
        can = eglChooseConfig(display, config_wanted, &config, 1, &configs) && configs > 0;
    }
    EGLContext context =
        can ? eglCreateContext(display, config, EGL_NO_CONTEXT, context_wanted) : EGL_NO_CONTEXT;
    if (context != EGL_NO_CONTEXT && eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context)) {
        self->display = display;
        self->context = context;
        return true;
    }
    if (context != EGL_NO_CONTEXT) eglDestroyContext(display, context);
    eglTerminate(display);
    return false;
}

// Mesa lists its software driver as a device, too.
static bool is_card(EGLDeviceEXT device)
{
    PFNEGLQUERYDEVICESTRINGEXTPROC query =
        (PFNEGLQUERYDEVICESTRINGEXTPROC)eglGetProcAddress("eglQueryDeviceStringEXT");
    return query && !has_extension(query(device, EGL_EXTENSIONS), "EGL_MESA_device_software");
}

static bool open_on_cards(GlContext *self)
{
    PFNEGLQUERYDEVICESEXTPROC query_devices =
        (PFNEGLQUERYDEVICESEXTPROC)eglGetProcAddress("eglQueryDevicesEXT");
    EGLDeviceEXT devices[16];
    EGLint count = 0;
    if (!query_devices || !query_devices(16, devices, &count)) return false;
    for (EGLint k = 0; k < count; k++) {
        if (is_card(devices[k]) &&
            open_on_display(self, eglGetPlatformDisplay(EGL_PLATFORM_DEVICE_EXT, devices[k], NULL)))
            return true;
    }
    return false;
}

static bool open_anywhere(GlContext *self)
{
    // NULL where there is no EGL 1.5 to ask.
    const char *client = eglQueryString(EGL_NO_DISPLAY, EGL_EXTENSIONS);
    // A card, whoever's driver it has; Mesa without a surface would draw on the processor beside it.
    if (has_extension(client, "EGL_EXT_platform_device") && open_on_cards(self)) return true;
    if (has_extension(client, "EGL_MESA_platform_surfaceless") &&
        open_on_display(self,
                        eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL))) {
        return true;
    }
    return open_on_display(self, eglGetDisplay(EGL_DEFAULT_DISPLAY));
}

// Mesa's compiler ends the program where it gets no memory, so that is asked before.
static Result check_addresses(void)
{
    uint64_t left = memory_addresses_left();
    if (left >= ADDRESSES_NEEDED) return result_ok();
    return result_error(RESULT_NO_MEMORY,
                        "OpenGL: not enough memory: drivers need %u MB of addresses, %llu MB are left "
                        "(ulimit -v; bench runs without pictures)",
                        (unsigned)(ADDRESSES_NEEDED >> 20), (unsigned long long)(left >> 20));
}

Result gl_context_open_headless(GlContext **out)
{
    *out = NULL;
    TRY(check_addresses());
    GlContext *self = memory_allocate_zeroed(sizeof *self);
    if (!self) return result_no_memory("an OpenGL context", sizeof *self);
    if (!open_anywhere(self)) {
        memory_free(self);
        return result_error(RESULT_FAILED,
                            "OpenGL: no 3.3 core context without a display (tried EGL on cards, "
                            "surfaceless Mesa and the default display; Debian's libegl1, libegl-mesa0 and "
                            "libgl1-mesa-dri give one)");
    }
    if (!gl_functions_load()) {
        gl_context_close(self);
        return result_error(RESULT_FAILED,
                            "OpenGL: the driver's functions could not be loaded (3.3 core is needed)");
    }
    *out = self;
    return result_ok();
}

Result gl_context_take(GlContext *context)
{
    if (eglBindAPI(EGL_OPENGL_API) &&
        eglMakeCurrent(context->display, EGL_NO_SURFACE, EGL_NO_SURFACE, context->context))
        return result_ok();
    return result_error(RESULT_FAILED, "OpenGL: the context cannot be used by this thread");
}

void gl_context_leave(GlContext *context)
{
    eglMakeCurrent(context->display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    eglReleaseThread();
}

void gl_context_close(GlContext *context)
{
    if (!context) return;
    eglMakeCurrent(context->display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    eglDestroyContext(context->display, context->context);
    // The display itself is one per process and not counted: terminating it would take other contexts with
    // it.
    memory_free(context);
}
