// Smooth noise of two variables, from hashes of a grid's corners (value noise).
#ifndef PBF_PHOTO_GROUND_NOISE_H
#define PBF_PHOTO_GROUND_NOISE_H

// Features have size 1; 0..1. `octaves`, at most 8, of ever finer detail. The same bits on every processor.
float ground_noise(float x, float y, unsigned seed, int octaves);

// Its variants, which ground_noise chooses from.
float ground_noise_plain(float x, float y, unsigned seed, int octaves);
float ground_noise_avx2(float x, float y, unsigned seed, int octaves);

// The number of a corner is sampler_hash of its coordinates times these, and of the octave's seed, in one.
#define NOISE_X 73856093u
#define NOISE_Y 19349663u
#define NOISE_SEED 83492791u

#endif
