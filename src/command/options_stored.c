#include "command/options_stored.h"

#include "command/options_table.h"
#include "core/memory.h"

#include <string.h>

// Subject of a stored option; the run for names that this version does not know.
static OptionScope scope_of(const char *name)
{
    const OptionRow *row = option_find(name);
    return row ? row->scope : OPTION_OF_RUN;
}

Result options_pack(const Options *options, char **bytes, size_t *size)
{
    *size = 0;
    for (uint32_t k = 0; k < options->given_count; k++) {
        const OptionGiven *given = &options->given[k];
        if (scope_of(given->name) != OPTION_OF_CALL) *size += strlen(given->name) + strlen(given->value) + 2;
    }
    char *at = *bytes = memory_allocate(*size);
    if (!at) return result_no_memory("the options", *size);
    for (uint32_t k = 0; k < options->given_count; k++) {
        const OptionGiven *given = &options->given[k];
        if (scope_of(given->name) == OPTION_OF_CALL) continue;
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
        if (value >= end || count == OPTIONS_GIVEN_MAX || scope_of(at) == OPTION_OF_CALL) return UINT32_MAX;
        given[count] = (OptionGiven){at, value};
        at = value + strlen(value) + 1;
    }
    return count;
}

static Result parse_given(const OptionGiven *given, Options *out)
{
    char *arguments[2] = {(char *)(uintptr_t)given->name, (char *)(uintptr_t)given->value};
    return options_parse_more(
        *given->value ? 2 : 1, arguments,
        COMMAND_RENDER | COMMAND_FRAMES | COMMAND_BENCH | COMMAND_COMPARE | COMMAND_VIEW, out);
}

Result options_adopt(const Options *now, const OptionGiven *stored, uint32_t count, Options *out)
{
    *out = options_default;
    for (uint32_t k = 0; k < count; k++) {
        if (stored[k].name[0] != '-' || scope_of(stored[k].name) == OPTION_OF_SCENE)
            return result_error(RESULT_USAGE, "\"%.60s\" is not a stored option", stored[k].name);
        TRY(parse_given(&stored[k], out));
    }
    out->stored_color_by_given = options_given(out, "--color-by");
    out->stored_color_by = out->color_by;
    for (uint32_t k = 0; k < now->given_count; k++) TRY(parse_given(&now->given[k], out));
    memcpy(out->settings, now->settings, sizeof out->settings);
    out->setting_count = now->setting_count;
    out->compare = now->compare;
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
    OptionGiven kept[OPTIONS_GIVEN_MAX];
    uint32_t kept_count = 0;
    for (uint32_t k = 0; k < count; k++) {
        if (scope_of(stored[k].name) == OPTION_OF_PICTURE) kept[kept_count++] = stored[k];
    }
    TRY(options_adopt(now, kept, kept_count, out));
    out->scene = NULL; // inputs are states
    return result_ok();
}

const char *options_last_value(const OptionGiven *given, uint32_t count, const char *name)
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
        if (scope_of(name) == OPTION_OF_CALL || (only_frames && scope_of(name) == OPTION_OF_EXTENT)) continue;
        // Each name once: where it stands first.
        bool seen = false;
        for (uint32_t j = 0; j < k && !seen; j++)
            seen = strcmp(name, j < a_count ? a[j].name : b[j - a_count].name) == 0;
        const char *x = options_last_value(a, a_count, name), *y = options_last_value(b, b_count, name);
        if (!seen && (!x || !y || strcmp(x, y) != 0)) TRY(take(name, value_text(x), value_text(y), context));
    }
    return result_ok();
}
