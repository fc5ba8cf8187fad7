/* pbf.h: position based fluids, neighbor searches, surfaces of particles and pictures of them, as a library.
 *
 * C99 or later, or C++. Link with `pkg-config --cflags --libs pbf`. This header has what moves, pbf_output.h,
 * which it includes, what leaves: pictures and files.
 *
 *   Contents
 *     1  First steps           6  Particles
 *     2  Rules of all calls    7  Bodies
 *     3  Contexts              8  Stored states
 *     4  Scenes                9  Surfaces
 *     5  Simulations          10  Neighbor searches
 *                             11  Measurements
 *   and in pbf_output.h:
 *    12  Pictures             16  Slices
 *    13  Files                17  Sequences of files
 *    14  Frames of a run      18  Whitewater of stored particles
 *    15  Comparisons
 *
 *   1  First steps
 *
 *     #include <pbf.h>
 *     #include <stdio.h>
 *
 *     int main(void)
 *     {
 *         static const char text[] = "spacing: 0.05\n"
 *                                    "tank: {size: [2, 1, 1]}\n"
 *                                    "water: [{box: {min: [0, 0, 0], max: [0.5, 1, 0.8]}}]\n";
 *         pbf_scene *scene = NULL;
 *         pbf_sim *sim = NULL;
 *         size_t bytes = sizeof text - 1;
 *         pbf_result result = pbf_scene_parse(NULL, "hello", text, bytes, NULL, 0, NULL, 0, &scene);
 *         if (result.code == PBF_OK) result = pbf_sim_create(scene, &sim);
 *         if (result.code == PBF_OK) result = pbf_sim_advance(sim, 0.5, NULL, NULL);
 *         if (result.code != PBF_OK) fprintf(stderr, "%s\n", result.text);
 *         printf("%016llx\n", (unsigned long long)pbf_sim_hash(sim));
 *         pbf_sim_destroy(sim);
 *         pbf_scene_destroy(scene);
 *         return result.code != PBF_OK;
 *     }
 *
 * The folder `examples` beside this header has this one, one that makes a mesh of points of its own, and one
 * that moves a body and reads the water's force on it.
 *
 *   2  Rules of all calls
 *
 * Units are SI; angles of scenes are degrees; z is up. Positions are scene coordinates, but for the arrays of
 * pbf_sim_field, which are relative to pbf_info.origin.
 *
 * Errors are values: a function that can fail returns a pbf_result, whose text is one line that a user can
 * act on. Nothing is printed, no call ends the process or depends on the locale. After an error everything is
 * as it was before the call, and what was to be made is NULL; the exceptions are a step that diverges
 * (pbf_sim_step) and calls of many steps, which keep those that were done (pbf_sim_advance, pbf_pair_step,
 * pbf_foam_add). Arguments are checked: NULL, NaN and numbers out of range are PBF_USAGE.
 *
 * Handles (pbf_scene *, ...) are made by a function that ends in _create, _load, _parse, _find or the name of
 * what it makes, and freed by the _destroy of their type, which takes NULL, too. A handle keeps what it was
 * made from: a scene may be destroyed before its simulations, a context before its scenes.
 *
 * Different handles may be used by different threads at once, also if they belong to one scene or context;
 * one handle is used by one thread at a time. Results do not depend on threads: the same calls give the same
 * bits.
 *
 * Structs that begin with `size` are to be set to { sizeof the struct } first, so that later versions can add
 * to them. Structs that are only filled by the library have room to grow.
 */
#ifndef PBF_H
#define PBF_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define PBF_API __attribute__((visibility("default")))
#else
#define PBF_API
#endif

/* "0.1.0": of the library that runs. */
PBF_API const char *pbf_version(void);

/* For a process that is asked to end: 1: from now on its photographs (output.style: photo) end soon with
 * PBF_STOPPED, also one that is in the making; 0: no longer. Any thread may call it, and a signal handler. */
PBF_API void pbf_stop(int stop);

typedef enum pbf_code {
    PBF_OK,
    PBF_USAGE,     /* an argument, a scene or a file is wrong */
    PBF_FAILED,    /* it failed while running: diverged, no OpenGL, disk full */
    PBF_NO_MEMORY, /* may be tried again */
    PBF_STOPPED    /* a callback of the caller asked for it */
} pbf_code;

typedef struct pbf_result {
    pbf_code code;
    char text[300]; /* "" if PBF_OK */
} pbf_result;

