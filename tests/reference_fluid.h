// The solver's step once more, to compare it with: double precision, every pair of particles looked at, the
// formulas as the papers have them (Macklin and Mueller 2013, "Position Based Fluids", cited as PBF; Akinci,
// Akinci and Teschner 2013, "Versatile Surface Tension and Adhesion for SPH Fluids", cited as AAT). It shares
// no code and no constants with src/fluid, but for the tension of a lattice, which test_fluid_kernel.c
// checks: kernels are normalized by integration, the mass follows from a sum over the lattice.
#ifndef PBF_TESTS_REFERENCE_FLUID_H
#define PBF_TESTS_REFERENCE_FLUID_H

#include "fluid/contact.h"
#include "fluid/fluid.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct Ref3 {
    double x, y, z;
} Ref3;

// A result, and how far from it rounding to single precision may take the solver.
typedef struct RefValue {
    double value, error;
} RefValue;
typedef struct RefVector {
    Ref3 value;
    double error; // of its length
} RefVector;

// A wall near a particle, as ContactLayer has it.
typedef struct RefPlane {
    Ref3 normal;
    double offset, min_distance, thickness, friction, adhesion;
    double solid; // the share of what is behind it that is solid
    Ref3 push;    // the slope of that, of a whole half-space's; the normal, where there is no edge
    bool no_slip;
    Ref3 motion;
} RefPlane;

// What the passes read about a particle.
typedef struct RefParticle {
    Ref3 x0, x, v;          // m, start of the step and now; m/s
    double density, volume; // rho / rho0, rho0 / rho
    double lambda, lambda_sum;
    double gradient_sum;     // sum_k |grad_k C|^2, 1/m^2
    double kappa;            // m^2/s, of the velocities' projection
    bool held;               // by a nozzle
    Ref3 wall, curl, normal; // 1/m, 1/s, AAT's n
    double curl_length;
    Ref3 spin;   // 1/s
    Ref3 change; // m/s, of the velocity in the step
    double axis; // a, half axis of its kernel along `ahead` in h, where fluids are stretched
    Ref3 ahead;  // unit
    Ref3 pull;   // m/s^2, by the surface tension at x0
    RefPlane plane[CONTACTS_PER_PARTICLE];
    uint32_t planes;
} RefParticle;

typedef struct RefFluid {
    FluidDef def;
    double dt, h;
    double norm;       // W(r) = norm w(r / h), 1/m^3
    double mass;       // kg
    double relaxation; // eq. 11, in units of `lattice`
    double lattice;    // sum_k |grad_k C|^2 of the lattice at rest, 1/m^2
    double stiffest;   // the most that the constraint answers to a plane wave on it, 1/m^2
    double drag;       // of viscous pair forces, 1/(m^4 s): nu K V, see src/fluid/README.md
    double cohesion;   // m/s^2 of the cohesion's shape pi h^3 / 32 C
    double bend;       // of the normals' difference, in units of that
    double borne;      // the share of the tension that a step of dt bears
    bool stretched;    // viscosity and curl have kernels that are ellipsoids
    RefParticle *part; // owned
    uint32_t count;
    bool *near; // count x count: the pairs of the step; owned
} RefFluid;

RefFluid reference_make(const FluidDef *def, double dt, uint32_t count);
void reference_free(RefFluid *fluid);

// Finds the pairs within h, at x. Passes look at no others, wherever particles are by then.
void reference_find_pairs(RefFluid *fluid);

// The passes, for one particle; they change nothing.
typedef struct RefDensity {
    RefValue density, volume, lambda, lambda_sum, gradient_sum;
    RefVector wall;
} RefDensity;
// warm: share of lambda_sum that lambda starts from; carry: share of it that lambda is added to.
RefDensity reference_density(const RefFluid *fluid, uint32_t i, double warm, double carry);

RefVector reference_correction(const RefFluid *fluid, uint32_t i); // the next x, after contact

// d(rho / rho0)/dt by the velocities over gradient_sum - lattice + stiffest / 1.5, negative; it may fall
// where density < 0.95.
RefValue reference_divergence(const RefFluid *fluid, uint32_t i);
RefVector reference_projection(const RefFluid *fluid,
                               uint32_t i); // the velocity without it; reads kappa, wall

typedef struct RefCurl {
    RefVector curl, normal;
} RefCurl;
RefCurl reference_curl(const RefFluid *fluid, uint32_t i);

// By viscous forces in the step: the change of the velocity, and minus its derivative by the particle's own
// velocity (xx, xy, xz, yy, yz, zz).
RefVector reference_viscosity(const RefFluid *fluid, uint32_t i);
void reference_viscosity_block(const RefFluid *fluid, uint32_t i, RefValue block[6]);

RefVector reference_swirl(const RefFluid *fluid, uint32_t i); // what confinement would add to the velocity
// Of particles that spin: what that would add to the velocity, and what a spin takes on of those around it.
typedef struct RefSpin {
    RefVector drive, spread;
} RefSpin;
RefSpin reference_spin(const RefFluid *fluid, uint32_t i);
// Of turbulence by angular momentum (Kim and Lee 2025): what the changes of velocities turn a spin by, and
// what spins would add to the velocity.
RefVector reference_torque(const RefFluid *fluid, uint32_t i);
RefVector reference_transfer(const RefFluid *fluid, uint32_t i);

RefVector reference_velocity(const RefFluid *fluid, uint32_t i); // after the forces
RefVector reference_tension(const RefFluid *fluid, uint32_t i);  // m/s^2, for the next step

// A step of a fluid alone in a tank. Reads x0, v, pull, lambda_sum; leaves the end of the step in x, v,
// density, lambda_sum, curl and pull. last_dt: s, of the step before.
void reference_step(RefFluid *fluid, TankDef tank, double wall_friction, double last_dt);

// The kernel: Monaghan's cubic spline of support h.
double reference_kernel(const RefFluid *fluid, double r);   // 1/m^3
double reference_slope(const RefFluid *fluid, double r);    // dW/dr, 1/m^4
double reference_cohesion(const RefFluid *fluid, double r); // AAT eq. 2, 1/m^3

// The integral of a function over [a, b], whose third derivative may jump in the middle.
double reference_integral(double (*f)(double x, const void *context), const void *context, double a,
                          double b);

static inline Ref3 ref3_add(Ref3 a, Ref3 b)
{
    return (Ref3){a.x + b.x, a.y + b.y, a.z + b.z};
}
static inline Ref3 ref3_sub(Ref3 a, Ref3 b)
{
    return (Ref3){a.x - b.x, a.y - b.y, a.z - b.z};
}
static inline Ref3 ref3_scale(double s, Ref3 a)
{
    return (Ref3){s * a.x, s * a.y, s * a.z};
}
static inline double ref3_dot(Ref3 a, Ref3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
static inline Ref3 ref3_cross(Ref3 a, Ref3 b)
{
    return (Ref3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
double ref3_length(Ref3 a);

#endif
