#include "export/vtk_xml_data.h"

#include "core/memory.h"
#include "export/unpack.h"

#include <string.h>

Result vtk_xml_error(const VtkXmlFile *file, const XmlTag *array, const char *what)
{
    XmlText name = xml_attribute(array, "Name");
    return result_error(RESULT_USAGE, "%s: array \"%.*s\": %s", file->path,
                        (int)(name.length < 40 ? name.length : 40), name.at, what);
}

uint64_t vtk_xml_bytes_max(const VtkXmlFile *file, uint64_t bytes)
{
    return file->packed ? bytes * UNPACK_RATIO : bytes;
}

Result vtk_xml_begin(const XmlTag *root, VtkXmlFile *file)
{
    XmlText order = xml_attribute(root, "byte_order"), header = xml_attribute(root, "header_type"),
            compressor = xml_attribute(root, "compressor");
    file->coding = xml_is(order, "BigEndian") ? CODING_BIG : CODING_LITTLE;
    file->header_bytes = xml_is(header, "UInt64") ? 8 : 4;
    file->packed = compressor.length > 0;
    if (file->packed && !xml_is(compressor, "vtkZLibDataCompressor"))
        return result_error(RESULT_USAGE, "%s: is packed with %.*s (allowed: vtkZLibDataCompressor, or none)",
                            file->path, (int)(compressor.length < 40 ? compressor.length : 40),
                            compressor.at);
    return result_ok();
}

// --- bytes ---

// Bytes of an array, one after the other.
typedef struct ByteSource {
    const char *at, *end;
    bool base64;
    uint8_t held[3]; // decoded, but not taken
    uint32_t held_from, held_to;
} ByteSource;

