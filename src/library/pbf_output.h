/* pbf_output.h: pictures and files, a part of pbf.h, which includes it and has the rules of all calls. */
#ifndef PBF_OUTPUT_H
#define PBF_OUTPUT_H

#include "pbf.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- 12  Pictures -----------------------------------------------------------------------------------------
 *
 * As `pbf render` draws them, by OpenGL without a display: a graphics card or Mesa's software. Drawing
 * happens on a thread of its own, so that OpenGL contexts of the host are left alone; one picture is drawn at
 * a time. */

typedef struct pbf_picture pbf_picture;

/* By the keys "output" and "camera" of the scene with settings on top, as {"output.style", "surface"},
 * {"output.size", "[640, 360]"}. Error: PBF_FAILED where there is no OpenGL 3.3. */
PBF_API pbf_result pbf_picture_create(const pbf_scene *scene, const pbf_setting *settings, size_t count,
                                      pbf_picture **out);

/* Width and height in pixels. */
PBF_API pbf_result pbf_picture_size(const pbf_picture *picture, uint32_t *width, uint32_t *height);

/* Draws the simulation as it is now to pixels of four bytes, red, green, blue (sRGB) and 255, the top row
 * first, rows `row_bytes` apart (0: without gaps). `bytes`: of rgba. Automatic ranges of colors follow the
 * pictures that were drawn before. */
PBF_API pbf_result pbf_picture_draw(pbf_picture *picture, const pbf_sim *sim, void *rgba, size_t bytes,
                                    size_t row_bytes);

/* Draws boxes of the scene's neighbor search over the particles of all further pictures (1), or not (0). */
PBF_API pbf_result pbf_picture_cells(pbf_picture *picture, int shown);

/* Told how far a picture of the style "photo" is, after each round of samples, on a thread of the library,
 * while pbf_picture_draw waits. noise: a share. Anything but 0 ends the picture with PBF_STOPPED. */
typedef int (*pbf_samples_callback)(uint32_t samples, uint32_t of, double noise, void *user);

/* on_samples: NULL for none. */
PBF_API pbf_result pbf_picture_watch(pbf_picture *picture, pbf_samples_callback on_samples, void *user);

/* What pictures carry from one to the next: the range of colors, and what an automatic camera frames. Another
 * picture of the same settings goes on with it as this one would have; checkpoints of `pbf` hold it, too. */
#define PBF_PICTURE_NUMBERS 11
PBF_API pbf_result pbf_picture_memory(const pbf_picture *picture, double out[PBF_PICTURE_NUMBERS]);
/* Error: PBF_USAGE for numbers that are not finite. */
PBF_API pbf_result pbf_picture_remember(pbf_picture *picture, const double memory[PBF_PICTURE_NUMBERS]);

PBF_API void pbf_picture_destroy(pbf_picture *picture);

/* Writes pixels, as pbf_picture_draw makes them, as a PNG file, without their fourth bytes. Sizes are 1 to
 * 16384 here and of films. Errors: PBF_USAGE; PBF_FAILED naming the file and the system's reason. */
PBF_API pbf_result pbf_image_write(pbf_context *context, const char *path, uint32_t width, uint32_t height,
                                   const void *rgba, size_t bytes, size_t row_bytes);

typedef struct pbf_film pbf_film;

/* Begins a film of such pixels: H.264 in MP4, by the program ffmpeg. fps: pictures a second, above 0. Error:
 * PBF_FAILED without ffmpeg, or where the file cannot be written. */
PBF_API pbf_result pbf_film_create(pbf_context *context, const char *path, uint32_t width, uint32_t height,
                                   double fps, pbf_film **out);
PBF_API pbf_result pbf_film_add(pbf_film *film, const void *rgba, size_t bytes, size_t row_bytes);

/* Ends the film and gives it its name; there can be no further pictures. Error: PBF_FAILED, also for a film
 * of no pictures. */
PBF_API pbf_result pbf_film_finish(pbf_film *film);
PBF_API void pbf_film_destroy(pbf_film *film); /* one that is not finished is removed */

/* --- 13  Files --------------------------------------------------------------------------------------------
 *
 * Particles of other programs, and what other programs read. A file appears under its name when it is
 * complete; an older one of that name stays as it was if writing fails. */

typedef struct pbf_cloud pbf_cloud;

/* The cloud's own memory, good until it is destroyed: floats in arrays, which pbf_surface takes without a
 * copy. */
