#include "command/options_stored.h"

#include "core/memory.h"

#include <string.h>

static bool among(const char *name, const char *const *names)
{
    for (; *names; names++) {
        if (strcmp(name, *names) == 0) return true;
    }
    return false;
}

// Of one call only. The spacing is among the scene's overrides.
static bool is_passing(const char *name)
{
    static const char *const names[] = {"--out",  "--resume",  "--overwrite", "--dry-run", "--quiet",
                                        "--help", "--threads", "--spacing",   NULL};
    return among(name, names);
}

// Whatever they say, the frames are the same, as far as there are any.
static bool leaves_frames_alone(const char *name)
{
    static const char *const names[] = {"--frames", "--video", "--checkpoint-every", "--keep-checkpoints",
                                        NULL};
    return among(name, names);
}

Result options_pack(const Options *options, char **bytes, size_t *size)
{
    *size = 0;
    for (uint32_t k = 0; k < options->given_count; k++) {
        const OptionGiven *given = &options->given[k];
        if (!is_passing(given->name)) *size += strlen(given->name) + strlen(given->value) + 2;
    }
    char *at = *bytes = memory_allocate(*size);
    if (!at) return result_no_memory("the options", *size);
    for (uint32_t k = 0; k < options->given_count; k++) {
        const OptionGiven *given = &options->given[k];
        if (is_passing(given->name)) continue;
        at = stpcpy(at, given->name) + 1;
        at = stpcpy(at, given->value) + 1;
    }
    return result_ok();
}

uint32_t options_unpack(const char *bytes, size_t size, OptionGiven given[OPTIONS_GIVEN_MAX])
{
    uint32_t count = 0;
    if (size > 0 && bytes[size - 1] != '\0') return UINT32_MAX;
    for (const char *at = bytes, *end = bytes + size; at < end; count++) {
        const char *value = at + strlen(at) + 1;
        if (value >= end || count == OPTIONS_GIVEN_MAX || is_passing(at)) return UINT32_MAX;
        given[count] = (OptionGiven){at, value};
        at = value + strlen(value) + 1;
    }
    return count;
}

static Result parse_given(const OptionGiven *given, Options *out)
{
    // The parser changes no text but that of --set and --compare, which are never stored.
    char *arguments[2] = {(char *)(uintptr_t)given->name, (char *)(uintptr_t)given->value};
    return options_parse_more(
        *given->value ? 2 : 1, arguments,
        COMMAND_RENDER | COMMAND_FRAMES | COMMAND_BENCH | COMMAND_COMPARE | COMMAND_VIEW, out);
}

Result options_adopt(const Options *now, const OptionGiven *stored, uint32_t count, Options *out)
{
    *out = (Options){0};
    for (uint32_t k = 0; k < count; k++) {
        if (stored[k].name[0] != '-' || strcmp(stored[k].name, "--set") == 0)
            return result_error(RESULT_USAGE, "\"%.60s\" is no stored option", stored[k].name);
        TRY(parse_given(&stored[k], out));
    }
    out->stored_color_by_given = out->color_by_given;
    out->stored_color_by = out->color_by;
    for (uint32_t k = 0; k < now->given_count; k++) TRY(parse_given(&now->given[k], out));
    memcpy(out->overrides, now->overrides, sizeof out->overrides);
    out->override_count = now->override_count;
    out->compare_key = now->compare_key;
    memcpy(out->compare_values, now->compare_values, sizeof out->compare_values);
    out->scene = now->scene;
    out->inputs = now->inputs;
    out->input_count = now->input_count;
    return result_ok();
}

Result options_adopt_scene(const Options *now, const OptionGiven *stored, uint32_t count, Options *out)
{
    TRY(options_adopt(now, stored, count, out));
    out->frames = now->frames;
    out->video = now->video;
    out->format_count = out->checkpoint_every = 0;
    return result_ok();
}

Result options_adopt_pictures(const Options *now, const OptionGiven *stored, uint32_t count, Options *out)
{
    static const char *const pictures[] = {"--size", "--style", "--color-by", "--camera", "--fps", NULL};
    OptionGiven kept[OPTIONS_GIVEN_MAX];
    uint32_t kept_count = 0;
    for (uint32_t k = 0; k < count; k++) {
        if (among(stored[k].name, pictures)) kept[kept_count++] = stored[k];
    }
    TRY(options_adopt(now, kept, kept_count, out));
    out->scene = NULL; // inputs are states
    return result_ok();
}

// What a list says about an option in the end, NULL for nothing. --export adds up; one entry stands for all.
static const char *last_value(const OptionGiven *given, uint32_t count, const char *name)
{
    for (uint32_t k = count; k-- > 0;) {
        if (strcmp(given[k].name, name) == 0) return given[k].value;
    }
    return NULL;
}

static const char *value_text(const char *value)
{
    return !value ? "not given" : *value ? value : "given";
}

Result options_compare(const OptionGiven *a, uint32_t a_count, const OptionGiven *b, uint32_t b_count,
                       bool only_frames, SceneDifference *take, void *context)
{
    for (uint32_t k = 0; k < a_count + b_count; k++) {
        const char *name = k < a_count ? a[k].name : b[k - a_count].name;
        if (is_passing(name) || (only_frames && leaves_frames_alone(name))) continue;
        // Each name once: where it stands first.
        bool seen = false;
        for (uint32_t j = 0; j < k && !seen; j++)
            seen = strcmp(name, j < a_count ? a[j].name : b[j - a_count].name) == 0;
        const char *x = last_value(a, a_count, name), *y = last_value(b, b_count, name);
        if (!seen && (!x || !y || strcmp(x, y) != 0)) TRY(take(name, value_text(x), value_text(y), context));
    }
    return result_ok();
}
