// make validation: cases run, and their page tells what came out.
#include "case_helpers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static int validate(const char *cases)
{
    char command[300];
    snprintf(command, sizeof command,
             "PBF_BINARY=\"${PBF_BINARY:-build/release/pbf}\" PBF_VALIDATION=%s/out tools/validation/run "
             "quick %s > %s/said 2>&1",
             folder, cases, folder);
    return system(command);
}

static char *read_result(const char *name)
{
    char *text = test_read_file(test_path(folder, name), NULL);
    if (!text) fail_msg("%s is missing", name);
    return text;
}

static void cases_make_a_page_and_a_table(void **state)
{
    (void)state;
    assert_int_equal(validate("jet_free spin"), 0);
    char *table = read_result("out/results.csv"), *page = read_result("out/index.html");
    assert_ptr_equal(strstr(table, "case,quantity,value,reference,allowed,unit,within\n"), table);
    assert_non_null(strstr(table, "\njet_free,\"share within 1.1 widths, 6 ms\",1,"));
    assert_non_null(strstr(table, "\nspin,angular momentum"));
    for (char *row = table; (row = strstr(row, "\njet_free,")); row++) { // a jet in flight keeps its width
        char *end = strchr(row + 1, '\n');
        if (strncmp(end - 4, ",yes", 4) != 0) fail_msg("%.*s", (int)(end - row), row);
    }
    assert_non_null(strstr(page, "<h2 id=\"jet_free\">"));
    assert_non_null(strstr(page, "pbf run step_6.yaml --log step_6.csv"));
    free(table);
    free(page);
}

static void an_unknown_case_is_refused(void **state)
{
    (void)state;
    assert_int_not_equal(validate("perpetuum_mobile"), 0);
    char *said = read_result("said");
    assert_non_null(strstr(said, "validation: no case perpetuum_mobile ("));
    free(said);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(cases_make_a_page_and_a_table, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(an_unknown_case_is_refused, make_folder, remove_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
