// Files that leave the program. Every file appears under its final name only when it is complete: it is
// written to a temporary name beside it, flushed to the disk and renamed. A failure removes the temporary
// file.
#ifndef PBF_EXPORT_EXPORT_H
#define PBF_EXPORT_EXPORT_H

#include "core/result.h"
#include "diffuse/diffuse.h"
#include "export/geometry.h"
#include "export/obstacle_mesh.h"
#include "fluid/frame_view.h"
#include "surface/surface.h"

#include <stdint.h>

// --- pictures ---

// rgb: width * height * 3 bytes, sRGB, top row first. Errors (all here): RESULT_FAILED naming path and the
// system's reason, RESULT_USAGE where path is a folder, a pipe or a device, RESULT_NO_MEMORY.
Result export_png(const char *path, const uint8_t *rgb, uint32_t width, uint32_t height);

Result export_png_rgba(const char *path, const uint8_t *rgba, uint32_t width, uint32_t height); // with alpha

// Reads such a picture back. Errors: also RESULT_FAILED if it is damaged or of another size.
Result export_png_read(const char *path, uint32_t width, uint32_t height, uint8_t *rgb);

// --- what is shown ---

// Particles in memory order with the attributes that their table (fluid/particle_attributes.h) sends to
// files.
Geometry geometry_of_particles(const FrameView *view);

// Whitewater with its class (0 spray, 1 foam, 2 bubbles), age and life (s), radius and velocity; empty if the
// view has none.
Geometry geometry_of_diffuse(const FrameView *view);

// The water's surface with normals, and velocities (m/s) if the mesh has them.
Geometry geometry_of_surface(const SurfaceMesh *mesh);

// Obstacles, one part each, with normals, velocities, the number of the body and its color.
Geometry geometry_of_obstacles(const ObstacleMesh *mesh);

// Strands as lines from the root on, with velocities, and of each strand its number, that of its group in the
// scene's list, its radius and color; empty if the view has none.
Geometry geometry_of_strands(const FrameView *view);

// --- formats ---

// Each writes all attributes but where it says so. What belongs to parts and lines stands at every vertex in
// PLY, at every triangle or line in VTK. In these, vertices of different normals stand at the same place at
// edges; in OBJ and USDA parts are in one piece, and named.
Result export_ply(const char *path, const Geometry *geometry);  // binary
Result export_vtk(const char *path, const Geometry *geometry);  // legacy binary VTK polydata
Result export_vtp(const char *path, const Geometry *geometry);  // XML VTK polydata in base64
Result export_bgeo(const char *path, const Geometry *geometry); // Houdini's classic format: points alone
Result export_obj(const char *path,
                  const Geometry *geometry); // text: triangles with normals, or lines, alone
Result export_usda(const char *path, const Geometry *geometry); // USD as text: triangles with normals and
                                                                // velocities, parts with linear colors;
                                                                // lines as linear curves

// OpenVDB: the level set "surface" and the fog volume "density" of a closed mesh, in voxels of half a
// spacing. Not among the formats of frames: the library that writes it may be missing, and no two files are
// the same, because OpenVDB numbers them. The probe says whether it is there. Errors: also RESULT_USAGE if it
// is not.
Result export_vdb(const char *path, const Geometry *geometry);
Result export_vdb_probe(void);

// Files of one time series and the times (s) at which ParaView shows them. Names are relative to the series
// file.
typedef struct FileSeries {
    const char *const *files;
    const double *times;
    uint32_t count;
    UpAxis up;
} FileSeries;

// Frames a second of a series whose files are equally spaced in time; 24 of a single one.
double series_rate(FileSeries series);

// ParaView's collection of .vtp files (it takes no legacy files there).
Result export_series_pvd(const char *path, FileSeries series);
// ParaView's .vtk.series of legacy files.
Result export_series_vtk(const char *path, FileSeries series);
// One USD stage of .usda meshes, strands or obstacles, which must be equally spaced in time.
Result export_series_usda(const char *path, FileSeries series);
Result export_series_strands_usda(const char *path, FileSeries series);
Result export_series_obstacles_usda(const char *path, FileSeries series);

// One file that plays: water with velocities, particles, bodies with transforms. The series' files hold the
// frames (stage_frame.h) and are beside it. Errors: also RESULT_FAILED if one of them is missing or damaged.
Result export_stage_usda(const char *path, FileSeries series); // text
Result export_stage_abc(const char *path, FileSeries series);  // Alembic; y up by default

// --- what can be chosen ---

typedef enum GeometryKind {
    GEOMETRY_PARTICLES,
    GEOMETRY_DIFFUSE, // whitewater
    GEOMETRY_SURFACE,
    GEOMETRY_OBSTACLES,
    GEOMETRY_STRANDS,
    GEOMETRY_STAGE // all of them: frames are kept (stage_frame.h) until they become one file
} GeometryKind;

// A file that can be made of a frame. In the order of help texts: particles, the surface, the obstacles,
// strands.
typedef struct FileFormat {
    const char *name; // on command lines: "ply", "mesh_ply"
    GeometryKind kind;
    const char *stem, *suffix;                                   // of file names: "mesh", "ply"
    Result (*write)(const char *path, const Geometry *geometry); // NULL for stages
    const char *series; // file name of the time series, NULL if the format has none
    Result (*write_series)(const char *path, FileSeries series);
    const char *summary; // for help texts
} FileFormat;

const FileFormat *file_format(uint32_t k); // NULL past the end

// What a format writes of a frame that is neither a surface, obstacles nor a stage: particles, whitewater or
// strands. Error: RESULT_USAGE, if the frame has none of the latter two.
Result geometry_of_format(const FileFormat *format, const FrameView *view, Geometry *out);

// The number of the format of that name; past the end if there is none.
uint32_t file_format_named(const char *name);

// The format of that kind that a file's name tells by its suffix; NULL for another name.
const FileFormat *file_format_of(GeometryKind kind, const char *path);

#endif
