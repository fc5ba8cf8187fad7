// Checkpoints: files that hold the whole state of a run, with its scene and options, so that it goes on as if
// it had never stopped. checkpoint_0012.pbf is the state that frame 12 shows; checkpoint_0012_between.pbf a
// later one, from before frame 13 was reached.
#ifndef PBF_COMMAND_CHECKPOINT_H
#define PBF_COMMAND_CHECKPOINT_H

#include "command/options.h"
#include "core/progress.h"
#include "library/pbf.h"

#include <limits.h>

#define INSTRUCTIONS_BYTES 16

typedef struct Checkpoint {
    char path[PATH_MAX];
    StateBlocks state;                      // the fluid's, and all that follows as it was stored
    SceneSource source;                     // what the scene was read from
    OptionGiven options[OPTIONS_GIVEN_MAX]; // texts of option_text
    char *option_text;
    uint32_t option_count;
    uint32_t frame;                        // the last one that is complete
    bool between;                          // the state is a later one
    double time;                           // s
    char instructions[INSTRUCTIONS_BYTES]; // cpu_instructions of the run; "" in older files
    double pictures[PBF_PICTURE_NUMBERS];  // what the pictures so far carry on (pbf_picture_memory)
} Checkpoint;

// Writes a state, as fluid_store or sim_store list it, into the folder. pictures: as in Checkpoint. Errors:
// those of files, RESULT_NO_MEMORY.
Result checkpoint_write(const char *folder, const Options *options, const SceneDef *scene,
                        const StateBlocks *state, uint32_t frame, bool between,
                        const double pictures[PBF_PICTURE_NUMBERS]);

// What a picture carries on that has drawn nothing, of that field.
void checkpoint_no_pictures(FieldKey color_by, double out[PBF_PICTURE_NUMBERS]);

// Do the pictures so far have their range of colors from the field that the scene's have?
bool checkpoint_has_colors(const Checkpoint *checkpoint, const SceneDef *scene);

// Reads from the beginning of a checkpoint which frame it shows, or follows; the rest of the file is not
// read. Errors: those of block_file_peek, RESULT_USAGE.
Result checkpoint_peek(const char *path, uint32_t *frame, bool *between);

// Reads a checkpoint, or the newest complete one of a folder; damaged ones are passed over with a note.
// Errors: RESULT_USAGE "PATH: ...", RESULT_FAILED, RESULT_NO_MEMORY. Free with checkpoint_free.
Result checkpoint_read(const char *path, Progress *progress, Checkpoint *out);

// Reads a checkpoint from the bytes of its file; path is for messages. Errors: RESULT_USAGE for a file that
// is damaged or not one, RESULT_NO_MEMORY. Free with checkpoint_free.
Result checkpoint_parse(const char *path, const void *bytes, size_t size, Checkpoint *out);

// Reads the newest complete checkpoint of a folder that frame number `frame` can be made from. Errors: as
// above.
Result checkpoint_read_before(const char *folder, uint32_t frame, Progress *progress, Checkpoint *out);
void checkpoint_free(Checkpoint *checkpoint); // zeroed is allowed

// Frees its state, the largest part; all else stays.
void checkpoint_forget_state(Checkpoint *checkpoint);

// Reads the checkpoint that a command starts from without going on with its run, and the options that it then
// has: those of the run that say what is simulated and how it looks, and those of the command line (`now`) on
// top. They refer to the checkpoint, which is to be freed in any case. Errors: those of checkpoint_read,
// RESULT_USAGE also if `now` names a scene.
Result checkpoint_open(const char *path, const Options *now, Progress *progress, Checkpoint *out,
                       Options *options);

// Runs a command that starts from the checkpoint of --resume, which checkpoint_open reads, or, with `from`
// NULL, from the scene's beginning. Errors: those of checkpoint_open and of the command.
typedef Result CheckpointCommand(const Options *options, Checkpoint *from, Progress *progress);
Result checkpoint_start_command(const Options *options, CheckpointCommand *run);

// Numbers the checkpoint's frame as frames of another rate than its run's (fps, 1/s) are: by the last one
// that is not after the state, which is then from between two where it does not lie on one. Notes it. Error:
// RESULT_USAGE for more than OPTIONS_FRAMES_MAX.
Result checkpoint_settle_frame(Checkpoint *checkpoint, double fps, Progress *progress);

// Sets the instruction set that the state was made with, where it decides the last bits of the method, unless
// PBF_SIMD names another, which is noted. Call before the fluid is made. Error: RESULT_USAGE if the processor
// lacks it.
Result checkpoint_settle_instructions(const Checkpoint *checkpoint, const char *method, Progress *progress);

// Notes it if a method gives other bits here than where the state was made.
void checkpoint_tell_instructions(const Checkpoint *checkpoint, const char *method, Progress *progress);

// Moves the checkpoint's state to the scene, which begins with it at its frame of the scene's rate. progress:
// gets the notes of that and of the scene's method. Errors: those of checkpoint_settle_frame,
// RESULT_NO_MEMORY.
Result checkpoint_start_scene(Checkpoint *checkpoint, SceneDef *scene, Progress *progress);

// Numbers of a folder's checkpoints, from their names, in order of time.
typedef struct CheckpointName {
    uint32_t frame;
    bool between;
} CheckpointName;

// Lists them; none if the folder cannot be read. *names is a new block, freed with memory_free. Error:
// RESULT_NO_MEMORY.
Result checkpoint_list(const char *folder, CheckpointName **names, uint32_t *count);
void checkpoint_path(const char *folder, CheckpointName name, char path[PATH_MAX]);

// Removes all but the last `keep` checkpoints of a folder up to that of `frame`, and states between frames
// before it; later ones, which a run that makes frames again has not come to, stay.
void checkpoint_prune(const char *folder, uint32_t keep, uint32_t frame);

// Removes a folder's checkpoints of frame `first` and of later ones. One between frames first - 1 and `first`
// stays: a run may go on from it.
void checkpoint_remove(const char *folder, uint32_t first);

#endif
