// Particles as text: tables with a line each (.csv), and bare positions (.xyz), which splashsurf writes as
// binary floats.
#include "core/c_locale.h"
#include "export/number_cursor.h"
#include "export/particle_file.h"
#include "export/particle_names.h"
#include "export/xml_tags.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define HEADER_LINES 32 // names of columns stand in one of them
#define COLUMNS_MAX 4096

typedef struct TextFile {
    const char *path;
    const char *at, *end;
    uint64_t line;    // number of the last line that was taken
    char separator;   // ' ': any blanks
    int column[6];    // x, y, z, vx, vy, vz; -1: none
    XmlText velocity; // name of the column of vx
    ParticleFile *out;
} TextFile;

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static XmlText trim(XmlText text)
{
    while (text.length > 0 && is_blank(text.at[text.length - 1])) text.length--;
    while (text.length > 0 && is_blank(*text.at)) text.at++, text.length--;
    return text;
}

// The next line that is neither empty nor a comment.
static bool next_line(TextFile *file, XmlText *out)
{
    while (file->at < file->end) {
        const char *newline = memchr(file->at, '\n', (size_t)(file->end - file->at));
        const char *stop = newline ? newline : file->end;
        *out = trim((XmlText){file->at, (size_t)(stop - file->at)});
        file->at = newline ? newline + 1 : file->end;
        file->line++;
        if (out->length > 0 && *out->at != '#') return true;
    }
    return false;
}

static XmlText without_quotes(XmlText text)
{
    bool quoted = text.length >= 2 && *text.at == '"' && text.at[text.length - 1] == '"';
    return quoted ? (XmlText){text.at + 1, text.length - 2} : text;
}

// Cuts the first field off the line; false at its end. A separator inside quotes is text.
static bool next_field(const TextFile *file, XmlText *line, XmlText *out)
{
    if (file->separator == ' ') *line = trim(*line);
    if (line->length == 0) return false;
    size_t length = 0;
    for (bool quoted = false; length < line->length; length++) {
        char c = line->at[length];
        if (!quoted && (file->separator == ' ' ? is_blank(c) : c == file->separator)) break;
        if (c == '"') quoted = !quoted;
    }
    *out = without_quotes(trim((XmlText){line->at, length}));
    size_t taken = length < line->length ? length + 1 : length;
    line->at += taken, line->length -= taken;
    return true;
}

static bool read_number(XmlText field, double *out)
{
    if (field.length == 0) return false;
    char *end;
    *out = c_strtod(field.at, &end);
    return end == field.at + field.length;
}

static char find_separator(XmlText line)
{
    for (const char *c = ";,\t"; *c; c++) {
        if (memchr(line.at, *c, line.length)) return *c;
    }
    return ' ';
}

// Are x, y and z among the names of the line?
static bool read_names(TextFile *file, XmlText line)
{
    XmlText field;
    for (int k = 0; k < 6; k++) file->column[k] = -1;
    file->separator = find_separator(line);
    for (int k = 0; k < COLUMNS_MAX && next_field(file, &line, &field); k++) {
        int number = particle_name_column(field.at, field.length);
        if (number < 0 || file->column[number] >= 0) continue;
        file->column[number] = k;
        if (number == 3) file->velocity = field;
    }
    return file->column[0] >= 0 && file->column[1] >= 0 && file->column[2] >= 0;
}

// Without names the first three columns are positions; a table of atoms has their names before.
static bool read_first_row(TextFile *file, XmlText line)
{
    XmlText field;
    double ignored;
    int numbers = 0, label = 0;
    file->separator = find_separator(line);
    for (int k = 0; k < COLUMNS_MAX && next_field(file, &line, &field) && numbers < 3; k++) {
        bool number = read_number(field, &ignored);
        if (!number && k == 0)
            label = 1;
        else if (!number)
            return false;
        numbers += number;
    }
    for (int k = 0; k < 6; k++) file->column[k] = k < 3 ? k + label : -1;
    return numbers == 3;
}

