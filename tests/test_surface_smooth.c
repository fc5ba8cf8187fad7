// mesh_smooth against its description in double precision: Laplacian steps whose sinking is evened out and
// given back, moves that are shape and not noise left out, volumes kept.
#include "case_helpers.h"
#include "core/memory.h"
#include "surface/mesh_parts.h"
#include "surface_helpers.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void check_near(const char *what, uint32_t v, double found, double expected)
{
    if (!(fabs(found - expected) <= 1e-3))
        fail_msg("%s of vertex %u: %.7g, should be %.7g", what, v, found, expected);
}

// A block of water, a sheet one particle thick, drops: none of it smooth yet.
static SurfaceMesh make_mesh(void)
{
    TestCloud cloud = test_cloud_make(9 * 8 * 7 + 8 * 8 + 100);
    test_cloud_add_box(&cloud, vec3_make(-3, 2, 40), 9, 8, 7, 0.2);
    test_cloud_add_box(&cloud, vec3_make(-3, 2, 49.4f), 8, 8, 1, 0.15);
    for (uint32_t k = 0; k < 100; k++) {
        double at[3];
        for (int axis = 0; axis < 3; axis++) at[axis] = 8 * test_cloud_random(&cloud.random);
        test_cloud_add(&cloud, 1 + at[0], 6 + at[1], 45 + at[2]);
    }
    SurfaceDef def = surface_def_default(1);
    def.smoothing = 0;
    SurfaceMesh mesh;
    ASSERT_OK(surface_reconstruct(&def, test_cloud_points(&cloud, false), &mesh));
    test_cloud_free(&cloud);
    return mesh;
}

// Every value becomes the mean of its own and the neighbors' along the mesh's edges; `width` numbers a
// vertex.
static void average(const SurfaceMesh *mesh, uint32_t width, double *values)
{
    uint32_t count = mesh->vertex_count;
    double *sum = memory_allocate(count * sizeof(double) * width);
    uint32_t *terms = memory_allocate(count * sizeof *terms);
    assert_true(sum && terms);
    memcpy(sum, values, count * sizeof(double) * width);
    for (uint32_t v = 0; v < count; v++) terms[v] = 1;
    for (uint32_t t = 0; t < mesh->triangle_count; t++) {
        for (int c = 0; c < 3; c++) { // a closed mesh has every edge once in this direction
            uint32_t v = mesh->triangle[t][c], w = mesh->triangle[t][(c + 1) % 3];
            for (uint32_t k = 0; k < width; k++) sum[width * v + k] += values[width * w + k];
            terms[v]++;
        }
    }
    for (uint32_t v = 0; v < count; v++) {
        for (uint32_t k = 0; k < width; k++) values[width * v + k] = sum[width * v + k] / terms[v];
    }
    memory_free(sum);
    memory_free(terms);
}

static void add_cross(const double a[3], const double b[3], const double c[3], double out[3])
{
    for (int k = 0; k < 3; k++) {
        int l = (k + 1) % 3, m = (k + 2) % 3;
        out[k] += (b[l] - a[l]) * (c[m] - a[m]) - (b[m] - a[m]) * (c[l] - a[l]);
    }
}

// Unit normals from the triangles, weighted by area; those without area stay.
static void find_normals(const SurfaceMesh *mesh, double (*at)[3], double (*normal)[3])
{
    double(*sum)[3] = memory_allocate_zeroed(mesh->vertex_count * sizeof *sum);
    assert_non_null(sum);
    for (uint32_t t = 0; t < mesh->triangle_count; t++) {
        const uint32_t *c = mesh->triangle[t];
        for (int k = 0; k < 3; k++) add_cross(at[c[0]], at[c[1]], at[c[2]], sum[c[k]]);
    }
    for (uint32_t v = 0; v < mesh->vertex_count; v++) {
        double length = sqrt(sum[v][0] * sum[v][0] + sum[v][1] * sum[v][1] + sum[v][2] * sum[v][2]);
        for (int k = 0; k < 3 && length > 0; k++) normal[v][k] = sum[v][k] / length;
    }
    memory_free(sum);
}

typedef struct Size {
    double volume, area;
} Size;

