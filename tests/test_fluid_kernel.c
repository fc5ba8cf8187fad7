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

// Fowler: the work of separation per area of two half-spaces that attract with f(r) = gamma m^2 C(r) is twice
// the surface tension. Here that work is summed directly over two half-spaces of unit density.
static void cohesion_gamma_gives_the_macroscopic_surface_tension(void **state)
{
    (void)state;
    double h = 0.2, rho = 1000.0, sigma = 7.0;
    double gamma = cohesion_gamma(sigma, rho, h), work = 0.0;
    int n = 200;
    // The force between the half-spaces at gap s per area: 2 pi rho^2 int_s^h dz (z - s) int over the plane f
    // cos(theta); work = int_0^h of it ds.
    for (int a = 0; a < n; a++) {
        double s = h * (a + 0.5) / n;
        for (int b = 0; b < n; b++) {
            double z = s + (h - s) * (b + 0.5) / n, pull = 0.0;
            for (int c = 0; c < n; c++) {
                double r = z + (h - z) * (c + 0.5) / n;
                pull += 2.0 * PI * z * gamma * cohesion_value(r, h) * (h - z) /
                        n; // rho dr (z/r) f, rho drho = r dr
            }
            work += pull * (z - s) * (h - s) / n * h / n;
        }
    }
    assert_float_equal(rho * rho * work / 2.0, sigma, 0.01 * sigma);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernel_integrates_to_one_over_its_support),
        cmocka_unit_test(kernel_gradient_is_the_difference_quotient_of_the_kernel),
        cmocka_unit_test(half_space_is_the_kernel_volume_behind_a_plane),
        cmocka_unit_test(rest_lattice_mass_is_the_volume_of_a_cell_within_half_a_percent),
        cmocka_unit_test(cohesion_attracts_far_and_repels_near),
        cmocka_unit_test(cohesion_gamma_gives_the_macroscopic_surface_tension),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