/* --- 3  Contexts ------------------------------------------------------------------------------------------
 *
 * Where threads, memory and messages come from. NULL stands for the process's own: one team of threads, one
 * for each core that affinity and control groups allow, which all simulations without threads of their own
 * share (one loop at a time has it, others run alone meanwhile), malloc, no messages. */

typedef struct pbf_context pbf_context;

typedef enum pbf_log_level { PBF_LOG_NOTE, PBF_LOG_ERROR } pbf_log_level;

typedef struct pbf_context_def {
    size_t size;      /* sizeof(pbf_context_def) */
    uint32_t threads; /* of a loop, at most 1024: 0 shares the process's, 1 is the calling thread alone, more
                         are the context's own, or what `run` provides */
    const char *simd; /* "scalar", "plain", "avx2", "avx512", lowered to what there is; NULL: the best, or
                         that of the environment variable PBF_SIMD. Neighbor methods that make lists give the
                         same bits with each; those of cluster_grid, the default, differ by rounding */
    /* Memory of particles, meshes and all else of size, aligned to a power of two; both or none. Called from
       any thread, until the last handle of the context is destroyed. */
    void *(*allocate)(size_t bytes, size_t alignment, void *user);
    void (*release)(void *block, void *user);
    /* Runs task(k, job) once for each k < count, on any threads, and returns when all are done: the host's
       job system instead of threads of ours. Needs threads > 1. */
    void (*run)(void (*task)(uint32_t k, void *job), uint32_t count, void *job, void *user);
    void (*log)(pbf_log_level level, const char *text, void *user); /* errors that calls return, and notes */
    void *user;                                                     /* handed to all of these */
} pbf_context_def;

/* def: NULL for defaults, which share nothing but the process's threads. */
PBF_API pbf_result pbf_context_create(const pbf_context_def *def, pbf_context **out);
PBF_API void pbf_context_destroy(pbf_context *context);

/* --- 4  Scenes --------------------------------------------------------------------------------------------
 *
 * A scene says what there is: liquid, solver, tank, water, bodies, nozzles, drains, surface, camera. It is
 * the text that the program `pbf` takes, scenes/README.md describes it, and every key of it may be set by
 * itself:
 * {"solver.iterations", "5"}, {"fluid.gravity", "[0, 0, -1.6]"}, {"obstacles.0", "{sphere: {radius: 0.2}}"}.
 * One table has all keys with unit, range and default, checks them, and is listed by pbf_key. */

typedef struct pbf_scene pbf_scene;

typedef struct pbf_setting {
    const char *key, *value; /* a dotted key, and a value as in YAML */
} pbf_setting;

/* A file that a scene's text names, in memory. */
typedef struct pbf_file {
    const char *name;
    const void *data;
    size_t bytes;
} pbf_file;

/* Reads a scene file, one that comes along by its name ("dam_break"), or the scene of a checkpoint, with
 * settings on top; settings may be NULL if count is 0. Errors: PBF_USAGE "FILE:LINE:COLUMN: what is wrong
 * (what is allowed)" or "KEY: ...".
 */
PBF_API pbf_result pbf_scene_load(pbf_context *context, const char *path, const pbf_setting *settings,
                                  size_t count, pbf_scene **out);

/* Reads a scene from UTF-8 text in memory. name: what messages call it; relative names of files start at its
 * folder, if it has one. files: taken before files on disk. All is copied. */
PBF_API pbf_result pbf_scene_parse(pbf_context *context, const char *name, const char *text, size_t bytes,
                                   const pbf_file *files, size_t file_count, const pbf_setting *settings,
                                   size_t count, pbf_scene **out);

/* Sets keys: all of them, or none after an error. Simulations that were made before keep what they have. */
PBF_API pbf_result pbf_scene_set(pbf_scene *scene, const pbf_setting *settings, size_t count);

/* Writes the value of a key that is not a list of things to text, as in YAML ("0.05", "[0, 0, -9.81]"), cut
 * at `bytes` with its NUL. Error: PBF_USAGE for another key. */
PBF_API pbf_result pbf_scene_get(const pbf_scene *scene, const char *key, char *text, size_t bytes);

PBF_API void pbf_scene_destroy(pbf_scene *scene);

