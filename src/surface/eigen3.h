// Eigenvalues and eigenvectors of sixteen symmetric 3 x 3 matrices at once (SIMD). Included by files that are
// compiled once for every instruction set.
#ifndef PBF_SURFACE_EIGEN3_H
#define PBF_SURFACE_EIGEN3_H

#include "core/lanes.h"

// Four sweeps bring the off-diagonal entries below float rounding; without a convergence test every matrix
// costs the same.
#define EIGEN_SWEEPS 4

// Jacobi rotation that makes a[p][q] zero. t = sgn(d) 2 z / (|d| + sqrt(d^2 + 4 z^2)) has no branch and no
// division by zero.
static inline void eigen3_rotate(Lanes a[3][3], Lanes vector[3][3], int p, int q)
{
    Lanes z = lanes_add(a[p][q], a[p][q]), d = lanes_sub(a[q][q], a[p][p]), zero = lanes_set(0);
    Lanes size = lanes_max(d, lanes_sub(zero, d));
    Lanes root = lanes_sqrt(lanes_add(lanes_mul(d, d), lanes_mul(z, z)));
    Lanes signed_z = lanes_select(lanes_less_equal(d, zero), lanes_sub(zero, z), z);
    Lanes t = lanes_div(signed_z, lanes_add(lanes_add(size, root), lanes_set(1e-30f)));
    Lanes c = lanes_div(lanes_set(1), lanes_sqrt(lanes_add(lanes_set(1), lanes_mul(t, t)))),
          s = lanes_mul(t, c);
    Lanes change = lanes_mul(t, a[p][q]);
    int r = 3 - p - q;
    a[p][p] = lanes_sub(a[p][p], change);
    a[q][q] = lanes_add(a[q][q], change);
    a[p][q] = a[q][p] = zero;
    Lanes rp = a[r][p], rq = a[r][q];
    a[r][p] = a[p][r] = lanes_sub(lanes_mul(c, rp), lanes_mul(s, rq));
    a[r][q] = a[q][r] = lanes_add(lanes_mul(s, rp), lanes_mul(c, rq));
    for (int k = 0; k < 3; k++) {
        Lanes vp = vector[k][p], vq = vector[k][q];
        vector[k][p] = lanes_sub(lanes_mul(c, vp), lanes_mul(s, vq));
        vector[k][q] = lanes_add(lanes_mul(s, vp), lanes_mul(c, vq));
    }
}

// a: xx, xy, xz, yy, yz, zz. vector[k][i]: component k of the unit vector that belongs to value[i].
static inline void eigen3_symmetric(const Lanes a[6], Lanes value[3], Lanes vector[3][3])
{
    Lanes m[3][3] = {{a[0], a[1], a[2]}, {a[1], a[3], a[4]}, {a[2], a[4], a[5]}};
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) vector[i][k] = lanes_set(i == k ? 1 : 0);
    }
    for (int sweep = 0; sweep < EIGEN_SWEEPS; sweep++) {
        eigen3_rotate(m, vector, 0, 1);
        eigen3_rotate(m, vector, 0, 2);
        eigen3_rotate(m, vector, 1, 2);
    }
    for (int k = 0; k < 3; k++) value[k] = m[k][k];
}

#endif
