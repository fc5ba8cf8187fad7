// The arrays of XML VTK files that are written.
#ifndef PBF_EXPORT_VTP_ARRAYS_H
#define PBF_EXPORT_VTP_ARRAYS_H

#include "export/file_writer.h"
#include "export/number_cursor.h"

// Begins an array of `count` values; its numbers follow, and vtp_end_array.
void vtp_begin_array(FileWriter *file, NumberType type, const char *name, uint32_t components,
                     uint64_t count);
void vtp_end_array(FileWriter *file);

#endif