typedef struct pbf_cloud_data {
    pbf_points positions;      /* m */
    pbf_points velocities;     /* m/s; a count of 0 if the file has none */
    double spacing;            /* m, of particles at rest; 0 if the file does not say */
    double time;               /* s; NaN if the file does not say */
    uint64_t faces;            /* of a mesh, whose vertices these are; 0 of particles */
    const char *velocity_name; /* what the file calls the velocities, "" without */
    double reserved[6];
} pbf_cloud_data;

/* Reads particles of a file: PLY, VTK (.vtk, .vtp, .vtu), Houdini's classic .bgeo, tables (.csv, .xyz), a
 * checkpoint; each may be packed with gzip. Errors: PBF_USAGE "FILE: what is wrong", PBF_FAILED. */
PBF_API pbf_result pbf_cloud_load(pbf_context *context, const char *path, pbf_cloud **out);
PBF_API pbf_result pbf_cloud_get(const pbf_cloud *cloud, pbf_cloud_data *out);
PBF_API void pbf_cloud_destroy(pbf_cloud *cloud);

/* Writes a mesh as .ply, .obj, .vtk, .vtp, .usda or, where libpbf-vdb.so is, .vdb, which its name tells. up:
 * the axis that points up in the file, "y" or "z"; NULL: what programs expect of the format. time: s, that
 * the file tells; NaN: that of the simulation, if it is of one. Errors: PBF_USAGE; PBF_FAILED naming the file
 * and the system's reason. */
PBF_API pbf_result pbf_mesh_write(const pbf_mesh *mesh, const char *path, const char *up, double time);

/* Tells, before minutes of work, whether a mesh can be written as a file of that name; leaves nothing behind.
 * Errors: as of pbf_mesh_write. */
PBF_API pbf_result pbf_mesh_probe(pbf_context *context, const char *path);

/* The name of the k-th format of pbf_sim_write, from 0; NULL past the last. Those of the option --export of
 * `pbf` that show one frame: "ply", "bgeo", "mesh_obj", "obstacles_usda", "diffuse_vtp", ... */
PBF_API const char *pbf_format(uint32_t k);

/* Writes the simulation's particles, surface, bodies, strands or whitewater as they are now. up, errors: as
 * of pbf_mesh_write; PBF_USAGE also for strands or whitewater of a scene that has none. */
PBF_API pbf_result pbf_sim_write(const pbf_sim *sim, const char *format, const char *path, const char *up);

/* --- 14  Frames of a run ----------------------------------------------------------------------------------
 *
 * What `pbf render --export ...` makes of each frame: a picture, another second of a film, and files of
 * particles, surface, bodies, strands and whitewater, which share one surface. */

typedef struct pbf_frames pbf_frames;

typedef struct pbf_frames_def {
    size_t size;                /* sizeof(pbf_frames_def) */
    const char *folder;         /* of all but the film; made if it is missing, and locked, so that one run
                                   writes to it; NULL: none */
    const char *film;           /* an MP4 file, by the program ffmpeg; NULL: none */
    const char *const *formats; /* of files, those of `pbf help render`: pbf_format, "usda", "abc" */
    uint32_t format_count;      /* at most 32 */
    uint32_t first;             /* frames before it are in the folder: a film begins with their pictures */
    const char *up;             /* as of pbf_mesh_write */
    int no_pictures;            /* 1: files alone, which need no OpenGL */
    int cells;                  /* 1: as of pbf_picture_cells */
    pbf_samples_callback on_samples; /* as of pbf_picture_watch */
    void *user;
} pbf_frames_def;

/* Opens all that is needed, so that what can fail does so before an hour of simulation. Pictures, surfaces
 * and seconds a frame are those of the scene. Errors: PBF_USAGE, as for a format of whitewater of a scene
 * that has none; PBF_FAILED: no OpenGL, no ffmpeg, a folder that cannot be written or that another run
 * has. */
PBF_API pbf_result pbf_frames_create(const pbf_scene *scene, const pbf_frames_def *def, pbf_frames **out);

/* Draws and writes frame number `frame`, up to 999999; they come in order, some may be left out. */
PBF_API pbf_result pbf_frames_add(pbf_frames *frames, uint32_t frame, const pbf_sim *sim);

/* The picture that frames are drawn by, which lives as long as they do; NULL without pictures. */
PBF_API pbf_picture *pbf_frames_picture(const pbf_frames *frames);

