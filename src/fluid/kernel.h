// The smoothing kernel and everything that follows from it: the rest lattice's calibration, the
// cohesion kernel of the surface tension. The kernel's volume behind a wall is in planes.h.
#ifndef PBF_FLUID_KERNEL_H
#define PBF_FLUID_KERNEL_H

#include <stdint.h>

// One kernel serves density and gradient: the cubic spline with support h (Monaghan 1992), q = r/h:
//   W(r) = 8/(pi h^3) w(q),  w(q) = 2 (1-q)^3 - 8 max(1/2-q, 0)^3  for q < 1, else 0.
// With the poly6 density and spiky gradient of Macklin and Mueller 2013 the correction does not follow the
// gradient of what it corrects, and still water boils.
float kernel_shape(float q);                // w(q)
double kernel_value(double r, double h);    // W, 1/m^3
double kernel_gradient(double r, double h); // dW/dr, 1/m^4, <= 0

// Cohesion kernel C of Akinci, Akinci and Teschner 2013, eq. 2, 1/m^3: attracts beyond h/2, repels below.
double cohesion_value(double r, double h);

// Sums over the cubic lattice of a spacing, for one particle deep inside.
typedef struct RestLattice {
    double mass_factor;  // m / (rho0 spacing^3) that makes the lattice's density rho0; nearly 1
    double gradient_sum; // sum_k |grad_k C|^2, 1/m^2, of that mass
    // 1/m^2, the most that velocities in a plane wave change the density's rate by, over what the
    // constraint's gradient moves them by: max over k of |sum_j g_j sin(k . x_j)|^2. Grows with h. Jacobi
    // sweeps whose denominators are below half of it amplify that wave.
    double stiffest;
    // Of viscous forces nu K sum_j m/rho0 W_ij (v_ij . x_ij) x_ij: K (1/m^4) that makes nu the kinematic
    // viscosity of shear along the lattice's axes, and the rate at which a lone particle's velocity then
    // decays, over nu (1/m^2).
    double shear_scale, drag;
    double inertia;       // m^2: sum_j m/rho0 W_ij (x_ij^2 - (x_ij . e)^2), of a ball of the kernel's weights
    double gradient_seen; // share of a linear field's gradient that -sum_j m/rho0 x_ij grad W_ij finds
} RestLattice;
RestLattice rest_lattice(double spacing, double h);

// The curvature's pull fades in the last 1 / CURVATURE_FADE of h. With a jump there drops of 12 spacings
// would keep 0.50 of their swing in half a period instead of 0.61.
#define CURVATURE_FADE 5.0f

// The surface tension (N/m) of a lattice that ends at a plane, over rho0 a, if particles accelerate each
// other by a times
//   cohesion:  K_ij c(q) along e, c the cohesion's shape, pi h^3 / 32 C
//   curvature: K_ij min(CURVATURE_FADE (1 - q), 1) (n_i - n_j) . e along e, n_i = h grad of the color field
// with e = x_ij / r and K_ij = 2 rho0 / (rho_i + rho_j). From the stress of such pairs (Kirkwood and Buff
// 1949), sigma = 1/A sum_i<j f_ij r (1 - 3 e_z^2) / 2, f > 0 attracts, over all directions of the plane.
typedef struct TensionLattice {
    double cohesion, curvature; // m^2
} TensionLattice;
TensionLattice tension_lattice(double spacing, double h);

#endif
