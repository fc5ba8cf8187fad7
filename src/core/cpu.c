#include "core/cpu.h"

#include "core/host.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static const char *const level_names[CPU_LEVEL_COUNT] = {"scalar", "plain", "avx2", "avx512"};

// Several threads may be the first to ask; all of them choose the same level.
static atomic_int chosen_level = CPU_LEVEL_COUNT; // not chosen yet

static CpuLevel best_level(void)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"))
        return CPU_AVX512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return CPU_AVX2;
#endif
    return CPU_PLAIN;
}

// CPU_LEVEL_COUNT for a name that is not known, or none.
static int find_level(const char *name)
{
    int level = 0;
    while (level < CPU_LEVEL_COUNT && (!name || strcmp(name, level_names[level]) != 0)) level++;
    return level;
}

bool cpu_level_is_asked_for(void)
{
    return find_level(getenv("PBF_SIMD")) < CPU_LEVEL_COUNT;
}

Result cpu_check_asked_level(void)
{
    const char *name = getenv("PBF_SIMD");
    if (!name || !*name || cpu_level_is_asked_for()) return result_ok();
    return result_error(RESULT_USAGE, "PBF_SIMD: \"%.60s\" is not an instruction set (%s, %s, %s, %s)", name,
                        level_names[CPU_SCALAR], level_names[CPU_PLAIN], level_names[CPU_AVX2],
                        level_names[CPU_AVX512]);
}

bool cpu_set_level_named(const char *name)
{
    int level = find_level(name);
    if (level > (int)best_level()) return false;
    cpu_set_level((CpuLevel)level);
    return true;
}

CpuLevel cpu_best_level(CpuLevel level)
{
    CpuLevel best = best_level();
    return level < best ? level : best;
}

CpuLevel cpu_level(void)
{
    const Host *host = host_now();
    if (host && host->level != CPU_LEVEL_COUNT) return host->level;
    int level = atomic_load_explicit(&chosen_level, memory_order_relaxed);
    if (level != CPU_LEVEL_COUNT) return (CpuLevel)level;
    level = find_level(getenv("PBF_SIMD"));
    cpu_set_level(level < CPU_LEVEL_COUNT ? (CpuLevel)level : CPU_AVX512);
    return (CpuLevel)atomic_load_explicit(&chosen_level, memory_order_relaxed);
}

void cpu_set_level(CpuLevel level)
{
    atomic_store_explicit(&chosen_level, (int)cpu_best_level(level), memory_order_relaxed);
}

const char *cpu_level_name(CpuLevel level)
{
    return level_names[level];
}

const char *cpu_instructions(void)
{
    CpuLevel level = cpu_level();
    return cpu_level_name(level == CPU_SCALAR ? CPU_PLAIN : level);
}
