#include "core/cpu.h"

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

CpuLevel cpu_level(void)
{
    int level = atomic_load_explicit(&chosen_level, memory_order_relaxed);
    if (level != CPU_LEVEL_COUNT) return (CpuLevel)level;
    const char *wanted = getenv("PBF_SIMD");
    level = CPU_AVX512;
    for (int k = 0; wanted && k < CPU_LEVEL_COUNT; k++) {
        if (strcmp(wanted, level_names[k]) == 0) level = k;
    }
    cpu_set_level((CpuLevel)level);
    return (CpuLevel)atomic_load_explicit(&chosen_level, memory_order_relaxed);
}

void cpu_set_level(CpuLevel level)
{
    CpuLevel best = best_level();
    atomic_store_explicit(&chosen_level, (int)(level < best ? level : best), memory_order_relaxed);
}

const char *cpu_level_name(CpuLevel level)
{
    return level_names[level];
}
