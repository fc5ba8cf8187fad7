#include "command/checkpoint.h"

#include "command/options_stored.h"
#include "core/cpu.h"
#include "core/memory.h"
#include "export/block_file.h"
#include "export/frame_folder.h"
#include "library/inside.h"

#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BETWEEN "_between"
#define FRAME_ROUNDING 1e-12 // of a time that is a frame's, relative

// --- names ---

void checkpoint_path(const char *folder, CheckpointName name, char path[PATH_MAX])
{
    char file[40];
    snprintf(file, sizeof file, "checkpoint_%04u%s.pbf", name.frame, name.between ? BETWEEN : "");
    frame_folder_path(folder, file, path);
}

static bool parse_name(const char *file, CheckpointName *out)
{
    int used = 0, end = (int)strlen(file);
    if (sscanf(file, "checkpoint_%9u%n", &out->frame, &used) != 1) return false;
    out->between = strncmp(file + used, BETWEEN, strlen(BETWEEN)) == 0;
    if (out->between) used += (int)strlen(BETWEEN);
    char exact[PATH_MAX];
    checkpoint_path("", *out, exact); // numbers have one spelling only
    return used < end && strcmp(file + used, ".pbf") == 0 && strcmp(exact + 1, file) == 0;
}

static int compare_names(const void *a, const void *b)
{
    const CheckpointName *x = a, *y = b;
    if (x->frame != y->frame) return x->frame < y->frame ? -1 : 1;
    return (int)x->between - (int)y->between;
}

Result checkpoint_list(const char *folder, CheckpointName **names, uint32_t *count)
{
    size_t capacity = 0;
    *names = NULL;
    *count = 0;
    DIR *entries = opendir(folder);
    if (!entries) return result_ok();
    Result result = result_ok();
    for (struct dirent *entry; result_is_ok(&result) && (entry = readdir(entries));) {
        CheckpointName name;
        if (!parse_name(entry->d_name, &name)) continue;
        result = MEMORY_RESERVE(*names, capacity, *count, *count + 1u, "the list of checkpoints");
        if (result_is_ok(&result)) (*names)[(*count)++] = name;
    }
    closedir(entries);
    if (result_is_ok(&result) && *count > 0) qsort(*names, *count, sizeof **names, compare_names);
    if (result_is_ok(&result)) return result;
    memory_free(*names);
    *names = NULL;
    return result;
}

static void remove_one(const char *folder, CheckpointName name)
{
    char path[PATH_MAX];
    checkpoint_path(folder, name, path);
    unlink(path);
}

void checkpoint_prune(const char *folder, uint32_t keep, uint32_t frame)
{
    CheckpointName *names;
    uint32_t count;
    Result result = checkpoint_list(folder, &names, &count);
    if (!result_is_ok(&result)) return; // one file too many is not worth stopping for
    uint32_t kept = 0;
    while (count-- > 0) {
        bool passed = names[count].between && names[count].frame < frame;
        if (names[count].frame > frame || (!passed && kept++ < keep)) continue;
        remove_one(folder, names[count]);
    }
    memory_free(names);
}

void checkpoint_remove(const char *folder, uint32_t first)
{
    CheckpointName *names;
    uint32_t count;
    Result result = checkpoint_list(folder, &names, &count);
    if (!result_is_ok(&result)) return;
    for (uint32_t k = 0; k < count; k++)
        if (names[k].frame >= first) remove_one(folder, names[k]);
    memory_free(names);
}

// --- writing ---

Result checkpoint_write(const char *folder, const Options *options, const SceneDef *scene,
                        const StateBlocks *state, uint32_t frame, bool between,
                        const double pictures[PBF_PICTURE_NUMBERS])
{
    char path[PATH_MAX], *source = NULL, *given = NULL;
    size_t source_bytes, given_bytes;
    uint32_t between_flag = between;
    StateBlocks blocks = {0};
    checkpoint_path(folder, (CheckpointName){frame, between}, path);
    TRY(scene_source_pack(&scene->source, &source, &source_bytes));
    const char *instructions = cpu_instructions();
    Result result = options_pack(options, &given, &given_bytes);
    if (result_is_ok(&result)) {
        blocks_add(&blocks, "frame", BLOCK_UINT32, 1, &frame);
        blocks_add(&blocks, "between", BLOCK_UINT32, 1, &between_flag);
        blocks_add(&blocks, "scene", BLOCK_BYTES, source_bytes, source);
        blocks_add(&blocks, "options", BLOCK_BYTES, given_bytes, given);
        blocks_add(&blocks, "pictures", BLOCK_DOUBLE, PBF_PICTURE_NUMBERS, pictures);
        blocks_add(&blocks, "instructions", BLOCK_BYTES, strlen(instructions), instructions);
        for (uint32_t k = 0; k < state->count; k++) {
            const StateBlock *block = &state->block[k];
            blocks_add(&blocks, block->name, block->type, block->count, block->data);
        }
        result = block_file_write(path, &blocks);
    }
    memory_free(source);
    memory_free(given);
    return result;
}

// --- reading ---

