#include "export/export.h"

#include "export/file_writer.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "vertices are written in the machine's byte order");

// As the header declares it, without padding.
typedef struct PlyVertex {
    float position[3], velocity[3], density;
    uint32_t id;
    float vorticity, age;
    uint32_t neighbors;
} PlyVertex;
_Static_assert(sizeof(PlyVertex) == 44, "a vertex in the file has no padding");

Result export_particles_ply(const char *path, const FrameView *view)
{
    FileWriter file;
    TRY(file_writer_open(path, &file));
    file_writer_print(&file,
                      "ply\n"
                      "format binary_little_endian 1.0\n"
                      "comment pbf particles, time %.9g s, spacing %.9g m\n"
                      "element vertex %u\n"
                      "property float x\nproperty float y\nproperty float z\n"
                      "property float vx\nproperty float vy\nproperty float vz\n"
                      "property float density\n"
                      "property uint id\n"
                      "property float vorticity\nproperty float age\n"
                      "property uint neighbors\n"
                      "end_header\n",
                      view->time, (double)view->spacing, view->count);
    for (uint32_t i = 0; i < view->count; i++) {
        PlyVertex vertex = {
            .position = {view->origin.x + view->x[i], view->origin.y + view->y[i],
                         view->origin.z + view->z[i]},
            .velocity = {view->vx[i], view->vy[i], view->vz[i]},
            .density = view->density[i],
            .id = view->id[i],
            .vorticity = view->vorticity[i],
            .age = frame_view_age(view, i),
            .neighbors = view->neighbors[i],
        };
        file_writer_write(&file, &vertex, sizeof vertex);
    }
    return file_writer_commit(&file);
}
