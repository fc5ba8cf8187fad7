// The surface of a simulation's water, for meshes and pictures.
#ifndef PBF_LIBRARY_SURFACES_H
#define PBF_LIBRARY_SURFACES_H

#include "library/handles.h"
#include "surface/surface.h"

struct pbf_mesh {
    pbf_context *context;
    SurfaceMesh surface;
    double spacing, cell; // m
    double time;          // s, of what it shows; NaN if nothing is known of it
};

// Points of the caller, and their velocities, as the mesher takes them.
typedef struct SurfaceCloud {
    PointStreams at, moving; // copies of what is not streams of floats
    SurfacePoints points;
} SurfaceCloud;

// velocities: NULL for none. Free the zeroed cloud in any case. Errors: as of points_view.
Result surface_cloud_take(const pbf_points *points, const pbf_points *velocities, SurfaceCloud *cloud);
void surface_cloud_free(SurfaceCloud *cloud);

// *certain: as of surface_estimate_spacing. Error: RESULT_USAGE.
Result surface_cloud_spacing(const SurfaceCloud *cloud, double *spacing, bool *certain);

// In domain coordinates, with velocities. Errors: as of surface_reconstruct. Free with surface_mesh_free.
Result sim_surface(const pbf_sim *sim, SurfaceMesh *out);

#endif
