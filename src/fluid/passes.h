// The arithmetic of a step: one function a pass, written once in passes_body.h over sixteen lanes and
// compiled for every instruction set and both ways to meet pairs (pairs_lists.h, pairs_clusters.h). A pass
// handles a range of particles, reads their neighbors and writes only its own slots. Ranges start at
// multiples of sixteen; streams are padded, and slots up to the next multiple behind the last particle are
// written too.
#ifndef PBF_FLUID_PASSES_H
#define PBF_FLUID_PASSES_H

#include "core/cpu.h"
#include "fluid/contact.h"
#include "fluid/kernel.h"
#include "neighbor/neighbor.h"

#include <stdatomic.h>

typedef struct Ghosts Ghosts;
typedef struct Share Share;

// Constants of a step, derived from the definition.
typedef struct PassConstants {
    float h, inv_h;        // m, 1/m
    float least_distance2; // m^2, added to squared distances
    float density_scale;   // m / rho0 * 8 / (pi h^3): kernel_shape to a share of the rest density
    float gradient_scale;  // density_scale / h: dw/dq to a share of grad C, 1/m
    float relaxation;      // epsilon of eq. 11, 1/m^2
    float warm;            // share of lambda_sum that this iteration starts from
    float carry;           // 0: this iteration starts lambda_sum anew; 1: it adds to it
    float scorr_scale;     // k (2 / w(|dq| / h))^n of eq. 13, m^2: (w / 2)^n to lambda
    float scorr_least;     // w / 2 of particles that are just near enough to push each other
    float scorr_rest;      // m^2, of that distance
    uint32_t scorr_power;
    float correction_max; // m, longest position correction of one iteration
    float viscosity;      // 1/m^2: W / 2 (v . x) x / (rho_i + rho_j) of a pair to its exchange of velocity
    float wall_drag;      // half_space_drag to what surfaces take of a velocity in a step
    float wall_speed;     // 1/s: 1 / dt, or 0 as if walls were at rest
    float wall_load;      // s, a change of velocity by walls to a move in ContactLoad; 0: noted elsewhere
    float confinement;    // m/s
    float spin_drive;     // m^2: what spins and the kernel's slope give to velocities in a step
    float spin_spread;    // of spins that particles exchange in a step
    float spin_turn;      // 1/m^2: w / 2 times what neighbors' velocities change by to a spin
    float spin_transfer;  // w / 2 times what neighbors spin more to a velocity's change in a step
    float cohesion_scale; // m/s^2 of the cohesion's shape
    float wall_cohesion;  // m/s^2 of half_space_pull
    float tension_borne;  // share of the tension that the step bears
    float normal_scale;   // h grad of the color field to units in which half of it adds to that shape
    float dt;             // s
    float
        divergence_relaxation; // 1/m^2, added to the sums of squared gradients in the velocities' projection
    float potential_speed;     // m/s: slower particles have no potentials of whitewater
    float potential_weight;    // sum of 1 - r / h over the neighbors inside the rest lattice
    float held_after;  // s: particles that are released later than this fly on as their nozzle sent them
    bool wall_density; // BOUNDARY_DENSITY
} PassConstants;

// What the passes read and write. Streams are per particle.
typedef struct PassView {
    PassConstants constants;
    const atomic_bool *stop; // what is left of the passes is not done once it is true; NULL: never
    uint32_t count;          // with ghosts
    const Ghosts *ghosts;    // behind the particles; NULL: none
    Share *share;            // other processes have particles, too; NULL: none does
    NeighborPairs pairs;
    float *scratch; // of all workers
    const ContactRows *contacts;
    const float *x0, *y0, *z0;       // positions at the start of the step; those now, once velocities are taken
    const float *x, *y, *z;          // positions now
    float *next_x, *next_y, *next_z; // correction: positions after it; forces: velocities after them
    const float *vx, *vy, *vz;
    const float *release;                        // s
    float *gradient_sum;                         // sum_k |grad_k C|^2, 1/m^2
    float *kappa;                                // m^2/s, the multiplier of the velocities' projection
    float *density;                              // rho / rho0
    float *volume;                               // rho0 / rho
    float *lambda, *lambda_sum;                  // m^2; of this iteration, of all since the step began
    float *wall_x, *wall_y, *wall_z;             // the walls' share of grad C, 1/m, where there are any
    float *curl_x, *curl_y, *curl_z, *curl;      // 1/s
    float *block[6];                             // of the viscosity's operator: xx, xy, xz, yy, yz, zz
    float *normal_x, *normal_y, *normal_z;       // normal_scale h grad of the colour field
    float *tension_x, *tension_y, *tension_z;    // m/s^2
    float *trapped_air, *wave_crest;             // m/s; a pure number; NULL: not measured
    const float *spin_x, *spin_y, *spin_z;       // 1/s
    float *spread_x, *spread_y, *spread_z;       // 1/s, what spins gain by those around them
    const float *change_x, *change_y, *change_z; // m/s, of the velocities in the step
    const float *swell;                          // stretch.h; NULL: all kernels are balls
    const float *along_x, *along_y, *along_z;
} PassView;

// Particles of at least this density, rho / rho0, have neighbors all round.
#define INSIDE_DENSITY 0.95f

// Floats of a worker's scratch for each cluster of a block: what pairs that were met before give to it.
#define PASS_SCRATCH 144u

// scratch: PASS_SCRATCH floats for every cluster from begin to end, or once without clusters; all zero,
// before and after. Over clusters the range has to be one of their blocks.
typedef void Pass(const PassView *view, uint32_t begin, uint32_t end, void *scratch);

typedef struct FluidPasses {
    Pass *density;          // Macklin and Mueller 2013, eqs. 1, 2, 9-11: writes density, volume, lambda,
                            // lambda_sum, gradient_sum, wall
    Pass *density_alone;    // writes density: all that the grid of the global pressure needs
    Pass *correction;       // eqs. 12-14 and contact: writes next
    Pass *divergence;       // rate of the density's change by the velocities: writes kappa, wall
    Pass *projection;       // writes next (velocities), which have less of it
    Pass *viscosity;        // writes next: the change of the velocities by viscous forces
    Pass *viscosity_blocks; // writes block: minus the derivative of that by the particle's own velocity
                            // these two and curl with ellipsoids where swell is not NULL
    Pass *curl;     // eq. 15's curl; the normals of Akinci et al. 2013, sec. 3.2: writes curl, normal,
                    // and trapped_air with what pass_forces needs in wave_crest
    Pass *swirl;    // eq. 16: writes next, what confinement would add to velocities
    Pass *spin;     // Bender et al. 2017: writes next, what spins would add to velocities; spread
    Pass *torque;   // Kim and Lee 2025, eq. 23: writes spread, what forces around a particle turn it by
    Pass *transfer; // eq. 27: writes next, what spins would add to velocities
    Pass *forces;   // viscosity: writes next (velocities); surface tension after Akinci et al.
                    // 2013: writes tension, and wave_crest
} FluidPasses;

// clustered: for pairs in clusters. Through lists all levels but CPU_SCALAR give the same bits; through
// clusters the last bits depend on the level.
const FluidPasses *fluid_passes(CpuLevel level, bool clustered);

#endif
