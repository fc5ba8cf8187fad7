// The SIMD instruction set that this process uses, chosen once at run time. Machines are little-endian:
// binary files hold numbers as they lie in memory.
#ifndef PBF_CORE_CPU_H
#define PBF_CORE_CPU_H

#include "core/result.h"

#include <stdbool.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "big-endian machines are not supported");

typedef enum CpuLevel {
    CPU_SCALAR, // passes over lists take one pair at a time, all else as CPU_PLAIN; for comparison
    CPU_PLAIN,  // C without intrinsics: SSE2 on x86-64, NEON on Arm, as the compiler sees fit
    CPU_AVX2,   // AVX2 and FMA (8 floats)
    CPU_AVX512, // AVX-512 F, DQ, BW, VL (16 floats, masks, compressed stores)
    CPU_LEVEL_COUNT
} CpuLevel;

// The best level that this processor has, lowered by the environment variable PBF_SIMD
// (scalar | plain | avx2 | avx512) if it is set, or that of the thread's host (core/host.h). A level that the
// processor lacks is never returned.
CpuLevel cpu_level(void);

// The version for a level of what there are three of: NAME_plain, NAME_avx2 and NAME_avx512, or the address
// of that (&NAME).
#if defined(__x86_64__)
#define CPU_VERSION(name, level)                                                                             \
    ((level) == CPU_AVX512 ? name##_avx512 : (level) == CPU_AVX2 ? name##_avx2 : name##_plain)
#else
#define CPU_VERSION(name, level) ((void)(level), name##_plain)
#endif

// The level, lowered to what the processor has.
CpuLevel cpu_best_level(CpuLevel level);

// "scalar", "plain", "avx2", "avx512": the names of `pbf bench --json`.
const char *cpu_level_name(CpuLevel level);

// The instruction set that states depend on: "plain" (also of CPU_SCALAR), "avx2", "avx512". Neighbor methods
// that make lists give the same bits on each, those of clusters do not.
const char *cpu_instructions(void);

// Is the level one that PBF_SIMD names?
bool cpu_level_is_asked_for(void);

// Checks that PBF_SIMD, where it is set and not empty, names a level; others are as good as none. Error:
// RESULT_USAGE with the names that there are.
Result cpu_check_asked_level(void);

// Sets the level, lowered to what the processor has. Not to be called while a loop runs.
void cpu_set_level(CpuLevel level);

// Sets the level of that name; false, with nothing changed, if the processor lacks it.
bool cpu_set_level_named(const char *name);

#endif
