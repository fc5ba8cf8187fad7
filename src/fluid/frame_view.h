// A finished step seen from outside: read-only, valid until the next step. Everything downstream (surface,
// pictures, files) sees the fluid through this alone.
#ifndef PBF_FLUID_FRAME_VIEW_H
#define PBF_FLUID_FRAME_VIEW_H

#include "core/vec3.h"
#include "fluid/particle_attributes.h"
#include "neighbor/neighbor.h"
#include "obstacle/obstacle.h"
#include "strand/strand.h"

#include <stdint.h>

// The phases that a step's time is split into.
typedef enum StepPhase {
    PHASE_REORDER,      // particles back into memory order
    PHASE_CONSTRUCTION, // search structure
    PHASE_SEARCH,       // neighbor lists
    PHASE_CONTACTS,     // which walls and obstacles are near
    PHASE_DENSITY,      // density and lambda, all iterations
    PHASE_CORRECTION,   // position corrections and contact, all iterations; projection of velocities
    PHASE_FORCES,       // vorticity confinement, surface tension, viscosity
    PHASE_OTHER,        // prediction, emitters, removal, bookkeeping
    PHASE_COUNT
} StepPhase;

// As reports and files call it: "reorder", "construction", ...
const char *step_phase_name(StepPhase phase);

typedef struct StepReport {
    uint64_t step; // number of the step, from 1
    double time;   // s, at its end
    double dt;     // s
    uint32_t particles;
    uint32_t iterations;       // of the density's constraint
    double density_error_mean; // mean of max(rho / rho0 - 1, 0), at the last iteration
    double density_error_max;
    double speed_max;              // m/s
    uint32_t viscosity_iterations; // of both solves; 0 where the viscosity is explicit
    double viscosity_error;        // what they left, see FluidDef
    double phase_ms[PHASE_COUNT];
    // Of all threads; construction counts as search. 0 unless asked for: fluid_time_processor.
    double processor_ms[PHASE_COUNT];
    NeighborStats neighbor;
} StepReport;

struct FrameView {
    double time;        // s
    Vec3 origin;        // scene position = origin + (x, y, z)
    float spacing;      // m, between particles at rest
    float radius;       // m, influence radius h
    float rest_density; // kg/m^3
    uint32_t count;
    PARTICLE_STREAMS(const); // of the current particles, in memory order
    // Potentials of whitewater (Ihmsen et al. 2012), m/s and a pure number; NULL if they are not measured.
    const float *trapped_air, *wave_crest;
    const float *spin_x, *spin_y, *spin_z;  // 1/s, of particles in a micropolar fluid; NULL: none spins
    const struct DiffuseParticles *diffuse; // whitewater (diffuse/diffuse.h); NULL: none
    const Obstacles *obstacles;
    const Strands *strands; // or NULL
    uint32_t emitter_count;
    Box3 emitters;       // m, around all nozzles and their streams near them, if there are any
    StepReport report;   // of the last step; zero before the first
    uint64_t content_id; // equal non-zero values mean equal contents, so that derived data may be cached; 0
                         // is unknown
};

const char *field_name(FieldKey key); // on command lines and in scenes: "speed", "density_error", ...

// Writes the field of every particle to out (view->count floats).
void frame_view_field(const FrameView *view, FieldKey key, float *out);

#endif
