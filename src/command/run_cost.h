// What a run will cost in steps and time, estimated before it starts.
#ifndef PBF_COMMAND_RUN_COST_H
#define PBF_COMMAND_RUN_COST_H

#include "command/options.h"

typedef struct RunCost {
    double waves;             // s: longest step that waves allow as deep as water is at the start
    double shortest, longest; // s: the steps that the scene allows
    double first;             // s: steps of water that stays as deep as at the start
    double steps, deep_steps; // in all: of the longest length, and of water that stays as deep
    double simulation;        // s, on an idle machine
    double pictures;          // s besides, with files of meshes
    bool draws;               // there are pictures
    bool graphics_card;       // draws them; else the processor does
} RunCost;

// Estimates frames first .. frames - 1. Steps are timed here and now, in processor time, on a small block of
// the scene's fluid; pictures are those of a server's processor core at 3 GHz. Emitted water counts half, as
// it is not there from the start. Errors: RESULT_NO_MEMORY.
Result run_cost_estimate(const Options *options, const SceneDef *scene, const SceneCount *count,
                         uint32_t first, uint32_t frames, RunCost *out);

// Prints "14 s without pictures, 3 min with them (drawn by the processor) on 2 threads".
void run_cost_print(const RunCost *cost);

#endif
