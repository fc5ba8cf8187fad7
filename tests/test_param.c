// Rows of parameters: what they parse, refuse and print.
#include "core/param.h"

#include "core/vec3.h"

#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct Inner {
    float share;
    int color;
} Inner;

typedef struct Outer {
    double time;
    Inner inner;
    Vec3 size;
    uint32_t count;
    bool wet;
    char name[8];
} Outer;

static const char *colors(uint32_t k, const void *context)
{
    (void)context;
    static const char *const names[] = {"red", "green"};
    return k < 2 ? names[k] : NULL;
}

static const ParamRow inner_rows[] = {
    {"inner.share", PARAM_FLOAT, PARAM_AT(Inner, share), PARAM_FROM(0, 0.9), .word = "auto"},
    {"inner.color", PARAM_CHOICE, PARAM_AT(Inner, color), .names = colors},
    {.key = NULL},
};

static const ParamRow rows[] = {
    {"time", PARAM_DOUBLE, PARAM_AT(Outer, time), PARAM_ABOVE(0, 10), .unit = "s",
     .help = "a while. More about it"},
    {"", PARAM_INCLUDE, PARAM_AT(Outer, inner), .rows = inner_rows},
    {"size", PARAM_FLOAT, PARAM_AT(Outer, size), PARAM_ABOVE(0, 5), .length = 3, .single = true, .unit = "m"},
    {"count", PARAM_COUNT, PARAM_AT(Outer, count), PARAM_FROM(1, 4)},
    {"wet", PARAM_FLAG, PARAM_AT(Outer, wet)},
    {"name", PARAM_TEXT, PARAM_AT(Outer, name), .size = sizeof((Outer *)0)->name},
    {.key = NULL},
};

static const Outer good = {1, {0.5f, 1}, {1, 2, 3}, 2, true, "pond"};

static void rows_of_included_tables_stand_among_the_others(void **state)
{
    (void)state;
    static const char *const keys[] = {"time", "inner.share", "inner.color", "size", "count", "wet", "name"};
    uint32_t k = 0;
    for (ParamCursor at = param_first(rows); at.row; param_next(&at))
        assert_string_equal(at.row->key, keys[k++]);
    assert_int_equal(k, 7);
    assert_int_equal(param_find(rows, "inner.color").offset, offsetof(Outer, inner.color));
    assert_int_equal(param_find(rows, "count").offset, offsetof(Outer, count));
    assert_null(param_find(rows, "inner").row);
}

static void numbers_are_decimal(void **state)
{
    (void)state;
    static const char *const numbers[] = {"0", "-1.5", "+.5", "2.", "1e3", "1.E-2"};
    static const double values[] = {0, -1.5, 0.5, 2, 1000, 0.01};
    static const char *const others[] = {"", "-", ".", "1,5", "0x1", "1e", "1 ", " 1", "nan", "inf", "1.2.3"};
    double value;
    for (size_t k = 0; k < sizeof values / sizeof *values; k++) {
        assert_true(param_number(numbers[k], &value));
        assert_true(value == values[k]);
    }
    for (size_t k = 0; k < sizeof others / sizeof *others; k++) assert_false(param_number(others[k], &value));
}

static void numbers_do_not_depend_on_the_locale(void **state)
{
    (void)state;
    double value;
    if (!setlocale(LC_NUMERIC, "de_DE.UTF-8") && !setlocale(LC_NUMERIC, "de_DE.utf8")) {
        print_message("no German locale is installed\n");
        return;
    }
    bool read = param_number("1.5", &value), comma = param_number("1,5", &value);
    setlocale(LC_NUMERIC, "C");
    assert_true(read && !comma && value == 1.5);
}

static void values_that_a_row_does_not_allow_are_refused_and_change_nothing(void **state)
{
    (void)state;
    static const struct {
        const char *key, *text, *says;
    } bad[] = {
        {"time", "0", "0 is out of range (above 0, up to 10 s)"},
        {"time", "10.5", "10.5 is out of range (above 0, up to 10 s)"},
        {"time", "1e999", "1e999 is not a finite number (above 0, up to 10 s)"},
        {"time", ".nan", ".nan is not a finite number (above 0, up to 10 s)"},
        {"time", "soon", "must be a number, found \"soon\" (above 0, up to 10 s)"},
        {"inner.share", "half", "must be auto or a number, found \"half\" (0 to 0.9)"},
        {"inner.share", "0.91", "0.91 is out of range (0 to 0.9)"},
        {"inner.color", "gren", "\"gren\" is not known (did you mean green? known: red, green)"},
        {"count", "2.5", "must be a whole number, found \"2.5\" (1 to 4)"},
        {"count", "5", "5 is out of range (1 to 4)"},
        {"wet", "yes", "must be true or false, found \"yes\""},
        {"name", "", "is empty"},
        {"name", "mountain", "is too long: 8 bytes (at most 7)"},
    };
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        Outer outer;
        memcpy(&outer, &good, sizeof outer);
        ParamCursor at = param_find(rows, bad[k].key);
        Result result = param_parse(at.row, bad[k].text, (char *)&outer + at.offset);
        assert_int_equal(result.code, RESULT_USAGE);
        assert_string_equal(result.text, bad[k].says);
        assert_memory_equal(&outer, &good, sizeof outer);
    }
}