/* How large a scene is. */
typedef struct pbf_count {
    uint64_t particles; /* at the start */
    uint64_t emitted;   /* by nozzles, from then to the end of output.duration */
    uint64_t memory;    /* bytes that a simulation of all these takes at its peak, estimated */
    uint32_t bodies;
    double radius;  /* m, influence radius h */
    double tank[3]; /* m, edges of the tank; 0 without one */
    double reserved[6];
} pbf_count;

/* Counts what pbf_sim_create would make, without making it. */
PBF_API pbf_result pbf_scene_count(const pbf_scene *scene, pbf_count *out);

/* What is known of a key. */
typedef struct pbf_key_info {
    const char *key;
    const char *unit;   /* "" for a pure number */
    const char *help;   /* Markdown */
    char type[80];      /* "number", "[x, y, z]", "whole number", ... */
    char allowed[200];  /* "above 0, up to 1000 m", or the names that are known */
    char standard[100]; /* its value where a scene says nothing */
} pbf_key_info;

/* Fills in the k-th key that has one value, from 0; returns 0 past the last. */
PBF_API int pbf_key(uint32_t k, pbf_key_info *out);

/* --- 5  Simulations ---------------------------------------------------------------------------------------
 *
 * Position based fluids (Macklin and Mueller 2013, Algorithm 1), with what src/fluid/README.md adds. */

typedef struct pbf_sim pbf_sim;

/* What a step was like. */
typedef struct pbf_report {
    uint64_t step; /* number, from 1 */
    double time;   /* s, at its end */
    double dt;     /* s */
    uint32_t particles, iterations;
    double density_error_mean, density_error_max; /* of max(rho / rho0 - 1, 0), at the last iteration */
    double speed_max;                             /* m/s */
    double wall_ms;                               /* what it took */
    double build_ms, search_ms;                   /* part of it: structure and pairs of the neighbor search */
    uint64_t candidates, neighbors; /* sums over particles: distances tested, and those within the radius */
    uint64_t structure_bytes, cell_bytes, list_bytes; /* of the search, of its cells alone, of its pairs */
    int compact; /* 1: the search's box has too many cells for a table, those with particles are listed */
    double reserved[6];
} pbf_report;

typedef struct pbf_info {
    double time;    /* s */
    uint64_t steps; /* since the start */
    uint64_t
        version; /* another number after every change: arrays of pbf_sim_field are good as long as it holds */
    uint32_t particles, bodies;
    double spacing;       /* m, of particles at rest */
    double radius;        /* m, influence radius h */
    double rest_density;  /* kg/m^3 */
    double particle_mass; /* kg, rest_density spacing^3 */
    double origin[3];     /* m: scene position = origin + position of pbf_sim_field */
    double reserved[6];
} pbf_info;

/* Called after each step, on the calling thread. It may change particles, bodies and settings for the next
 * step; anything but 0 ends pbf_sim_advance with PBF_STOPPED. */
typedef int (*pbf_step_callback)(pbf_sim *sim, const pbf_report *report, void *user);

/* Makes the scene's fluid at time 0, filled with its water. Errors: PBF_USAGE (more than 2^31 particles),
 * PBF_NO_MEMORY (the text says how much is needed). */
PBF_API pbf_result pbf_sim_create(const pbf_scene *scene, pbf_sim **out);
PBF_API void pbf_sim_destroy(pbf_sim *sim);

/* Before the first step, which does it otherwise: gives water room that the scene places too densely, at
 * walls, in bodies or where blocks touch, by positions alone, while no time passes. What is drawn or written
 * at time 0 then moves on by its velocities. Nothing later, or twice. Errors: PBF_NO_MEMORY; PBF_FAILED where
 * positions cease to be finite. */
PBF_API pbf_result pbf_sim_settle(pbf_sim *sim);

/* One step, as long as the solver allows, at most to time `until` (s, later than now); the steps that reach
 * `until` are equally long. One nearer than 1e-4 sqrt(spacing / g) counts as reached: nothing moves, the
 * report's dt is 0, and the next step makes up for it. report may be NULL. Errors: PBF_USAGE; PBF_NO_MEMORY;
 * PBF_FAILED where the state ceases to be finite: the text names step and particle, what was there can still
 * be read, and every further step is PBF_FAILED. */
PBF_API pbf_result pbf_sim_step(pbf_sim *sim, double until, pbf_report *report);

/* pbf_sim_settle, and steps up to `until` (s, not before now). on_step may be NULL. The steps before an error
 * remain done. */
