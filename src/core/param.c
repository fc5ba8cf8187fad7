#include "core/param.h"

#include "core/c_locale.h"
#include "core/srgb.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

// --- tables ---

static void enter_include(ParamCursor *at)
{
    if (!at->row->key) {
        at->row = at->back ? at->back + 1 : NULL;
        at->offset = 0;
        at->back = NULL;
        if (at->row) enter_include(at);
    } else if (at->row->kind == PARAM_INCLUDE) {
        at->back = at->row;
        at->row = at->row->rows;
    }
    if (at->row) at->offset = (at->back ? at->back->offset : 0) + at->row->offset;
}

ParamCursor param_first(const ParamRow *rows)
{
    ParamCursor at = {.row = rows};
    enter_include(&at);
    return at;
}

void param_next(ParamCursor *at)
{
    at->row++;
    enter_include(at);
}

ParamCursor param_find(const ParamRow *rows, const char *key)
{
    ParamCursor at = param_first(rows);
    while (at.row && strcmp(at.row->key, key) != 0) param_next(&at);
    return at;
}

// --- numbers ---

bool param_number(const char *text, double *out)
{
    const char *at = text + (*text == '-' || *text == '+');
    size_t digits = strspn(at, "0123456789");
    at += digits;
    if (*at == '.') {
        size_t more = strspn(at + 1, "0123456789");
        digits += more;
        at += 1 + more;
    }
    if (digits == 0) return false;
    if (*at == 'e' || *at == 'E') {
        at += 1 + (at[1] == '-' || at[1] == '+');
        size_t exponent = strspn(at, "0123456789");
        if (exponent == 0) return false;
        at += exponent;
    }
    if (*at) return false;
    *out = c_strtod(text, NULL);
    return true;
}

// What YAML and C call infinity and not-a-number.
static bool names_no_number(const char *text)
{
    static const char *const names[] = {".inf", ".nan", "inf", "nan", "infinity"};
    const char *word = text + (*text == '-' || *text == '+');
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        if (strcasecmp(word, names[k]) == 0) return true;
    }
    return false;
}

// What a member holds of a number: 0.9f is less than 0.9.
static double rounded(const ParamRow *row, double value)
{
    return row->kind == PARAM_FLOAT && fabs(value) < (double)FLT_MAX ? (double)(float)value : value;
}

// Limits are rounded as the values are. Nothing positive may become zero as a float.
static bool in_range(const ParamRow *row, double value)
{
    double lo = rounded(row, row->lo), hi = rounded(row, row->hi), held = rounded(row, value);
    return (row->above_lo ? held > lo : held >= lo) && held <= hi;
}

static bool is_number(const ParamRow *row)
{
    return row->kind <= PARAM_COUNT;
}

// A number as a person would write it: 0.3f as a double is 0.30000001192.
static void write_number(const ParamRow *row, double value, char text[40])
{
    c_snprintf(text, 40, row->kind == PARAM_FLOAT ? "%.6g" : "%.10g", value);
}

static Result check_number(const ParamRow *row, const char *text, double value)
{
    char allowed[100];
    if (isfinite(value) && in_range(row, value)) return result_ok();
    param_allowed(row, "", allowed, sizeof allowed);
    if (isfinite(value) && row->formerly)
        return result_error(RESULT_USAGE, "%.40s is out of range (%s; %s: %.40s)", text, allowed,
                            row->formerly, text);
    return result_error(RESULT_USAGE, "%.40s is %s (%s)", text,
                        isfinite(value) ? "out of range" : "not a finite number", allowed);
}

Result param_parse_number(const ParamRow *row, const char *text, double *out)
{
    double value = NAN;
    bool number = param_number(text, &value);
    if (number && row->kind == PARAM_COUNT && isfinite(value) && floor(value) != value) number = false;
    if (!number && !names_no_number(text)) {
        char wanted[PARAM_EXPECTED_BYTES], allowed[100];
        param_expected(row, false, wanted);
        param_allowed(row, "", allowed, sizeof allowed);
        return result_error(RESULT_USAGE, "must be %s, found \"%.40s\" (%s)", wanted, text, allowed);
    }
    TRY(check_number(row, text, value));
    *out = value;
    return result_ok();
}

