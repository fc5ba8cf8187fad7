#include "core/cpu.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const char *const level_names[CPU_LEVEL_COUNT] = {"scalar", "plain", "avx2", "avx512"};

static bool chosen;
static CpuLevel chosen_level;

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
    if (!chosen) {
        const char *wanted = getenv("PBF_SIMD");
        CpuLevel level = CPU_AVX512;
        for (int k = 0; wanted && k < CPU_LEVEL_COUNT; k++) {
            if (strcmp(wanted, level_names[k]) == 0) level = (CpuLevel)k;
        }
        cpu_set_level(level);
    }
    return chosen_level;
}

void cpu_set_level(CpuLevel level)
{
    CpuLevel best = best_level();
    chosen_level = level < best ? level : best;
    chosen = true;
}

const char *cpu_level_name(CpuLevel level)
{
    return level_names[level];
}
