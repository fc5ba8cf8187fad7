// The rules of the Makefile, on a tree of a few small files: what a change compiles again, whose flags count.

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char tree[] = "/tmp/pbf-build-XXXXXX";
static char calls[100000]; // of the compiler, since the last make began

// All sources but main.c include core/one.h.
static const char plant[] =
    "set -e; tree=%s; mkdir -p $tree/tools/bench $tree/src/render; cp Makefile $tree\n"
    "cp tools/embed $tree/tools; cp src/render/shader_source.h $tree/src/render; cd $tree\n"
    "mkdir -p bin shaders src/core/deep tests/soak tests/threads tests/fuzz\n"
    "printf '#define ONE 1\\n' >src/core/one.h\n"
    "put() { printf '#include \"core/one.h\"\\n%%s\\n' \"$2\" >\"$1\"; }\n"
    "put src/core/one.c 'int one(void); int one(void) { return ONE; }'\n"
    "put src/core/wide_avx2.c 'int wide(void); int wide(void) { return ONE; }'\n"
    "put src/core/deep/two.c 'int two(void); int two(void) { return ONE + 1; }'\n"
    "put src/render/door.cpp 'extern \"C\" int door(void) { return ONE; }'\n"
    "printf 'int main(void) { return 0; }\\n' >src/main.c\n"
    "for file in soak/soak threads/race fuzz/fuzz_any fuzz/fuzz_input test_any helpers; do\n"
    "    put tests/$file.c 'int main(void) { return 0; }'; done\n"
    "put tools/bench/any.c 'int main(void) { return 0; }'\n"
    "printf 'void main() {}\\n' >shaders/any.frag\n"
    "printf '#!/bin/sh\\n' >bin/pkg-config\n"
    "printf '#!/bin/sh\\necho \"$@\" >>%%s/calls\\nexec gcc \"$@\"\\n' $tree >bin/noting\n"
    "cp bin/noting bin/other; chmod +x bin/*\n";

static int make_tree(void **state)
{
    char command[3000];
    (void)state;
    if (!mkdtemp(tree)) return -1;
    snprintf(command, sizeof command, plant, tree);
    return system(command);
}

static int remove_tree_again(void **state)
{
    char command[100];
    (void)state;
    snprintf(command, sizeof command, "rm -r %s", tree);
    return system(command);
}

// Runs make in the tree, `words` among its arguments or before it; returns its exit status.
static int make(const char *environment, const char *words)
{
    char command[1000], path[100];
    snprintf(command, sizeof command,
             "cd %s; : >calls; env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL -u CPPFLAGS -u CFLAGS -u CXXFLAGS "
             "-u LDFLAGS -u CC -u CXX -u WERROR PATH=$PWD/bin:$PATH %s make -s CC=noting %s >said 2>&1",
             tree, environment, words);
    int status = system(command);
    snprintf(path, sizeof path, "%s/calls", tree);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    calls[fread(calls, 1, sizeof calls - 1, file)] = '\0';
    fclose(file);
    return status;
}

static void shell(const char *words)
{
    char command[600];
    snprintf(command, sizeof command, "cd %s; %s", tree, words);
    assert_int_equal(system(command), 0);
}

// The compiler's call that makes a source's object; NULL if there was none.
static const char *call_for(const char *source)
{
    static char line[2000];
    char wanted[100];
    snprintf(wanted, sizeof wanted, " -c %s ", source);
    for (const char *at = calls; *at; at += strcspn(at, "\n") + 1) {
        snprintf(line, sizeof line, "%.*s", (int)strcspn(at, "\n"), at);
        if (strstr(line, wanted)) return line;
    }
    return NULL;
}

static bool linked(void)
{
    return strstr(calls, "-o build/release/pbf ") != NULL;
}

static const char everything[] =
    "build/pbf build/release/tests/soak/soak.o build/release/tests/threads/race.o "
    "build/release/tests/fuzz/fuzz_any.o build/release/tools/bench/any.o "
    "build/release/tests/test_any.o build/release/tests/helpers.o";
static const char *const sources[] = {"src/core/one.c",        "src/core/deep/two.c", "src/core/wide_avx2.c",
                                      "src/render/door.cpp",   "tests/soak/soak.c",   "tests/threads/race.c",
                                      "tests/fuzz/fuzz_any.c", "tools/bench/any.c",   "tests/test_any.c",
                                      "tests/helpers.c"};

static void assert_all_compiled(bool compiled)
{
    for (size_t k = 0; k < sizeof sources / sizeof *sources; k++) {
        if (!call_for(sources[k]) == compiled)
            fail_msg("%s was %scompiled", sources[k], compiled ? "not " : "");
    }
}

static void what_did_not_change_is_not_made_again(void **state)
{
    (void)state;
    assert_int_equal(make("", everything), 0);
    assert_all_compiled(true);
    assert_true(linked());
    assert_int_equal(make("", everything), 0);
    assert_all_compiled(false);
    assert_null(call_for("src/main.c"));
    assert_false(linked());
}

static void a_header_compiles_every_object_that_includes_it(void **state)
{
    (void)state;
    assert_int_equal(make("", everything), 0);
    shell("sleep 0.01; touch src/core/one.h");
    assert_int_equal(make("", everything), 0);
    assert_all_compiled(true);
    assert_null(call_for("src/main.c"));
}