/* Completes the film, the time series and the files that play with the frames so far; there can be no
 * further ones. */
PBF_API pbf_result pbf_frames_finish(pbf_frames *frames);

/* A film that is not finished is removed. */
PBF_API void pbf_frames_destroy(pbf_frames *frames);

/* Looks in def->folder for the first of the frames begin .. end - 1 that lacks a file, or has one that is not
 * complete, of those that pbf_frames_create with def would have made; pictures of a film are read to the end.
 * *frame: its number, `end` where nothing is missing; path: the file's, cut at `bytes` with its NUL. */
PBF_API pbf_result pbf_frames_missing(const pbf_scene *scene, const pbf_frames_def *def, uint32_t begin,
                                      uint32_t end, uint32_t *frame, char *path, size_t bytes);

/* --- 15  Comparisons --------------------------------------------------------------------------------------
 *
 * Two simulations of one scene that differ in settings, as the neighbor search or the iterations: stepped
 * side by side in turn, so that what else the machine does hits both alike. Each takes the steps that its own
 * settings ask for; where both are at the same time they meet, and what they did from one meeting to the next
 * is a round. */

typedef struct pbf_pair pbf_pair;

/* The k-th part of a step that takes time of its own, "reorder", "construction", ...; NULL past the last. */
PBF_API const char *pbf_phase(uint32_t k);
#define PBF_PHASE_NUMBERS 8

/* What steps of one side cost. */
typedef struct pbf_cost {
    uint32_t steps, particles;                    /* particles: at the end */
    double build_ms, search_ms, rest_ms, wall_ms; /* neighbor search: structure and pairs; the rest; all */
    double phase_ms[PBF_PHASE_NUMBERS];           /* the same time by pbf_phase */
    uint64_t candidates, neighbors;               /* sums over particles and steps */
    uint64_t structure_bytes, list_bytes;         /* of the search, at their largest */
    double reserved[4];
} pbf_cost;

/* How far two states are apart. */
typedef struct pbf_difference {
    int identical;       /* 1: the same particles, and every bit of their positions and velocities */
    uint32_t differing;  /* particles of both whose position or velocity differs */
    uint32_t only[2];    /* particles that only the first or only the second has */
    uint32_t particle;   /* id of the one whose positions are furthest apart, or else its velocities;
                            UINT32_MAX if none differs */
    double distance;     /* m, between its positions */
    double velocity;     /* m/s, length of the difference of its velocities */
    double distance_rms; /* m, root mean square over the particles that both have */
    double reserved[4];
} pbf_difference;

/* What the second side needs beside the first, over the last rounds, at most 100: ratio - 1 of their times,
 * -0.2 is a fifth less. Of 1000 such medians 999 lie within low and high (a sign test). */
typedef struct pbf_change {
    uint32_t pairs; /* of rounds; fewer than 10 tell nothing */
    double median, low, high;
} pbf_change;

typedef struct pbf_pair_data {
    double time;                 /* s, of the last meeting */
    uint64_t round;              /* number of the last round, from 1; 0 before any */
    double start, end;           /* s, of it */
    pbf_cost round_cost[2];      /* of both sides in it */
    double round_spared;         /* share of the time of build and search that the second side spared in it */
    pbf_difference difference;   /* at its end */
    pbf_cost cost[2];            /* of all rounds */
    double spared, spared_whole; /* of build and search, and of all, in all rounds */
    pbf_change search, whole;    /* build and search; all */
    int about_search;            /* 1: they differ in the search alone, whose time is then what matters */
    int parted;                  /* 1: the states were different at some meeting */
    int rounding;                /* 1: at first by rounding alone, as one side sums pairs in another order */
    uint64_t parting_step;       /* of the first side, at the first such meeting */
    double parting_time;         /* s */
    pbf_difference parting, largest;
    double largest_time; /* s */
    double reserved[6];
} pbf_pair_data;

/* Makes both, in the context of the first, at time 0 or as a checkpoint file of either scene has them; path:
 * NULL for none. Errors: as of pbf_sim_create and pbf_sim_resume; PBF_NO_MEMORY where one alone would fit. */
PBF_API pbf_result pbf_pair_create(const pbf_scene *first, const pbf_scene *second, const char *path,
                                   pbf_pair **out);

