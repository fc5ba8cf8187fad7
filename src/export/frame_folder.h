// The folder that the frames of a run are in, and the names of its files.
#ifndef PBF_EXPORT_FRAME_FOLDER_H
#define PBF_EXPORT_FRAME_FOLDER_H

#include "core/result.h"

#include <limits.h>
#include <stdint.h>

#define FRAME_NAME_BYTES 40

// Creates the folder and those above it, and proves that files can be written there; after an error
// those that it created are gone again. Errors: RESULT_USAGE where the path is too long or that of a file,
// RESULT_FAILED.
Result frame_folder_make(const char *path);

// Locks a folder for one run, until it is unlocked or the process ends, however it does. Error:
// RESULT_FAILED if another run has it.
Result frame_folder_lock(const char *folder, int *lock);
void frame_folder_unlock(int lock); // -1 is allowed

// FOLDER/NAME. name is at most 39 bytes long, folder one that frame_folder_make took.
void frame_folder_path(const char *folder, const char *name, char path[PATH_MAX]);

// FOLDER/frame_0012.png
void frame_folder_picture(const char *folder, uint32_t frame, char path[PATH_MAX]);

#endif