static void another_compiler_or_flag_compiles_everything_once(void **state)
{
    static const char *const changes[][2] = {{"", "CFLAGS=-O1 CXXFLAGS=-O1"},
                                             {"CFLAGS=-O2 CXXFLAGS=-O2", ""},
                                             {"", "CPPFLAGS=-DANY"},
                                             {"", "CC=other"}};
    (void)state;
    char words[600];
    for (size_t k = 0; k < sizeof changes / sizeof *changes; k++) {
        snprintf(words, sizeof words, "%s %s", changes[k][1], everything);
        assert_int_equal(make(changes[k][0], words), 0);
        assert_all_compiled(true);
        assert_int_equal(make(changes[k][0], words), 0);
        assert_all_compiled(false);
    }
    // Warnings as errors make the same objects.
    snprintf(words, sizeof words, "CC=other WERROR=1 %s", everything);
    assert_int_equal(make("", words), 0);
    assert_all_compiled(false);
}

static void a_source_or_library_that_goes_links_again(void **state)
{
    (void)state;
    assert_int_equal(make("", everything), 0);
    shell("mv src/core/deep/two.c two");
    assert_int_equal(make("", everything), 0);
    assert_true(linked());
    assert_null(strstr(calls, "two.o"));
    shell("mv two src/core/deep/two.c");
    assert_int_equal(make("", everything), 0);
    assert_int_equal(make("LDFLAGS=-Wl,-z,now", everything), 0);
    assert_true(linked());
    assert_non_null(strstr(calls, "-Wl,-z,now"));
    assert_all_compiled(false);
}

// Both words, the first before the second.
static void assert_order(const char *line, const char *first, const char *second)
{
    const char *a = line ? strstr(line, first) : NULL, *b = a ? strstr(a, second) : NULL;
    if (!b) fail_msg("not %s before %s: %s", first, second, line ? line : "not compiled");
}

static void flags_of_the_user_come_after_ours_but_results_stay_exact(void **state)
{
    (void)state;
    assert_int_equal(make("CPPFLAGS=-DTHEIRS CFLAGS='-O2 -ffp-contract=fast' CXXFLAGS=-O1", everything), 0);
    const char *line = call_for("src/core/one.c");
    assert_order(line, " -O3 ", " -O2 ");
    assert_order(line, " -ffp-contract=fast ", " -ffp-contract=off ");
    assert_order(line, " -DTHEIRS ", " -fno-math-errno ");
    assert_order(call_for("src/render/door.cpp"), " -O3 ", " -O1 ");
    assert_null(strstr(call_for("src/render/door.cpp"), " -O2 "));
    assert_int_not_equal(make("CFLAGS=-ffast-math", everything), 0);
    assert_int_not_equal(make("", "config=fast"), 0);
}

static void warnings_are_errors_where_it_is_asked_for(void **state)
{
    (void)state;
    shell("printf 'static int unused;\\n' >src/core/warns.c");
    assert_int_equal(make("", everything), 0);
    shell("touch src/core/warns.c");
    assert_int_not_equal(make("WERROR=1", everything), 0);
    shell("rm src/core/warns.c");
}

// A compiler that finds no headers finds none of Embree's.
static void libraries_that_are_not_there_are_not_used(void **state)
{
    (void)state;
    make("CPPFLAGS=-nostdinc", "build/release/src/core/one.o");
    assert_non_null(strstr(calls, "embree3/rtcore.h"));
    make("CPPFLAGS=-nostdinc", "-n build/pbf");
    shell("grep -q ' -o build/release/pbf ' said && ! grep -q -e -DPBF_EMBREE said");
}

static void a_test_program_that_fails_gives_a_status(void **state)
{
    (void)state;
    char command[200];
    snprintf(command, sizeof command, "cp tests/run %s/tests", tree);
    assert_int_equal(system(command), 0);
    shell("mkdir -p build/test-logs\n"
          "for status in 0 1; do for said in '       OK ' '  FAILED  '; do\n"
          "    printf '#!/bin/sh\\necho \"[ RUN      ] it\"; echo \"[%s] it\"; exit %s\\n' \"$said\" $status "
          ">bin/test_any\n"
          "    chmod +x bin/test_any; tests/run one release bin/test_any >said; echo $? >>statuses\n"
          "done; done\n"
          "test \"$(echo $(cat statuses))\" = '0 1 1 1'");
}

// A name that .PHONY has and no rule makes "nothing to be done", with success.
static void every_target_has_a_rule(void **state)
{
    (void)state;
    assert_int_equal(system("for name in $(sed -n 's/^\\.PHONY: //p' Makefile); do"
                            "    [ $name = FORCE ] || grep -q \"^$name:\" Makefile || exit 1; done"),
                     0);
    assert_int_equal(system("test $(grep -c '^\\.PHONY: ' Makefile) -gt 15"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_did_not_change_is_not_made_again),
        cmocka_unit_test(a_header_compiles_every_object_that_includes_it),
        cmocka_unit_test(another_compiler_or_flag_compiles_everything_once),
        cmocka_unit_test(a_source_or_library_that_goes_links_again),
        cmocka_unit_test(flags_of_the_user_come_after_ours_but_results_stay_exact),
        cmocka_unit_test(warnings_are_errors_where_it_is_asked_for),
        cmocka_unit_test(libraries_that_are_not_there_are_not_used),
        cmocka_unit_test(a_test_program_that_fails_gives_a_status),
        cmocka_unit_test(every_target_has_a_rule),
    };
    return cmocka_run_group_tests(tests, make_tree, remove_tree_again);
}
