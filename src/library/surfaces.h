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

// In domain coordinates, with velocities. Errors: as of surface_reconstruct. Free with surface_mesh_free.
Result sim_surface(const pbf_sim *sim, SurfaceMesh *out);

#endif
