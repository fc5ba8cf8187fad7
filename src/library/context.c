#include "core/parallel.h"
#include "library/handles.h"

#include <stdio.h>
#include <string.h>

#define THREADS_MAX 1024

const char *pbf_version(void)
{
    return PBF_VERSION;
}

static atomic_bool stopping; // photographs

void pbf_stop(int stop)
{
    atomic_store(&stopping, stop != 0);
}

const atomic_bool *library_stop(void)
{
    return &stopping;
}

// --- the frame of a call ---

Host *call_begin(const pbf_context *context)
{
    return host_enter(context ? (Host *)&context->host : NULL);
}

// What a command line calls an override, a caller calls by its key.
static const char *without_option(const char *text)
{
    static const char option[] = "--set ";
    return strncmp(text, option, sizeof option - 1) == 0 ? text + sizeof option - 1 : text;
}

static void tell(const pbf_context *context, pbf_log_level level, const char *text)
{
    if (context && context->log) context->log(level, text, context->host.user);
}

pbf_result call_refused(const pbf_context *context, Result result)
{
    static const pbf_code codes[] = {[RESULT_OK] = PBF_OK,
                                     [RESULT_USAGE] = PBF_USAGE,
                                     [RESULT_FAILED] = PBF_FAILED,
                                     [RESULT_NO_MEMORY] = PBF_NO_MEMORY,
                                     [RESULT_STOPPED] = PBF_STOPPED};
    pbf_result out = {.code = codes[result.code]};
    if (result.code == RESULT_OK) return out;
    snprintf(out.text, sizeof out.text, "%s", without_option(result.text));
    if (out.code != PBF_STOPPED) tell(context, PBF_LOG_ERROR, out.text);
    return out;
}

void context_note(const pbf_context *context, const char *text)
{
    tell(context, PBF_LOG_NOTE, text);
}

pbf_result call_end(const pbf_context *context, Host *before, Result result)
{
    host_enter(before);
    return call_refused(context, result);
}

void call_close(pbf_context *context, Host *before)
{
    host_enter(before);
    context_release(context);
}

Result missing(const char *what)
{
    return result_error(RESULT_USAGE, "%s is NULL", what);
}

Result check_def_size(size_t size, size_t known, const char *type)
{
    if (size == known) return result_ok();
    return result_error(RESULT_USAGE, "the definition's size is %zu (sizeof(%s), %zu)", size, type, known);
}

// --- contexts ---

pbf_context *context_hold(pbf_context *context)
{
    if (context) atomic_fetch_add(&context->holders, 1);
    return context;
}

void context_release(pbf_context *context)
{
    if (!context || atomic_fetch_sub(&context->holders, 1) != 1) return;
    parallel_end_team(&context->host);
    memory_free(context);
}

static Result check_def(const pbf_context_def *def)
{
    TRY(check_def_size(def->size, sizeof *def, "pbf_context_def"));
    if (def->threads > THREADS_MAX)
        return result_error(RESULT_USAGE, "threads: %u is too many (at most %u)", def->threads, THREADS_MAX);
    if (!def->allocate != !def->release)
        return result_error(RESULT_USAGE, "allocate and release come together");
    if (def->run && def->threads < 2)
        return result_error(RESULT_USAGE, "run needs threads, as many as its tasks run on at once (from 2)");
    return result_ok();
}

static Result find_level(const char *simd, CpuLevel *out)
{
    *out = CPU_LEVEL_COUNT;
    if (!simd) return result_ok();
    for (int level = 0; level < CPU_LEVEL_COUNT; level++) {
        if (strcmp(simd, cpu_level_name((CpuLevel)level)) == 0) *out = (CpuLevel)level;
    }
    if (*out != CPU_LEVEL_COUNT) return result_ok();
    return result_error(RESULT_USAGE, "simd: \"%.40s\" is not known (scalar, plain, avx2, avx512)", simd);
}

static void fill(pbf_context *context, const pbf_context_def *def, CpuLevel level)
{
    context->host = (Host){.workers = def->threads,
                           .level = level == CPU_LEVEL_COUNT ? level : cpu_best_level(level),
                           .allocate = def->allocate,
                           .release = def->release,
                           .run = def->run,
                           .user = def->user};
    context->log = def->log;
    atomic_init(&context->holders, 1);
    if (context->host.level == level) return;
    char text[80];
    snprintf(text, sizeof text, "simd: this processor has no %s; %s is used", def->simd,
             cpu_level_name(context->host.level));
    tell(context, PBF_LOG_NOTE, text);
}

static Result create(const pbf_context_def *def, pbf_context **out)
{
    CpuLevel level;
    TRY(check_def(def));
    TRY(find_level(def->simd, &level));
    Host host = {
        .level = CPU_LEVEL_COUNT, .allocate = def->allocate, .release = def->release, .user = def->user};
    Host *before = host_enter(&host);
    pbf_context *context = memory_allocate_zeroed(sizeof *context);
    host_enter(before);
    if (!context) return result_no_memory("a context", sizeof *context);
    fill(context, def, level);
    *out = context;
    return result_ok();
}

pbf_result pbf_context_create(const pbf_context_def *def, pbf_context **out)
{
    const pbf_context_def standard = {.size = sizeof standard};
    if (!out) return call_refused(NULL, missing("out"));
    *out = NULL;
    return call_refused(NULL, create(def ? def : &standard, out));
}

void pbf_context_destroy(pbf_context *context)
{
    context_release(context);
}

void pbf_free(void *data)
{
    memory_free(data);
}
