// Reads particles from files, of this program and of others.
#ifndef PBF_EXPORT_PARTICLE_FILE_H
#define PBF_EXPORT_PARTICLE_FILE_H

#include "core/result.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct ParticleFile {
    union {
        struct {
            float *x, *y, *z;    // m
            float *vx, *vy, *vz; // m/s, NULL if the file has none
        };
        float *stream[6];
    };
    uint32_t count;
    uint64_t faces;    // of a mesh, whose vertices these are; 0 of particles
    double spacing;    // m, 0 if the file does not say
    bool timed;        // the file says its time
    double time;       // s
    char velocity[32]; // what the file calls the velocities, "" if it has none
} ParticleFile;

// Reads a .ply file (text, binary of either byte order), a legacy .vtk file (text, binary, versions to 5.1;
// POLYDATA or UNSTRUCTURED_GRID), an XML .vtp or .vtu file (arrays as text, base64 or raw, packed with zlib
// or not, in one piece or several), a .bgeo file (Houdini's classic format, which Partio writes) or a
// checkpoint, told apart by how they begin, each also packed with gzip; a .csv or .xyz file, told by its
// name: a table with names of columns in a line before it, or with positions first, or binary floats.
// particle_names.h says what velocities may be called. Errors: RESULT_USAGE if it cannot be opened or is
// wrong ("FILE: what is wrong"), RESULT_FAILED if reading breaks off, RESULT_NO_MEMORY. Free with
// particle_file_free, also after an error.
Result particle_file_read(const char *path, ParticleFile *out);
void particle_file_free(ParticleFile *file);

// particle_file_read from a file's bytes, with a NUL behind them; path is for messages and the suffix.
Result particle_file_parse(const char *path, const char *bytes, size_t size, ParticleFile *out);

// The readers, on a file's bytes with a NUL behind them; path is for messages.
Result particle_file_parse_ply(const char *path, const char *bytes, size_t size, ParticleFile *out);
Result particle_file_parse_vtk(const char *path, const char *bytes, size_t size, ParticleFile *out);
Result particle_file_parse_vtp(const char *path, const char *bytes, size_t size, ParticleFile *out);
Result particle_file_parse_bgeo(const char *path, const char *bytes, size_t size, ParticleFile *out);
Result particle_file_parse_text(const char *path, const char *bytes, size_t size, ParticleFile *out);

// Is a file of that name read as text, however it begins?
bool particle_file_is_text(const char *path);

// Makes room for count particles, for the readers. Error: RESULT_NO_MEMORY.
Result particle_file_allocate(ParticleFile *file, uint64_t count, bool with_velocity);

// Takes time and spacing from a comment of our own files: "pbf particles, time 0.5 s, spacing 0.05 m".
void particle_file_take_title(ParticleFile *file, const char *line);

// Take what a file says, unless it makes no sense.
void particle_file_take_spacing(ParticleFile *file, double meters);
void particle_file_take_time(ParticleFile *file, double seconds);

// Keeps what the file calls the velocities.
void particle_file_name_velocity(ParticleFile *file, const char *name, size_t length);

#endif