double param_get(const ParamRow *row, const void *member, uint32_t k)
{
    switch (row->kind) {
    case PARAM_FLOAT:
        return (double)(row->srgb ? srgb_of_linear(((const float *)member)[k]) : ((const float *)member)[k]);
    case PARAM_DOUBLE:
        return ((const double *)member)[k];
    case PARAM_COUNT:
        return ((const uint32_t *)member)[k];
    case PARAM_CHOICE:
        return *(const int *)member;
    default:
        CHECK(!"a number or a choice");
        return 0;
    }
}

// IEC 61966-2-1, rounded once.
static double linear_light(double value)
{
    return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4);
}

void param_set(const ParamRow *row, void *member, uint32_t k, double value)
{
    switch (row->kind) {
    case PARAM_FLOAT:
        ((float *)member)[k] = (float)(row->srgb ? linear_light(value) : value);
        return;
    case PARAM_DOUBLE:
        ((double *)member)[k] = value;
        return;
    case PARAM_COUNT:
        ((uint32_t *)member)[k] = (uint32_t)value;
        return;
    case PARAM_CHOICE:
        *(int *)member = (int)value;
        return;
    default:
        CHECK(!"a number or a choice");
    }
}

// --- names and text ---

// Adds a name to a list; one that does not fit becomes "...".
static void list_name(const char *quote, const char *name, char *text, size_t size)
{
    size_t used = strlen(text);
    if (used + strlen(name) + 10 < size)
        snprintf(text + used, size - used, "%s%s%s%s", used > 0 ? ", " : "", quote, name, quote);
    else if (used + 6 < size && (used < 3 || strcmp(text + used - 3, "...") != 0))
        snprintf(text + used, size - used, ", ...");
}

void param_list(NearestNames *names, const void *context, const char *quote, char *text, size_t size)
{
    text[0] = 0;
    for (uint32_t k = 0; names(k, context); k++) list_name(quote, names(k, context), text, size);
}

Result param_parse_name(const ParamRow *row, const char *text, uint32_t *out)
{
    for (uint32_t k = 0; row->names(k, NULL); k++) {
        if (strcmp(text, row->names(k, NULL)) == 0) {
            *out = k;
            return result_ok();
        }
    }
    char known[PARAM_KNOWN_BYTES];
    param_list(row->names, NULL, "", known, sizeof known);
    const char *nearest = nearest_name(text, row->names, NULL);
    return result_error(RESULT_USAGE, "\"%.40s\" is not known (%s%s%sknown: %s)", text,
                        nearest ? "did you mean " : "", nearest ? nearest : "", nearest ? "? " : "", known);
}

static Result parse_text(const ParamRow *row, const char *text, char *out)
{
    size_t length = strlen(text);
    uint32_t name;
    if (row->names) TRY(param_parse_name(row, text, &name));
    while (length > 0 && text[length - 1] == '\n') length--; // text blocks end in one
    if (length == 0) return result_error(RESULT_USAGE, "is empty");
    if (length >= row->size)
        return result_error(RESULT_USAGE, "is too long: %zu bytes (at most %zu)", length, row->size - 1);
    for (size_t i = 0; i < length; i++) out[i] = text[i] == '\n' || text[i] == '\t' ? ' ' : text[i];
    out[length] = 0;
    return result_ok();
}