// Of the pieces; of: per vertex the piece.
static void measure(const SurfaceMesh *mesh, double (*at)[3], const uint32_t *of, Size *size)
{
    memset(size, 0, mesh->vertex_count * sizeof *size);
    for (uint32_t t = 0; t < mesh->triangle_count; t++) {
        const uint32_t *c = mesh->triangle[t];
        double area[3] = {0}, volume = 0, square = 0;
        add_cross(at[c[0]], at[c[1]], at[c[2]], area);
        for (int k = 0; k < 3; k++) {
            volume += at[c[0]][k] * area[k] / 6;
            square += area[k] * area[k];
        }
        size[of[c[0]]].volume += volume;
        size[of[c[0]]].area += 0.5 * sqrt(square);
    }
}

// Per vertex the lowest vertex that edges lead to.
static void find_pieces(const SurfaceMesh *mesh, uint32_t *of)
{
    for (uint32_t v = 0; v < mesh->vertex_count; v++) of[v] = v;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t t = 0; t < mesh->triangle_count; t++) {
            for (int c = 0; c < 3; c++) {
                uint32_t *a = &of[mesh->triangle[t][c]], b = of[mesh->triangle[t][(c + 1) % 3]];
                if (b >= *a) continue;
                *a = b;
                changed = true;
            }
        }
    }
}

// The part of a vertex's move that stays: all of it up to 0.15 spacings, nothing from 0.35 on. A move
// along the surface counts 0.4 of its length.
static double share_of(const double move[3], const double normal[3], double spacing)
{
    double across = 0, square = 0;
    for (int k = 0; k < 3; k++) {
        across += move[k] * normal[k];
        square += move[k] * move[k];
    }
    double t = fmin(fmax((fmax(fabs(across), 0.4 * sqrt(square)) / spacing - 0.15) / 0.2, 0), 1);
    return 1 - t * t * (3 - 2 * t);
}

// The smoothed places, from the mesh's; normal: of the mesh before.
static void smooth(const SurfaceMesh *mesh, uint32_t steps, double spacing, double (*at)[3],
                   double (*normal)[3])
{
    uint32_t count = mesh->vertex_count;
    double(*moved)[3] = memory_allocate(count * sizeof *moved), *sunk = memory_allocate(count * sizeof *sunk);
    assert_true(moved && sunk);
    memcpy(moved, at, count * sizeof *moved);
    for (uint32_t step = 0; step < steps; step++) average(mesh, 3, &moved[0][0]);
    for (uint32_t v = 0; v < count; v++) {
        sunk[v] = 0;
        for (int k = 0; k < 3; k++) sunk[v] += (moved[v][k] - at[v][k]) * normal[v][k];
    }
    for (uint32_t step = 0; step < steps; step++) average(mesh, 1, sunk);
    for (uint32_t v = 0; v < count; v++) {
        for (int k = 0; k < 3; k++) moved[v][k] -= sunk[v] * normal[v][k] + at[v][k]; // from now on the move
        sunk[v] = share_of(moved[v], normal[v], spacing);
    }
    for (uint32_t step = 0; step < 3; step++) average(mesh, 1, sunk);
    for (uint32_t v = 0; v < count; v++) {
        for (int k = 0; k < 3; k++) at[v][k] += sunk[v] * moved[v][k];
    }
    memory_free(moved);
    memory_free(sunk);
}

// All vertices move along their normals so that every piece has its volume again (at most half of it), and
// all together `missing` more.
static void keep_volumes(const SurfaceMesh *mesh, const uint32_t *of, const Size *before, double missing,
                         double (*at)[3], double (*normal)[3])
{
    Size *now = memory_allocate(mesh->vertex_count * sizeof *now);
    assert_non_null(now);
    measure(mesh, at, of, now);
    double area = 0;
    for (uint32_t v = 0; v < mesh->vertex_count; v++) area += now[v].area;
    for (uint32_t v = 0; v < mesh->vertex_count; v++) {
        uint32_t piece = of[v];
        double limit = 0.5 * fabs(before[piece].volume), gone = before[piece].volume - now[piece].volume;
        double by = missing / area + fmin(fmax(gone, -limit), limit) / now[piece].area;
        for (int k = 0; k < 3; k++) at[v][k] += by * normal[v][k];
    }
    memory_free(now);
}

