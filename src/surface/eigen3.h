// Eigenvalues and eigenvectors of a symmetric 3x3 matrix.
#ifndef PBF_SURFACE_EIGEN3_H
#define PBF_SURFACE_EIGEN3_H

// a: xx, xy, xz, yy, yz, zz. value[k] belongs to the unit vector (vector[0][k], vector[1][k], vector[2][k]);
// the vectors are orthogonal, the values in no particular order.
void eigen3_symmetric(const float a[6], float value[3], float vector[3][3]);

#endif
