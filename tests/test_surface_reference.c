// Every particle's kernel against Yu and Turk's formulas in double precision, all pairs looked at; vertices
// and normals against the sum of these kernels at any point, without a grid.
#include "case_helpers.h"
#include "core/cpu.h"
#include "core/memory.h"
#include "reference_fluid.h"
#include "surface/kernels.h"
#include "surface_helpers.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#define PI 3.14159265358979323846
#define LINK 1.75     // spacings: particles nearer than this belong to one body
#define MOVE_MOST 0.5 // spacings, of a kernel from its particle
#define CROWD 0.5     // part of a full ball's weight from which on a kernel may be no shorter than kernel_min
#define COMPANY 0.8   // part of a crowd below which a particle spreads more than its volume

// A particle and its kernel; lengths in grid cells.
typedef struct RefBlob {
    Ref3 at, move, center;
    uint32_t body;
    bool shaped;          // near the surface
    double root;          // of the value at the center
    double inverse[3][3]; // A^-2: the kernel ends where d^T A^-2 d is 1
    const Kernel *solver; // what is compared
    Ref3 block;           // that the solver counts from
} RefBlob;

typedef struct RefBlobs {
    SurfaceDef def;
    PointBins bins;
    Kernels kernels;
    RefBlob *blob;
    uint32_t count;
    double range; // of the neighbors that count, cells
} RefBlobs;

// --- who is near ---

static void label_bodies(RefBlobs *all)
{
    double link = LINK / (double)all->def.cell;
    for (uint32_t i = 0; i < all->count; i++) all->blob[i].body = i;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < all->count; i++) {
            for (uint32_t j = 0; j < i; j++) {
                RefBlob *a = &all->blob[i], *b = &all->blob[j];
                if (a->body == b->body || ref3_length(ref3_sub(a->at, b->at)) > link) continue;
                a->body = b->body = a->body < b->body ? a->body : b->body;
                changed = true;
            }
        }
    }
}

// Yu and Turk 2013, eq. 11; 0 for particles of other bodies.
static double weight_of(const RefBlobs *all, const RefBlob *a, const RefBlob *b)
{
    double d = ref3_length(ref3_sub(a->at, b->at)) / all->range;
    return a->body == b->body && d < 1.0 ? 1.0 - d * d * d : 0.0;
}

// --- shapes ---

// Integrals over a full ball of radius 1 with these weights.
static double ball_weight(double r, const void *context)
{
    (void)context;
    return 4.0 * PI * r * r * (1.0 - r * r * r);
}
static double ball_moment(double r, const void *context)
{
    (void)context;
    return 4.0 * PI / 3.0 * pow(r, 4.0) * (1.0 - r * r * r);
}
static double kernel_shell(double r, const void *context)
{
    (void)context;
    return 4.0 * PI * r * r * pow(1.0 - r * r, 3.0);
}

// Jacobi's rotations, the largest entry first, until nothing is left beside the diagonal.
static void diagonalize(double a[3][3], double axis[3][3])
{
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) axis[i][k] = i == k;
    }
    for (int round = 0; round < 60; round++) {
        int p = 0, q = 1;
        if (fabs(a[0][2]) > fabs(a[p][q])) q = 2;
        if (fabs(a[1][2]) > fabs(a[p][q])) p = 1, q = 2;
        if (fabs(a[p][q]) < 1e-14) return;
        double angle = 0.5 * atan2(2.0 * a[p][q], a[q][q] - a[p][p]), c = cos(angle), s = sin(angle);
        for (int k = 0; k < 3; k++) {
            double x = a[k][p], y = a[k][q];
            a[k][p] = c * x - s * y, a[k][q] = s * x + c * y;
        }
        for (int k = 0; k < 3; k++) {
            double x = a[p][k], y = a[q][k];
            a[p][k] = c * x - s * y, a[q][k] = s * x + c * y;
            x = axis[k][p], y = axis[k][q];
            axis[k][p] = c * x - s * y, axis[k][q] = s * x + c * y;
        }
    }
}

