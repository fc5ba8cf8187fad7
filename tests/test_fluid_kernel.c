// The kernels against integrals and finite differences, the rest lattice against its definition.
#include "fluid_helpers.h"

#include "fluid/kernel.h"
#include "fluid/planes.h"

#include <math.h>

#define PI 3.14159265358979323846

static void kernel_integrates_to_one_over_its_support(void **state)
{
    (void)state;
    for (double h = 0.1; h < 0.5; h += 0.17) {
        double sum = 0.0, n = 4000;
        for (int k = 0; k < n; k++) {
            double r = h * (k + 0.5) / n;
            sum += 4.0 * PI * r * r * kernel_value(r, h) * h / n;
        }
        assert_float_equal(sum, 1.0, 1e-5);
    }
}

static void kernel_gradient_is_the_difference_quotient_of_the_kernel(void **state)
{
    (void)state;
    double h = 0.25, step = 1e-6;
    for (double r = 0.004; r < h - step; r += 0.0037) {
        double quotient = (kernel_value(r + step, h) - kernel_value(r - step, h)) / (2.0 * step);
        assert_true(fabs(quotient - kernel_gradient(r, h)) < 1e-6 * kernel_value(0.0, h) / h);
        assert_true(kernel_gradient(r, h) <= 0.0);
    }
    assert_true(kernel_value(h, h) == 0.0 && kernel_gradient(h, h) == 0.0);
}

// Of all lanes alike.
typedef struct Behind {
    float volume, slope;
} Behind;
static Behind behind(float q)
{
    HalfSpace space = half_space(lanes_set(q));
    float volume[LANES], slope[LANES];
    lanes_store(volume, space.volume);
    lanes_store(slope, space.slope);
    return (Behind){volume[LANES - 1], slope[LANES - 1]};
}

static void half_space_is_the_kernel_volume_behind_a_plane(void **state)
{
    (void)state;
    for (float q = 0.0f; q < 1.0f; q += 0.083f) {
        // midpoint rule over a cube of cells behind the plane z = q, h = 1
        double volume = 0.0, slope = 0.0;
        int n = 80;
        double cell = 1.0 / n;
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) {
                double x = (i + 0.5) * cell, y = (j + 0.5) * cell;
                slope += 4.0 * kernel_value(sqrt(x * x + y * y + (double)q * q), 1.0) * cell * cell;
                double depth = (1.0 - q) / n;
                for (int k = 0; k < n; k++) {
                    double z = q + (k + 0.5) * depth;
                    volume += 4.0 * kernel_value(sqrt(x * x + y * y + z * z), 1.0) * cell * cell * depth;
                }
            }
        }
        assert_float_equal(behind(q).volume, volume, 2e-4);
        assert_float_equal(behind(q).slope, slope, 2e-3);
    }
    assert_float_equal(behind(0.0f).volume, 0.5, 1e-6); // half of space
    assert_float_equal(behind(-1.0f).volume, 0.5, 1e-6);
    assert_true(behind(1.0f).volume == 0.0f && behind(INFINITY).slope == 0.0f);
}

static void rest_lattice_mass_is_the_volume_of_a_cell_within_half_a_percent(void **state)
{
    (void)state;
    for (double factor = 1.8; factor < 3.6; factor += 0.1)
        assert_float_equal(rest_lattice(0.1, factor * 0.1).mass_factor, 1.0, 0.02);
    assert_float_equal(rest_lattice(0.1, 0.25).mass_factor, 1.0, 0.005);
}

