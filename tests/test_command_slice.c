// `pbf slice`: a drawing, a picture or geometry of a plane through particles.
#include "case_helpers.h"
#include "command_helpers.h"
#include "surface_helpers.h"
#include "vtp_file_helpers.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// A jittered ball of radius 2 m and spacing 0.1 m around (1, 0, -2), turning about z.
static void write_ball(void)
{
    uint64_t random = 1;
    FILE *file = fopen(test_path(folder, "ball.csv"), "w");
    assert_non_null(file);
    fprintf(file, "x,y,z,vx,vy,vz\n");
    for (int k = 0; k < 41 * 41 * 41; k++) {
        double at[3] = {k % 41 - 20, k / 41 % 41 - 20, k / 1681 - 20};
        for (int axis = 0; axis < 3; axis++) at[axis] += 0.2 * test_cloud_random(&random);
        if (at[0] * at[0] + at[1] * at[1] + at[2] * at[2] > 400) continue;
        fprintf(file, "%g,%g,%g,%g,%g,0\n", 0.1 * at[0] + 1, 0.1 * at[1], 0.1 * at[2] - 2, -0.3 * at[1],
                0.3 * at[0]);
    }
    fclose(file);
}

static void a_slice_is_written_as_drawing_picture_and_geometry(void **state)
{
    (void)state;
    write_ball();
    const char *call = "slice %s/ball.csv --plane 1,0,-2,0,-1,0 --spacing 0.1 --field speed --out %s/cut.%s";
    ChildRun run = child_run(call, folder, folder, "svg");
    assert_int_equal(run.status, 0);
    double area = 0.0;
    const char *said = strstr(run.out, "water      ");
    assert_non_null(said);
    assert_int_equal(sscanf(said, "water %lf m^2 inside 1 closed line", &area), 1);
    assert_true(fabs(area / (M_PI * 4.0) - 1.0) < 0.01);
    child_free(&run);
    child_assert_done(child_run(call, folder, folder, "png"));
    child_assert_done(child_run(call, folder, folder, "vtp"));
    char *svg = test_read_file(test_path(folder, "cut.svg"), NULL);
    assert_non_null(svg);
    assert_non_null(strstr(svg, "id=\"border\""));
    assert_non_null(strstr(svg, "</svg>"));
    free(svg);
    char *vtp = test_read_file(test_path(folder, "cut.vtp"), NULL);
    uint32_t points = 0, lines = 0, squares = 0;
    assert_non_null(vtp);
    sscanf(strstr(vtp, "<Piece"),
           "<Piece NumberOfPoints=\"%u\" NumberOfVerts=\"0\" NumberOfLines=\"%u\" "
           "NumberOfStrips=\"0\" NumberOfPolys=\"%u\"",
           &points, &lines, &squares);
    assert_true(points > 1000 && lines > 3 && fabs(squares * 0.0025 / (M_PI * 4.0) - 1.0) < 0.1);
    float(*place)[3] = malloc(points * sizeof *place), *value = malloc(points * sizeof *value);
    int *kind = malloc((lines + squares) * sizeof *kind);
    assert_true(place && value && kind);
    assert_true(test_vtp_array(vtp, "Points", points * sizeof *place, place));
    assert_true(test_vtp_array(vtp, "value", points * sizeof *value, value));
    assert_true(test_vtp_array(vtp, "kind", (lines + squares) * sizeof *kind, kind));
    assert_true(kind[0] == 1 && kind[1] == 2 && kind[lines] == 0);
    for (uint32_t k = 0; k < points; k++) assert_true(fabsf(place[k][1]) < 1e-5f); // in the plane
    free(place);
    free(value);
    free(kind);
    free(vtp);
}

static void calls_that_are_wrong_are_refused_in_one_line(void **state)
{
    (void)state;
    write_ball();
    const char *plane = "--plane 1,0,-2,0,-1,0";
    child_assert_failed(child_run("slice"), 2, "a file of particles is missing");
    child_assert_failed(child_run("slice %s/ball.csv --out %s/a.svg", folder, folder), 2,
                        "--plane is missing");
    child_assert_failed(child_run("slice %s/ball.csv %s", folder, plane), 2, "--out is missing");
    child_assert_failed(child_run("slice %s/ball.csv %s --out %s/a.obj", folder, plane, folder), 2,
                        ".svg, .vtp, .png");
    child_assert_failed(child_run("slice %s/ball.csv --plane 1,2,3 --out %s/a.svg", folder, folder), 2,
                        "is not a plane");
    child_assert_failed(child_run("slice %s/ball.csv --plane 1,2,3,0,0,0 --out %s/a.svg", folder, folder), 2,
                        "the normal has no direction");
    child_assert_failed(child_run("slice %s/ball.csv --plane 1,0,50,0,0,1 --out %s/a.svg", folder, folder), 2,
                        "it meets no particle");
    child_assert_failed(child_run("slice %s/none.csv %s --out %s/a.svg", folder, plane, folder), 2,
                        "none.csv");
    child_assert_failed(child_run("slice %s/ball.csv %s --field heat --out %s/a.svg", folder, plane, folder),
                        2, "--field");
    child_assert_failed(child_run("slice %s/ball.csv %s --cell 0 --out %s/a.svg", folder, plane, folder), 2,
                        "--cell");
    child_assert_failed(child_run("slice %s/ball.csv %s --sector 400 --out %s/a.svg", folder, plane, folder),
                        2, "--sector");
    FILE *file = fopen(test_path(folder, "still.csv"), "w");
    assert_non_null(file);
    fprintf(file, "x,y,z\n0,0,-2\n0.1,0,-2\n0,0.1,-2\n");
    fclose(file);
    child_assert_failed(
        child_run("slice %s/still.csv %s --spacing 0.1 --sector 60 --out %s/a.svg", folder, plane, folder), 2,
        "the particles have no velocities");
    child_assert_failed(
        child_run("slice %s/ball.csv %s --contours 1000 --out %s/a.svg", folder, plane, folder), 2,
        "--contours");
    child_assert_failed(
        child_run("slice %s/ball.csv %s --spacing 1 --radius 1 --out %s/a.svg", folder, plane, folder), 2,
        "--spacing is given as well");
    child_assert_failed(child_run("slice %s/ball.csv %s --out %s/none/a.svg", folder, plane, folder), 2,
                        "none/a.svg: cannot write: its folder is missing");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_slice_is_written_as_drawing_picture_and_geometry, make_folder,
                                        remove_folder),
        cmocka_unit_test_setup_teardown(calls_that_are_wrong_are_refused_in_one_line, make_folder,
                                        remove_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
