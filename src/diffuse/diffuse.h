// Whitewater: spray, foam and bubbles as particles of their own, which are born where water traps air or its
// crests break, and move with the water without acting on it (Ihmsen, Akinci, Akinci and Teschner 2012,
// "Unified Spray, Foam and Air Bubbles for Particle-Based Fluids"). README.md says what differs and why.
// Results do not depend on the number of threads.
#ifndef PBF_DIFFUSE_DIFFUSE_H
#define PBF_DIFFUSE_DIFFUSE_H

#include "core/result.h"
#include "fluid/fluid.h"

#include <stdint.h>

// What diffuse_params.c has a row for is in the range that stands there.
typedef struct DiffuseDef {
    bool enabled;
    float speed;            // m/s, U: what thresholds are measured in; 0: the scene's
    float trapped_air[2];   // of U: none is born below the first, as many as there can be above the second
    float wave_crest[2];    // the same, a pure number
    float energy[2];        // of U^2, of half the squared speed
    float trapped_air_rate; // 1/s: births of a particle of water where both are above their second threshold
    float wave_crest_rate;  // 1/s
    float lifetime[2];      // s, of foam
    float size[2];          // spacings, radii of single ones
    float spread;           // of the water's speed, across it, that single ones are sent off with
    float buoyancy;         // of gravity, that lifts bubbles
    float drag_time;        // s in which a bubble takes on the water's velocity
    uint32_t max;           // of all at a time
} DiffuseDef;

// The defaults that scenes/README.md documents.
DiffuseDef diffuse_def_default(void);

typedef enum DiffuseClass { DIFFUSE_SPRAY, DIFFUSE_FOAM, DIFFUSE_BUBBLE, DIFFUSE_CLASS_COUNT } DiffuseClass;

const char *diffuse_class_name(DiffuseClass kind); // "spray", "foam", "bubbles"

#define DIFFUSE_STREAMS                                                                                      \
    float *x, *y, *z;    /* m, domain coordinates */                                                         \
    float *vx, *vy, *vz; /* m/s */                                                                           \
    float *age, *life;   /* s; foam alone ages */                                                            \
    float *size;         /* m, radius */                                                                     \
    uint32_t *kind, *id  /* DiffuseClass; in order of birth */
typedef struct DiffuseStreams {
    DIFFUSE_STREAMS;
} DiffuseStreams;
enum { DIFFUSE_STREAM_COUNT = sizeof(DiffuseStreams) / sizeof(void *) }; // each of four bytes a particle

// Since the start.
typedef struct DiffuseTotals {
    double expected; // births that the potentials ask for
    uint64_t born;   // and those that there were: fewer where `max` leaves no room
} DiffuseTotals;

// What there is; read-only for those who get it from a view.
typedef struct DiffuseParticles {
    uint32_t count, of_class[DIFFUSE_CLASS_COUNT];
    DiffuseTotals totals;
    union {
        struct {
            DIFFUSE_STREAMS;
        };
        void *stream[DIFFUSE_STREAM_COUNT];
    };
} DiffuseParticles;

typedef struct Diffuse Diffuse;

// Makes none yet, with room for def->max, which takes memory as it is filled. Errors: RESULT_USAGE "KEY: what
// is wrong (what is allowed)", RESULT_NO_MEMORY. Free with diffuse_destroy; NULL is allowed.
Result diffuse_create(const DiffuseDef *def, Diffuse **out);
void diffuse_destroy(Diffuse *diffuse);

// Bytes that it touches at most, beside so many particles of water, within so many seconds of simulated time.
uint64_t diffuse_memory_estimate(const DiffuseDef *def, uint64_t particles, double seconds);

// Speed (m/s) of a fall through a box, no less than thresholds may be measured in.
float diffuse_fall_speed(Vec3 gravity, Box3 box);

// Speed (m/s) below which no particle of water gives birth: fluid_measure_potentials has to be asked for
// those of faster ones.
float diffuse_least_speed(const DiffuseDef *def);

// Takes the memory that a step over so many particles of water may need. Errors: RESULT_NO_MEMORY.
Result diffuse_prepare(Diffuse *diffuse, uint32_t particles);

// What a step is made over.
typedef struct DiffuseStep {
    const Fluid *fluid; // at the step's end, with its potentials; diffuse_prepare knows how many particles
    double dt;          // s
    uint64_t number;    // decides, with the particles' ids, what is born
} DiffuseStep;

// Moves, ages and removes what is there, then adds what is born.
void diffuse_step(Diffuse *diffuse, const DiffuseStep *step);

// Adds one for tests and other sources of whitewater; false without room.
typedef struct DiffuseBirth {
    Vec3 position, velocity; // domain coordinates, m; m/s
    float life, size;        // s; m
    DiffuseClass kind;
} DiffuseBirth;
bool diffuse_add(Diffuse *diffuse, const DiffuseBirth *birth);

// Valid until the next call that changes it.
const DiffuseParticles *diffuse_particles(const Diffuse *diffuse);

// Makes whitewater that follows the fluid from now on: it measures its potentials, and steps, views and
// stored states have it. def->speed must be known. Errors: those of diffuse_create.
Result diffuse_attach(const DiffuseDef *def, Fluid *fluid);

#endif
