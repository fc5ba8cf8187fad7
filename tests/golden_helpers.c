#include "golden_helpers.h"

#include "core/cpu.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const char *golden_path, *golden_head;
static void (*golden_write)(FILE *out);

static void compare(FILE *golden, FILE *found)
{
    char line[2][512];
    for (bool more = true; more;) {
        more = fgets(line[0], sizeof line[0], golden) != NULL;
        assert_int_equal(fgets(line[1], sizeof line[1], found) != NULL, more);
        if (more && strcmp(line[0], line[1]) != 0)
            fail_msg("%s, in %s and now:\n%s%s(`make golden` rewrites it on purpose)",
                     cpu_level_name(cpu_level()), golden_path, line[0], line[1]);
    }
}

static void numbers_are_the_golden_ones_on_every_instruction_set(void **state)
{
    (void)state;
    cpu_set_level(CPU_AVX512);
    for (CpuLevel level = cpu_level(), left = level + 1; left-- > CPU_PLAIN; level--) {
        FILE *golden = fopen(golden_path, "r"), *found = tmpfile();
        assert_non_null(golden);
        assert_non_null(found);
        cpu_set_level(level);
        fputs(golden_head, found);
        golden_write(found);
        rewind(found);
        compare(golden, found);
        fclose(golden);
        fclose(found);
    }
    cpu_set_level(CPU_AVX512);
}

static void golden_file_is_rewritten(void **state)
{
    (void)state;
    FILE *file = fopen(golden_path, "w");
    assert_non_null(file);
    fputs(golden_head, file);
    golden_write(file);
    assert_int_equal(fclose(file), 0);
}

int golden_main(int argc, char **argv, const char *path, const char *head, void (*write)(FILE *out))
{
    golden_path = path;
    golden_head = head;
    golden_write = write;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_the_golden_ones_on_every_instruction_set)};
    const struct CMUnitTest rewrite[] = {cmocka_unit_test(golden_file_is_rewritten)};
    if (argc > 1 && strcmp(argv[1], "--rewrite") == 0) return cmocka_run_group_tests(rewrite, NULL, NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
