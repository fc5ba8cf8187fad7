#include "fuzz_input.h"

#include "core/parallel.h"
#include "export/particle_file.h"
#include "surface/surface.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define POINTS_MAX 64
#define GRID_BYTES_MAX 64000000

const char *fuzz_input_path(const uint8_t *data, size_t size)
{
    static int file = -1;
    static char path[64];
    if (file < 0) {
        file = memfd_create("input", MFD_CLOEXEC);
        if (file < 0) abort();
        snprintf(path, sizeof path, "/proc/self/fd/%d", file);
        parallel_set_workers(1); // what is found must be found again
    }
    if (ftruncate(file, 0) != 0 || pwrite(file, data, size, 0) != (ssize_t)size) abort();
    return path;
}

void fuzz_particle_file(const uint8_t *data, size_t size)
{
    ParticleFile file;
    Result result = particle_file_read(fuzz_input_path(data, size), &file);
    if (result_is_ok(&result) && file.count > 0 && file.count <= POINTS_MAX) {
        SurfacePoints points = {file.x, file.y, file.z, file.vx, file.vy, file.vz, file.count};
        bool certain;
        float spacing = surface_estimate_spacing(&points, &certain);
        if (file.spacing > 0) spacing = (float)file.spacing;
        SurfaceDef def = surface_def_default(spacing > 0 ? spacing : 1);
        def.memory_limit = GRID_BYTES_MAX;
        SurfaceMesh mesh;
        result = surface_reconstruct(&def, points, &mesh);
        if (result_is_ok(&result)) surface_mesh_free(&mesh);
    }
    particle_file_free(&file);
}