Result param_parse(const ParamRow *row, const char *text, void *member)
{
    double number;
    uint32_t name;
    switch (row->kind) {
    case PARAM_FLOAT:
    case PARAM_DOUBLE:
    case PARAM_COUNT:
        CHECK(row->length == 0);
        number = 0;
        if (!row->word || strcmp(text, row->word) != 0) TRY(param_parse_number(row, text, &number));
        param_set(row, member, 0, number);
        return result_ok();
    case PARAM_FLAG:
        if (strcmp(text, "true") != 0 && strcmp(text, "false") != 0)
            return result_error(RESULT_USAGE, "must be true or false, found \"%.40s\"", text);
        *(bool *)member = text[0] == 't';
        return result_ok();
    case PARAM_CHOICE:
        TRY(param_parse_name(row, text, &name));
        *(int *)member = (int)name;
        return result_ok();
    case PARAM_TEXT:
        return parse_text(row, text, member);
    case PARAM_STRING:
        *(const char **)member = text;
        return result_ok();
    default:
        CHECK(!"a single value");
        return result_ok();
    }
}

// --- validation ---

static Result check_numbers(const ParamRow *row, const void *member)
{
    uint32_t length = row->length > 0 ? row->length : 1;
    bool zeros = true;
    for (uint32_t k = 0; k < length; k++) zeros &= param_get(row, member, k) == 0;
    if (row->word && zeros) return result_ok();
    for (uint32_t k = 0; k < length; k++) {
        char text[40];
        double value = param_get(row, member, k);
        write_number(row, value, text);
        TRY(check_number(row, text, value));
    }
    return param_check_order(row, member);
}

Result param_check_order(const ParamRow *row, const void *member)
{
    for (uint32_t k = 1; k < row->length && row->ascending; k++) {
        double before = param_get(row, member, k - 1), value = param_get(row, member, k);
        if (!(value > before))
            return result_error(RESULT_USAGE, "%g after %g (the numbers ascend)", value, before);
    }
    return result_ok();
}

static Result check_member(const ParamRow *row, const void *member)
{
    char text[40];
    uint32_t name;
    if (is_number(row)) return check_numbers(row, member);
    if (row->kind == PARAM_CHOICE) {
        int choice = *(const int *)member, k = 0;
        while (k < choice && row->names((uint32_t)k, NULL)) k++;
        if (k == choice && row->names((uint32_t)k, NULL)) return result_ok();
        snprintf(text, sizeof text, "%d", choice);
        return param_parse_name(row, text, &name);
    }
    if (row->kind != PARAM_TEXT) return result_ok();
    if (!memchr(member, 0, row->size)) return result_error(RESULT_USAGE, "is too long (no end)");
    return row->names ? param_parse_name(row, member, &name) : result_ok();
}

Result param_check(const ParamRow *rows, const void *def)
{
    for (ParamCursor at = param_first(rows); at.row; param_next(&at)) {
        Result result = check_member(at.row, (const char *)def + at.offset);
        if (!result_is_ok(&result)) return result_error(result.code, "%s: %s", at.row->key, result.text);
    }
    return result_ok();
}

// --- documentation ---

void param_allowed(const ParamRow *row, const char *quote, char *text, size_t size)
{
    const char *space = row->unit ? " " : "", *unit = row->unit ? row->unit : "";
    text[0] = 0;
    if (row->names)
        param_list(row->names, NULL, quote, text, size);
    else if (is_number(row) && row->above_lo)
        c_snprintf(text, size, "above %.10g, up to %.10g%s%s", row->lo, row->hi, space, unit);
    else if (is_number(row))
        c_snprintf(text, size, "%.10g to %.10g%s%s", row->lo, row->hi, space, unit);
    else if (row->kind == PARAM_TEXT)
        snprintf(text, size, "up to %zu bytes", row->size - 1);
    else if (row->kind == PARAM_LIST)
        c_snprintf(text, size, "up to %.0f", row->hi);
}