// Waves along many directions, of many lengths: none is answered more, and one is answered as much.
static void no_wave_on_the_lattice_is_stiffer_than_the_stiffest(void **state)
{
    (void)state;
    enum { DIRECTIONS = 24, LENGTHS = 40 };
    for (double h = 1.5; h <= 4.0; h += 0.5) {
        RestLattice lattice = rest_lattice(1.0, h);
        double most = 0.0;
        for (int wave = 0; wave < DIRECTIONS * LENGTHS; wave++) {
            // A spiral over the half sphere (Fibonacci's).
            double z = (wave / LENGTHS + 0.5) / DIRECTIONS, turn = 2.399963 * (wave / LENGTHS);
            double k = 3.0 * PI * (wave % LENGTHS + 1) / (LENGTHS * h), sum[3] = {0};
            double along[3] = {sqrt(1 - z * z) * cos(turn), sqrt(1 - z * z) * sin(turn), z};
            for (int cell = 0; cell < 9 * 9 * 9; cell++) {
                double x[3] = {cell % 9 - 4, cell / 9 % 9 - 4, cell / 81 - 4};
                double r = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
                if (r == 0.0 || r >= h) continue;
                double phase = k * (x[0] * along[0] + x[1] * along[1] + x[2] * along[2]);
                double slope = lattice.mass_factor * kernel_gradient(r, h) / r * sin(phase);
                for (int c = 0; c < 3; c++) sum[c] += slope * x[c];
            }
            most = fmax(most, sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2]);
        }
        print_message("h %.1f: %.3f sums of squares, %.3f sampled\n", h,
                      lattice.stiffest / lattice.gradient_sum, most / lattice.gradient_sum);
        assert_float_equal(most / lattice.stiffest, 1.0, 0.03);
        assert_true(most < 1.01 * lattice.stiffest);
    }
}

static void cohesion_attracts_far_and_repels_near(void **state)
{
    (void)state;
    double h = 0.3;
    assert_true(cohesion_value(0.15 * h, h) < 0.0);
    assert_true(cohesion_value(0.75 * h, h) > 0.0);
    assert_true(cohesion_value(h, h) == 0.0);
    // continuous where the two branches meet
    assert_float_equal(cohesion_value(0.5 * h - 1e-9, h), cohesion_value(0.5 * h + 1e-9, h),
                       1e-5 * cohesion_value(0.5 * h, h));
}

// Particles of a lattice of spacing 1 below a plane, with what the surface tension makes of them.
typedef struct CutParticle {
    double x[3], depth, volume, normal[3];
} CutParticle;

// Those within `reach` of the origin. normal: the plane's, unit, outward; the origin lies `depth` below it.
static uint32_t cut_lattice(const double normal[3], const double origin[3], double depth, double reach,
                            CutParticle *out)
{
    int n = (int)reach + 1;
    uint32_t count = 0;
    for (int k = -n; k <= n; k++) {
        for (int j = -n; j <= n; j++) {
            for (int i = -n; i <= n; i++) {
                CutParticle p = {.x = {i + origin[0], j + origin[1], k + origin[2]}};
                double height = p.x[0] * normal[0] + p.x[1] * normal[1] + p.x[2] * normal[2];
                p.depth = depth - height;
                if (p.depth > 0.0 && p.x[0] * p.x[0] + p.x[1] * p.x[1] + p.x[2] * p.x[2] < reach * reach)
                    out[count++] = p;
            }
        }
    }
    return count;
}

static double distance_between(const CutParticle *a, const CutParticle *b, double along[3])
{
    double r2 = 0.0;
    for (int c = 0; c < 3; c++) along[c] = a->x[c] - b->x[c], r2 += along[c] * along[c];
    for (int c = 0; c < 3; c++) along[c] /= sqrt(r2) + 1e-30;
    return sqrt(r2);
}

static void find_normals(CutParticle *p, uint32_t count, double h)
{
    double mass = rest_lattice(1.0, h).mass_factor, along[3];
    for (uint32_t i = 0; i < count; i++) {
        double density = 0.0;
        for (uint32_t j = 0; j < count; j++)
            density += mass * kernel_value(distance_between(&p[i], &p[j], along), h);
        p[i].volume = mass / density;
    }
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t j = 0; j < count; j++) {
            double r = distance_between(&p[i], &p[j], along);
            if (i == j || r >= h) continue;
            for (int c = 0; c < 3; c++) p[i].normal[c] += h * p[j].volume * kernel_gradient(r, h) * along[c];
        }
    }
}