void checkpoint_no_pictures(FieldKey color_by, double out[PBF_PICTURE_NUMBERS])
{
    for (int k = 0; k < PBF_PICTURE_NUMBERS; k++) out[k] = 0;
    out[PICTURE_RANGE_TIME] = -1;
    out[PICTURE_COLOR_BY] = color_by;
}

bool checkpoint_has_colors(const Checkpoint *checkpoint, const SceneDef *scene)
{
    return checkpoint->pictures[PICTURE_COLOR_BY] == scene->output.render.color_by;
}

static Result take_frame(const StateBlocks *state, uint32_t *frame, bool *between)
{
    uint32_t flag;
    TRY(blocks_copy(state, "frame", BLOCK_UINT32, 1, frame));
    TRY(blocks_copy(state, "between", BLOCK_UINT32, 1, &flag));
    *between = flag != 0;
    if (*frame < OPTIONS_FRAMES_MAX) return result_ok();
    return result_error(RESULT_USAGE, "frame: %u is out of range", *frame);
}

static void take_instructions(const StateBlocks *state, char out[INSTRUCTIONS_BYTES])
{
    const StateBlock *block = blocks_find(state, "instructions", BLOCK_BYTES);
    size_t bytes = block && block->count < INSTRUCTIONS_BYTES ? block->count : 0;
    if (bytes > 0) memcpy(out, block->data, bytes);
    out[bytes] = '\0';
}

// Numbers that are none of a picture are those of a picture that has drawn nothing.
static void check_pictures(double pictures[PBF_PICTURE_NUMBERS])
{
    bool finite = true;
    for (int k = 0; k < PBF_PICTURE_NUMBERS; k++) finite = finite && fabs(pictures[k]) < 1e30;
    if (!finite) checkpoint_no_pictures((FieldKey)0, pictures);
}

static Result take_blocks(Checkpoint *checkpoint)
{
    const StateBlocks *state = &checkpoint->state;
    TRY(take_frame(state, &checkpoint->frame, &checkpoint->between));
    take_instructions(state, checkpoint->instructions);
    TRY(blocks_copy(state, "time", BLOCK_DOUBLE, 1, &checkpoint->time));
    TRY(blocks_copy(state, "pictures", BLOCK_DOUBLE, PBF_PICTURE_NUMBERS, checkpoint->pictures));
    check_pictures(checkpoint->pictures);
    const StateBlock *given = blocks_find(state, "options", BLOCK_BYTES);
    const StateBlock *scene = blocks_find(state, "scene", BLOCK_BYTES);
    if (!given || !scene) return result_error(RESULT_USAGE, "the scene or the options are missing");
    checkpoint->option_text = memory_allocate(given->count);
    if (!checkpoint->option_text) return result_no_memory("the options", given->count);
    memcpy(checkpoint->option_text, given->data, given->count);
    checkpoint->option_count = options_unpack(checkpoint->option_text, given->count, checkpoint->options);
    if (checkpoint->option_count == UINT32_MAX) return result_error(RESULT_USAGE, "options: malformed");
    return scene_source_unpack(scene->data, scene->count, &checkpoint->source);
}

static Result not_of_a_run(const char *path, const Result *why)
{
    return result_error(why->code, "%s: is not a checkpoint of a run: %.200s", path, why->text);
}

// The blocks are in out->state.
static Result finish_reading(Checkpoint *out)
{
    Result result = take_blocks(out);
    if (result_is_ok(&result)) return result;
    result = not_of_a_run(out->path, &result);
    checkpoint_free(out);
    return result;
}

static Result begin_reading(const char *path, Checkpoint *out)
{
    *out = (Checkpoint){0};
    if (strlen(path) >= sizeof out->path)
        return result_error(RESULT_USAGE, "%.60s...: the path is too long", path);
    strcpy(out->path, path);
    return result_ok();
}

static Result read_file(const char *path, Checkpoint *out)
{
    TRY(begin_reading(path, out));
    TRY(block_file_read(path, &out->state));
    return finish_reading(out);
}

Result checkpoint_parse(const char *path, const void *bytes, size_t size, Checkpoint *out)
{
    TRY(begin_reading(path, out));
    TRY(block_file_parse(path, bytes, size, &out->state));
    return finish_reading(out);
}

Result checkpoint_read_before(const char *folder, uint32_t frame, Progress *progress, Checkpoint *out)
{
    CheckpointName *names;
    uint32_t count;
    char path[PATH_MAX];
    *out = (Checkpoint){0};
    TRY(checkpoint_list(folder, &names, &count));
    Result result = result_error(RESULT_USAGE, "%s: holds no checkpoint (checkpoint_0000.pbf, ...)", folder);
    for (uint32_t k = count; k-- > 0 && !result_is_ok(&result);) {
        if (names[k].frame > frame || (names[k].frame == frame && names[k].between)) continue;
        checkpoint_path(folder, names[k], path);
        result = read_file(path, out);
        if (!result_is_ok(&result)) progress_note(progress, "passed over: %s", result.text);
    }
    memory_free(names);
    return result;
}