PBF_API pbf_result pbf_sim_advance(pbf_sim *sim, double until, pbf_step_callback on_step, void *user);

/* Sets keys of "fluid" and "solver" under way: all, or none after an error. */
PBF_API pbf_result pbf_sim_set(pbf_sim *sim, const pbf_setting *settings, size_t count);

PBF_API pbf_result pbf_sim_info(const pbf_sim *sim, pbf_info *out);

/* A hash of positions and velocities in order of id, as `pbf bench --json` tells it: equal hashes mean
 * bitwise equal states. 0 if memory is short or sim is NULL. */
PBF_API uint64_t pbf_sim_hash(const pbf_sim *sim);

/* --- 6  Particles -----------------------------------------------------------------------------------------
 *
 * Particles are named by ids, which never change; their places in arrays do at every step. */

typedef enum pbf_type { PBF_FLOAT, PBF_DOUBLE, PBF_UINT32 } pbf_type;

/* Vectors of the caller, wherever their components lie: number k of each is at (const char *)x + k * stride.
 * Nothing is padded or aligned. */
typedef struct pbf_points {
    const void *x, *y, *z;
    size_t stride; /* bytes from one to the next, at least those of a number */
    uint32_t count;
    pbf_type type; /* PBF_FLOAT or PBF_DOUBLE */
} pbf_points;

/* Points as they lie in float points[count][3]. */
static inline pbf_points pbf_points_of(const float *points, uint32_t count)
{
    pbf_points out = {NULL, NULL, NULL, 3 * sizeof(float), 0, PBF_FLOAT};
    out.x = points;
    out.y = points ? points + 1 : NULL;
    out.z = points ? points + 2 : NULL;
    out.count = count;
    return out;
}

/* A field: one number or vector a particle of the fluid or, where its name begins with "whitewater." or
 * "strands.", a particle of these. whitewater.class: 0 spray, 1 foam, 2 bubbles. Particles have a spin
 * (1/s) where solver.micropolar is above 0. */
typedef struct pbf_field {
    const char *name, *unit; /* "velocity", "m/s"; unit "" for a pure number */
    const char *stage;       /* what of a step it shows: "start of the forces", ... */
    pbf_type type;
    uint32_t components;  /* 1 or 3 */
    uint32_t count;       /* particles; 0 where the simulation has none of this kind */
    size_t stride;        /* bytes from one number of a component to the next */
    const void *data[3];  /* of each component: count numbers, the fluid's own memory; NULL for what is not
                             stored (pbf_sim_read works it out) */
    const char *parts[3]; /* names of the components, which pbf_sim_field takes, too: "vx", "vy", "vz" */
    uint64_t version;     /* pbf_info.version for which data is good */
} pbf_field;

/* Describes the k-th field, from 0, without data; returns 0 past the last. */
PBF_API int pbf_field_info(uint32_t k, pbf_field *out);

/* Shows a field, or a component, without copying it. The numbers are read-only and good until the next call
 * that changes the simulation (pbf_info.version). Positions are relative to pbf_info.origin. Error: PBF_USAGE
 * for another name. */
PBF_API pbf_result pbf_sim_field(const pbf_sim *sim, const char *name, pbf_field *out);

/* Writes a field of all particles to out, the components of a particle one after the other, particles
 * `stride` bytes apart (0: without gaps): float, or uint32_t for fields of that type. `bytes`: of out.
 * Positions are scene coordinates. */
PBF_API pbf_result pbf_sim_read(const pbf_sim *sim, const char *name, void *out, size_t bytes, size_t stride);

/* Adds particles; velocities (m/s, at most 1000) may be NULL for rest. Their ids are *first_id (may be NULL),
 * and the following ones. Particles nearer than a spacing to others are pushed apart. Error: PBF_USAGE for a
 * position that is not finite or behind a wall of the tank, naming the first. */
PBF_API pbf_result pbf_sim_add(pbf_sim *sim, const pbf_points *positions, const pbf_points *velocities,
                               uint32_t *first_id);

/* Removes the particles with these ids. Error: PBF_USAGE for an id that no particle has. */
PBF_API pbf_result pbf_sim_remove(pbf_sim *sim, const uint32_t *ids, uint32_t count);

