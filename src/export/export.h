// Files that leave the program. Every file appears under its final name only when it is complete: it is
// written to a temporary name beside it, flushed to the disk and renamed. A failure removes the temporary
// file.
#ifndef PBF_EXPORT_EXPORT_H
#define PBF_EXPORT_EXPORT_H

#include "core/result.h"
#include "export/obstacle_mesh.h"
#include "fluid/frame_view.h"
#include "surface/surface.h"

#include <stdint.h>

// rgb: width * height * 3 bytes, sRGB, top row first. Errors (all here): RESULT_FAILED naming path and the
// system's reason, RESULT_NO_MEMORY.
Result export_png(const char *path, const uint8_t *rgb, uint32_t width, uint32_t height);

// Reads such a picture back. Errors: also RESULT_FAILED if it is damaged or of another size.
Result export_png_read(const char *path, uint32_t width, uint32_t height, uint8_t *rgb);

// Particles in memory order with position (m, scene coordinates), velocity (m/s), density (kg/m^3), id,
// vorticity (1/s), age (s) and number of neighbors: what cannot be worked out from the rest of the file.
Result export_particles_ply(const char *path,
                            const FrameView *view); // binary PLY: x y z vx vy vz density id ...
Result export_particles_vtk(const char *path, const FrameView *view); // legacy binary VTK polydata
Result export_particles_vtp(const char *path, const FrameView *view); // XML VTK polydata, appended raw

// Files of one time series and the times (s) at which ParaView shows them. Names are relative to the series
// file.
typedef struct FileSeries {
    const char *const *files;
    const double *times;
    uint32_t count;
} FileSeries;

// ParaView's collection of .vtp files (it takes no legacy files there).
Result export_series_pvd(const char *path, FileSeries series);
// ParaView's .vtk.series of legacy files.
Result export_series_vtk(const char *path, FileSeries series);
// One USD stage of .usda meshes, or of .usda obstacles, which must be equally spaced in time.
Result export_series_usda(const char *path, FileSeries series);
Result export_series_obstacles_usda(const char *path, FileSeries series);

// Triangle meshes with normals; all but .obj also with velocities (m/s) if the mesh has them.
// Binary PLY: x y z nx ny nz [vx vy vz], faces.
Result export_mesh_ply(const char *path, const SurfaceMesh *mesh);
Result export_mesh_obj(const char *path, const SurfaceMesh *mesh);  // text
Result export_mesh_vtk(const char *path, const SurfaceMesh *mesh);  // legacy binary VTK polydata
Result export_mesh_usda(const char *path, const SurfaceMesh *mesh); // USD as text: metres, z up
Result export_mesh_vtp(const char *path, const SurfaceMesh *mesh);  // XML VTK polydata, appended raw

// Obstacles with normals, velocities and the number of the body that each triangle or vertex is of; colours
// (sRGB, in USD linear) but for .obj, names in .obj and .usda. In .ply, .vtk and .vtp vertices of different
// normals stand at the same place at edges; in .obj and .usda bodies are in one piece.
Result export_obstacles_ply(const char *path, const ObstacleMesh *mesh);  // binary
Result export_obstacles_obj(const char *path, const ObstacleMesh *mesh);  // text; without velocities
Result export_obstacles_vtk(const char *path, const ObstacleMesh *mesh);  // legacy binary VTK polydata
Result export_obstacles_vtp(const char *path, const ObstacleMesh *mesh);  // XML VTK polydata, appended raw
Result export_obstacles_usda(const char *path, const ObstacleMesh *mesh); // USD as text: metres, z up

// What files can be made of a frame, in the order of help texts: those of particles, of the mesh, of the
// obstacles.
typedef struct FileFormat {
    const char *name;                                                   // on command lines: "ply", "mesh_ply"
    const char *stem, *suffix;                                          // of file names: "mesh", "ply"
    const char *summary;                                                // for help texts
    Result (*write_particles)(const char *path, const FrameView *view); // two of the three are NULL
    Result (*write_mesh)(const char *path, const SurfaceMesh *mesh);
    Result (*write_obstacles)(const char *path, const ObstacleMesh *mesh);
    const char *series; // file name of the time series, NULL if the format has none
    Result (*write_series)(const char *path, FileSeries series);
} FileFormat;

const FileFormat *file_format(uint32_t k); // NULL past the end

#endif
