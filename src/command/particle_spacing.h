// The spacing of particles from a file, for commands that take such files.
#ifndef PBF_COMMAND_PARTICLE_SPACING_H
#define PBF_COMMAND_PARTICLE_SPACING_H

#include "command/options.h"
#include "core/progress.h"
#include "library/pbf.h"

typedef struct ParticleSpacing {
    double meters;
    bool certain;       // false: a rough estimate
    const char *source; // where it comes from, for reports
} ParticleSpacing;

// --spacing, twice --radius, what the file says, or an estimate; a rough one is noted, and particles so far
// from the origin that floats are too coarse for it. Error: RESULT_USAGE where it cannot be estimated or both
// options are given.
Result particle_spacing_find(const Options *options, const pbf_cloud_data *file, const char *path,
                             Progress *progress, ParticleSpacing *out);

#endif
