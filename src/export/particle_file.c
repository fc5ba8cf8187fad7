#include "export/particle_file.h"

#include "core/c_locale.h"
#include "core/memory.h"
#include "export/block_file.h"
#include "export/number_cursor.h"
#include "export/unpack.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const stream_names[6] = {"x", "y", "z", "vx", "vy", "vz"};

Result particle_file_allocate(ParticleFile *file, uint64_t count, bool with_velocity)
{
    for (int k = 0; k < (with_velocity ? 6 : 3); k++) {
        if (file->stream[k]) continue;
        file->stream[k] = memory_allocate(count * sizeof(float));
        if (!file->stream[k]) return result_no_memory("the particles", count * 24);
    }
    file->count = (uint32_t)count;
    return result_ok();
}

void particle_file_take_spacing(ParticleFile *file, double meters)
{
    if (meters > 0 && meters < 1e6) file->spacing = meters;
}

void particle_file_take_time(ParticleFile *file, double seconds)
{
    if (!(fabs(seconds) < 1e9)) return;
    file->timed = true;
    file->time = seconds;
}

void particle_file_take_title(ParticleFile *file, const char *line)
{
    const char *title = strstr(line, "pbf particles"), *at = title ? strstr(title, "spacing ") : NULL;
    if (at) particle_file_take_spacing(file, c_strtod(at + strlen("spacing "), NULL));
    at = title ? strstr(title, "time ") : NULL;
    if (at) particle_file_take_time(file, c_strtod(at + strlen("time "), NULL));
}

void particle_file_name_velocity(ParticleFile *file, const char *name, size_t length)
{
    snprintf(file->velocity, sizeof file->velocity, "%.*s", (int)(length < 31 ? length : 31), name);
}

static Result check_finite(const char *path, const ParticleFile *file)
{
    for (int k = 0; k < 6 && file->count > 0; k++) {
        for (uint32_t i = 0; file->stream[k] && i < file->count; i++) {
            if (isfinite(file->stream[k][i])) continue;
            return result_error(RESULT_USAGE, "%s: particle %u: %s = %g (must be finite)", path, i,
                                stream_names[k], (double)file->stream[k][i]);
        }
    }
    return result_ok();
}

// Takes a stored state's particles, in scene coordinates.
static Result take_state(const StateBlocks *state, ParticleFile *out)
{
    float origin[3], spacing;
    const StateBlock *x = blocks_find(state, "x", BLOCK_FLOAT);
    if (!x || x->count > UINT32_MAX / 2) return result_error(RESULT_USAGE, "the particles are missing");
    TRY(blocks_copy(state, "origin", BLOCK_FLOAT, 3, origin));
    TRY(blocks_copy(state, "spacing", BLOCK_FLOAT, 1, &spacing));
    TRY(particle_file_allocate(out, x->count, true));
    for (int k = 0; k < 6; k++)
        TRY(blocks_copy(state, stream_names[k], BLOCK_FLOAT, x->count, out->stream[k]));
    for (int axis = 0; axis < 3; axis++) {
        for (uint32_t i = 0; i < out->count; i++) out->stream[axis][i] += origin[axis];
    }
    particle_file_take_spacing(out, (double)spacing);
    double time;
    Result timed = blocks_copy(state, "time", BLOCK_DOUBLE, 1, &time);
    if (result_is_ok(&timed)) particle_file_take_time(out, time);
    particle_file_name_velocity(out, "velocity", strlen("velocity"));
    return result_ok();
}

static Result parse_state(const char *path, const char *bytes, size_t size, ParticleFile *out)
{
    StateBlocks state;
    TRY(block_file_parse(path, bytes, size, &state));
    Result result = take_state(&state, out);
    blocks_free(&state);
    if (result_is_ok(&result) || result.code == RESULT_NO_MEMORY) return result;
    return result_error(RESULT_USAGE, "%s: does not hold a state of a run: %.200s", path, result.text);
}

static Result parse_gzip(const char *path, const char *bytes, size_t size, ParticleFile *out);

// Houdini's own format since version 12 is another one.
static Result refuse_json(const char *path, const char *bytes, size_t size, ParticleFile *out)
{
    (void)bytes, (void)size, (void)out;
    return result_error(RESULT_USAGE, "%s: is in Houdini's newer format (write .bhclassic)", path);
}

// How a file of each format begins.
static const struct {
    const char *beginning;
    size_t bytes;
    Result (*parse)(const char *path, const char *bytes, size_t size, ParticleFile *out);
} formats[] = {
    {BLOCK_FILE_MAGIC, 8, parse_state},
    {"ply\n", 4, particle_file_parse_ply},
    {"ply\r", 4, particle_file_parse_ply},
    {"# vtk", 5, particle_file_parse_vtk},
    {"<?xml", 5, particle_file_parse_vtp},
    {"<VTKFile", 8, particle_file_parse_vtp},
    {"BgeoV", 5, particle_file_parse_bgeo},
    {"\x7fNSJ", 4, refuse_json},
    {"\x1f\x8b", 2, parse_gzip},
};
#define FORMAT_COUNT (sizeof formats / sizeof *formats)

static size_t find_format(const void *head, size_t bytes)
{
    size_t k = 0;
    while (k < FORMAT_COUNT &&
           (bytes < formats[k].bytes || memcmp(head, formats[k].beginning, formats[k].bytes) != 0))
        k++;
    return k;
}

static bool recognize(const void *head, size_t bytes)
{
    return find_format(head, bytes) < FORMAT_COUNT;
}

static Result parse(const char *path, const char *bytes, size_t size, ParticleFile *out)
{
    size_t format = find_format(bytes, size);
    if (format < FORMAT_COUNT) return formats[format].parse(path, bytes, size, out);
    if (size > 0 && particle_file_is_text(path)) return particle_file_parse_text(path, bytes, size, out);
    return result_error(RESULT_USAGE, "%s: %s (allowed: PLY, VTK, bgeo, .csv, .xyz, a checkpoint)", path,
                        size == 0 ? "the file is empty" : "the format is unknown");
}

static Result parse_gzip(const char *path, const char *bytes, size_t size, ParticleFile *out)
{
    char *unpacked;
    size_t unpacked_size;
    TRY(unpack_gzip(path, bytes, size, &unpacked, &unpacked_size));
    size_t format = find_format(unpacked, unpacked_size);
    Result result = format < FORMAT_COUNT && formats[format].parse == parse_gzip
                        ? result_error(RESULT_USAGE, "%s: is packed twice", path)
                        : parse(path, unpacked, unpacked_size, out);
    memory_free(unpacked);
    return result;
}

Result particle_file_parse(const char *path, const char *bytes, size_t size, ParticleFile *out)
{
    *out = (ParticleFile){0};
    TRY(parse(path, bytes, size, out));
    return check_finite(path, out);
}

Result particle_file_read(const char *path, ParticleFile *out)
{
    *out = (ParticleFile){0};
    char *bytes;
    size_t size;
    TRY(cursor_read_file(path, particle_file_is_text(path) ? NULL : recognize, &bytes, &size));
    Result result = particle_file_parse(path, bytes, size, out);
    memory_free(bytes);
    return result;
}

void particle_file_free(ParticleFile *file)
{
    for (int k = 0; k < 6; k++) memory_free(file->stream[k]);
    *file = (ParticleFile){0};
}
