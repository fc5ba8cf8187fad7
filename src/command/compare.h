// The parts of `compare`: sheets of two pictures, and the report of the cost of both sides.
#ifndef PBF_COMMAND_COMPARE_H
#define PBF_COMMAND_COMPARE_H

#include "command/options.h"
#include "library/pbf.h"

// --- compare_sheet.c: frame_0000.png, ... and the film ---

typedef struct CompareSheet CompareSheet;

// Opens OpenGL, starts ffmpeg if there is to be a film. scenes: of both sides, the library's; camera, style
// and frame size of the first hold for both. End with compare_sheet_close. Errors: RESULT_USAGE,
// RESULT_FAILED, RESULT_NO_MEMORY.
Result compare_sheet_open(const Options *options, pbf_scene *const scenes[2], const SideName names[2],
                          double fps, CompareSheet **out);

// Draws both sides and writes frame number `frame`.
Result compare_sheet_add(CompareSheet *sheet, uint32_t frame, const pbf_pair *pair);

// Completes the film, closes OpenGL and frees everything. NULL is allowed.
Result compare_sheet_close(CompareSheet *sheet);

// --- compare_report.c: compare.csv, reduction.png and the summary ---

typedef struct CompareReport CompareReport;

// Starts compare.csv in the folder of --out; without --out nothing is written but the summary. Errors:
// RESULT_FAILED, RESULT_NO_MEMORY. End with compare_report_close.
Result compare_report_open(const Options *options, const SceneDef *scene, const SideName names[2],
                           CompareReport **out);

// Adds the last complete round.
Result compare_report_add(CompareReport *report, const pbf_pair_data *data);

// Completes compare.csv and, if there were rounds, draws reduction.png. Frees everything. NULL is allowed.
Result compare_report_close(CompareReport *report);

// Prints what both sides took and whether their states are identical on standard output.
void compare_print_summary(const pbf_pair_data *data, const SceneDef *scene, const SideName names[2]);

#endif
