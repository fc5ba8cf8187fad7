#include "fuzz_input.h"

#include "core/hash.h"
#include "core/parallel.h"
#include "export/particle_file.h"
#include "surface/surface.h"

#include <stdlib.h>
#include <string.h>

#define POINTS_MAX 64
#define GRID_BYTES_MAX 64000000

// libfyaml 0.7 loses a buffer of a few kB when some texts in quotes turn out to be malformed.
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libfyaml";
}

char *fuzz_copy(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    if (!text) abort();
    if (size > 0) memcpy(text, data, size);
    text[size] = '\0';
    return text;
}

bool fuzz_goes_on(const uint8_t *data, size_t size)
{
    parallel_set_workers(1); // what is found must be found again
    return hash_bytes(HASH_START, data, size) % 16 == 0;
}

static void reconstruct(const ParticleFile *file)
{
    SurfacePoints points = {file->x, file->y, file->z, file->vx, file->vy, file->vz, file->count};
    bool certain;
    float spacing = surface_estimate_spacing(&points, &certain);
    if (file->spacing > 0) spacing = (float)file->spacing;
    SurfaceDef def = surface_def_default(spacing > 0 ? spacing : 1);
    def.memory_limit = GRID_BYTES_MAX;
    SurfaceMesh mesh;
    Result result = surface_reconstruct(&def, points, &mesh);
    if (result_is_ok(&result)) surface_mesh_free(&mesh);
}

void fuzz_particle_file(const char *name, const uint8_t *data, size_t size)
{
    ParticleFile file;
    char *text = fuzz_copy(data, size);
    Result result = particle_file_parse(name, text, size, &file);
    if (result_is_ok(&result) && file.count > 0 && file.count <= POINTS_MAX && fuzz_goes_on(data, size))
        reconstruct(&file);
    particle_file_free(&file);
    free(text);
}
