#include "photo/ground_noise.h"

#define GROUND_NOISE ground_noise_avx2
#define LANES 8
#include "photo/ground_noise_body.h"
