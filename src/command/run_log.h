// The log of a run, --log FILE.csv: a row of measurements a step or a frame.
#ifndef PBF_COMMAND_RUN_LOG_H
#define PBF_COMMAND_RUN_LOG_H

#include "command/options.h"

typedef enum LogEvery { LOG_EVERY_FRAME, LOG_EVERY_STEP } LogEvery;

// Their names, "frame" and "step"; NULL past the end.
const char *log_every_name(uint32_t k);

typedef struct RunLog RunLog;

// Starts or continues the log that the options ask for. state: the stored one that the fluid starts from,
// NULL at the scene's beginning; rows of later steps, which this run makes again, are then taken out of the
// file. Without one the file starts anew. *out is NULL if no log is wanted. Errors: RESULT_FAILED naming
// the file, RESULT_USAGE if it has other columns, RESULT_NO_MEMORY. End with run_log_close.
Result run_log_open(const Options *options, const SceneDef *scene, Fluid *fluid, const StateBlocks *state,
                    RunLog **out);

// Take notice of a step and of a frame. All take a NULL log and do nothing. Errors: RESULT_FAILED,
// RESULT_NO_MEMORY.
Result run_log_step(RunLog *log);
Result run_log_frame(RunLog *log);

// Stores means under way in a checkpoint, before which the rows so far reach the disk.
Result run_log_store(RunLog *log, StateBlocks *blocks);

// Completes the file and frees everything. Error: RESULT_FAILED.
Result run_log_close(RunLog *log);

#endif