static void values_go_to_their_members_and_can_be_printed(void **state)
{
    (void)state;
    static const char *const given[][2] = {
        {"time", "2.5"},  {"inner.share", "0.9"}, {"inner.color", "red"}, {"count", "4"},
        {"wet", "false"}, {"name", "lake"},       {"inner.share", "auto"}};
    Outer outer = good;
    char text[40];
    for (size_t k = 0; k < sizeof given / sizeof *given; k++) {
        ParamCursor at = param_find(rows, given[k][0]);
        Result result = param_parse(at.row, given[k][1], (char *)&outer + at.offset);
        assert_string_equal(result.text, "");
        param_value(at.row, (char *)&outer + at.offset, text, sizeof text);
        assert_string_equal(text, given[k][1]);
    }
    assert_true(outer.time == 2.5 && outer.inner.share == 0 && outer.inner.color == 0 && outer.count == 4);
    assert_false(outer.wet);
    ParamCursor size = param_find(rows, "size");
    param_value(size.row, &outer.size, text, sizeof text);
    assert_string_equal(text, "[1, 2, 3]");
    outer.size = vec3_make(2, 2, 2);
    param_value(size.row, &outer.size, text, sizeof text);
    assert_string_equal(text, "2");
}

static void exact_values_read_back_the_same(void **state)
{
    (void)state;
    static const char *const sizes[] = {"0.1", "0.12345679", "1e-07", "4.2", "3.3333333", "0.0033333334"};
    static const char *const times[] = {"0.1", "0.30000000000000004", "2.5", "0.012345678901234567"};
    ParamCursor size = param_find(rows, "size"), time = param_find(rows, "time");
    char text[100];
    Outer outer = good;
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        outer.size.x = outer.size.y = outer.size.z = strtof(sizes[k], NULL);
        param_value_exact(size.row, &outer.size, text, sizeof text);
        assert_string_equal(text, sizes[k]);
    }
    outer.size = vec3_make(0.1f, 0.12345678f, 3);
    param_value_exact(size.row, &outer.size, text, sizeof text);
    assert_string_equal(text, "[0.1, 0.12345678, 3]");
    for (size_t k = 0; k < sizeof times / sizeof *times; k++) {
        outer.time = strtod(times[k], NULL);
        param_value_exact(time.row, &outer.time, text, sizeof text);
        assert_true(strtod(text, NULL) == outer.time && strlen(text) <= strlen(times[k]));
    }
    param_value_exact(param_find(rows, "name").row, &good.name, text, sizeof text);
    assert_string_equal(text, good.name);
}

static void a_struct_is_checked_by_its_rows(void **state)
{
    (void)state;
    Outer outer = good;
    assert_string_equal(param_check(rows, &good).text, "");
    outer.time = NAN;
    assert_string_equal(param_check(rows, &outer).text,
                        "time: nan is not a finite number (above 0, up to 10 s)");
    outer = good, outer.inner.share = 0.9f;
    assert_string_equal(param_check(rows, &outer).text, "");
    outer.inner.share = 0.91f;
    assert_string_equal(param_check(rows, &outer).text, "inner.share: 0.91 is out of range (0 to 0.9)");
    outer = good, outer.inner.color = 2;
    assert_string_equal(param_check(rows, &outer).text,
                        "inner.color: \"2\" is not known (known: red, green)");
    outer = good, outer.size.y = -1;
    assert_string_equal(param_check(rows, &outer).text, "size: -1 is out of range (above 0, up to 5 m)");
    outer = good, memset(outer.name, 'x', sizeof outer.name);
    assert_int_equal(param_check(rows, &outer).code, RESULT_USAGE);
}

static void a_row_documents_itself(void **state)
{
    (void)state;
    static const char *const says[][3] = {
        {"time", "number", "above 0, up to 10 s"}, {"inner.share", "auto or number", "0 to 0.9"},
        {"inner.color", "name", "`red`, `green`"}, {"size", "number or [x, y, z]", "above 0, up to 5 m"},
        {"count", "whole number", "1 to 4"},       {"name", "text", "up to 7 bytes"}};
    char text[60];
    for (size_t k = 0; k < sizeof says / sizeof *says; k++) {
        const ParamRow *row = param_find(rows, says[k][0]).row;
        param_type(row, text, sizeof text);
        assert_string_equal(text, says[k][1]);
        param_allowed(row, "`", text, sizeof text);
        assert_string_equal(text, says[k][2]);
    }
    param_tip(param_find(rows, "time").row, text, sizeof text);
    assert_string_equal(text, "a while");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_of_included_tables_stand_among_the_others),
        cmocka_unit_test(numbers_are_decimal),
        cmocka_unit_test(numbers_do_not_depend_on_the_locale),
        cmocka_unit_test(values_that_a_row_does_not_allow_are_refused_and_change_nothing),
        cmocka_unit_test(values_go_to_their_members_and_can_be_printed),
        cmocka_unit_test(exact_values_read_back_the_same),
        cmocka_unit_test(a_struct_is_checked_by_its_rows),
        cmocka_unit_test(a_row_documents_itself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
