#include "viewer/preferences.h"

#include "core/param.h"
#include "core/regular_file.h"
#include "export/file_writer.h"
#include "export/frame_folder.h"

#include <stdio.h>
#include <string.h>

// What the rows describe: it lives with the screen and the controls.
typedef struct Kept {
    GuiTheme theme;
    float enlarged;
} Kept;

#define AT(member) PARAM_AT(Kept, member)
static const ParamRow rows[] = {
    {"theme", PARAM_CHOICE, AT(theme), .names = gui_theme_names},
    {"size of controls", PARAM_FLOAT, AT(enlarged), PARAM_FROM(SCREEN_ENLARGED_MIN, SCREEN_ENLARGED_MAX)},
    {.key = NULL},
};
#undef AT

static Kept kept_of(const Preferences *preferences)
{
    return (Kept){preferences->controls->theme, preferences->screen->enlarged};
}

// line: "NAME: VALUE", a comment, or empty.
static void take_line(const Preferences *preferences, Kept *kept, char *line, int number)
{
    line[strcspn(line, "#\r\n")] = '\0';
    size_t name = strcspn(line, ":"), gap = line[name] ? strspn(line + name + 1, " ") : 0;
    if (line[strspn(line, " ")] == '\0') return;
    char *value = line + name + (line[name] ? 1 : 0) + gap;
    for (size_t end = strlen(value); end > 0 && value[end - 1] == ' ';) value[--end] = '\0';
    for (const ParamRow *row = rows; row->key; row++) {
        if (strlen(row->key) != name || strncmp(row->key, line, name) != 0) continue;
        Result result = param_parse(row, value, (char *)kept + row->offset);
        if (!result_is_ok(&result))
            screen_say(preferences->screen, "%s:%d: %s: %s", preferences->path, number, row->key,
                       result.text);
        return;
    }
    screen_say(preferences->screen, "%s:%d: \"%.40s\" is not a setting of the window", preferences->path,
               number, line);
}

void preferences_start(Preferences *preferences, const char *path)
{
    char line[200];
    FILE *file;
    struct stat status;
    preferences->path = path;
    preferences->first = path && stat(path, &status) != 0;
    if (!path || preferences->first) return;
    Result result = regular_file_open_stream(path, path, &file);
    screen_say_error(preferences->screen, &result);
    if (!result_is_ok(&result)) return;
    Kept kept = kept_of(preferences);
    for (int number = 1; fgets(line, sizeof line, file); number++)
        take_line(preferences, &kept, line, number);
    fclose(file);
    preferences->controls->theme = kept.theme;
    preferences->screen->enlarged = kept.enlarged;
}

static Result write_rows(const Preferences *preferences)
{
    FileWriter file;
    const Kept kept = kept_of(preferences);
    char folder[PATH_MAX], value[40], line[80];
    file_path_split(preferences->path, folder);
    TRY(frame_folder_make(folder));
    TRY(file_writer_open(preferences->path, &file));
    for (const ParamRow *row = rows; row->key; row++) {
        param_value(row, (const char *)&kept + row->offset, value, sizeof value);
        int length = snprintf(line, sizeof line, "%s: %s\n", row->key, value);
        file_writer_write(&file, line, (size_t)length);
    }
    return file_writer_commit(&file);
}

void preferences_keep(Preferences *preferences)
{
    if (!preferences->path) return;
    Result result = write_rows(preferences);
    screen_say_error(preferences->screen, &result);
}

void preferences_next_theme(Preferences *preferences)
{
    Controls *controls = preferences->controls;
    controls->theme = (GuiTheme)((controls->theme + 1) % THEME_COUNT);
    screen_say(preferences->screen, "theme %s", gui_theme_names(controls->theme, NULL));
    screen_redraw(preferences->screen);
    preferences_keep(preferences);
}

void preferences_enlarge(Preferences *preferences, int direction)
{
    screen_enlarge(preferences->screen, direction);
    preferences_keep(preferences);
}
