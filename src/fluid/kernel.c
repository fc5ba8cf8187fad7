#include "fluid/kernel.h"

#include "core/result.h"

#include <math.h>

#define PI 3.14159265358979323846

// Lengths of waves that are tried, down to 2/3 h; room for a radius of 4 spacings, which reaches 250
// particles.
enum { WAVES = 48, NEIGHBORS_MAX = 300 };

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

// A particle of the lattice within reach of another, apart from it.
typedef struct Neighbor {
    int at[3];
    double r, slope; // m; dW/dr, 1/m^4
} Neighbor;

// |sum_j dW/dr e_j sin(k . x_j)|^2 of the cubic lattice, 1/m^8, for a wave along `direction`, a lattice
// vector. Only the component along the wave is left by symmetry.
static double wave_square(const Neighbor *neighbor, uint32_t count, double spacing, const int direction[3],
                          double wave_number)
{
    double length = sqrt(
        (double)(direction[0] * direction[0] + direction[1] * direction[1] + direction[2] * direction[2]));
    double sum = 0.0;
    for (uint32_t n = 0; n < count; n++) {
        const int *at = neighbor[n].at;
        double along =
            spacing * (at[0] * direction[0] + at[1] * direction[1] + at[2] * direction[2]) / length;
        sum += neighbor[n].slope * along / neighbor[n].r * sin(wave_number * along);
    }
    return sum * sum;
}

// The stiffest wave is between one and two h long.
static double stiffest_square(const Neighbor *neighbor, uint32_t count, double spacing, double h)
{
    static const int directions[3][3] = {{1, 0, 0}, {1, 1, 0}, {1, 1, 1}};
    double most = 0.0;
    for (int d = 0; d < 3; d++) {
        for (int step = 1; step <= WAVES; step++)
            most = fmax(most,
                        wave_square(neighbor, count, spacing, directions[d], 3.0 * PI * step / (WAVES * h)));
    }
    return most;
}

RestLattice rest_lattice(double spacing, double h)
{
    int reach = (int)(h / spacing); // further particles are out of reach
    double density = 0.0, gradient = 0.0, square = 0.0, shear = 0.0, seen = 0.0;
    Neighbor neighbor[NEIGHBORS_MAX];
    uint32_t count = 0;
    for (int i = -reach; i <= reach; i++) {
        for (int j = -reach; j <= reach; j++) {
            for (int k = -reach; k <= reach; k++) {
                double r = spacing * sqrt((double)(i * i + j * j + k * k));
                double w = kernel_value(r, h), x = i * spacing, z = k * spacing;
                density += w;
                square += w * r * r;
                shear += w * x * x * z * z;
                seen -= r * kernel_gradient(r, h) / 3.0;
                if (r == 0.0 || r >= h) continue;
                gradient += kernel_gradient(r, h) * kernel_gradient(r, h);
                CHECK(count < NEIGHBORS_MAX);
                neighbor[count++] = (Neighbor){{i, j, k}, r, kernel_gradient(r, h)};
            }
        }
    }
    // A layer v_x(z) gains nu K/2 sum_j V W x^2 z^2 times its second derivative.
    double scale = 2.0 * density / shear;
    return (RestLattice){.mass_factor = 1.0 / (density * spacing * spacing * spacing),
                         .gradient_sum = gradient / (density * density),
                         .stiffest = stiffest_square(neighbor, count, spacing, h) / (density * density),
                         .shear_scale = scale,
                         .drag = scale * square / density / 3.0,
                         .inertia = 2.0 / 3.0 * square / density,
                         .gradient_seen = seen / density};
}

// --- surface tension ---

// Where the plane cuts the lattice: depths below it, in steps of h / DEPTHS, down to 2 h.
enum { DEPTHS = 32, DIRECTIONS = 16 };

// The kernel integrated over a plane at a distance of q h, times h.
static double plane_shape(double q)
{
    double t = fmax(1.0 - fabs(q), 0.0), s = fmax(0.5 - fabs(q), 0.0);
    return 8.0 * pow(t, 4) - 32.0 / 5.0 * pow(t, 5) - 16.0 * pow(s, 4) + 128.0 / 5.0 * pow(s, 5);
}

// rho / rho0 and n of particles that many steps below the surface of a half-space of particles.
typedef struct Profile {
    double density[2 * DEPTHS + 1], normal[2 * DEPTHS + 1];
} Profile;

static Profile surface_profile(void)
{
    Profile p = {{0}, {0}};
    for (int at = 0; at <= 2 * DEPTHS; at++) {
        for (int k = 0; k < at + DEPTHS; k++) p.density[at] += plane_shape((k + 0.5 - at) / DEPTHS) / DEPTHS;
    }
    for (int at = 0; at < DEPTHS; at++) {
        for (int k = 0; k < at + DEPTHS; k++) {
            double slope =
                plane_shape((double)(k + 1 - at) / DEPTHS) - plane_shape((double)(k - at) / DEPTHS);
            p.normal[at] -= 2.0 * slope / (p.density[k] + p.density[k + 1]);
        }
    }
    return p;
}

static double profile_at(const double *profile, double depth)
{
    double at = fmin(depth * DEPTHS, 2.0 * DEPTHS - 1e-9);
    int k = (int)at;
    return profile[k] + (at - k) * (profile[k + 1] - profile[k]);
}

// Adds the stress of pairs at a distance of q h, of which each particle has `count`.
static void add_tension(const Profile *p, double q, double count, TensionLattice *sum)
{
    double cohesion = PI / 32.0 * cohesion_value(q, 1.0), share = count / (2.0 * DIRECTIONS * DEPTHS);
    for (int a = 0; a < DIRECTIONS; a++) {
        double c = (2.0 * a + 1.0) / DIRECTIONS - 1.0;
        // Less the sum's own error, so that nothing is left of a shell of pairs inside.
        double stress = q * (1.0 - 1.0 / (DIRECTIONS * DIRECTIONS) - 3.0 * c * c) / 2.0;
        for (int b = 0; b < 2 * DEPTHS; b++) {
            double depth = (b + 0.5) / DEPTHS, other = depth - q * c;
            if (other < 0.0) continue;
            double k = 2.0 / (profile_at(p->density, depth) + profile_at(p->density, other));
            double bend = fmin((double)CURVATURE_FADE * (1.0 - q), 1.0) * c *
                          (profile_at(p->normal, depth) - profile_at(p->normal, other));
            sum->cohesion += share * stress * k * cohesion;
            sum->curvature += share * stress * k * bend;
        }
    }
}

TensionLattice tension_lattice(double spacing, double h)
{
    enum { REACH = 5, SHELLS = 3 * REACH * REACH + 1 };
    Profile profile = surface_profile();
    int reach = (int)fmin(ceil(h / spacing), REACH);
    double count[SHELLS] = {0};
    for (int i = -reach; i <= reach; i++) {
        for (int j = -reach; j <= reach; j++) {
            for (int k = -reach; k <= reach; k++) count[i * i + j * j + k * k]++;
        }
    }
    TensionLattice sum = {0};
    for (int shell = 1; shell < SHELLS; shell++) {
        double q = spacing / h * sqrt(shell);
        if (count[shell] > 0 && q < 1.0) add_tension(&profile, q, count[shell], &sum);
    }
    return (TensionLattice){h * h * sum.cohesion, h * h * sum.curvature};
}
