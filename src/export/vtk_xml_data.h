// The arrays of VTK's XML files: as text, in base64 or raw, in place or appended, packed with zlib or not.
#ifndef PBF_EXPORT_VTK_XML_DATA_H
#define PBF_EXPORT_VTK_XML_DATA_H

#include "core/result.h"
#include "export/number_cursor.h"
#include "export/xml_tags.h"

typedef struct VtkXmlFile {
    const char *path;      // for messages
    const char *end;       // of the file; a NUL stands there
    NumberCoding coding;   // of binary arrays
    uint32_t header_bytes; // of a word of their headers: 4 or 8
    bool packed;           // with zlib
    const char *appended;  // where offsets count from, NULL without an AppendedData element
    bool appended_base64;
} VtkXmlFile;

// Takes from the root's attributes how arrays are stored. Errors: RESULT_USAGE for what this reader does not
// know.
Result vtk_xml_begin(const XmlTag *root, VtkXmlFile *file);

// The numbers of an array, to be read with number_next.
typedef struct VtkXmlNumbers {
    NumberCursor cursor;
    NumberType type;
    void *block; // that holds them, or NULL if they lie in the file
} VtkXmlNumbers;

// Finds the `count` numbers of a DataArray; content: what follows its tag. Errors: RESULT_USAGE "FILE: array
// \"NAME\": what is wrong", RESULT_NO_MEMORY. Free with vtk_xml_free.
Result vtk_xml_find(const VtkXmlFile *file, const XmlTag *array, const char *content, uint64_t count,
                    VtkXmlNumbers *out);
void vtk_xml_free(VtkXmlNumbers *numbers);

// "FILE: array "NAME": what is wrong".
Result vtk_xml_error(const VtkXmlFile *file, const XmlTag *array, const char *what);

// Limit of the numbers of one byte that this many bytes of a file can hold: false counts are found before
// memory is allocated.
uint64_t vtk_xml_bytes_max(const VtkXmlFile *file, uint64_t bytes);

#endif