static int base64_digit(char c)
{
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

// Decodes the next four characters. Where a header is encoded apart from its data, filling stands between.
static bool decode_group(ByteSource *source)
{
    uint32_t bits = 0, digits = 0, filling = 0;
    while (digits + filling < 4) {
        if (source->at >= source->end) return false;
        char c = *source->at++;
        if (c == ' ' || c == '\n' || c == '\r' || c == '\t') continue;
        int digit = base64_digit(c);
        if (digit < 0 && c != '=') return false;
        if (digit >= 0 && filling > 0) return false;
        bits = bits << 6 | (uint32_t)(digit >= 0 ? digit : 0);
        digits += digit >= 0;
        filling += digit < 0;
    }
    if (digits < 2) return false;
    for (int k = 0; k < 3; k++) source->held[k] = (uint8_t)(bits >> (16 - 8 * k));
    source->held_from = 0;
    source->held_to = digits - 1;
    return true;
}

static bool take_bytes(ByteSource *source, void *to, uint64_t count)
{
    uint8_t *out = to;
    if (!source->base64) {
        if ((uint64_t)(source->end - source->at) < count) return false;
        memcpy(out, source->at, count);
        source->at += count;
        return true;
    }
    for (uint64_t k = 0; k < count; k++) {
        if (source->held_from == source->held_to && !decode_group(source)) return false;
        out[k] = source->held[source->held_from++];
    }
    return true;
}

// Bytes that there can still be.
static uint64_t bytes_left(const ByteSource *source)
{
    uint64_t left = (uint64_t)(source->end - source->at);
    return source->base64 ? left / 4 * 3 + 3 : left;
}

static bool take_word(const VtkXmlFile *file, ByteSource *source, uint64_t *out)
{
    uint8_t bytes[8];
    if (!take_bytes(source, bytes, file->header_bytes)) return false;
    *out = 0;
    for (uint32_t k = 0; k < file->header_bytes; k++)
        *out = *out << 8 | bytes[file->coding == CODING_BIG ? k : file->header_bytes - 1 - k];
    return true;
}

// --- packed arrays ---

static const char SHORT_OF_MEMORY[] = "no memory";

// Blocks of `block` bytes, the last one of `last`, and how many bytes each takes packed.
typedef struct Packing {
    uint64_t blocks, block, last;
    uint64_t *packed, largest;
} Packing;

static const char *read_packing(const VtkXmlFile *file, ByteSource *source, uint64_t bytes, Packing *out)
{
    if (!take_word(file, source, &out->blocks) || !take_word(file, source, &out->block) ||
        !take_word(file, source, &out->last))
        return "the file ends in its header";
    if (out->last == 0) out->last = out->block;
    if (out->blocks == 0 || out->blocks > bytes_left(source) / file->header_bytes || out->last > bytes ||
        (out->blocks > 1 && (out->block == 0 || out->block > bytes / (out->blocks - 1))) ||
        (out->blocks - 1) * out->block + out->last != bytes)
        return "holds another number of bytes than is announced";
    out->packed = memory_allocate(out->blocks * sizeof *out->packed);
    if (!out->packed) return SHORT_OF_MEMORY;
    for (uint64_t k = 0; k < out->blocks; k++) {
        if (!take_word(file, source, &out->packed[k])) return "the file ends in its header";
        if (out->packed[k] > bytes_left(source)) return "the file ends before the last block";
        if (out->packed[k] > out->largest) out->largest = out->packed[k];
    }
    return NULL;
}

static const char *unpack_blocks(ByteSource *source, const Packing *packing, uint8_t *buffer, uint8_t *out)
{
    for (uint64_t k = 0; k < packing->blocks; k++) {
        uint64_t bytes = k + 1 < packing->blocks ? packing->block : packing->last;
        if (!take_bytes(source, buffer, packing->packed[k])) return "the file ends before the last block";
        if (!unpack_zlib(buffer, packing->packed[k], out, bytes)) return "a packed block is damaged";
        out += bytes;
    }
    return NULL;
}

// NULL, or what is wrong.
static const char *take_packed(const VtkXmlFile *file, ByteSource *source, uint64_t bytes, uint8_t *out)
{
    Packing packing = {0};
    const char *wrong = read_packing(file, source, bytes, &packing);
    uint8_t *buffer = wrong ? NULL : memory_allocate(packing.largest);
    if (!wrong) wrong = buffer ? unpack_blocks(source, &packing, buffer, out) : SHORT_OF_MEMORY;
    memory_free(buffer);
    memory_free(packing.packed);
    return wrong;
}

static const char *take_plain(const VtkXmlFile *file, ByteSource *source, uint64_t bytes, uint8_t *out)
{
    uint64_t announced;
    if (!take_word(file, source, &announced)) return "the file ends in its header";
    if (announced != bytes) return "holds another number of bytes than is announced";
    return take_bytes(source, out, bytes) ? NULL : "the file ends before its last number";
}

// --- arrays ---

// Finds an array's bytes. Returns NULL, or what is wrong.
static const char *find_source(const VtkXmlFile *file, const XmlTag *array, const char *content, bool inside,
                               ByteSource *out)
{
    *out = (ByteSource){.at = content, .end = file->end, .base64 = true};
    if (inside) return NULL;
    uint64_t offset;
    if (!file->appended) return "the appended data are missing";
    if (!xml_number(array, "offset", UINT64_MAX, &offset) || offset > (uint64_t)(file->end - file->appended))
        return "its offset is outside of the appended data";
    out->at = file->appended + offset;
    out->base64 = file->appended_base64;
    return NULL;
}

static Result find_binary(const VtkXmlFile *file, const XmlTag *array, const char *content, bool inside,
                          uint64_t count, VtkXmlNumbers *out)
{
    ByteSource source;
    const char *wrong = find_source(file, array, content, inside, &source);
    if (wrong) return vtk_xml_error(file, array, wrong);
    uint64_t bytes = count * number_bytes(out->type);
    if (bytes > vtk_xml_bytes_max(file, bytes_left(&source)))
        return vtk_xml_error(file, array, "the file ends before its last number");
    out->block = memory_allocate(bytes);
    if (!out->block) return result_no_memory("an array of the file", bytes);
    out->cursor = (NumberCursor){out->block, (const char *)out->block + bytes, file->coding};
    if (count == 0) return result_ok();
    wrong = file->packed ? take_packed(file, &source, bytes, out->block)
                         : take_plain(file, &source, bytes, out->block);
    if (!wrong) return result_ok();
    vtk_xml_free(out);
    if (wrong == SHORT_OF_MEMORY) return result_no_memory("unpacking an array of the file", bytes);
    return vtk_xml_error(file, array, wrong);
}

Result vtk_xml_find(const VtkXmlFile *file, const XmlTag *array, const char *content, uint64_t count,
                    VtkXmlNumbers *out)
{
    *out = (VtkXmlNumbers){0};
    XmlText format = xml_attribute(array, "format");
    XmlText type = xml_attribute(array, "type");
    if (!number_type_find(NAMES_VTK_XML, type.at, type.length, &out->type))
        return vtk_xml_error(file, array, "unknown type (Int8 to UInt64, Float32, Float64)");
    if (xml_is(format, "binary") || xml_is(format, "appended"))
        return find_binary(file, array, content, xml_is(format, "binary"), count, out);
    if (format.length > 0 && !xml_is(format, "ascii"))
        return vtk_xml_error(file, array, "unknown format (ascii, binary, appended)");
    const char *end = memchr(content, '<', (size_t)(file->end - content));
    out->cursor = (NumberCursor){content, end ? end : file->end, CODING_TEXT};
    if (number_fits(&out->cursor, out->type, count)) return result_ok();
    return vtk_xml_error(file, array, "has fewer numbers than are announced");
}

void vtk_xml_free(VtkXmlNumbers *numbers)
{
    memory_free(numbers->block);
    *numbers = (VtkXmlNumbers){0};
}
