#include "photo/ground_noise.h"

#include "core/cpu.h"

#define GROUND_NOISE ground_noise_plain
#define LANES 4
#include "photo/ground_noise_body.h"

float ground_noise(float x, float y, unsigned seed, int octaves)
{
    return cpu_level() >= CPU_AVX2 ? ground_noise_avx2(x, y, seed, octaves)
                                   : ground_noise_plain(x, y, seed, octaves);
}