// An axis is as long as the covariance along it, in units of a full ball's, says, within bounds; the integral
// of the kernel is the particle's volume, or more where it is lonely.
static void set_shape(const RefBlobs *all, RefBlob *blob, double weight, double covariance[3][3])
{
    const SurfaceDef *def = &all->def;
    double range = (double)def->covariance_radius, full = reference_integral(ball_weight, NULL, 0.0, 1.0);
    double ball = reference_integral(ball_moment, NULL, 0.0, 1.0) / full * all->range * all->range;
    double company = weight / (CROWD * full * pow(range, 3.0)), axis[3][3];
    double lone = (double)def->kernel_lone,
           least = lone + ((double)def->kernel_min - lone) * fmin(company, 1.0);
    double more = fmax(1.0 - company / COMPANY, 0.0),
           volume = (1.0 + more * more) / pow((double)def->cell, 3.0);
    double a2[3], product = 1.0;
    diagonalize(covariance, axis);
    for (int k = 0; k < 3; k++) {
        double part = fmin(fmax(covariance[k][k] / ball, least), 1.0),
               length = part * (double)def->support / (double)def->cell;
        a2[k] = length * length;
        product *= length;
    }
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            blob->inverse[i][j] = 0.0;
            for (int k = 0; k < 3; k++) blob->inverse[i][j] += axis[i][k] * axis[j][k] / a2[k];
        }
    }
    blob->root = cbrt(volume / (reference_integral(kernel_shell, NULL, 0.0, 1.0) * product));
}

// Yu and Turk 2013, eqs. 9 and 10.
static void shape_blob(const RefBlobs *all, RefBlob *blob)
{
    double sum = 0.0, covariance[3][3] = {{0}};
    Ref3 mean = {0};
    for (uint32_t j = 0; j < all->count; j++) {
        double w = weight_of(all, blob, &all->blob[j]);
        sum += w;
        mean = ref3_add(mean, ref3_scale(w, all->blob[j].at));
    }
    mean = ref3_scale(1.0 / sum, mean);
    for (uint32_t j = 0; j < all->count; j++) {
        double w = weight_of(all, blob, &all->blob[j]) / sum;
        Ref3 d = ref3_sub(all->blob[j].at, mean);
        const double way[3] = {d.x, d.y, d.z};
        for (int a = 0; a < 3; a++) {
            for (int b = 0; b < 3; b++) covariance[a][b] += w * way[a] * way[b];
        }
    }
    blob->move = ref3_scale((double)all->def.center_smoothing, ref3_sub(mean, blob->at));
    set_shape(all, blob, sum, covariance);
}

// Eq. 6, less what the neighbors at the surface moved, weighted by how far they did.
static void move_blob(const RefBlobs *all, RefBlob *blob)
{
    Ref3 back = {0};
    double sum = 0.0;
    for (uint32_t j = 0; j < all->count; j++) {
        const RefBlob *other = &all->blob[j];
        if (!other->shaped) continue;
        double w = weight_of(all, blob, other) * ref3_dot(other->move, other->move);
        back = ref3_add(back, ref3_scale(w, other->move));
        sum += w;
    }
    Ref3 move = sum > 0.0 ? ref3_sub(blob->move, ref3_scale(1.0 / sum, back)) : blob->move;
    double length = ref3_length(move), most = MOVE_MOST / (double)all->def.cell;
    blob->center = ref3_add(blob->at, ref3_scale(length > most ? most / length : 1.0, move));
}

// --- the solver's kernels beside them ---

