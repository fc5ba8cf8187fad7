#include "photo/denoise_oidn.h"

#include "photo/stop.h"

#include <dlfcn.h>
#include <stddef.h>

// What is used of the library's C interface, as its header oidn.h has it; the same in versions 1 and 2.
typedef struct Oidn {
    void *library;
    void *(*new_device)(int type);
    void (*commit_device)(void *device);
    int (*device_error)(void *device, const char **message);
    void (*release_device)(void *device);
    void *(*new_filter)(void *device, const char *type);
    void (*set_image)(void *filter, const char *name, void *pointer, int format, size_t width, size_t height,
                      size_t offset, size_t pixel_stride, size_t row_stride);
    void (*set_flag)(void *filter, const char *name, bool value);
    void (*set_monitor)(void *filter, bool (*goes_on)(void *user, double done), void *user);
    void (*commit_filter)(void *filter);
    void (*execute)(void *filter);
    void (*release_filter)(void *filter);
} Oidn;

enum { OIDN_DEVICE_CPU = 1, OIDN_FORMAT_FLOAT3 = 3 };

static void *find(void *library, const char *name, const char *older)
{
    void *found = dlsym(library, name);
    return found || !older ? found : dlsym(library, older);
}

// POSIX lets a function's address travel as a pointer to data; ISO C knows no cast for it.
#define FIND(member, name, older) (*(void **)&oidn->member = find(oidn->library, name, older))

static bool load(Oidn *oidn)
{
    static const char *const names[] = {"libOpenImageDenoise.so.2", "libOpenImageDenoise.so.1",
                                        "libOpenImageDenoise.so.0", "libOpenImageDenoise.so"};
    *oidn = (Oidn){0};
    for (size_t k = 0; k < sizeof names / sizeof *names && !oidn->library; k++)
        oidn->library = dlopen(names[k], RTLD_NOW | RTLD_LOCAL);
    if (!oidn->library) return false;
    return FIND(new_device, "oidnNewDevice", NULL) && FIND(commit_device, "oidnCommitDevice", NULL) &&
           FIND(device_error, "oidnGetDeviceError", NULL) &&
           FIND(release_device, "oidnReleaseDevice", NULL) && FIND(new_filter, "oidnNewFilter", NULL) &&
           FIND(set_image, "oidnSetSharedFilterImage", NULL) &&
           FIND(set_flag, "oidnSetFilterBool", "oidnSetFilter1b") &&
           FIND(set_monitor, "oidnSetFilterProgressMonitorFunction", NULL) &&
           FIND(commit_filter, "oidnCommitFilter", NULL) && FIND(execute, "oidnExecuteFilter", NULL) &&
           FIND(release_filter, "oidnReleaseFilter", NULL);
}

static void unload(Oidn *oidn)
{
    if (oidn->library) dlclose(oidn->library);
}

bool denoise_oidn_found(void)
{
    Oidn oidn;
    bool found = load(&oidn);
    unload(&oidn);
    return found;
}

static void set_image(const Oidn *oidn, void *filter, const char *name, const Vec3 *image, uint32_t width,
                      uint32_t height)
{
    oidn->set_image(filter, name, (void *)image, OIDN_FORMAT_FLOAT3, width, height, 0, 0, 0);
}

static bool goes_on(void *stop, double done)
{
    (void)done;
    return !is_stopped(stop);
}

Result denoise_oidn(uint32_t width, uint32_t height, const Vec3 *albedo, const Vec3 *normal,
                    const atomic_bool *stop, Vec3 *light)
{
    Oidn oidn;
    const char *message = NULL;
    Result result = result_ok();
    if (!load(&oidn)) {
        unload(&oidn);
        return result_error(RESULT_FAILED, "denoise oidn: libOpenImageDenoise.so is missing (auto and own do "
                                           "without it)");
    }
    void *device = oidn.new_device(OIDN_DEVICE_CPU);
    oidn.commit_device(device);
    void *filter = oidn.new_filter(device, "RT");
    set_image(&oidn, filter, "color", light, width, height);
    set_image(&oidn, filter, "albedo", albedo, width, height);
    set_image(&oidn, filter, "normal", normal, width, height);
    set_image(&oidn, filter, "output", light, width, height);
    oidn.set_flag(filter, "hdr", true);
    oidn.set_monitor(filter, goes_on, (void *)stop);
    oidn.commit_filter(filter);
    oidn.execute(filter);
    bool failed = oidn.device_error(device, &message) != 0;
    if (is_stopped(stop))
        result = stop_check(stop);
    else if (failed)
        result = result_error(RESULT_FAILED, "Open Image Denoise: %s", message ? message : "failed");
    oidn.release_filter(filter);
    oidn.release_device(device);
    unload(&oidn);
    return result;
}