/* Changes positions or velocities (either may be NULL) of the particles with these ids, or, with ids NULL, of
 * all in the order of pbf_sim_field: a force field of the caller adds dt times its acceleration to
 * velocities. Errors: as of pbf_sim_add and pbf_sim_remove. */
PBF_API pbf_result pbf_sim_change(pbf_sim *sim, const uint32_t *ids, const pbf_points *positions,
                                  const pbf_points *velocities);

/* --- 7  Bodies --------------------------------------------------------------------------------------------
 *
 * The scene's obstacles, by number. A host's physics leads them, and reads what the water does to them. */

#define PBF_TANK UINT32_MAX /* the walls of the tank, as a body */

typedef struct pbf_body {
    char name[64];
    double position[3];  /* m, of the shape's center, or of the mesh's origin */
    double rotation[4];  /* quaternion w, x, y, z, of length 1 */
    double lo[3], hi[3]; /* m, a box around it, where it is now */
    /* What the water gave it in the last pbf_sim_step or pbf_sim_advance: mean over its time, or 0 unless
       pbf_sim_measure asked for it. */
    double force[3];  /* N */
    double torque[3]; /* N m, about position; the tank's about the scene's origin */
    double reserved[6];
} pbf_body;

/* body: 0 .. pbf_info.bodies - 1, or PBF_TANK. */
PBF_API pbf_result pbf_sim_body(const pbf_sim *sim, uint32_t body, pbf_body *out);

/* From the next step on forces are measured (1) or not (0); it takes a little time and changes nothing else.
 */
PBF_API pbf_result pbf_sim_measure(pbf_sim *sim, int measured);

/* Leads a body from where it is to a pose, evenly, so that it arrives at time `arrival` (s, later than now)
 * and rests there, instead of the motion that the scene gave it. The water is swept along, and steps are as
 * short as the speed asks for. rotation: quaternion w, x, y, z, normalized by the call; NULL keeps it as it
 * is. A host calls it before each of its own steps with the pose of their end. */
PBF_API pbf_result pbf_sim_lead(pbf_sim *sim, uint32_t body, const double position[3],
                                const double rotation[4], double arrival);

/* --- 8  Stored states -------------------------------------------------------------------------------------
 *
 * The bytes are those of a checkpoint file: packed, with a checksum, the same on every machine. */

/* Stores the state, with the means that pbf_sim_watch has under way, without settings of pbf_sim_set, in a
 * new block, freed with pbf_free while the context's memory is there. */
PBF_API pbf_result pbf_sim_save(const pbf_sim *sim, void **data, size_t *bytes);

/* Goes on from a state that pbf_sim_save, or a checkpoint of `pbf`, stored of the same scene, bit for bit as
 * the stored one would have. Error: PBF_USAGE for bytes that are damaged or of another scene. */
PBF_API pbf_result pbf_sim_restore(pbf_sim *sim, const void *data, size_t bytes);

/* As pbf_sim_restore, from a checkpoint file. Errors: PBF_USAGE "FILE: what is wrong", PBF_FAILED. */
PBF_API pbf_result pbf_sim_load(pbf_sim *sim, const char *path);

/* Makes a simulation that begins with a checkpoint file, without filling in the scene's water first. Errors:
 * as of pbf_sim_load and pbf_sim_create. */
PBF_API pbf_result pbf_sim_resume(const pbf_scene *scene, const char *path, pbf_sim **out);

PBF_API void pbf_free(void *data);

/* --- 9  Surfaces ------------------------------------------------------------------------------------------
 *
 * Anisotropic kernels (Yu and Turk 2013) and marching cubes: closed, two-manifold, counter-clockwise as seen
 * from outside, the same for any number of threads. */

typedef struct pbf_mesh pbf_mesh;

/* The mesh's own memory, good until it is destroyed. */
typedef struct pbf_mesh_data {
    const float *vertices;     /* [vertex_count][3], m */
    const float *normals;      /* [vertex_count][3], unit, outward */
    const float *velocities;   /* [vertex_count][3], m/s; NULL without */
    const uint32_t *triangles; /* [triangle_count][3] */
    uint32_t vertex_count, triangle_count;
    double volume;           /* m^3, enclosed */
    double spacing;          /* m, of particles at rest: given, or estimated */
    double cell;             /* m, edge of a grid cell */
    double isovalue;         /* of the field, about 1 inside and 0 outside, at the surface */
    uint32_t pieces, blocks; /* connected surfaces, bubbles included; blocks of 8^3 grid nodes */
    double points_ms, kernels_ms, grid_ms, triangles_ms, smoothing_ms; /* what it took */
    double reserved[6];
} pbf_mesh_data;

