// Parameters as rows of a table. A row holds a member's place in its struct, its range, its names and its
// meaning; parsing (scene files, --set, command lines), validation, help, sliders and documentation all
// follow it, so that one row adds a parameter:
//
//     {"solver.cfl", PARAM_DOUBLE, PARAM_AT(FluidDef, cfl), PARAM_ABOVE(0, 2), .label = "cfl",
//      .help = "part of the influence radius that no particle moves further than in a step"},
//
// A table ends with {.key = NULL} and describes one struct. Keys are dotted paths: the rows of a mapping
// follow the PARAM_SECTION row that names it ("solver", then "solver.cfl"). Numbers are read and checked the
// same way whatever the process's locale is.
#ifndef PBF_CORE_PARAM_H
#define PBF_CORE_PARAM_H

#include "core/nearest.h"
#include "core/result.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum ParamKind {
    PARAM_FLOAT,   // float, or `length` of them
    PARAM_DOUBLE,  // double, or `length` of them
    PARAM_COUNT,   // uint32_t, or `length` of them
    PARAM_FLAG,    // bool
    PARAM_CHOICE,  // int or enum: number of one of `names`
    PARAM_NAMES,   // bool[], one for each of `names`: a list of those that are true
    PARAM_TEXT,    // char[size]: one line of text; one of `names` if there are any
    PARAM_STRING,  // const char *: the parsed text itself, which the caller keeps
    PARAM_SECTION, // no member: a mapping, whose keys begin with this one and a dot
    PARAM_LIST,    // pointer to items of `size` bytes, uint32_t number of them at count_offset; 0..hi items
    PARAM_INCLUDE, // struct with a table of its own, `rows`, whose keys join those of this one
} ParamKind;

// How a slider shows a number.
typedef struct ParamSlider {
    float lo, hi;       // its ends; a value beyond can be typed
    float step;         // of the keyboard: added, or a factor where the slider is logarithmic
    float least;        // the least that can be typed where the range's lower end itself is not allowed
    uint32_t decimals;  // behind the point; significant digits where the slider is logarithmic
    uint32_t component; // of a vector
    bool logarithmic;
    bool further; // not shown at first
} ParamSlider;

typedef struct ParamRow ParamRow;
struct ParamRow {
    const char *key; // NULL ends a table
    ParamKind kind;
    size_t offset;        // of the member; PARAM_AT
    size_t size;          // bytes of a text with its NUL, or of an item of a list
    size_t count_offset;  // of the number of items
    uint32_t length;      // numbers in a vector; 0: a single number
    double lo, hi;        // of numbers, each; PARAM_FROM, PARAM_ABOVE
    bool above_lo;        // lo itself is not allowed
    bool ascending;       // the numbers of a vector ascend, none equal
    bool single;          // one number may stand for all of a vector
    bool srgb;            // given as screens show it, stored linear (core/srgb.h)
    bool required;        // in its mapping
    bool variant;         // exactly one of a mapping's variants must be there
    const char *word;     // may stand for the number or numbers, as in "auto"; stored as zeros
    NearestNames *names;  // in order, without a context
    const char *unit;     // NULL if there is none
    const char *formerly; // where a number belongs that this key took once and is out of range now, or NULL
    const char *form;     // of a vector, as in "[width, depth]"; NULL: "[x, y, z]"
    const char *label;    // in panels; NULL if it has none
    const char *help;     // what it means, Markdown; the first sentence is what tips show
    const char *default_text;  // what the default is called if not by its value ("name of the file")
    const ParamSlider *slider; // NULL if it has none
    const ParamRow *rows;      // of an included table, or of a list's items
    const void *item;          // default of the struct that the rows of a list describe
};

#define PARAM_AT(type, member) .offset = offsetof(type, member)
#define PARAM_FROM(least_, most_) .lo = (least_), .hi = (most_)
#define PARAM_ABOVE(least_, most_) .lo = (least_), .hi = (most_), .above_lo = true
#define PARAM_SLIDER(...)                                                                                    \
    .slider = &(const ParamSlider)                                                                           \
    {                                                                                                        \
        __VA_ARGS__                                                                                          \
    }

// The rows of a table one after the other, those of included tables in their place:
// for (ParamCursor at = param_first(rows); at.row; param_next(&at)) ...
typedef struct ParamCursor {
    const ParamRow *row;  // NULL past the end
    size_t offset;        // of the member in the outer struct
    const ParamRow *back; // the row that includes this one, or NULL
} ParamCursor;
ParamCursor param_first(const ParamRow *rows);
void param_next(ParamCursor *at);

// The row with a dotted key; its row is NULL if there is none.
ParamCursor param_find(const ParamRow *rows, const char *key);

// Parses a text that is one number: decimal digits, a point, an exponent, as in YAML 1.2 and in any locale;
// no hexadecimal. It may be too large for a double: INFINITY.
bool param_number(const char *text, double *out);

// Parses one value of a row. Errors: RESULT_USAGE "what is wrong (what is allowed)", without a place, which
// the caller knows: "--fps: %s".
Result param_parse_number(const ParamRow *row, const char *text,
                          double *out); // one number in the row's range
Result param_parse_name(const ParamRow *row, const char *text, uint32_t *out); // number of one of its names

// Parses a whole value, not a vector's, into the member. Errors as above; the member is then as it was.
Result param_parse(const ParamRow *row, const char *text, void *member);

// Component k of a member that holds numbers or a choice.
double param_get(const ParamRow *row, const void *member, uint32_t k);
void param_set(const ParamRow *row, void *member, uint32_t k, double value);

// Do the numbers of a vector ascend, where its row asks for it? Error: RESULT_USAGE as above.
Result param_check_order(const ParamRow *row, const void *member);

// Validates a struct by its table: numbers finite and in range, names known. Items of lists are not looked
// at. Errors: RESULT_USAGE "KEY: what is wrong (what is allowed)".
Result param_check(const ParamRow *rows, const void *def);

// Wording of a row in messages, help and documentation: "above 0, up to 1000 m" or the names; "[x, y, z]" or
// "whole number"; the value of a member; what tips show. quote: "`" in Markdown, else "". Cut where it does
// not fit.
#define PARAM_EXPECTED_BYTES 60
void param_expected(const ParamRow *row, bool vector, char text[PARAM_EXPECTED_BYTES]); // "auto or a number"
void param_allowed(const ParamRow *row, const char *quote, char *text, size_t size);
void param_type(const ParamRow *row, char *text, size_t size);
void param_value(const ParamRow *row, const void *member, char *text, size_t size);
// The same with as many digits as it takes to read the same number back.
void param_value_exact(const ParamRow *row, const void *member, char *text, size_t size);
void param_tip(const ParamRow *row, char *text, size_t size);

// Names as a list, "a, b, c"; those that do not fit become "...".
#define PARAM_KNOWN_BYTES 160
void param_list(NearestNames *names, const void *context, const char *quote, char *text, size_t size);

#endif
