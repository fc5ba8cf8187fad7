#include "export/export.h"

#include "export/file_writer.h"

#include <string.h>

// The legacy format is big-endian on every machine.
static void put_word(FileWriter *file, uint32_t word)
{
    uint8_t bytes[4] = {(uint8_t)(word >> 24), (uint8_t)(word >> 16), (uint8_t)(word >> 8), (uint8_t)word};
    file_writer_write(file, bytes, 4);
}

static void put_float(FileWriter *file, float value)
{
    uint32_t word;
    memcpy(&word, &value, 4);
    put_word(file, word);
}

static void put_vectors(FileWriter *file, uint32_t count, const float *x, const float *y, const float *z,
                        Vec3 offset)
{
    for (uint32_t i = 0; i < count; i++) {
        put_float(file, offset.x + x[i]);
        put_float(file, offset.y + y[i]);
        put_float(file, offset.z + z[i]);
    }
}

static void put_name(FileWriter *file, const char *name, const char *type)
{
    file_writer_print(file, "\nSCALARS %s %s 1\nLOOKUP_TABLE default\n", name, type);
}

Result export_particles_vtk(const char *path, const FrameView *view)
{
    FileWriter file;
    TRY(file_writer_open(path, &file));
    uint32_t n = view->count;
    file_writer_print(&file,
                      "# vtk DataFile Version 3.0\n"
                      "pbf particles, time %.9g s, spacing %.9g m\n"
                      "BINARY\n"
                      "DATASET POLYDATA\n"
                      "POINTS %u float\n",
                      view->time, (double)view->spacing, n);
    put_vectors(&file, n, view->x, view->y, view->z, view->origin);

    // One vertex cell a particle: without cells ParaView shows nothing.
    file_writer_print(&file, "\nVERTICES %u %llu\n", n, 2ull * n);
    for (uint32_t i = 0; i < n; i++) {
        put_word(&file, 1);
        put_word(&file, i);
    }
    file_writer_print(&file, "\nPOINT_DATA %u", n);
    put_name(&file, "density", "float");
    for (uint32_t i = 0; i < n; i++) put_float(&file, view->density[i]);
    put_name(&file, "id", "unsigned_int");
    for (uint32_t i = 0; i < n; i++) put_word(&file, view->id[i]);
    put_name(&file, "vorticity", "float");
    for (uint32_t i = 0; i < n; i++) put_float(&file, view->vorticity[i]);
    put_name(&file, "age", "float");
    for (uint32_t i = 0; i < n; i++) put_float(&file, frame_view_age(view, i));
    put_name(&file, "neighbors", "unsigned_int");
    for (uint32_t i = 0; i < n; i++) put_word(&file, view->neighbors[i]);
    file_writer_print(&file, "\nVECTORS velocity float\n");
    put_vectors(&file, n, view->vx, view->vy, view->vz, vec3_make(0, 0, 0));
    file_writer_print(&file, "\n");
    return file_writer_commit(&file);
}
