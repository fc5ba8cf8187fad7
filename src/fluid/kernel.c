#include "fluid/kernel.h"

#include <math.h>

#define PI 3.14159265358979323846

static double shape(double q)
{
    if (q >= 1.0) return 0.0;
    double t = 1.0 - q, s = q < 0.5 ? 0.5 - q : 0.0;
    return 2.0 * t * t * t - 8.0 * s * s * s;
}

static double shape_derivative(double q)
{
    if (q >= 1.0) return 0.0;
    double t = 1.0 - q, s = q < 0.5 ? 0.5 - q : 0.0;
    return -6.0 * t * t + 24.0 * s * s;
}

float kernel_shape(float q)
{
    return (float)shape(q);
}

double kernel_value(double r, double h)
{
    return 8.0 / (PI * h * h * h) * shape(r / h);
}

double kernel_gradient(double r, double h)
{
    return 8.0 / (PI * h * h * h * h) * shape_derivative(r / h);
}

double cohesion_value(double r, double h)
{
    if (r <= 0.0 || r > h) return 0.0;
    double product = (h - r) * (h - r) * (h - r) * r * r * r;
    double h3 = h * h * h, scale = 32.0 / (PI * h3 * h3 * h3);
    if (2.0 * r > h) return scale * product;
    return scale * (2.0 * product - h3 * h3 / 64.0);
}

RestLattice rest_lattice(double spacing, double h)
{
    int reach = (int)(h / spacing); // further particles are out of reach
    double density = 0.0, gradient = 0.0, square = 0.0, shear = 0.0;
    for (int i = -reach; i <= reach; i++) {
        for (int j = -reach; j <= reach; j++) {
            for (int k = -reach; k <= reach; k++) {
                double r = spacing * sqrt((double)(i * i + j * j + k * k));
                double w = kernel_value(r, h), x = i * spacing, z = k * spacing;
                density += w;
                square += w * r * r;
                shear += w * x * x * z * z;
                if (r > 0.0) gradient += kernel_gradient(r, h) * kernel_gradient(r, h);
            }
        }
    }
    // A layer v_x(z) gains nu K/2 sum_j V W x^2 z^2 times its second derivative.
    double scale = 2.0 * density / shear;
    return (RestLattice){.mass_factor = 1.0 / (density * spacing * spacing * spacing),
                         .gradient_sum = gradient / (density * density),
                         .shear_scale = scale,
                         .drag = scale * square / density / 3.0};
}

double cohesion_gamma(double surface_tension, double rest_density, double h)
{
    // C scales as 1/h^3, so the integral is h^2 times a number; Simpson over [0, 1].
    enum { INTERVALS = 2000 };
    double integral = 0.0;
    for (int k = 0; k <= INTERVALS; k++) {
        double q = (double)k / INTERVALS;
        double weight = (k == 0 || k == INTERVALS) ? 1.0 : (k % 2 ? 4.0 : 2.0);
        integral += weight * q * q * q * q * cohesion_value(q, 1.0);
    }
    integral /= 3.0 * INTERVALS;
    return surface_tension / (PI / 8.0 * rest_density * rest_density * h * h * integral);
}