static void smoothing_follows_its_description(void **state)
{
    (void)state;
    const double missing = 2.5;
    const uint32_t steps = 12;
    SurfaceMesh mesh = make_mesh();
    size_t count = mesh.vertex_count;
    double(*at)[3] = memory_allocate(count * sizeof *at), (*normal)[3] = memory_allocate(count * sizeof *at);
    uint32_t *of = memory_allocate(count * sizeof *of);
    Size *before = memory_allocate(count * sizeof *before);
    assert_true(at && normal && of && before);
    for (uint32_t v = 0; v < count; v++) {
        const Vec3 place = mesh.vertex[v];
        at[v][0] = (double)place.x, at[v][1] = (double)place.y, at[v][2] = (double)place.z;
        normal[v][0] = normal[v][1] = 0, normal[v][2] = 1;
    }
    find_pieces(&mesh, of);
    measure(&mesh, at, of, before);
    find_normals(&mesh, at, normal);
    smooth(&mesh, steps, 1, at, normal);
    find_normals(&mesh, at, normal);
    keep_volumes(&mesh, of, before, missing, at, normal);
    find_normals(&mesh, at, normal);

    MeshPieces pieces;
    memory_free(mesh.normal); // mesh_smooth makes them
    ASSERT_OK(mesh_find_pieces(&mesh, &pieces));
    for (uint32_t v = 0; v < count; v++) assert_int_equal(pieces.of[v] == pieces.of[0], of[v] == of[0]);
    ASSERT_OK(mesh_smooth(&mesh, &pieces, 1, steps, missing));
    uint32_t turned = 0;
    for (uint32_t v = 0; v < count; v++) {
        check_near("x", v, (double)mesh.vertex[v].x, at[v][0]);
        check_near("y", v, (double)mesh.vertex[v].y, at[v][1]);
        check_near("z", v, (double)mesh.vertex[v].z, at[v][2]);
        double dot = (double)mesh.normal[v].x * normal[v][0] + (double)mesh.normal[v].y * normal[v][1] +
                     (double)mesh.normal[v].z * normal[v][2];
        turned += dot < 1 - 1e-3; // triangles without area have no direction
    }
    assert_true(turned * 200 < count);
    mesh_pieces_free(&pieces);
    memory_free(at);
    memory_free(normal);
    memory_free(of);
    memory_free(before);
    surface_mesh_free(&mesh);
}

// Also beside triangles without area: two that have shrunk to a point.
static void normals_are_unit_everywhere(void **state)
{
    (void)state;
    Vec3 vertex[] = {{1, 2, 3}, {1, 2, 3}, {1, 2, 3}};
    uint32_t triangle[][3] = {{0, 1, 2}, {0, 2, 1}};
    SurfaceMesh mesh = {.vertex = vertex, .vertex_count = 3, .triangle = triangle, .triangle_count = 2};
    MeshPieces pieces;
    ASSERT_OK(mesh_find_pieces(&mesh, &pieces));
    ASSERT_OK(mesh_smooth(&mesh, &pieces, 1, 2, 0));
    for (int v = 0; v < 3; v++) {
        check_near("the normal", v, (double)vec3_length(mesh.normal[v]), 1);
        check_near("the place", v, (double)vec3_length(vec3_sub(vertex[v], vec3_make(1, 2, 3))), 0);
    }
    memory_free(mesh.normal);
    mesh_pieces_free(&pieces);
}

static void a_mesh_of_nothing_needs_no_memory(void **state)
{
    (void)state;
    SurfaceMesh mesh = {0};
    const MeshPieces pieces = {0};
    memory_fail_at(1);
    Result result = mesh_smooth(&mesh, &pieces, 1, 2, 0);
    memory_fail_at(0);
    ASSERT_OK(result);
    assert_null(mesh.normal);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(smoothing_follows_its_description),
        cmocka_unit_test(normals_are_unit_everywhere),
        cmocka_unit_test(a_mesh_of_nothing_needs_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
