#include "viewer/preferences.h"

#include "core/c_locale.h"
#include "core/regular_file.h"
#include "export/file_writer.h"
#include "export/frame_folder.h"

#include <stdio.h>
#include <string.h>

enum { VALUE_BYTES = 32 };

typedef struct PreferenceRow {
    const char *name, *allowed;
    bool (*read)(Preferences *preferences, const char *value); // false if it is not allowed
    void (*write)(const Preferences *preferences, char value[VALUE_BYTES]);
} PreferenceRow;

static bool read_theme(Preferences *preferences, const char *value)
{
    for (uint32_t k = 0; gui_theme_name(k); k++) {
        if (strcmp(gui_theme_name(k), value) != 0) continue;
        preferences->controls->theme = (GuiTheme)k;
        return true;
    }
    return false;
}

static void write_theme(const Preferences *preferences, char value[VALUE_BYTES])
{
    snprintf(value, VALUE_BYTES, "%s", gui_theme_name(preferences->controls->theme));
}

static bool read_size(Preferences *preferences, const char *value)
{
    char *end;
    double size = c_strtod(value, &end);
    if (*end || !(size >= (double)SCREEN_ENLARGED_MIN && size <= (double)SCREEN_ENLARGED_MAX)) return false;
    preferences->screen->enlarged = (float)size;
    return true;
}

static void write_size(const Preferences *preferences, char value[VALUE_BYTES])
{
    c_snprintf(value, VALUE_BYTES, "%.4g", (double)preferences->screen->enlarged);
}

static const PreferenceRow rows[] = {
    {"theme", "dark or light", read_theme, write_theme},
    {"size of controls", "0.6 to 3", read_size, write_size},
};
enum { ROWS = sizeof rows / sizeof *rows };

// line: "NAME: VALUE", a comment, or empty.
static void take_line(Preferences *preferences, char *line, int number)
{
    line[strcspn(line, "#\r\n")] = '\0';
    size_t name = strcspn(line, ":"), gap = line[name] ? strspn(line + name + 1, " ") : 0;
    if (line[strspn(line, " ")] == '\0') return;
    char *value = line + name + (line[name] ? 1 : 0) + gap;
    for (size_t end = strlen(value); end > 0 && value[end - 1] == ' ';) value[--end] = '\0';
    for (int k = 0; k < ROWS; k++) {
        if (strlen(rows[k].name) != name || strncmp(rows[k].name, line, name) != 0) continue;
        if (!rows[k].read(preferences, value))
            screen_say(preferences->screen, "%s:%d: %s: \"%.40s\" (%s)", preferences->path, number,
                       rows[k].name, value, rows[k].allowed);
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
    for (int number = 1; fgets(line, sizeof line, file); number++) take_line(preferences, line, number);
    fclose(file);
}

static Result write_rows(const Preferences *preferences)
{
    FileWriter file;
    char folder[PATH_MAX], value[VALUE_BYTES], line[2 * VALUE_BYTES];
    const char *slash = strrchr(preferences->path, '/');
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - preferences->path) : 1,
             slash ? preferences->path : ".");
    TRY(frame_folder_make(folder));
    TRY(file_writer_open(preferences->path, &file));
    for (int k = 0; k < ROWS; k++) {
        rows[k].write(preferences, value);
        int length = snprintf(line, sizeof line, "%s: %s\n", rows[k].name, value);
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
    screen_say(preferences->screen, "theme %s", gui_theme_name(controls->theme));
    screen_redraw(preferences->screen);
    preferences_keep(preferences);
}

void preferences_enlarge(Preferences *preferences, int direction)
{
    screen_enlarge(preferences->screen, direction);
    preferences_keep(preferences);
}