/* Estimates the spacing at rest (m) from the distances between points: within 2 % where some have neighbors
 * all around, which *certain (may be NULL) tells as 1, else within 10 % as a rule. Error: PBF_USAGE where
 * there are fewer than two points, or all lie on each other or too far apart for numbers. */
PBF_API pbf_result pbf_spacing(pbf_context *context, const pbf_points *points, double *spacing, int *certain);

/* Makes the surface of any particles. velocities may be NULL. spacing: m, of particles at rest; 0: estimated
 * from their distances. settings: keys of "surface". No particles give an empty mesh. Errors: PBF_USAGE for a
 * point that is not finite, points so far from the origin that floats cannot tell grid cells apart, or a grid
 * too large for the memory. */
PBF_API pbf_result pbf_surface(pbf_context *context, const pbf_points *points, const pbf_points *velocities,
                               double spacing, const pbf_setting *settings, size_t count, pbf_mesh **out);

/* The surface of a simulation's water, by the settings of its scene. */
PBF_API pbf_result pbf_sim_surface(const pbf_sim *sim, pbf_mesh **out);

PBF_API pbf_result pbf_mesh_get(const pbf_mesh *mesh, pbf_mesh_data *out);
PBF_API void pbf_mesh_destroy(pbf_mesh *mesh);

/* --- 10  Neighbor searches --------------------------------------------------------------------------------
 *
 * All pairs with dx^2 + dy^2 + dz^2 <= radius^2, in floats. Every method gives the same lists, bit for bit.
 */

typedef struct pbf_search pbf_search;

/* Compressed rows: the neighbors of point i are index[begin[i]] .. index[begin[i] + length[i] - 1]; a point
 * is not its own neighbor. Rows lie in any order, with gaps. */
typedef struct pbf_rows {
    const uint64_t *begin;
    const uint32_t *length, *index;
    uint32_t rows;
    uint64_t neighbors;  /* sum of length */
    uint64_t candidates; /* points whose distance was tested */
    double build_ms, search_ms;
    double reserved[4];
} pbf_rows;

/* The name of the k-th method, from 0; NULL past the last. */
PBF_API const char *pbf_method(uint32_t k);

/* method: NULL for the fastest, "uniform_grid". radius: m, 1e-18 to 1e18. */
PBF_API pbf_result pbf_search_create(pbf_context *context, const char *method, double radius,
                                     pbf_search **out);

/* Finds the neighbors of all points, which are copied. The rows are the search's own memory, good until it is
 * run again or destroyed; memory is kept from run to run. */
PBF_API pbf_result pbf_search_run(pbf_search *search, const pbf_points *points, pbf_rows *out);
PBF_API void pbf_search_destroy(pbf_search *search);

/* --- 11  Measurements -------------------------------------------------------------------------------------
 *
 * The columns of `pbf run --log`, which `pbf help log` lists: time, energies, momenta, volume, density errors
 * of the whole, and what the scene's `probes` measure, levels, pressures, velocities, fluxes, forces. */

/* Begins to measure from the present state on (1), or ends it (0); no effect where that is so already. Steps
 * of a scene with probes take a little longer. If memory for a probe is short after a step, the step remains
 * done. After pbf_sim_restore, _load or _resume the means go on that the stored state had under way. */
PBF_API pbf_result pbf_sim_watch(pbf_sim *sim, int watched);

typedef struct pbf_column {
    const char *name; /* "kinetic_energy", "gauge_level"; good while the simulation is watched */
    const char *unit; /* "J"; "" for a pure number */
    double reserved[4];
} pbf_column;

/* Describes the k-th column, from 0; returns 0 past the last, or where nothing is measured. */
PBF_API int pbf_sim_column(const pbf_sim *sim, uint32_t k, pbf_column *out);

/* Writes a row, a number for each of the `count` columns: of the present state, and means and fluxes since
 * the row before, which start anew. NaN: no water where the probe is. Errors: PBF_USAGE for another count, or
 * where nothing is measured. */
PBF_API pbf_result pbf_sim_row(pbf_sim *sim, double *out, uint32_t count);

#ifdef __cplusplus
}
#endif

#include "pbf_output.h"

#endif
