#include "core/result.h"

#ifdef PBF_EMBREE

#include "photo/embree.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

Embree embree;

static char problem[200]; // "": there is none

static void load(void)
{
    void *library = dlopen("libembree3.so.3", RTLD_NOW | RTLD_LOCAL);
    const char *missing = library ? NULL : dlerror();
    if (missing) snprintf(problem, sizeof problem, "%s", missing);
    void *function;
#define EMBREE_FIND(name)                                                                                    \
    function = library ? dlsym(library, #name) : NULL;                                                       \
    memcpy(&embree.name, &function, sizeof function);                                                        \
    if (library && !function) snprintf(problem, sizeof problem, "libembree3.so.3 has no " #name);
    EMBREE_CALLS(EMBREE_FIND)
#undef EMBREE_FIND
}

Result embree_load(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    if (problem[0] == '\0') return result_ok();
    return result_error(RESULT_FAILED, "style photo: Embree cannot be loaded: %.150s (install libembree3-3)",
                        problem);
}

#endif
