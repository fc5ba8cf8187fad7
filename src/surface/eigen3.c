#include "surface/eigen3.h"

#include <math.h>

// Four sweeps bring the rest below float's rounding; there is no test, so that every matrix costs the same.
#define SWEEPS 4

// Jacobi's rotation that makes a[p][q] zero. t = sgn(d) 2 z / (|d| + sqrt(d^2 + 4 z^2)) has no branch and no
// division by zero.
static inline void rotate(float a[3][3], float vector[3][3], int p, int q)
{
    float z = a[p][q], d = a[q][q] - a[p][p];
    float t = copysignf(1.0f, d) * 2.0f * z / (fabsf(d) + sqrtf(d * d + 4.0f * z * z) + 1e-30f);
    float c = 1.0f / sqrtf(1.0f + t * t), s = t * c;
    int r = 3 - p - q;
    a[p][p] -= t * z;
    a[q][q] += t * z;
    a[p][q] = a[q][p] = 0;
    float rp = a[r][p], rq = a[r][q];
    a[r][p] = a[p][r] = c * rp - s * rq;
    a[r][q] = a[q][r] = s * rp + c * rq;
    for (int k = 0; k < 3; k++) {
        float vp = vector[k][p], vq = vector[k][q];
        vector[k][p] = c * vp - s * vq;
        vector[k][q] = s * vp + c * vq;
    }
}

void eigen3_symmetric(const float a[6], float value[3], float vector[3][3])
{
    float m[3][3] = {{a[0], a[1], a[2]}, {a[1], a[3], a[4]}, {a[2], a[4], a[5]}};
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) vector[i][k] = i == k;
    }
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        rotate(m, vector, 0, 1);
        rotate(m, vector, 0, 2);
        rotate(m, vector, 1, 2);
    }
    for (int k = 0; k < 3; k++) value[k] = m[k][k];
}
