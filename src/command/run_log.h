// The log of a run, --log FILE.csv: a row of measurements a step or a frame.
#ifndef PBF_COMMAND_RUN_LOG_H
#define PBF_COMMAND_RUN_LOG_H

#include "command/options.h"
#include "library/pbf.h"

typedef enum LogEvery { LOG_EVERY_FRAME, LOG_EVERY_STEP } LogEvery;

// Their names, "frame" and "step"; NULL past the end.
const char *log_every_name(uint32_t k);

typedef struct RunLog RunLog;

// Starts or continues the log that the options ask for. resumed: the simulation begins with a stored state;
// rows of later steps, which this run makes again, are then taken out of the file. Else the file starts anew.
// *out is NULL if no log is wanted. Errors: RESULT_FAILED naming the file, RESULT_USAGE if it has other
// columns, RESULT_NO_MEMORY. End with run_log_close.
Result run_log_open(const Options *options, pbf_sim *sim, bool resumed, RunLog **out);

// The time of the last row of the log at `path`, s; -1 without one, INFINITY for a file that is not a log.
double run_log_end(const char *path);

// Add a row after a step, if each has one, and of a frame. All take a NULL log and do nothing. Errors:
// RESULT_FAILED, RESULT_NO_MEMORY.
Result run_log_step(RunLog *log);
Result run_log_frame(RunLog *log);

// Has the rows so far reach the disk, before a checkpoint. Error: RESULT_FAILED.
Result run_log_sync(RunLog *log);

// Completes the file and frees everything. Error: RESULT_FAILED.
Result run_log_close(RunLog *log);

#endif