Result checkpoint_peek(const char *path, uint32_t *frame, bool *between)
{
    StateBlocks first;
    TRY(block_file_peek(path, 2, &first)); // as they are written
    Result result = take_frame(&first, frame, between);
    blocks_free(&first);
    return result_is_ok(&result) ? result : not_of_a_run(path, &result);
}

Result checkpoint_read(const char *path, Progress *progress, Checkpoint *out)
{
    struct stat status;
    if (stat(path, &status) == 0 && S_ISDIR(status.st_mode))
        return checkpoint_read_before(path, UINT32_MAX, progress, out);
    return read_file(path, out);
}

Result checkpoint_open(const char *path, const Options *now, Progress *progress, Checkpoint *out,
                       Options *options)
{
    *out = (Checkpoint){0};
    if (now->scene)
        return result_error(RESULT_USAGE, "\"%.100s\": a checkpoint has its own scene (--resume alone)",
                            now->scene);
    TRY(checkpoint_read(path, progress, out));
    TRY(options_adopt_scene(now, out->options, out->option_count, options));
    options->source = &out->source;
    return result_ok();
}

Result checkpoint_start_command(const Options *options, CheckpointCommand *run)
{
    Progress progress = progress_begin(options->quiet);
    if (!options->resume) return run(options, NULL, &progress);
    Options adopted;
    Checkpoint from;
    Result result = checkpoint_open(options->resume, options, &progress, &from, &adopted);
    if (result_is_ok(&result)) result = run(&adopted, &from, &progress);
    checkpoint_free(&from);
    return result;
}

// Do states differ by the instruction set? Pairs of clusters are added up in an order that depends on the
// width of vectors.
static bool instructions_matter(const Checkpoint *checkpoint, const char *method)
{
    const char *stored = checkpoint->instructions;
    return stored[0] && strcmp(stored, cpu_instructions()) != 0 && neighbor_method_is_clustered(method);
}

void checkpoint_tell_instructions(const Checkpoint *checkpoint, const char *method, Progress *progress)
{
    if (!instructions_matter(checkpoint, method)) return;
    progress_note(progress,
                  "%s: made with %s instructions, goes on with %s: the last bits of %s differ between them "
                  "(those of methods that make lists do not)",
                  checkpoint->path, checkpoint->instructions, cpu_instructions(), method);
}

Result checkpoint_settle_instructions(const Checkpoint *checkpoint, const char *method, Progress *progress)
{
    const char *stored = checkpoint->instructions;
    if (!instructions_matter(checkpoint, method)) return result_ok();
    if (cpu_level_is_asked_for()) {
        checkpoint_tell_instructions(checkpoint, method, progress);
        return result_ok();
    }
    if (!cpu_set_level_named(stored))
        return result_error(RESULT_USAGE,
                            "%s: made with %s instructions, which this processor lacks: the last bits of %s "
                            "would differ (PBF_SIMD=%s goes on all the same)",
                            checkpoint->path, stored, method, cpu_instructions());
    progress_note(progress, "with %s instructions, as before: the last bits of %s depend on them", stored,
                  method);
    return result_ok();
}

// Is the state that of the checkpoint's frame at this rate, or from before the next one?
static bool frame_fits(const Checkpoint *checkpoint, double fps)
{
    double past = checkpoint->time * fps - checkpoint->frame, rounding = FRAME_ROUNDING * checkpoint->frame;
    return checkpoint->between ? past > -rounding && past <= 1 + rounding : fabs(past) <= rounding;
}

Result checkpoint_settle_frame(Checkpoint *checkpoint, double fps, Progress *progress)
{
    if (frame_fits(checkpoint, fps)) return result_ok();
    double frames = checkpoint->time * fps, last = floor(frames * (1 + FRAME_ROUNDING));
    if (!(last < OPTIONS_FRAMES_MAX))
        return result_error(RESULT_USAGE, "%.200s: at %g frames a second, %g s is frame %.0f (at most %d)",
                            checkpoint->path, fps, checkpoint->time, last, OPTIONS_FRAMES_MAX - 1);
    checkpoint->frame = (uint32_t)last;
    checkpoint->between = frames - last > FRAME_ROUNDING * frames;
    progress_note(progress, "at %g frames a second, the first one after %.4f s is frame %u", fps,
                  checkpoint->time, checkpoint->frame + 1);
    return result_ok();
}

Result checkpoint_start_scene(Checkpoint *checkpoint, SceneDef *scene, Progress *progress)
{
    checkpoint_tell_instructions(checkpoint, scene->fluid.neighbor, progress);
    TRY(checkpoint_settle_frame(checkpoint, scene->output.fps, progress));
    return scene_start_from(scene, &checkpoint->state, checkpoint->frame, checkpoint->path);
}

void checkpoint_forget_state(Checkpoint *checkpoint)
{
    blocks_free(&checkpoint->state);
}

void checkpoint_free(Checkpoint *checkpoint)
{
    checkpoint_forget_state(checkpoint);
    scene_source_free(&checkpoint->source);
    memory_free(checkpoint->option_text);
    *checkpoint = (Checkpoint){0};
}
