#include "export/whole_file.h"

#include "core/regular_file.h"
#include "export/block_file.h"
#include "export/number_cursor.h"

#include <string.h>

#define PLY_HEADER_BYTES 8192
#define PLY_FACE_BYTES 13 // a byte that says 3, and three words
#define PLY_EDGE_BYTES 8

static bool reads(FILE *file, long at, int from, const char *expected, size_t bytes)
{
    char found[16];
    return fseek(file, at, from) == 0 && fread(found, 1, bytes, file) == bytes &&
           memcmp(found, expected, bytes) == 0;
}

static long file_size(FILE *file)
{
    return fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
}

// Bytes that the header of a binary PLY file (ply.c) announces, its own included; -1 if it is not one.
static long long ply_size(FILE *file)
{
    char text[PLY_HEADER_BYTES], line[256], name[32];
    if (fseek(file, 0, SEEK_SET) != 0) return -1;
    size_t used = fread(text, 1, sizeof text - 1, file);
    text[used] = '\0';
    NumberCursor header = {text, text + used, CODING_TEXT};
    unsigned long long vertices = 0, faces = 0, edges = 0, row = 0;
    while (cursor_line(&header, line, sizeof line)) {
        NumberType type;
        if (strcmp(line, "end_header") == 0)
            return header.at - text +
                   (long long)(vertices * row + faces * PLY_FACE_BYTES + edges * PLY_EDGE_BYTES);
        if (sscanf(line, "element vertex %llu", &vertices) == 1) continue;
        if (sscanf(line, "element face %llu", &faces) == 1) continue;
        if (sscanf(line, "element edge %llu", &edges) == 1) continue;
        if (edges == 0 && sscanf(line, "property %31s", name) == 1 &&
            number_type_find(NAMES_PLY, name, strlen(name), &type))
            row += number_bytes(type);
    }
    return -1;
}

#define TEXT(literal) literal, sizeof literal - 1

bool whole_file(const char *path)
{
    static const struct {
        const char *suffix, *begin;
        size_t begin_bytes;
        const char *end;
        size_t end_bytes;
    } formats[] = {
        {".png", TEXT("\x89PNG\r\n\x1a\n"), TEXT("\0\0\0\0IEND\xae\x42\x60\x82")},
        {".ply", TEXT("ply\n"), TEXT("")}, // its header says how long it is
        {".vtk", TEXT("# vtk"), TEXT("\n")},
        {".vtp", TEXT("<?xml"), TEXT("</VTKFile>\n")},
        {".bgeo", TEXT("BgeoV"), TEXT("\0\xff")},
        {".part", TEXT(BLOCK_FILE_MAGIC), TEXT("")}, // it has a checksum
        {".obj", TEXT("# pbf"), TEXT("\n")},
        {".usda", TEXT("#usda"), TEXT("}\n")},
    };
    const char *suffix = strrchr(path, '.');
    FILE *file;
    Result opened = regular_file_open_stream(path, path, &file);
    if (!result_is_ok(&opened)) return false;
    bool whole = file_size(file) > 0;
    for (size_t k = 0; k < sizeof formats / sizeof *formats; k++) {
        if (!suffix || strcmp(suffix, formats[k].suffix) != 0) continue;
        whole = whole && reads(file, 0, SEEK_SET, formats[k].begin, formats[k].begin_bytes) &&
                reads(file, -(long)formats[k].end_bytes, SEEK_END, formats[k].end, formats[k].end_bytes);
        if (strcmp(suffix, ".ply") == 0) whole = whole && ply_size(file) == file_size(file);
        if (strcmp(suffix, ".part") == 0) whole = whole && block_file_is_whole(path);
    }
    fclose(file);
    return whole;
}