static const struct KindWords {
    const char *expected, *type;
} kind_words[] = {
    [PARAM_FLOAT] = {"a number", "number"},
    [PARAM_DOUBLE] = {"a number", "number"},
    [PARAM_COUNT] = {"a whole number", "whole number"},
    [PARAM_FLAG] = {"true or false", "true or false"},
    [PARAM_CHOICE] = {"a name", "name"},
    [PARAM_NAMES] = {"a list of names", "list"},
    [PARAM_TEXT] = {"text", "text"},
    [PARAM_STRING] = {"text", "text"},
    [PARAM_SECTION] = {"a mapping of keys and values", "mapping"},
    [PARAM_LIST] = {"a list", "list"},
    [PARAM_INCLUDE] = {"", ""},
};

static const struct KindWords *words_of(const ParamRow *row)
{
    return &kind_words[row->kind == PARAM_TEXT && row->names ? PARAM_CHOICE : row->kind];
}

void param_expected(const ParamRow *row, bool vector, char text[PARAM_EXPECTED_BYTES])
{
    const char *word = row->word ? row->word : "", * or = row->word ? " or " : "";
    if (vector)
        snprintf(text, PARAM_EXPECTED_BYTES, "%s%sa list of %u numbers", word, or, row->length);
    else
        snprintf(text, PARAM_EXPECTED_BYTES, "%s%s%s", word, or, words_of(row)->expected);
}

void param_type(const ParamRow *row, char *text, size_t size)
{
    const char *form = row->length == 0 ? "" : row->form ? row->form : "[x, y, z]";
    bool number = row->length == 0 || row->single;
    snprintf(text, size, "%s%s%s%s%s", row->word ? row->word : "", row->word ? " or " : "",
             number ? words_of(row)->type : "", number && *form ? " or " : "", form);
}

// The shortest text that reads back as the same number.
static void write_exactly(const ParamRow *row, double value, char text[40])
{
    double back = NAN;
    for (int digits = 1; digits <= 17 && back != value; digits++) {
        c_snprintf(text, 40, "%.*g", digits, value);
        if (param_number(text, &back)) back = rounded(row, back);
    }
}

typedef void NumberWriter(const ParamRow *row, double value, char text[40]);

static void numbers_value(const ParamRow *row, const void *member, NumberWriter *write, char *text,
                          size_t size)
{
    uint32_t length = row->length > 0 ? row->length : 1;
    bool zeros = true, equal = true;
    for (uint32_t k = 0; k < length; k++) {
        zeros &= param_get(row, member, k) == 0;
        equal &= param_get(row, member, k) == param_get(row, member, 0);
    }
    bool list = row->length > 0 && !(row->single && equal);
    size_t used = (size_t)snprintf(text, size, "%s", row->word && zeros ? row->word : list ? "[" : "");
    if (row->word && zeros) return;
    for (uint32_t k = 0; k < (list ? length : 1); k++) {
        char number[40];
        write(row, param_get(row, member, k), number);
        snprintf(text + used, size - used, "%s%s%s", k > 0 ? ", " : "", number,
                 list && k + 1 == length ? "]" : "");
        used = strlen(text);
    }
}

static void value_text(const ParamRow *row, const void *member, NumberWriter *write, char *text, size_t size)
{
    text[0] = 0;
    if (is_number(row))
        numbers_value(row, member, write, text, size);
    else if (row->kind == PARAM_FLAG)
        snprintf(text, size, "%s", *(const bool *)member ? "true" : "false");
    else if (row->kind == PARAM_CHOICE)
        snprintf(text, size, "%s", row->names(*(const unsigned *)member, NULL));
    else if (row->kind == PARAM_TEXT)
        snprintf(text, size, "%s", (const char *)member);
}

void param_value(const ParamRow *row, const void *member, char *text, size_t size)
{
    value_text(row, member, write_number, text, size);
}

void param_value_exact(const ParamRow *row, const void *member, char *text, size_t size)
{
    value_text(row, member, write_exactly, text, size);
}

void param_tip(const ParamRow *row, char *text, size_t size)
{
    const char *end = row->help ? strstr(row->help, ". ") : NULL;
    snprintf(text, size, "%.*s", end ? (int)(end - row->help) : 1000, row->help ? row->help : "");
}
