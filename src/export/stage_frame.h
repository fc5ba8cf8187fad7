// What a frame shows, kept on disk until the run's frames become one file that plays (usda_stage.c,
// alembic.c): water, particles and the poses of bodies, packed. A run that is killed goes on from them.
#ifndef PBF_EXPORT_STAGE_FRAME_H
#define PBF_EXPORT_STAGE_FRAME_H

#include "core/blocks.h"
#include "core/result.h"
#include "core/vec3.h"
#include "export/geometry.h"
#include "fluid/frame_view.h"
#include "surface/surface.h"

// What the water and its particles are called in these files, and no body is.
#define STAGE_WATER "water"
#define STAGE_PARTICLES "particles"

// A body's place: rows of the rotation from its own axes to the scene's, then the position in m.
typedef struct StagePose {
    Vec3 row[3], position;
} StagePose;

// A mesh in a body's own axes. Its triangles number its points.
typedef struct StageBody {
    char label[GEOMETRY_LABEL_BYTES];
    float color[3]; // linear RGB
    uint32_t first_point, point_count, first_triangle, triangle_count;
} StageBody;

typedef struct StageBodies {
    const StageBody *body;
    uint32_t count;
    const Vec3 *point; // m
    const uint32_t (*triangle)[3];
} StageBodies;

// In scene coordinates, m, m/s, z up. What a file holds is the file's: see stage_frame_free.
typedef struct StageFrame {
    double time, spacing; // s, m
    const Vec3 *water_point, *water_normal, *water_velocity;
    uint32_t water_points;
    const uint32_t (*triangle)[3];
    uint32_t triangles;
    const Vec3 *particle, *particle_velocity;
    const uint32_t *id;
    uint32_t particles;
    const StagePose *pose; // of each body
    uint32_t poses;
    StageBodies bodies; // count 0 where the file leaves them to another frame
    StateBlocks blocks; // what all of it points into
} StageFrame;

// Writes a frame. mesh: in scene coordinates, with velocities. with_bodies: the bodies' meshes, too. Errors:
// RESULT_FAILED, RESULT_NO_MEMORY.
Result stage_frame_write(const char *path, const FrameView *view, const SurfaceMesh *mesh, bool with_bodies);

// Reads the frame of that name in the folder of another file, path. Errors: RESULT_FAILED naming it,
// RESULT_NO_MEMORY. Free with stage_frame_free, also after an error.
Result stage_frame_read_beside(const char *path, const char *name, StageFrame *out);
void stage_frame_free(StageFrame *frame);

#endif