/* One step of the side that is behind, of both if they are level. until: s, later than pbf_pair_data.time,
 * and the same until it is reached. *met (may be NULL): 1 if a round is complete. Errors: as of
 * pbf_sim_step, naming the side; what was done of the round remains. */
PBF_API pbf_result pbf_pair_step(pbf_pair *pair, double until, int *met);
PBF_API pbf_result pbf_pair_get(const pbf_pair *pair, pbf_pair_data *out);

/* A side, 0 or 1, to be read and drawn; it lives as long as the pair. NULL for another number. */
PBF_API const pbf_sim *pbf_pair_sim(const pbf_pair *pair, uint32_t side);
PBF_API void pbf_pair_destroy(pbf_pair *pair);

typedef struct pbf_sheet pbf_sheet;

/* Sheets as `pbf compare` draws them: both sides, with their titles and what they cost. Size, style and
 * camera are those of the first scene; cells: as of pbf_picture_cells. Errors: as of pbf_picture_create. */
PBF_API pbf_result pbf_sheet_create(const pbf_scene *first, const pbf_scene *second, const char *first_title,
                                    const char *second_title, int cells, pbf_sheet **out);
PBF_API pbf_result pbf_sheet_size(const pbf_sheet *sheet, uint32_t *width, uint32_t *height);

/* As pbf_picture_draw. */
PBF_API pbf_result pbf_sheet_draw(pbf_sheet *sheet, const pbf_pair *pair, void *rgba, size_t bytes,
                                  size_t row_bytes);
PBF_API void pbf_sheet_destroy(pbf_sheet *sheet);

/* --- 16  Slices -------------------------------------------------------------------------------------------
 *
 * A plane through particles: a field on a regular grid of nodes, the water's border, where the particles'
 * volumes, spread over round kernels, fill half of space, and lines of equal values. */

typedef struct pbf_slice pbf_slice;

typedef struct pbf_slice_def {
    size_t size;      /* sizeof(pbf_slice_def) */
    double point[3];  /* m, of the plane */
    double normal[3]; /* of any length but 0 */
    double spacing;   /* m, of particles at rest; 0: estimated from their distances */
    double cell;      /* spacings, edge of a grid cell; 0: 0.5 */
    double sector; /* degrees, 0 to 180; 0: off. Particles reach only what lies within half of this angle of
                      their velocity (Kim and Lee 2025), which it needs */
    const char *field; /* pbf_slice_field; NULL: "density"; all others need velocities */
    uint32_t contours; /* about so many lines of equal values; 0: none */
    double time;       /* s, that the title tells; NaN: none */
} pbf_slice_def;

/* The slice's own memory, good until it is destroyed. */
typedef struct pbf_slice_data {
    const float *values;    /* [rows][columns], of the field; 0 where no particle reaches */
    const float *fractions; /* [rows][columns], of space that water fills: 1 inside, at rest */
    uint32_t columns, rows;
    uint32_t particles;                 /* within reach of the plane; 0: without a grid */
    uint32_t lines;                     /* closed ones, of the border */
    double cell, spacing;               /* m */
    double origin[3];                   /* m, of the first node */
    double across[3], up[3], normal[3]; /* unit: from column to column, from row to row, and of the plane */
    double least, most;                 /* of the field in water */
    double tick;                        /* between contours; 0: there are none */
    double area, length;                /* m^2, m: inside of the border, and of it */
    const char *field, *unit;
    double reserved[6];
} pbf_slice_data;

/* The k-th field of slices, from 0: "density", "speed", ...; NULL past the last. */
PBF_API const char *pbf_slice_field(uint32_t k);

/* velocities may be NULL for the density without a sector. Errors: PBF_USAGE for a point that is not finite,
 * a grid that is too large, particles without the velocities that the field or the sector needs. */
PBF_API pbf_result pbf_slice_create(pbf_context *context, const pbf_points *points,
                                    const pbf_points *velocities, const pbf_slice_def *def, pbf_slice **out);
PBF_API pbf_result pbf_slice_get(const pbf_slice *slice, pbf_slice_data *out);

/* Writes it as .svg (lines), .png (field in colors, lines) or .vtp (grid and lines in space, for ParaView),
 * which the path tells. Errors: PBF_USAGE, also for a plane that no particle is near; PBF_FAILED naming the
 * file. */
PBF_API pbf_result pbf_slice_write(const pbf_slice *slice, const char *path);
PBF_API void pbf_slice_destroy(pbf_slice *slice);

