#include "export/particle_file.h"

#include "core/c_locale.h"
#include "core/memory.h"
#include "export/block_file.h"
#include "export/number_cursor.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

Result particle_file_allocate(ParticleFile *file, uint64_t count, bool with_velocity)
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
    double spacing = at ? c_strtod(at + strlen("spacing "), NULL) : 0;
    if (spacing > 0 && spacing < 1e6) file->spacing = spacing;
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

// A stored state's particles, in scene coordinates.
static Result take_state(const StateBlocks *state, ParticleFile *out)
{
    static const char *const names[6] = {"x", "y", "z", "vx", "vy", "vz"};
    float origin[3], spacing;
    const StateBlock *x = blocks_find(state, "x", BLOCK_FLOAT);
    if (!x || x->count > UINT32_MAX / 2) return result_error(RESULT_USAGE, "the particles are missing");
    TRY(blocks_copy(state, "origin", BLOCK_FLOAT, 3, origin));
    TRY(blocks_copy(state, "spacing", BLOCK_FLOAT, 1, &spacing));
    TRY(particle_file_allocate(out, x->count, true));
    float *streams[6] = {out->x, out->y, out->z, out->vx, out->vy, out->vz};
    for (int k = 0; k < 6; k++) TRY(blocks_copy(state, names[k], BLOCK_FLOAT, x->count, streams[k]));
    for (int axis = 0; axis < 3; axis++) {
        for (uint32_t i = 0; i < out->count; i++) streams[axis][i] += origin[axis];
    }
    if (spacing > 0 && spacing < 1e6f) out->spacing = (double)spacing;
    return result_ok();
}

static Result parse_state(const char *path, const char *bytes, size_t size, ParticleFile *out)
{
    StateBlocks state;
    TRY(block_file_parse(path, bytes, size, &state));
    Result result = take_state(&state, out);
    blocks_free(&state);
    if (result_is_ok(&result) || result.code == RESULT_NO_MEMORY) return result;
    return result_error(RESULT_USAGE, "%s: holds no state of a run: %.200s", path, result.text);
}

static bool is_ply(const char *head, size_t bytes)
{
    return bytes >= 4 && memcmp(head, "ply", 3) == 0 && (head[3] == '\n' || head[3] == '\r');
}

static bool is_vtk(const char *head, size_t bytes)
{
    return bytes >= 5 && memcmp(head, "# vtk", 5) == 0;
}

static bool is_xml(const char *head, size_t bytes)
{
    return (bytes >= 5 && memcmp(head, "<?xml", 5) == 0) || (bytes >= 8 && memcmp(head, "<VTKFile", 8) == 0);
}

static bool recognize(const void *head, size_t bytes)
{
    return block_file_recognize(head, bytes) || is_ply(head, bytes) || is_vtk(head, bytes) ||
           is_xml(head, bytes);
}

Result particle_file_read(const char *path, ParticleFile *out)
{
    *out = (ParticleFile){0};
    char *bytes;
    size_t size;
    TRY(cursor_read_file(path, recognize, &bytes, &size));
    Result result;
    if (block_file_recognize(bytes, size)) {
        result = parse_state(path, bytes, size, out);
    } else if (is_ply(bytes, size)) {
        result = particle_file_parse_ply(path, bytes, size, out);
    } else if (is_vtk(bytes, size)) {
        result = particle_file_parse_vtk(path, bytes, size, out);
    } else if (is_xml(bytes, size)) {
        result = particle_file_parse_vtp(path, bytes, size, out);
    } else {
        result = result_error(RESULT_USAGE, "%s: %s (allowed: a PLY file, a VTK file, a checkpoint)", path,
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