// Finds the columns, and goes to the first row. Lines before it may say anything, as the number of points.
static Result find_columns(TextFile *file)
{
    const TextFile start = *file;
    XmlText line;
    for (int k = 0; k < HEADER_LINES && next_line(file, &line); k++) {
        if (read_names(file, line)) return result_ok();
    }
    *file = start;
    for (int k = 0; k < HEADER_LINES; k++) {
        TextFile before = *file;
        if (!next_line(file, &line)) break;
        if (!read_first_row(file, line)) continue;
        file->at = before.at, file->line = before.line;
        return result_ok();
    }
    return result_error(RESULT_USAGE,
                        "%s: has no columns x, y and z (named in a line before them, or the first three)",
                        file->path);
}

static Result read_row(TextFile *file, XmlText line, uint32_t row)
{
    static const char *const names[6] = {"x", "y", "z", "vx", "vy", "vz"};
    XmlText field;
    uint32_t found = 0;
    for (int k = 0; k < COLUMNS_MAX && next_field(file, &line, &field); k++) {
        for (int c = 0; c < 6; c++) {
            double value;
            if (file->column[c] != k) continue;
            if (!read_number(field, &value))
                return result_error(RESULT_USAGE, "%s:%llu: %s is \"%.*s\" (a number is needed)", file->path,
                                    (unsigned long long)file->line, names[c],
                                    (int)(field.length < 40 ? field.length : 40), field.at);
            file->out->stream[c][row] = (float)value;
            found |= 1u << c;
        }
    }
    for (int c = 0; c < 6; c++) {
        if (file->column[c] >= 0 && !(found >> c & 1))
            return result_error(RESULT_USAGE, "%s:%llu: %s is missing", file->path,
                                (unsigned long long)file->line, names[c]);
    }
    return result_ok();
}

static Result read_rows(TextFile *file)
{
    uint64_t lines = 1;
    for (const char *at = file->at; at < file->end && (at = memchr(at, '\n', (size_t)(file->end - at))); at++)
        lines++;
    bool moving = file->column[3] >= 0 && file->column[4] >= 0 && file->column[5] >= 0;
    if (moving)
        particle_file_name_velocity(file->out, file->velocity.at, file->velocity.length);
    else
        file->column[3] = file->column[4] = file->column[5] = -1;
    if (lines > UINT32_MAX / 2)
        return result_error(RESULT_USAGE, "%s: has more than %u lines", file->path, UINT32_MAX / 2);
    TRY(particle_file_allocate(file->out, lines, moving));
    XmlText line;
    uint32_t row = 0;
    while (next_line(file, &line)) TRY(read_row(file, line, row++));
    file->out->count = row;
    return result_ok();
}

static Result read_floats(const char *path, const char *bytes, size_t size, ParticleFile *out)
{
    uint64_t count = size / 12;
    if (size % 12 != 0 || count > UINT32_MAX / 2)
        return result_error(RESULT_USAGE, "%s: is neither text nor made of three floats a particle", path);
    TRY(particle_file_allocate(out, count, false));
    NumberCursor cursor = {bytes, bytes + size, CODING_LITTLE};
    number_next_vectors(&cursor, TYPE_FLOAT, count, out->stream);
    return result_ok();
}

// Looks at the first bytes: text has no others than blanks below 32.
static bool is_text(const char *bytes, size_t size)
{
    for (size_t k = 0; k < size && k < 4096; k++) {
        if ((unsigned char)bytes[k] < 32 && !isspace((unsigned char)bytes[k])) return false;
    }
    return true;
}

bool particle_file_is_text(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot && (strcmp(dot, ".csv") == 0 || strcmp(dot, ".xyz") == 0);
}

Result particle_file_parse_text(const char *path, const char *bytes, size_t size, ParticleFile *out)
{
    if (!is_text(bytes, size)) return read_floats(path, bytes, size, out);
    TextFile file = {.path = path, .at = bytes, .end = bytes + size, .out = out};
    TRY(find_columns(&file));
    return read_rows(&file);
}
