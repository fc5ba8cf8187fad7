// OpenVDB files: what the program says without the library that writes them, and what OpenVDB itself reads in
// them, where it is installed with its Python module.
#include "case_helpers.h"
#include "command_helpers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

// Particles of a ball of radius 1 m, 0.1 m apart.
static int write_ball(void **state)
{
    if (make_folder(state) != 0) return -1;
    FILE *file = fopen(test_path(folder, "ball.xyz"), "w");
    for (int x = -10; x <= 10; x++)
        for (int y = -10; y <= 10; y++)
            for (int z = -10; z <= 10; z++)
                if (x * x + y * y + z * z < 100) fprintf(file, "%.1f %.1f %.1f\n", 0.1 * x, 0.1 * y, 0.1 * z);
    return fclose(file);
}

static const char *binary_path(void)
{
    const char *binary = getenv("PBF_BINARY");
    return binary ? binary : "build/release/pbf";
}

static void a_program_without_the_library_says_so(void **state)
{
    (void)state;
    char command[1000];
    snprintf(
        command, sizeof command,
        "cp %s %s/alone && %s/alone mesh %s/ball.xyz --spacing 0.1 --out %s/ball.vdb >%s/said 2>&1; "
        "test $? = 2 && grep -q '^pbf: .vdb: libpbf-vdb.so is not beside the program (install' %s/said && "
        "test ! -e %s/ball.vdb",
        binary_path(), folder, folder, folder, folder, folder, folder, folder);
    if (system(command) != 0) fail_msg("%s", command);
}

// Distances from the ball's surface within half a spacing, rough as a lattice in a ball is; the fog thins out
// within three voxels of it.
static const char CHECK[] =
    "import sys, math, pyopenvdb as vdb\n"
    "grids, meta = vdb.readAll(sys.argv[1])\n"
    "grids = {g.name: g for g in grids}\n"
    "surface, density = grids['surface'], grids['density']\n"
    "assert surface.gridClass == 'level set' and density.gridClass == 'fog volume', 'classes'\n"
    "size = surface.transform.voxelSize()[0]\n"
    "assert abs(size - 0.05) < 1e-6 and abs(meta['spacing'] - 0.1) < 1e-6, 'sizes'\n"
    "radius = (3 * float(sys.argv[2]) / 4 / math.pi) ** (1 / 3)\n"
    "read = surface.getConstAccessor()\n"
    "assert read.getValue((0, 0, 0)) < 0 < read.getValue((40, 0, 0)), 'sides'\n"
    "worst = max(abs(v.value - (math.hypot(*(size * c for c in v.min)) - radius))\n"
    "            for v in surface.citerOnValues() if v.count == 1 and abs(v.value) < 2 * size)\n"
    "assert worst < 0.05, worst\n"
    "fog = sum(v.value * v.count for v in density.citerOnValues()) * size ** 3\n"
    "print('worst', worst, 'fog', fog)\n"
    "within = radius - 1.5 * size\n"
    "assert abs(fog / (4 / 3 * math.pi * within ** 3) - 1) < 0.03, fog\n";

static void openvdb_reads_the_level_set_and_the_fog(void **state)
{
    (void)state;
    char command[1000];
    snprintf(command, sizeof command,
             "test -e $(dirname %s)/libpbf-vdb.so && /usr/bin/python3 -c 'import pyopenvdb'", binary_path());
    if (system(command) != 0) skip();
    FILE *file = fopen(test_path(folder, "check.py"), "w");
    fputs(CHECK, file);
    fclose(file);
    ChildRun run = child_run("mesh %s/ball.xyz --spacing 0.1 --out %s/ball.vdb", folder, folder);
    assert_int_equal(run.status, 0);
    const char *volume = strstr(run.out, "volume     ");
    assert_non_null(volume);
    snprintf(command, sizeof command, "/usr/bin/python3 %s/check.py %s/ball.vdb %.6f", folder, folder,
             strtod(volume + 11, NULL));
    child_free(&run);
    if (system(command) != 0) fail_msg("%s", command);
    // No particles, no surface: two empty grids.
    snprintf(command, sizeof command, "printf 'x,y,z\\n' > %s/none.csv", folder);
    assert_int_equal(system(command), 0);
    child_assert_done(child_run("mesh %s/none.csv --spacing 0.1 --out %s/none.vdb", folder, folder));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_program_without_the_library_says_so, write_ball, remove_folder),
        cmocka_unit_test_setup_teardown(openvdb_reads_the_level_set_and_the_fog, write_ball, remove_folder),
    };
    return cmocka_run_group_tests_name("OpenVDB files", tests, NULL, NULL);
}
