// Attributes of particles: one table that allocation, reordering, checkpoints, views, particle files, colors
// and the viewer's probe follow. A new attribute is one row; one that is stored rather than worked out from
// others also is a stream.
#ifndef PBF_FLUID_PARTICLE_ATTRIBUTES_H
#define PBF_FLUID_PARTICLE_ATTRIBUTES_H

#include "core/blocks.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct FrameView FrameView;

// --- streams ---

// What outlives a step, as structure of arrays: one number of four bytes a particle, in memory order. A
// stored state holds all streams in this order.
#define PARTICLE_STREAM_LIST(access)                                                                         \
    access float *x, *y, *z;    /* m, domain coordinates */                                                  \
    access float *vx, *vy, *vz; /* m/s */                                                                    \
    access float *birth;        /* s, when the particle was made */                                          \
    access uint32_t *id;        /* stable name; slots move at every reorder, ids never change */             \
    access float *lambda_sum;   /* m^2, of the iterations of the last step */                                \
    access float *density;      /* kg/m^3; during a step rho / rho0 */                                       \
    access float *vorticity;    /* 1/s, length of the curl of the velocity */                                \
    access uint32_t *neighbors; /* count of neighbors */                                                     \
    access float *release;      /* s, when the particle leaves its nozzle's stream */                        \
    access float *tension_x, *tension_y, *tension_z /* m/s^2, by the surface tension where the step ended */

typedef struct ParticleStreams {
    PARTICLE_STREAM_LIST();
} ParticleStreams;

enum { PARTICLE_STREAM_COUNT = sizeof(ParticleStreams) / sizeof(void *) };

// Members of a struct: every stream by its name and by its number. access: const, or nothing.
#define PARTICLE_STREAMS(access)                                                                             \
    union {                                                                                                  \
        struct {                                                                                             \
            PARTICLE_STREAM_LIST(access);                                                                    \
        };                                                                                                   \
        access void *stream[PARTICLE_STREAM_COUNT];                                                          \
    }

// --- attributes ---

// Rows of the table. Those before FIELD_COUNT, the fields, are one number a particle and color pictures;
// their numbers stand in checkpoints.
typedef enum FieldKey {
    FIELD_SPEED,
    FIELD_DENSITY_ERROR,
    FIELD_DENSITY,
    FIELD_NEIGHBORS,
    FIELD_VORTICITY,
    FIELD_HEIGHT,
    FIELD_AGE,
    FIELD_ID,
    FIELD_PRESSURE,
    FIELD_COUNT,
    ATTRIBUTE_POSITION = FIELD_COUNT,
    ATTRIBUTE_VELOCITY,
    ATTRIBUTE_BIRTH,
    ATTRIBUTE_LAMBDA_SUM,
    ATTRIBUTE_RELEASE,
    ATTRIBUTE_TENSION,
    ATTRIBUTE_COUNT
} FieldKey;

typedef struct ParticleAttribute {
    const char *name;     // in files and on command lines: "density_error"
    const char *label;    // in pictures: "density error"
    const char *unit;     // "m/s"; "" for a pure number
    BlockType type;       // BLOCK_FLOAT or BLOCK_UINT32
    uint32_t components;  // 1, or 3: a vector
    const char *parts[3]; // names of a vector's components: "vx", "vy", "vz"
    const char *stage;    // what of a step it shows

    // Where it comes from: streams, or a value that is worked out from them (or both, where others see
    // something else than what the fluid stores).
    bool stored;
    uint32_t stream; // of the first component; those of the others follow
    float (*value)(const FrameView *view, uint32_t particle, uint32_t component);
    bool state;    // it moves with its particle at every reorder; others each step computes anew
    bool optional; // a stored state may lack it (those of older versions do) and goes on from zeros

    // Where it goes.
    uint32_t file;     // place in particle files, from 1; 0: files do not carry it
    const char *probe; // the format in which the viewer prints it, times probe_scale; NULL: it does not
    double probe_scale;
    bool from_zero;                            // its colors start at 0
    bool two_sided;                            // 0 is in the middle of its colors
    float least_span;                          // the narrowest range of colors, see particle_least_span
    float (*span_unit)(const FrameView *view); // NULL: 1
} ParticleAttribute;

// The row of a key.
const ParticleAttribute *particle_attribute(FieldKey key);

// The narrowest range of a field's colors, in its unit: smaller differences are noise.
float particle_least_span(const ParticleAttribute *attribute, const FrameView *view);

// The attribute and the name that a stream stores: "vy" for the second of the velocity.
const ParticleAttribute *particle_stream(uint32_t stream, const char **name);

// What particle files carry, in their order: position, velocity, density, ... NULL past the end. A writer
// needs no more than
//
//     for (uint32_t k = 0; (attribute = particle_file_attribute(k)); k++)
//         particle_attribute_values(attribute, view, 0, view->count, values);
//
// attribute->name, ->type (float or unsigned, four bytes), ->components and ->parts describe the values.
const ParticleAttribute *particle_file_attribute(uint32_t k);

// Writes the attribute of the particles begin to end - 1 as (end - begin) x components numbers of four bytes
// of its type, the components of a particle one after the other; positions in scene coordinates.
void particle_attribute_values(const ParticleAttribute *attribute, const FrameView *view, uint32_t begin,
                               uint32_t end, void *out);

#endif