static void list_blobs(RefBlobs *all)
{
    const PointBins *bins = &all->bins;
    const Kernels *kernels = &all->kernels;
    for (uint32_t cell = 0; cell < bins->bin_count * bins->sub_volume; cell++) {
        int64_t place[3];
        point_bins_place(bins, bins->key[cell / bins->sub_volume], place);
        Ref3 block = {8.0 * (double)(bins->low[0] + place[0]), 8.0 * (double)(bins->low[1] + place[1]),
                      8.0 * (double)(bins->low[2] + place[2])};
        for (uint32_t i = bins->begin[cell]; i < bins->begin[cell + 1]; i++) {
            RefBlob *blob = &all->blob[i];
            Ref3 within = {(double)bins->x[i], (double)bins->y[i], (double)bins->z[i]};
            blob->at = blob->center = ref3_add(block, within);
            blob->block = block;
            blob->shaped = kernels->of && kernels->of[i] != BLOCK_NONE;
            blob->solver = blob->shaped ? &kernels->kernel[kernels->of[i]] : &kernels->round;
        }
    }
}

static void blobs_make(const SurfaceDef *def, const TestCloud *cloud, RefBlobs *all)
{
    *all = (RefBlobs){
        .def = *def, .count = cloud->count, .range = (double)def->covariance_radius / (double)def->cell};
    SurfacePoints points = test_cloud_points(cloud, false);
    all->blob = calloc(all->count, sizeof *all->blob);
    assert_non_null(all->blob);
    ASSERT_OK(point_bins_make(def, &points, &all->bins));
    ASSERT_OK(kernels_make(def, &all->bins, &points, &all->kernels));
    list_blobs(all);
    label_bodies(all);
    for (uint32_t i = 0; i < all->count; i++) shape_blob(all, &all->blob[i]);
    for (uint32_t i = 0; i < all->count; i++) {
        if (all->blob[i].shaped) move_blob(all, &all->blob[i]);
    }
}

static void blobs_free(RefBlobs *all)
{
    free(all->blob);
    kernels_free(&all->kernels);
    point_bins_free(&all->bins);
}

// A block of water, a sheet, a strand and drops, in places that no grid knows of.
static TestCloud make_water(uint64_t seed)
{
    TestCloud cloud = test_cloud_make(9 * 8 * 8 + 64 + 20 + 60);
    cloud.random = seed;
    test_cloud_add_box(&cloud, vec3_make(-4.3f, 2.2f, 7.7f), 9, 8, 8, 0.25);
    test_cloud_add_box(&cloud, vec3_make(6.4f, 1.1f, 9.2f), 8, 8, 1, 0.2);
    test_cloud_add_box(&cloud, vec3_make(-3.1f, -2.4f, 9.9f), 20, 1, 1, 0.15);
    for (int k = 0; k < 60; k++) {
        double x = test_cloud_random(&cloud.random), y = test_cloud_random(&cloud.random);
        test_cloud_add(&cloud, 3.0 + 9.0 * x, 6.0 + 9.0 * y, 17.0 + 2.0 * test_cloud_random(&cloud.random));
    }
    return cloud;
}

