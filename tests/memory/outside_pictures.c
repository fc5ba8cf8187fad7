// As outside.c, of drivers of OpenGL, libpng and Embree. Drivers compare what lies on stacks that ours
// have marked as unset, so the sanitizer's checks of calls such as memcmp are off in threads that draw; those
// of our own reads stay.
#include "photo/embree.h"

#include <GL/glew.h>

#include <EGL/egl.h>
#include <png.h>
#include <pthread.h>
#include <sanitizer/msan_interface.h>
#include <string.h>

#pragma GCC visibility push(default) // GLEW's library calls some of them

static void leave_calls_unchecked(void)
{
    static _Thread_local int done;
    if (!done) __msan_scoped_disable_interceptor_checks();
    done = 1;
}

// --- EGL ---

const char *__real_eglQueryString(EGLDisplay display, EGLint name);
const char *__wrap_eglQueryString(EGLDisplay display, EGLint name);

const char *__wrap_eglQueryString(EGLDisplay display, EGLint name)
{
    leave_calls_unchecked(); // the first call of a thread that opens a context
    return __real_eglQueryString(display, name);
}

EGLBoolean __real_eglBindAPI(EGLenum api);
EGLBoolean __wrap_eglBindAPI(EGLenum api);

EGLBoolean __wrap_eglBindAPI(EGLenum api)
{
    leave_calls_unchecked(); // the first one of a thread that takes a context over
    return __real_eglBindAPI(api);
}

__eglMustCastToProperFunctionPointerType __real_eglGetProcAddress(const char *name);
__eglMustCastToProperFunctionPointerType __wrap_eglGetProcAddress(const char *name);

static EGLBoolean (*query_devices)(EGLint, void **, EGLint *);

static EGLBoolean query_devices_noted(EGLint most, void **devices, EGLint *count)
{
    EGLBoolean found = query_devices(most, devices, count);
    __msan_unpoison(count, sizeof *count);
    if (devices) __msan_unpoison(devices, (size_t)most * sizeof *devices);
    return found;
}

__eglMustCastToProperFunctionPointerType __wrap_eglGetProcAddress(const char *name)
{
    __eglMustCastToProperFunctionPointerType found = __real_eglGetProcAddress(name);
    if (!found || strcmp(name, "eglQueryDevicesEXT") != 0) return found;
    query_devices = (EGLBoolean(*)(EGLint, void **, EGLint *))found;
    return (__eglMustCastToProperFunctionPointerType)query_devices_noted;
}

EGLBoolean __real_eglChooseConfig(EGLDisplay display, const EGLint *wanted, EGLConfig *out, EGLint most,
                                  EGLint *count);
EGLBoolean __wrap_eglChooseConfig(EGLDisplay display, const EGLint *wanted, EGLConfig *out, EGLint most,
                                  EGLint *count);

EGLBoolean __wrap_eglChooseConfig(EGLDisplay display, const EGLint *wanted, EGLConfig *out, EGLint most,
                                  EGLint *count)
{
    EGLBoolean found = __real_eglChooseConfig(display, wanted, out, most, count);
    __msan_unpoison(count, sizeof *count);
    __msan_unpoison(out, (size_t)most * sizeof *out);
    return found;
}

// --- OpenGL 1.1, linked ---

void __real_glGetIntegerv(GLenum name, GLint *out);
void __wrap_glGetIntegerv(GLenum name, GLint *out);

void __wrap_glGetIntegerv(GLenum name, GLint *out)
{
    __real_glGetIntegerv(name, out);
    __msan_unpoison(out, (name == GL_MAX_VIEWPORT_DIMS ? 2 : name == GL_VIEWPORT ? 4 : 1) * sizeof *out);
}

void __real_glGetFloatv(GLenum name, GLfloat *out);
void __wrap_glGetFloatv(GLenum name, GLfloat *out);

void __wrap_glGetFloatv(GLenum name, GLfloat *out)
{
    __real_glGetFloatv(name, out);
    __msan_unpoison(out, (name == GL_POINT_SIZE_RANGE ? 2 : 1) * sizeof *out);
}

void __real_glGenTextures(GLsizei count, GLuint *out);
void __wrap_glGenTextures(GLsizei count, GLuint *out);

void __wrap_glGenTextures(GLsizei count, GLuint *out)
{
    __real_glGenTextures(count, out);
    __msan_unpoison(out, (size_t)count * sizeof *out);
}

void __real_glReadPixels(GLint x, GLint y, GLsizei width, GLsizei height, GLenum format, GLenum type,
                         void *out);
void __wrap_glReadPixels(GLint x, GLint y, GLsizei width, GLsizei height, GLenum format, GLenum type,
                         void *out);

// Rows without gaps, as all of them are read.
void __wrap_glReadPixels(GLint x, GLint y, GLsizei width, GLsizei height, GLenum format, GLenum type,
                         void *out)
{
    size_t parts = format == GL_RGBA  ? 4
                   : format == GL_RGB ? 3
                                      : 1,
           bytes = type == GL_FLOAT ? sizeof(GLfloat) : 1;
    __real_glReadPixels(x, y, width, height, format, type, out);
    __msan_unpoison(out, (size_t)width * (size_t)height * parts * bytes);
}

