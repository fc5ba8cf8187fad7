#include "export/particle_file.h"

#include "core/memory.h"
#include "export/number_cursor.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

Result particle_file_allocate(ParticleFile *file, uint64_t count, int with_velocity)
{
    float **streams[6] = {&file->x, &file->y, &file->z, &file->vx, &file->vy, &file->vz};
    for (int k = 0; k < (with_velocity ? 6 : 3); k++) {
        if (*streams[k]) continue;
        *streams[k] = memory_allocate(count * sizeof(float));
        if (!*streams[k]) return result_no_memory("the particles", count * 24);
    }
    file->count = (uint32_t)count;
    return result_ok();
}

void particle_file_find_spacing(const char *line, ParticleFile *file)
{
    const char *at = strstr(line, "pbf particles") ? strstr(line, "spacing ") : NULL;
    double spacing;
    if (at && sscanf(at, "spacing %lf m", &spacing) == 1 && spacing > 0 && spacing < 1e6)
        file->spacing = spacing;
}

static Result check_finite(const char *path, const ParticleFile *file)
{
    const float *streams[6] = {file->x, file->y, file->z, file->vx, file->vy, file->vz};
    static const char *const names[6] = {"x", "y", "z", "vx", "vy", "vz"};
    for (int k = 0; k < 6 && file->count > 0; k++) {
        for (uint32_t i = 0; streams[k] && i < file->count; i++) {
            if (isfinite(streams[k][i])) continue;
            return result_error(RESULT_USAGE, "%s: particle %u: %s = %g (must be finite)", path, i, names[k],
                                (double)streams[k][i]);
        }
    }
    return result_ok();
}

Result particle_file_read(const char *path, ParticleFile *out)
{
    *out = (ParticleFile){0};
    char *bytes;
    size_t size;
    TRY(cursor_read_file(path, &bytes, &size));
    Result result;
    if (size >= 4 && memcmp(bytes, "ply", 3) == 0 && (bytes[3] == '\n' || bytes[3] == '\r')) {
        result = particle_file_parse_ply(path, bytes, size, out);
    } else if (size >= 5 && memcmp(bytes, "# vtk", 5) == 0) {
        result = particle_file_parse_vtk(path, bytes, size, out);
    } else {
        result = result_error(RESULT_USAGE, "%s: %s (allowed: a PLY file, a legacy VTK file)", path,
                              size == 0 ? "the file is empty" : "the format is unknown");
    }
    memory_free(bytes);
    if (result_is_ok(&result)) result = check_finite(path, out);
    return result;
}

void particle_file_free(ParticleFile *file)
{
    float *streams[6] = {file->x, file->y, file->z, file->vx, file->vy, file->vz};
    for (int k = 0; k < 6; k++) memory_free(streams[k]);
    *file = (ParticleFile){0};
}
