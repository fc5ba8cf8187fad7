#include "surface/surface_params.h"

#include "surface/surface.h"

#define AT(member) PARAM_AT(SurfaceDef, member)
#define FROM PARAM_FROM

const ParamRow SURFACE_ROWS[] = {
    {"surface", PARAM_SECTION,
     .help = "How the water's surface is made of particles, for `--style surface` and exported meshes. `pbf "
             "mesh` takes the same keys: `--set surface.cell=0.3`."},
    {"surface.cell", PARAM_FLOAT, AT(cell), FROM(0.1, 2), .unit = "spacings",
     .help = "edge of a grid cell: 0.3 shows more detail and takes twice as long, 1 is a preview"},
    {"surface.support", PARAM_FLOAT, AT(support), FROM(1, 4), .unit = "spacings",
     .help = "radius of a particle's kernel in full water; larger is smoother and loses detail"},
    {"surface.anisotropic", PARAM_FLAG, AT(anisotropic),
     .help = "kernels flattened along the surface (Yu and Turk 2013); `false` gives every particle the same "
             "ball, for comparison: bumpy, with thin sheets blown up"},
    {"surface.covariance_radius", PARAM_FLOAT, AT(covariance_radius), FROM(1.5, 4), .unit = "spacings",
     .help = "how far the neighbors are that decide on a kernel's shape"},
    {"surface.kernel_min", PARAM_FLOAT, AT(kernel_min), FROM(0.2, 1),
     .help = "the shortest that a kernel may be, as a part of `support`"},
    {"surface.kernel_lone", PARAM_FLOAT, AT(kernel_lone), FROM(0.2, 1),
     .help =
         "`kernel_min` of a particle without neighbors; smaller keeps the volume of lone drops and strands"},
    {"surface.center_smoothing", PARAM_FLOAT, AT(center_smoothing), FROM(0, 1),
     .help = "how far kernels move towards the mean of their neighbors"},
    {"surface.isovalue", PARAM_FLOAT, AT(isovalue), FROM(0.1, 0.9), .word = "auto",
     .help = "where the surface is in a field of 0 outside and 1 inside; `auto` picks the value at which the "
             "mesh encloses the volume of the particles"},
    {"surface.smoothing", PARAM_COUNT, AT(smoothing), FROM(0, 100),
     .help = "steps that smooth the mesh; its volume is kept"},
    {"surface.speck_volume", PARAM_FLOAT, AT(speck_volume), FROM(0, 1e9), .unit = "particles",
     .help = "separate drops that hold less are left out, and bubbles of less than eight times as much"},
    {"surface.clip", PARAM_FLAG, AT(clip),
     .help = "the surface ends at the tank's closed walls; `false` leaves what kernels reach through them, a "
             "quarter of a spacing (`pbf mesh` knows no tank)"},
    {"surface.shutter", PARAM_FLOAT, AT(shutter), FROM(0, 0.1), .unit = "s",
     .help = "drops of up to four particles are stretched along their motion as a shutter that is open for "
             "this long sees them, up to three times: 0.01 for renderers that do not blur motion"},
    {.key = NULL},
};
