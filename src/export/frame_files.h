// Files of each frame in a run's folder: particles, whitewater, surfaces, strands and obstacles, and their
// time series.
#ifndef PBF_EXPORT_FRAME_FILES_H
#define PBF_EXPORT_FRAME_FILES_H

#include "export/export.h"
#include "export/frame_folder.h"

#define FRAME_FORMATS_MAX 32

typedef struct FrameFiles {
    const char *folder;
    uint32_t format[FRAME_FORMATS_MAX]; // numbers of file_format, each once
    uint32_t count;
    UpAxis up;
    // the files of obstacles that were written last
    bool written;
    uint64_t hash;
    uint32_t frame;
} FrameFiles;

// Are there formats of that kind among them?
bool frame_files_need(const FrameFiles *files, GeometryKind kind);

// Writes those of a frame. mesh: in scene coordinates, with velocities; NULL if none is needed. Files of
// obstacles that stand as in the frame before are links to that frame's.
Result frame_files_write(FrameFiles *files, uint32_t frame, const FrameView *view, const SurfaceMesh *mesh);

// What a frame has besides.
typedef struct FramePictures {
    bool wanted;            // frame_0000.png, ...
    uint32_t width, height; // pixels; 0: they need not be read to the end
} FramePictures;

// Looks for a file of the frames `first` to `end` - 1 that is missing or not complete (export/whole_file.h).
// Where one is *found, frame and path say which is the first. Error: RESULT_NO_MEMORY.
Result frame_files_find_missing(const FrameFiles *files, FramePictures pictures, uint32_t first, uint32_t end,
                                bool *found, uint32_t *frame, char path[PATH_MAX]);

// Writes the time series of the formats that have one. times: s, of frames 0 to count - 1.
Result frame_files_write_series(const FrameFiles *files, const double *times, uint32_t count);

#endif
