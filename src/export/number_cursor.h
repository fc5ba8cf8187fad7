// Types of numbers, as files name them, and numbers from a file that lies in memory: text or binary of either
// byte order.
#ifndef PBF_EXPORT_NUMBER_CURSOR_H
#define PBF_EXPORT_NUMBER_CURSOR_H

#include "core/result.h"

#include <stddef.h>
#include <stdint.h>

typedef enum NumberCoding { CODING_TEXT, CODING_LITTLE, CODING_BIG } NumberCoding;

typedef enum NumberType {
    TYPE_INT8,
    TYPE_UINT8,
    TYPE_INT16,
    TYPE_UINT16,
    TYPE_INT32,
    TYPE_UINT32,
    TYPE_INT64,
    TYPE_UINT64,
    TYPE_FLOAT,
    TYPE_DOUBLE,
    NUMBER_TYPES
} NumberType;

// Bytes of a number in a binary file.
uint32_t number_bytes(NumberType type);

// Formats that name types.
typedef enum NumberNaming { NAMES_PLY, NAMES_VTK, NAMES_VTK_XML, NUMBER_NAMINGS } NumberNaming;

// "float", "unsigned_int", "UInt32", ...; NULL where that format lacks the type.
const char *number_type_name(NumberType type, NumberNaming naming);

// The type of that name, which is `length` bytes long; upper and lower case are the same. False if it is
// unknown.
bool number_type_find(NumberNaming naming, const char *name, size_t length, NumberType *out);

typedef struct NumberCursor {
    const char *at, *end; // *end must not be part of a number (a NUL is not)
    NumberCoding coding;
} NumberCursor;

// The next number; false if the file ends or something else stands there.
bool number_next(NumberCursor *cursor, NumberType type, double *out);

// The next `count` vectors, as structure of arrays; false as above.
bool number_next_vectors(NumberCursor *cursor, NumberType type, uint64_t count, float *const to[3]);

// Skips `count` numbers; false if the file ends before.
bool number_skip(NumberCursor *cursor, NumberType type, uint64_t count);

// Tells whether this many numbers can follow, judged by the bytes that are left: false counts in a header are
// found before memory is allocated.
bool number_fits(const NumberCursor *cursor, NumberType type, uint64_t count);

// Copies the next line, without its end and cut to the capacity, and goes past it; false at the end of the
// file.
bool cursor_line(NumberCursor *cursor, char *out, size_t capacity);

// Says whether a file that begins with these bytes can be read; bytes: 1 or more, the file if it is short.
typedef bool CursorRecognize(const void *head, size_t bytes);

// Reads a file and adds a NUL, or only its beginning if that is not recognized (NULL: every one is); free
// with memory_free. Errors, naming the path and the reason: RESULT_USAGE if it cannot be opened,
// RESULT_FAILED if reading breaks off; RESULT_NO_MEMORY, also for what has no end.
Result cursor_read_file(const char *path, CursorRecognize *recognize, char **out, size_t *size);

#endif
