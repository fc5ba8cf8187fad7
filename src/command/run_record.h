// run.yaml, the record in an output folder of what made the frames there, so that two runs are never mixed in
// one folder. People can read it; pbf reads back what it wrote.
#ifndef PBF_COMMAND_RUN_RECORD_H
#define PBF_COMMAND_RUN_RECORD_H

#include "command/options.h"

#define RUN_RECORD_NAME "run.yaml"

typedef enum FolderState {
    FOLDER_FREE, // no frames, or they may be replaced
    FOLDER_SAME, // frames of the same run: same scene, settings, pictures and version
} FolderState;

// Finds out what the folder holds. Errors: RESULT_USAGE naming what differs if the frames there are
// those of another run, or of an unknown one; RESULT_NO_MEMORY.
Result run_record_compare(const char *folder, const Options *options, const SceneDef *scene,
                          FolderState *out);

// Number of the first frame that a run made here: earlier ones are elsewhere. 0 without a record.
uint32_t run_record_first_frame(const char *folder);

// Did the run that made the frames here export files of that format? Not without a record. Errors:
// RESULT_USAGE if the record is not one, RESULT_NO_MEMORY.
Result run_record_exports(const char *folder, const char *format, bool *out);

// Writes the record. first_frame: as above. Errors: those of files, RESULT_NO_MEMORY.
Result run_record_write(const char *folder, const Options *options, const SceneDef *scene,
                        uint32_t first_frame);

// Would a run, with any options, make a file of that name? Checkpoints do not count.
bool run_files_include(const char *name);

// Does one with these options replace or remove it?
bool run_files_replaced(const Options *options, const char *name);

// Removes frames, particles and meshes from number `first` on, and temporary files that a killed run left;
// first == 0 also removes the record and the time series.
void run_files_remove(const char *folder, uint32_t first);

#endif
