// What the program asks of libpbf-vdb.so, the door to OpenVDB. Read by both, in C and C++.
#ifndef PBF_EXPORT_OPENVDB_DOOR_H
#define PBF_EXPORT_OPENVDB_DOOR_H

#include <stddef.h>
#include <stdint.h>

// A closed mesh, and the grids to make of it.
typedef struct VdbMesh {
    const float (*point)[3]; // m
    const uint32_t (*triangle)[3];
    size_t point_count, triangle_count;
    double voxel, spacing, time; // m; m, between particles; s
} VdbMesh;

// Writes the grids "surface", a level set (m, negative inside), and "density", 1 inside and 0 outside.
// Returns 0, or 1 with a reason in `reason`.
typedef int VdbWrite(const char *path, const VdbMesh *mesh, char *reason, size_t reason_bytes);
#define VDB_WRITE_NAME "pbf_vdb_write_1" // another number for another VdbMesh

#endif