static void check_kernel(const RefBlob *blob, uint32_t i)
{
    static const int slot[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
    const Kernel *k = blob->solver;
    double root = (double)k->root, size = 0.0, off = 0.0;
    for (int a = 0; a < 3; a++) {
        for (int b = 0; b < 3; b++) {
            size = fmax(size, fabs(blob->inverse[a][b]));
            off = fmax(off, fabs((double)k->m[slot[a][b]] / root - blob->inverse[a][b]));
        }
    }
    Ref3 center =
        ref3_add(blob->block, (Ref3){(double)k->center[0], (double)k->center[1], (double)k->center[2]});
    double away = ref3_length(ref3_sub(center, blob->center));
    // An axis' length is a variance, which rounding to single precision leaves 1e-5 of the range's square.
    if (off > 1e-3 * size || fabs(root / blob->root - 1.0) > 3e-4 || away > 2e-4)
        fail_msg("kernel %u: shape %g off, root %g for %g, center %g cells off", i, off / size, root,
                 blob->root, away);
    // The box around the kernel: half its size is the root of the diagonal of A^2 = inverse^-1.
    const double(*m)[3] = blob->inverse;
    double det = m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
                 m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
                 m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
    for (int a = 0; a < 3; a++) {
        int b = (a + 1) % 3, c = (a + 2) % 3;
        double half = sqrt((m[b][b] * m[c][c] - m[b][c] * m[c][b]) / det);
        if (fabs((double)k->extent[a] / half - 1.0) > 1e-3)
            fail_msg("kernel %u: half %g wide, should be %g", i, (double)k->extent[a], half);
    }
}

static void kernels_are_shaped_as_the_covariance_says(void **state)
{
    (void)state;
    static const struct {
        float cell, support, range, least, lone, smoothing;
    } variants[] = {{0.5f, 2.25f, 2.5f, 0.6f, 0.45f, 0.4f},
                    {0.8f, 3.0f, 1.8f, 0.3f, 0.2f, 1.0f},
                    {0.37f, 1.5f, 3.4f, 0.9f, 0.5f, 0.0f}};
    for (size_t v = 0; v < sizeof variants / sizeof *variants; v++) {
        SurfaceDef def = surface_def_default(1);
        def.cell = variants[v].cell, def.support = variants[v].support;
        def.covariance_radius = variants[v].range;
        def.kernel_min = variants[v].least, def.kernel_lone = variants[v].lone;
        def.center_smoothing = variants[v].smoothing;
        TestCloud cloud = make_water(v + 1);
        for (int level = CPU_PLAIN; level < CPU_LEVEL_COUNT; level++) {
            cpu_set_level((CpuLevel)level);
            RefBlobs all;
            blobs_make(&def, &cloud, &all);
            uint32_t shaped = 0;
            for (uint32_t i = 0; i < all.count; i++) {
                if (all.blob[i].shaped) check_kernel(&all.blob[i], i);
                shaped += all.blob[i].shaped;
            }
            assert_in_range(shaped, 300, all.count);
            blobs_free(&all);
        }
        cpu_set_level(CPU_AVX512);
        test_cloud_free(&cloud);
    }
}

// Without anisotropy, and deep inside.
static void a_round_kernel_holds_the_volume_of_a_particle(void **state)
{
    (void)state;
    for (float cell = 0.3f; cell < 1.3f; cell += 0.3f) {
        SurfaceDef def = surface_def_default(1);
        def.cell = cell;
        def.support = 1.0f + cell;
        def.anisotropic = false;
        TestCloud cloud = make_water(1);
        RefBlobs all;
        blobs_make(&def, &cloud, &all);
        const Kernel *k = &all.kernels.round;
        double h = (double)def.support / (double)cell, volume = pow((double)cell, -3.0);
        double root = cbrt(volume / (reference_integral(kernel_shell, NULL, 0.0, 1.0) * h * h * h));
        assert_float_equal(k->root, root, 1e-5 * root);
        for (int a = 0; a < 6; a++)
            assert_float_equal(k->m[a], a == 0 || a == 3 || a == 5 ? root / (h * h) : 0.0,
                               1e-5 * root / (h * h));
        blobs_free(&all);
        test_cloud_free(&cloud);
    }
}

// --- the surface ---

static double field_at(const RefBlobs *all, Ref3 at)
{
    double sum = 0.0;
    for (uint32_t i = 0; i < all->count; i++) {
        const RefBlob *blob = &all->blob[i];
        const Kernel *k = blob->solver;
        Ref3 d = ref3_sub(at, blob->center);
        double q =
            (double)k->m[0] * d.x * d.x + (double)k->m[3] * d.y * d.y + (double)k->m[5] * d.z * d.z +
            2.0 * ((double)k->m[1] * d.x * d.y + (double)k->m[2] * d.x * d.z + (double)k->m[4] * d.y * d.z);
        double left = (double)k->root - q;
        if (left > 0.0) sum += left * left * left;
    }
    return sum;
}

static Ref3 falling(const RefBlobs *all, Ref3 at)
{
    const double step = 1e-3;
    Ref3 down = {
        field_at(all, (Ref3){at.x - step, at.y, at.z}) - field_at(all, (Ref3){at.x + step, at.y, at.z}),
        field_at(all, (Ref3){at.x, at.y - step, at.z}) - field_at(all, (Ref3){at.x, at.y + step, at.z}),
        field_at(all, (Ref3){at.x, at.y, at.z - step}) - field_at(all, (Ref3){at.x, at.y, at.z + step})};
    return ref3_scale(0.5 / step, down);
}

// How far along its grid edge a vertex is from where the cubic through the edge's two nodes and the next two
// on its line passes the isovalue, in cells; 0 at 0.02 cells from a node, where vertices are stopped.
static double off_its_place(const RefBlobs *all, Ref3 at, double isovalue)
{
    const double x[3] = {at.x, at.y, at.z};
    int axis = 0;
    for (int a = 1; a < 3; a++) {
        if (fabs(x[a] - round(x[a])) > fabs(x[axis] - round(x[axis]))) axis = a;
    }
    double node[3] = {round(x[0]), round(x[1]), round(x[2])}, f[4];
    node[axis] = floor(x[axis]);
    double t = x[axis] - node[axis], value = 0.0, slope;
    for (int k = -1; k <= 2; k++) {
        double place[3] = {node[0], node[1], node[2]}, lagrange = 1.0;
        place[axis] += k;
        f[k + 1] = field_at(all, (Ref3){place[0], place[1], place[2]});
        for (int l = -1; l <= 2; l++) lagrange *= l == k ? 1.0 : (t - l) / (k - l);
        value += lagrange * f[k + 1];
    }
    slope = f[2] - f[1];
    assert_true((f[1] >= isovalue) != (f[2] >= isovalue));
    bool stopped = t < 0.0201 || t > 0.9799;
    return stopped ? 0.0 : (value - isovalue) / slope;
}

static void vertices_lie_where_the_field_is_the_isovalue(void **state)
{
    (void)state;
    for (int variant = 0; variant < 2; variant++) {
        SurfaceDef def = surface_def_default(1);
        double cell = variant ? 0.3 : 0.5;
        def.cell = (float)cell;
        def.isovalue = variant ? 0.3f : 0.5f;
        def.smoothing = 0;
        def.speck_volume = 0;
        TestCloud cloud = make_water(7);
        RefBlobs all;
        blobs_make(&def, &cloud, &all);
        SurfaceMesh mesh;
        ASSERT_OK(surface_reconstruct(&def, test_cloud_points(&cloud, false), &mesh));
        double true_squares = 0.0, turn = 0.0, iso = (double)def.isovalue;
        uint32_t looked = 0, far = 0;
        for (uint32_t i = 0; i < mesh.vertex_count; i += 5, looked++) {
            Ref3 at = {(double)mesh.vertex[i].x / all.bins.cell, (double)mesh.vertex[i].y / all.bins.cell,
                       (double)mesh.vertex[i].z / all.bins.cell};
            Ref3 normal = {(double)mesh.normal[i].x, (double)mesh.normal[i].y, (double)mesh.normal[i].z};
            Ref3 down = falling(&all, at);
            double off = off_its_place(&all, at, iso), slope = ref3_length(down);
            far += fabs(off) > 1e-3;
            true_squares += pow((field_at(&all, at) - iso) / slope, 2.0);
            turn += ref3_dot(normal, down) / slope;
        }
        double true_off = sqrt(true_squares / looked);
        print_message("%u vertices: %u off the cubic, %.4f cells off the field, normals' mean cosine %.5f\n",
                      looked, far, true_off, turn / looked);
        // Two steps of Newton's are too few on an edge or two in a hundred.
        assert_true(looked > 100 && far <= looked / 40 && true_off < 0.06 && turn / looked > 0.99);
        surface_mesh_free(&mesh);
        blobs_free(&all);
        test_cloud_free(&cloud);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_are_shaped_as_the_covariance_says),
        cmocka_unit_test(a_round_kernel_holds_the_volume_of_a_particle),
        cmocka_unit_test(vertices_lie_where_the_field_is_the_isovalue),
    };
    return cmocka_run_group_tests_name("surface_reference", tests, NULL, NULL);
}
