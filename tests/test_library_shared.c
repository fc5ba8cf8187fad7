// The shared and the static library as other programs take them: symbols, the stored ABI, the header's
// examples as C99, C17 and C++, and the Python package.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "case_helpers.h"

static int begin(void **state)
{
    const char *binary = getenv("PBF_BINARY");
    char *full = realpath(binary ? binary : "build/release/pbf", NULL);
    if (!full || make_folder(state) != 0) return -1;
    *strrchr(full, '/') = '\0';
    setenv("BUILD", full, 1);
    setenv("OUT", folder, 1);
    setenv("CC", getenv("CC") ? getenv("CC") : "cc", 0);
    free(full);
    return 0;
}

static int end(void **state)
{
    return remove_folder(state);
}

// Sanitizers want to be in the program that loads the library.
static void skip_unless_plain(void)
{
    if (test_shell("test -f $BUILD/libpbf.so.0 -a ${BUILD##*/} != sanitize -a ${BUILD##*/} != tsan") != 0)
        skip();
}

static void only_names_of_the_header_are_visible(void **state)
{
    (void)state;
    skip_unless_plain();
    SHELL("sed -n 's/^PBF_API.*[ *]\\(pbf_[a-z_]*\\)(.*/\\1/p' src/library/pbf*.h | sort >$OUT/declared");
    SHELL("test $(wc -l <$OUT/declared) -gt 30");
    SHELL("nm -D --defined-only $BUILD/libpbf.so.0 | sed -n 's/.* T \\(.*\\)@@PBF_0$/\\1/p' | sort "
          ">$OUT/shared");
    SHELL("diff $OUT/declared $OUT/shared");
    SHELL(
        "nm -D --defined-only $BUILD/libpbf.so.0 | grep -v ' T pbf_' | grep -v ' A PBF_0' && exit 1 || true");
    SHELL("nm -g --defined-only $BUILD/libpbf.a | sed -n 's/.* \\(.\\) \\(.*\\)/\\2/p' | sort | diff "
          "$OUT/declared -");
    SHELL("readelf -d $BUILD/libpbf.so.0 | grep -q 'SONAME.*libpbf.so.0'");
}

static void the_abi_is_the_stored_one(void **state)
{
    (void)state;
    skip_unless_plain();
    if (test_shell("command -v abidiff && test -f src/library/abi/$(uname -m).xml") != 0) skip();
    SHELL("abidiff --no-added-syms --suppr src/library/abi/handles.suppr "
          "src/library/abi/$(uname -m).xml $BUILD/libpbf.so.0");
}

static void the_header_is_c99_and_cpp11(void **state)
{
    (void)state;
    SHELL("for e in src/library/examples/*.c; do "
          "$CC -std=c99 -Wall -Wextra -Wpedantic -Wconversion -Werror -fsyntax-only -Isrc/library $e && "
          "$CC -std=c17 -Wall -Wextra -Wpedantic -Werror -fsyntax-only -Isrc/library $e && "
          "$CC -x c++ -std=c++11 -Wall -Wextra -Wpedantic -Werror -fsyntax-only -Isrc/library $e || exit 1; "
          "done");
}

static void examples_run_with_either_library(void **state)
{
    (void)state;
    skip_unless_plain();
    SHELL("link() { $CC -Isrc/library src/library/examples/$1.c -o $OUT/$1 -L$BUILD -lpbf -Wl,-rpath,$BUILD; "
          "}; "
          "link hello_water && link mesh_points && link moving_obstacle");
    SHELL("$OUT/hello_water >$OUT/hash && grep -qE '^[0-9a-f]{16}$' $OUT/hash");
    SHELL("$OUT/mesh_points $OUT/ball.obj | grep -E '^4169 particles of 4169.0 cm.3 in all, [0-9]* "
          "triangles' && "
          "grep -c '^f ' $OUT/ball.obj");
    SHELL("$OUT/moving_obstacle");
    // A ball of 4.19 liters and 2 kg bobs half under water of 0.5 m: it is lifted by its weight, on average.
    double since = 0, time = 0, height = 0, first = 0, speed = 0;
    const char *line = test_shell_output;
    while (sscanf(line, "%lf s: ball at %lf m, %lf m/s", &time, &height, &speed) == 3) {
        if (since == 0 && time > 0.45) since = time, first = speed;
        line += strcspn(line, "\n");
        line += *line == '\n';
    }
    assert_true(time > 1.45 && height > 0.4 && height < 0.6);
    double lift = 2.0 * (9.81 + (speed - first) / (time - since));
    assert_true(lift > 0.9 * 19.62 && lift < 1.1 * 19.62);
    SHELL("$CC -Isrc/library src/library/examples/hello_water.c -o $OUT/static $BUILD/libpbf.a "
          "$(pkg-config --libs libfyaml libpng libzstd zlib glew egl) -fopenmp -lm && "
          "$OUT/static | diff $OUT/hash -");
}

static void python_does_what_c_does(void **state)
{
    (void)state;
    skip_unless_plain();
    if (test_shell("/usr/bin/python3 -c 'import cffi, numpy'") != 0) skip();
    SHELL("PBF_PROGRAM=$BUILD/pbf PBF_LIBRARY=$BUILD/libpbf.so.0 PYTHONPATH=$PWD/src/python "
          "PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 src/python/test_pbf.py");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_names_of_the_header_are_visible),
        cmocka_unit_test(the_abi_is_the_stored_one),
        cmocka_unit_test(the_header_is_c99_and_cpp11),
        cmocka_unit_test(examples_run_with_either_library),
        cmocka_unit_test(python_does_what_c_does),
    };
    return cmocka_run_group_tests_name("shared library", tests, begin, end);
}
