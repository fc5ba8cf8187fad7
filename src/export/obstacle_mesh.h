// Obstacles as they stand in a frame, as closed triangle meshes in scene coordinates: complete, also where
// they stick out of the tank.
#ifndef PBF_EXPORT_OBSTACLE_MESH_H
#define PBF_EXPORT_OBSTACLE_MESH_H

#include "core/result.h"
#include "export/geometry.h"
#include "fluid/frame_view.h"

typedef struct ObstacleMesh {
    GeometryPart *parts; // in the order of the scene's obstacles, scattered balls behind them
    uint32_t part_count;
    Vec3 *point;             // m
    Vec3 *velocity;          // m/s, of each point on its prescribed path
    uint32_t *vertex_point;  // for each vertex, the number of its point
    Vec3 *normal;            // unit, outward, of each vertex
    uint32_t (*triangle)[3]; // numbers of vertices, counter-clockwise from outside
    uint32_t point_count, vertex_count, triangle_count;
    bool moves;           // bodies do in this scene: what stands here is that of one time only
    double time, spacing; // s, m
} ObstacleMesh;

// Errors: RESULT_NO_MEMORY; RESULT_FAILED for more triangles than files can number. Free with
// obstacle_mesh_free; a zeroed one is allowed.
Result obstacle_mesh_make(const FrameView *view, ObstacleMesh *out);
void obstacle_mesh_free(ObstacleMesh *mesh);

// A hash of all that files hold of it, the time where bodies move: equal hashes mean equal files.
uint64_t obstacle_mesh_hash(const ObstacleMesh *mesh);

// A name of letters, digits and "_" for each body, into the parts' labels: that of the scene, with its number
// behind it where it would not be the only one. Error: RESULT_NO_MEMORY.
Result obstacle_labels(const Obstacles *obstacles, GeometryPart *parts, uint32_t count);

#endif
