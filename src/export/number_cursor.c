#include "export/number_cursor.h"

#include "core/c_locale.h"
#include "core/memory.h"
#include "core/regular_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define READ_BYTES ((size_t)1 << 20) // at a time, at least

#define SPELLINGS 2 // the first one is written

static const struct {
    uint32_t bytes;
    const char *names[NUMBER_NAMINGS][SPELLINGS]; // of PLY, VTK and XML VTK
} types[NUMBER_TYPES] = {
    [TYPE_INT8] = {1, {{"char", "int8"}, {"char"}, {"Int8"}}},
    [TYPE_UINT8] = {1, {{"uchar", "uint8"}, {"unsigned_char"}, {"UInt8"}}},
    [TYPE_INT16] = {2, {{"short", "int16"}, {"short"}, {"Int16"}}},
    [TYPE_UINT16] = {2, {{"ushort", "uint16"}, {"unsigned_short"}, {"UInt16"}}},
    [TYPE_INT32] = {4, {{"int", "int32"}, {"int", "vtkIdType"}, {"Int32"}}},
    [TYPE_UINT32] = {4, {{"uint", "uint32"}, {"unsigned_int"}, {"UInt32"}}},
    [TYPE_INT64] = {8, {{NULL}, {"long", "vtktypeint64"}, {"Int64"}}},
    [TYPE_UINT64] = {8, {{NULL}, {"unsigned_long", "vtktypeuint64"}, {"UInt64"}}},
    [TYPE_FLOAT] = {4, {{"float", "float32"}, {"float"}, {"Float32"}}},
    [TYPE_DOUBLE] = {8, {{"double", "float64"}, {"double"}, {"Float64"}}},
};

uint32_t number_bytes(NumberType type)
{
    return types[type].bytes;
}

const char *number_type_name(NumberType type, NumberNaming naming)
{
    return types[type].names[naming][0];
}

bool number_type_find(NumberNaming naming, const char *name, size_t length, NumberType *out)
{
    for (NumberType type = 0; type < NUMBER_TYPES; type++) {
        for (int k = 0; k < SPELLINGS; k++) {
            const char *known = types[type].names[naming][k];
            if (!known || strlen(known) != length || strncasecmp(known, name, length) != 0) continue;
            *out = type;
            return true;
        }
    }
    return false;
}

static double decode(uint64_t bits, NumberType type)
{
    uint32_t word = (uint32_t)bits;
    float single;
    double number;
    switch (type) {
    case TYPE_INT8:
        return (int8_t)bits;
    case TYPE_UINT8:
        return (uint8_t)bits;
    case TYPE_INT16:
        return (int16_t)bits;
    case TYPE_UINT16:
        return (uint16_t)bits;
    case TYPE_INT32:
        return (int32_t)bits;
    case TYPE_UINT32:
        return word;
    case TYPE_INT64:
        return (double)(int64_t)bits;
    case TYPE_UINT64:
        return (double)bits;
    case TYPE_FLOAT:
        memcpy(&single, &word, 4);
        return (double)single;
    default:
        memcpy(&number, &bits, 8);
        return number;
    }
}

bool number_next(NumberCursor *cursor, NumberType type, double *out)
{
    if (cursor->coding == CODING_TEXT) {
        char *end;
        *out = c_strtod(cursor->at, &end);
        if (end == cursor->at || end > cursor->end) return false;
        cursor->at = end;
        return end == cursor->end || *end == '\0' || *end == ' ' || *end == '\n' || *end == '\r' ||
               *end == '\t';
    }
    uint32_t bytes = number_bytes(type);
    if ((size_t)(cursor->end - cursor->at) < bytes) return false;
    uint64_t bits = 0;
    for (uint32_t k = 0; k < bytes; k++) {
        uint32_t from = cursor->coding == CODING_BIG ? k : bytes - 1 - k;
        bits = bits << 8 | (uint8_t)cursor->at[from];
    }
    cursor->at += bytes;
    *out = decode(bits, type);
    return true;
}

bool number_next_vectors(NumberCursor *cursor, NumberType type, uint64_t count, float *const to[3])
{
    for (uint64_t i = 0; i < count; i++) {
        for (int axis = 0; axis < 3; axis++) {
            double value;
            if (!number_next(cursor, type, &value)) return false;
            to[axis][i] = (float)value;
        }
    }
    return true;
}

bool number_skip(NumberCursor *cursor, NumberType type, uint64_t count)
{
    if (!number_fits(cursor, type, count)) return false;
    if (cursor->coding != CODING_TEXT) {
        cursor->at += count * number_bytes(type);
        return true;
    }
    for (uint64_t k = 0; k < count; k++) {
        double ignored;
        if (!number_next(cursor, type, &ignored)) return false;
    }
    return true;
}

bool number_fits(const NumberCursor *cursor, NumberType type, uint64_t count)
{
    // A number in text takes a digit and a blank, the last one no blank.
    uint64_t left = (uint64_t)(cursor->end - cursor->at);
    return cursor->coding == CODING_TEXT ? count <= (left + 1) / 2 : count <= left / number_bytes(type);
}

bool cursor_line(NumberCursor *cursor, char *out, size_t capacity)
{
    if (cursor->at >= cursor->end) return false;
    const char *newline = memchr(cursor->at, '\n', (size_t)(cursor->end - cursor->at));
    const char *end = newline ? newline : cursor->end;
    size_t length = (size_t)(end - cursor->at);
    if (length > 0 && end[-1] == '\r') length--;
    if (length > capacity - 1) length = capacity - 1;
    memcpy(out, cursor->at, length);
    out[length] = '\0';
    cursor->at = newline ? newline + 1 : end;
    return true;
}

// The size of devices and pipes is unknown: what memory cannot hold is refused on the way.
static Result check_room(const char *path, size_t capacity)
{
    uint64_t needed = (uint64_t)capacity + capacity / 2 + READ_BYTES, available = memory_available();
    if (capacity == 0 || needed <= available) return result_ok();
    return result_error(RESULT_NO_MEMORY, "%s: needs more than %.1f GB of memory, %.1f GB are free", path,
                        (double)needed / 1e9, (double)available / 1e9);
}

static Result read_all(FILE *file, const char *path, CursorRecognize *recognize, char **out, size_t *size)
{
    size_t capacity = 0;
    *size = 0;
    for (;;) {
        if (*size + READ_BYTES > capacity) TRY(check_room(path, capacity));
        TRY(MEMORY_RESERVE(*out, capacity, *size, *size + READ_BYTES, "the file"));
        size_t got = fread(*out + *size, 1, capacity - *size - 1, file);
        *size += got;
        (*out)[*size] = '\0';
        if (got == 0) break;
        if (recognize && !recognize(*out, *size)) return result_ok();
        recognize = NULL; // asked once
    }
    return ferror(file) ? result_error(RESULT_FAILED, "%s: %s", path, strerror(errno)) : result_ok();
}

Result cursor_read_file(const char *path, CursorRecognize *recognize, char **out, size_t *size)
{
    FILE *file;
    *out = NULL;
    TRY(regular_file_open_stream(path, path, &file));
    Result result = read_all(file, path, recognize, out, size);
    fclose(file);
    if (result_is_ok(&result)) return result;
    memory_free(*out);
    *out = NULL;
    return result;
}
