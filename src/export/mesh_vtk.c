#include "export/export.h"

#include "export/vtk_writer.h"

Result export_mesh_vtk(const char *path, const SurfaceMesh *mesh)
{
    FileWriter file;
    TRY(file_writer_open(path, &file));
    uint32_t n = mesh->vertex_count;
    file_writer_print(&file,
                      "# vtk DataFile Version 3.0\n"
                      "pbf surface\n"
                      "BINARY\n"
                      "DATASET POLYDATA\n"
                      "POINTS %u float\n",
                      n);
    vtk_put_words(&file, mesh->vertex, 3ull * n);
    vtk_put_triangles(&file, mesh->triangle, mesh->triangle_count);
    file_writer_print(&file, "\nPOINT_DATA %u\nNORMALS normals float\n", n);
    vtk_put_words(&file, mesh->normal, 3ull * n);
    if (mesh->velocity) {
        file_writer_print(&file, "\nVECTORS velocity float\n");
        vtk_put_words(&file, mesh->velocity, 3ull * n);
    }
    file_writer_print(&file, "\n");
    return file_writer_commit(&file);
}