// --- OpenGL above 1.1, by GLEW's pointers ---

#define NAMES(X)                                                                                             \
    X(GenBuffers)                                                                                            \
    X(GenFramebuffers)                                                                                       \
    X(GenVertexArrays)
#define NOTED(name)                                                                                          \
    static __typeof__(__glew##name) real_##name;                                                             \
    static void GLAPIENTRY noted_##name(GLsizei count, GLuint *out)                                          \
    {                                                                                                        \
        real_##name(count, out);                                                                             \
        __msan_unpoison(out, (size_t)count * sizeof *out);                                                   \
    }
NAMES(NOTED)
#undef NOTED

#define FACTS(X)                                                                                             \
    X(GetProgramiv)                                                                                          \
    X(GetShaderiv)
#define NOTED(name)                                                                                          \
    static __typeof__(__glew##name) real_##name;                                                             \
    static void GLAPIENTRY noted_##name(GLuint object, GLenum fact, GLint *out)                              \
    {                                                                                                        \
        real_##name(object, fact, out);                                                                      \
        __msan_unpoison(out, sizeof *out);                                                                   \
    }
FACTS(NOTED)
#undef NOTED

#define TEXTS(X)                                                                                             \
    X(GetProgramInfoLog)                                                                                     \
    X(GetShaderInfoLog)
#define NOTED(name)                                                                                          \
    static __typeof__(__glew##name) real_##name;                                                             \
    static void GLAPIENTRY noted_##name(GLuint object, GLsizei most, GLsizei *length, GLchar *out)           \
    {                                                                                                        \
        real_##name(object, most, length, out);                                                              \
        if (length) __msan_unpoison(length, sizeof *length);                                                 \
        __msan_unpoison(out, (size_t)most);                                                                  \
    }
TEXTS(NOTED)
#undef NOTED

// What is handed over has to be set.
static __typeof__(__glewBufferData) real_BufferData;
static void GLAPIENTRY noted_BufferData(GLenum target, GLsizeiptr bytes, const void *data, GLenum usage)
{
    if (data) __msan_check_mem_is_initialized(data, (size_t)bytes);
    real_BufferData(target, bytes, data, usage);
}

static __typeof__(__glewBufferSubData) real_BufferSubData;
static void GLAPIENTRY noted_BufferSubData(GLenum target, GLintptr from, GLsizeiptr bytes, const void *data)
{
    __msan_check_mem_is_initialized(data, (size_t)bytes);
    real_BufferSubData(target, from, bytes, data);
}

GLenum __real_glewInit(void);
GLenum __wrap_glewInit(void);

GLenum __wrap_glewInit(void)
{
    GLenum status = __real_glewInit();
#define NOTE(name)                                                                                           \
    if (__glew##name != noted_##name) real_##name = __glew##name;                                            \
    if (real_##name) __glew##name = noted_##name;
    NAMES(NOTE)
    FACTS(NOTE)
    TEXTS(NOTE)
    NOTE(BufferData)
    NOTE(BufferSubData)
#undef NOTE
    return status;
}

// --- libpng: the rows of a picture have to be set ---

static _Thread_local size_t row_bytes;

void __real_png_write_info(png_structrp png, png_const_inforp info);
void __wrap_png_write_info(png_structrp png, png_const_inforp info);

void __wrap_png_write_info(png_structrp png, png_const_inforp info)
{
    __real_png_write_info(png, info);
    row_bytes = png_get_rowbytes(png, info);
}

void __real_png_write_row(png_structrp png, png_const_bytep row);
void __wrap_png_write_row(png_structrp png, png_const_bytep row);

void __wrap_png_write_row(png_structrp png, png_const_bytep row)
{
    __msan_check_mem_is_initialized(row, row_bytes);
    __real_png_write_row(png, row);
}

// --- Embree, by our table of its functions ---

#ifdef PBF_EMBREE

static Embree real;

static void noted_rtcIntersect1(RTCScene scene, struct RTCIntersectContext *context, struct RTCRayHit *hit)
{
    real.rtcIntersect1(scene, context, hit);
    __msan_unpoison(hit, sizeof *hit);
}

static void noted_rtcOccluded1(RTCScene scene, struct RTCIntersectContext *context, struct RTCRay *ray)
{
    real.rtcOccluded1(scene, context, ray);
    __msan_unpoison(ray, sizeof *ray);
}

static void noted_rtcGetSceneBounds(RTCScene scene, struct RTCBounds *out)
{
    real.rtcGetSceneBounds(scene, out);
    __msan_unpoison(out, sizeof *out);
}

static void note_embree(void)
{
    real = embree;
    embree.rtcIntersect1 = noted_rtcIntersect1;
    embree.rtcOccluded1 = noted_rtcOccluded1;
    embree.rtcGetSceneBounds = noted_rtcGetSceneBounds;
}

Result __real_embree_load(void);
Result __wrap_embree_load(void);

Result __wrap_embree_load(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    Result result = __real_embree_load();
    if (result_is_ok(&result)) pthread_once(&once, note_embree);
    return result;
}

#endif

#pragma GCC visibility pop
