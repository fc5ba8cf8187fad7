// The files in a run's output folder: particles, meshes and obstacles of each frame, and their time series.
#ifndef PBF_COMMAND_FRAME_FILES_H
#define PBF_COMMAND_FRAME_FILES_H

#include "command/options.h"
#include "export/export.h"

#include <limits.h>

// Creates the folder and those above it, and proves that files can be written there. Errors: RESULT_USAGE,
// RESULT_FAILED.
Result frame_files_make_folder(const char *path);

// Locks a folder for one run, until it is unlocked or the process ends, however it does. Error:
// RESULT_FAILED if another run has it.
Result frame_files_lock(const char *folder, int *lock);
void frame_files_unlock(int lock); // -1 is allowed

// FOLDER/NAME. name is at most 39 bytes long, folder one that frame_files_make_folder took.
void frame_files_path(const char *folder, const char *name, char path[PATH_MAX]);

// FOLDER/frame_0012.png
void frame_files_picture(const char *folder, uint32_t frame, char path[PATH_MAX]);

// Does --export ask for files of that kind?
bool frame_files_need(const Options *options, GeometryKind kind);

// The files of obstacles that were written last.
typedef struct ObstacleFiles {
    bool written;
    uint64_t hash;
    uint32_t frame;
} ObstacleFiles;

// Writes what --export asks for. mesh: in scene coordinates, with velocities; NULL if none is needed. Files
// of obstacles that stand as in the frame before are links to that frame's.
Result frame_files_write(const Options *options, uint32_t frame, const FrameView *view,
                         const SurfaceMesh *mesh, ObstacleFiles *last);

// Looks for a file of the frames `first` to `end` - 1 that is missing or not complete (export/whole_file.h);
// pictures that a film begins with are read to the end. Where one is *found, frame and path say which is the
// first. Error: RESULT_NO_MEMORY.
Result frame_files_find_missing(const Options *options, const OutputDef *output, uint32_t first, uint32_t end,
                                bool *found, uint32_t *frame, char path[PATH_MAX]);

// Writes the time series of the formats that have one. times: s, of frames 0 to count - 1.
Result frame_files_write_series(const Options *options, const double *times, uint32_t count);

#endif
