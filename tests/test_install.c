// What `make install` puts where, and scenes that are found by name, from the source tree and installed.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "case_helpers.h"

static char root[] = "/tmp/pbf-install-XXXXXX";

// The folder of the binary is named after its configuration. It was built before.
#define MAKE(words)                                                                                          \
    "env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -s config=$(basename $(dirname $BINARY)) WERROR=1 " words

static int install(void **state)
{
    (void)state;
    const char *binary = getenv("PBF_BINARY");
    char *full = realpath(binary ? binary : "build/release/pbf", NULL);
    if (!full || !mkdtemp(root)) return -1;
    setenv("BINARY", full, 1);
    setenv("ROOT", root, 1);
    free(full);
    return test_shell(MAKE("install DESTDIR=$ROOT PREFIX=/usr"));
}

static int uninstall(void **state)
{
    (void)state;
    return test_shell("rm -rf $ROOT");
}

// The only pictures are the small ones of the window's list of scenes.
static void program_pages_and_scenes_are_installed_but_no_pictures_of_pages(void **state)
{
    static const char *const files[] = {"bin/pbf",
                                        "share/doc/pbf/README.md",
                                        "share/doc/pbf/LICENSE",
                                        "share/man/man1/pbf.1",
                                        "share/bash-completion/completions/pbf",
                                        "share/pbf/scenes/dam_break.yaml",
                                        "share/pbf/scenes/meshes/ring.obj"};
    (void)state;
    for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
        char path[200];
        struct stat info;
        snprintf(path, sizeof path, "%s/usr/%s", root, files[k]);
        if (stat(path, &info) != 0 || info.st_size == 0) fail_msg("%s is missing", path);
    }
    SHELL("test -z \"$(find $ROOT -name '*.jpg' -o -name '*.png' -not -path '*/scenes/pictures/*')\"");
    SHELL("test $(du -sk $ROOT/usr/share | cut -f1) -lt 2000");
}

static void the_installed_program_finds_its_scenes_from_anywhere(void **state)
{
    (void)state;
    SHELL("cd / && $ROOT/usr/bin/pbf check dam_break");
    assert_non_null(strstr(test_shell_output, "particles         125,000"));
    SHELL("cd / && $ROOT/usr/bin/pbf check fountain.yaml"); // its mesh lies beside it
    SHELL("cd / && $ROOT/usr/bin/pbf scenes");
    assert_non_null(strstr(test_shell_output, "/usr/share/pbf/scenes\n  cylinders "));
    assert_non_null(strstr(test_shell_output,
                           "  wave                 125,000 particles  13.5 x 4 x 6 m     A sliding wall"));
}

static void the_program_in_the_source_tree_finds_its_scenes(void **state)
{
    (void)state;
    SHELL("cd / && $BINARY check dam_break");
    SHELL("said=$($BINARY scenes); for name in scenes/*.yaml; do name=${name##*/}; "
          "grep -q \"^  ${name%.yaml} \" <<END || exit 1\n$said\nEND\ndone");
}

static void a_file_comes_before_a_scene_of_that_name_and_a_folder_after_it(void **state)
{
    (void)state;
    SHELL("cd $ROOT && printf 'name: mine\\nspacing: 0.1\\nwater: [{box: {min: [0,0,0], max: [1,1,1]}}]\\n' "
          ">wave && "
          "$BINARY check wave");
    assert_non_null(strstr(test_shell_output, "scene             mine\n"));
    SHELL("cd $ROOT && rm wave && mkdir wave && $BINARY check wave");
    assert_non_null(strstr(test_shell_output, "scene             wave\n"));
    assert_int_equal(test_shell("cd $ROOT && mkdir pond && $BINARY check pond"), 2);
    assert_non_null(strstr(test_shell_output, "pond: is a folder, not a file"));
}