// Kirkwood and Buff's stress of the particles within `radius` of the axis through the origin, over its area.
static TensionLattice tension_of_cut(const CutParticle *p, uint32_t count, const double normal[3], double h,
                                     double radius)
{
    TensionLattice sum = {0};
    double along[3];
    for (uint32_t i = 0; i < count; i++) {
        double height = p[i].x[0] * normal[0] + p[i].x[1] * normal[1] + p[i].x[2] * normal[2], off2 = 0.0;
        for (int c = 0; c < 3; c++) off2 += pow(p[i].x[c] - height * normal[c], 2.0);
        if (off2 > radius * radius || p[i].depth > 2.0 * h) continue;
        for (uint32_t j = 0; j < count; j++) {
            double r = distance_between(&p[i], &p[j], along), bend = 0.0, up = 0.0;
            if (i == j || r >= h) continue;
            for (int c = 0; c < 3; c++) {
                bend += (p[i].normal[c] - p[j].normal[c]) * along[c];
                up += normal[c] * along[c];
            }
            double k = 2.0 / (1.0 / p[i].volume + 1.0 / p[j].volume);
            double stress = 0.5 * k * r * (1.0 - 3.0 * up * up) / 2.0 / (PI * radius * radius);
            sum.cohesion += stress * PI * h * h * h / 32.0 * cohesion_value(r, h);
            sum.curvature += stress * fmin(5.0 * (1.0 - r / h), 1.0) * bend;
        }
    }
    return sum;
}

// On average over planes of all directions and places.
static void the_tension_of_a_lattice_is_the_stress_of_its_pairs(void **state)
{
    (void)state;
    static const double factors[] = {2.5, 3.3};
    static CutParticle p[9000];
    uint64_t seed = 88172645463325252u;
    for (int f = 0; f < 2; f++) {
        double h = factors[f], radius = 2.5;
        TensionLattice found = {0}, expected = tension_lattice(1.0, h);
        int planes = test_is_quick() ? 12 : 40;
        for (int k = 0; k < planes; k++) {
            double z = 2.0 * fluid_test_random(&seed) - 1.0, turn = 2.0 * PI * fluid_test_random(&seed);
            double normal[3] = {sqrt(1.0 - z * z) * cos(turn), sqrt(1.0 - z * z) * sin(turn), z};
            double origin[3];
            for (int c = 0; c < 3; c++) origin[c] = fluid_test_random(&seed);
            uint32_t count =
                cut_lattice(normal, origin, h, sqrt(4.0 * h * h + pow(radius + 2.0 * h, 2.0)), p);
            assert_true(count < 9000);
            find_normals(p, count, h);
            TensionLattice one = tension_of_cut(p, count, normal, h, radius);
            found.cohesion += one.cohesion / planes;
            found.curvature += one.curvature / planes;
        }
        print_message("h %g: cohesion %.3f, curvature %.3f of the stress of pairs\n", h,
                      expected.cohesion / found.cohesion, expected.curvature / found.curvature);
        assert_float_equal(expected.cohesion / found.cohesion, 1.0, 0.04);
        assert_float_equal(expected.curvature / found.curvature, 1.0, 0.08);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernel_integrates_to_one_over_its_support),
        cmocka_unit_test(kernel_gradient_is_the_difference_quotient_of_the_kernel),
        cmocka_unit_test(half_space_is_the_kernel_volume_behind_a_plane),
        cmocka_unit_test(rest_lattice_mass_is_the_volume_of_a_cell_within_half_a_percent),
        cmocka_unit_test(no_wave_on_the_lattice_is_stiffer_than_the_stiffest),
        cmocka_unit_test(cohesion_attracts_far_and_repels_near),
        cmocka_unit_test(the_tension_of_a_lattice_is_the_stress_of_its_pairs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