/* --- 17  Sequences of files -------------------------------------------------------------------------------
 *
 * Files of particles that show one run, in, and indices by which programs play files, out. */

typedef struct pbf_sequence pbf_sequence;

typedef struct pbf_sequence_file {
    const char *path;
    uint64_t number; /* in its name, or its place where names do not tell the files apart */
    double time;     /* s, that the index tells; NaN without one */
    double reserved[4];
} pbf_sequence_file;

/* The sequence's own memory, good until it is destroyed. */
typedef struct pbf_sequence_data {
    const pbf_sequence_file *files; /* in the order of their numbers, or of the index */
    uint32_t count;
    int alone; /* 1: a single file, that was named as it is */
    double reserved[6];
} pbf_sequence_data;

/* Finds files. Each of the paths is a file, which is not looked at; a pattern of the shell, or one whose last
 * part has {} for a number ("splash_{}.bgeo"); a folder, which has one sequence of particles; or, alone, an
 * index (.pvd, .series). Errors: PBF_USAGE where there are no files, or several sequences to choose from. */
PBF_API pbf_result pbf_sequence_find(pbf_context *context, const char *const *paths, uint32_t count,
                                     pbf_sequence **out);
PBF_API pbf_result pbf_sequence_get(const pbf_sequence *sequence, pbf_sequence_data *out);
PBF_API void pbf_sequence_destroy(pbf_sequence *sequence);

/* Writes an index of files, whose names are relative to its own folder, and of the times (s) at which they
 * are shown. Its name tells the kind: .pvd, of .vtp files, and .series, of any others, for ParaView; .usda, a
 * stage of .usda meshes at equal distances in time. up, errors: as of pbf_mesh_write. */
PBF_API pbf_result pbf_index_write(pbf_context *context, const char *path, const char *const *files,
                                   const double *times, uint32_t count, const char *up);

/* --- 18  Whitewater of stored particles -------------------------------------------------------------------
 *
 * Spray, foam and bubbles (Ihmsen and others 2012) of particles that a run or another program has stored, as
 * `pbf foam` makes them. Simulations make their own where the scene has a section `whitewater`. */

typedef struct pbf_foam pbf_foam;

typedef struct pbf_foam_data {
    double time;                   /* s, of the last particles; NaN before any */
    double spacing;                /* m, of particles at rest; 0 until it is estimated */
    double speed;                  /* m/s, that thresholds are measured in: whitewater.speed, or else of a
                                      fall through the height of the first particles, 0 before these */
    uint64_t steps;                /* of the whitewater, since the start */
    uint32_t particles;            /* of whitewater */
    uint32_t spray, foam, bubbles; /* of these, by class */
    double reserved[6];
} pbf_foam_data;

/* spacing: m, of particles at rest; 0: estimated from the first that come. settings: keys of "whitewater" and
 * "tank", which says where walls are, and "fluid.gravity". */
PBF_API pbf_result pbf_foam_create(pbf_context *context, double spacing, const pbf_setting *settings,
                                   size_t count, pbf_foam **out);

/* Leads the whitewater on to the particles of a time (s, later than the one before); there may be none of
 * them. In between the water is taken to move straight on, in steps in which it moves at most 0.4 influence
 * radii, no more than 16. Errors: PBF_USAGE, as of pbf_surface, and for particles that would move further than
 * 50 influence radii in the shortest step of a simulation; PBF_FAILED for particles that are too far apart; the
 * steps before an error remain done, and the same call goes on from there. */
PBF_API pbf_result pbf_foam_add(pbf_foam *foam, const pbf_points *positions, const pbf_points *velocities,
                                double time);
PBF_API pbf_result pbf_foam_get(const pbf_foam *foam, pbf_foam_data *out);

/* As pbf_sim_read, a field of the whitewater: "whitewater.position", "whitewater.class", ... */
PBF_API pbf_result pbf_foam_read(const pbf_foam *foam, const char *name, void *out, size_t bytes,
                                 size_t stride);

/* Writes it as .ply or .vtp, which the path tells. up, errors: as of pbf_mesh_write. */
PBF_API pbf_result pbf_foam_write(const pbf_foam *foam, const char *path, const char *up);
PBF_API void pbf_foam_destroy(pbf_foam *foam);

#ifdef __cplusplus
}
#endif

#endif