static void paths_may_have_spaces_and_quotes(void **state)
{
    (void)state;
    SHELL("mkdir $ROOT/odd && touch $ROOT/odd/dx && " MAKE(
        "install DESTDIR=\"$ROOT/odd/it's  a\" PREFIX='/dx st'"));
    SHELL("test \"$(ls $ROOT/odd)\" = \"$(printf \"dx\\nit's  a\")\"");
    SHELL("cd / && \"$ROOT/odd/it's  a/dx st/bin/pbf\" check dam_break");
    SHELL("cd $ROOT/odd/it*/ && ls -d dx\\ st/lib/libpbf.so dx\\ st/lib/python3/dist-packages/pbf/pbf.h && "
          "cd dx*/lib && grep -q '^prefix=/dx st$' pkgconfig/pbf.pc && grep -q '^libdir=${prefix}/lib$' "
          "pkgconfig/pbf.pc");
    SHELL("command -v pkg-config >/dev/null || exit 0; cd $ROOT/odd/it*/dx*/lib/pkgconfig && "
          "PKG_CONFIG_PATH=. pkg-config --cflags pbf | grep -qF -- '-I/dx\\ st/include'");
    SHELL(MAKE("uninstall PREFIX=\"$ROOT/odd/dx st\"")); // nothing is there
    SHELL("test -f $ROOT/odd/dx");
    SHELL(MAKE("uninstall DESTDIR=\"$ROOT/odd/it's  a\" PREFIX='/dx st'"));
    SHELL("test -z \"$(find $ROOT/odd -mindepth 2 -not -type d)\"");
}

static void an_archive_is_made_in_a_tree_with_spaces(void **state)
{
    (void)state;
    SHELL("mkdir -p \"$ROOT/a tree/build\" && ln -s $PWD/* \"$ROOT/a tree\" 2>/dev/null; "
          "ln -s $(dirname $BINARY) \"$ROOT/a tree/build\" && cd \"$ROOT/a tree\" && " MAKE("tarball"));
    SHELL("cd $ROOT/a\\ tree/build && ls | wc -l | grep -qx 2 && tar -xf pbf-*.tar.gz && cd / && "
          "$ROOT/a*/build/pbf-*/bin/pbf check dam_break");
}

// tools/setup with an apt-get that says what Debian's does, on the channel that it is given.
static void packages_are_installed_with_their_progress_and_status(void **state)
{
    (void)state;
    SHELL("mkdir $ROOT/apt; cat >$ROOT/apt/apt-get <<'END'\n"
          "#!/bin/sh\n"
          "say() { for part in $3; do echo \"$1:x:$part:$2\" >&3; done; }\n"
          "case \"$*\" in\n"
          "*update*) say dlstatus 'Getting lists' '0 40.2 100' ;;\n"
          "*' install -y '*) say dlstatus 'Getting files' '0 50 100'; say pmstatus Unpacking '0 30 100' ;;\n"
          "esac\n"
          "exit $STATUS\n"
          "END\n"
          "printf '#!/bin/sh\\nexit 1\\n' >$ROOT/apt/dpkg-query\n"
          "printf '#!/bin/sh\\necho 0\\n' >$ROOT/apt/id\n"
          "chmod +x $ROOT/apt/*");
    SHELL("STATUS=0 PATH=$ROOT/apt:$PATH tools/setup build");
    assert_non_null(strstr(test_shell_output, " 40 %  Getting lists\n"
                                              "100 %  Reading the lists of packages\n"
                                              " 25 %  Getting files\n"
                                              " 50 %  Getting files\n"
                                              " 65 %  Unpacking\n"
                                              "100 %  Unpacking\n"));
    assert_int_equal(test_shell("STATUS=100 PATH=$ROOT/apt:$PATH tools/setup build"), 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(program_pages_and_scenes_are_installed_but_no_pictures_of_pages),
        cmocka_unit_test(the_installed_program_finds_its_scenes_from_anywhere),
        cmocka_unit_test(paths_may_have_spaces_and_quotes),
        cmocka_unit_test(an_archive_is_made_in_a_tree_with_spaces),
        cmocka_unit_test(packages_are_installed_with_their_progress_and_status),
        cmocka_unit_test(the_program_in_the_source_tree_finds_its_scenes),
        cmocka_unit_test(a_file_comes_before_a_scene_of_that_name_and_a_folder_after_it),
    };
    return cmocka_run_group_tests(tests, install, uninstall);
}
