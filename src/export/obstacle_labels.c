#include "export/obstacle_mesh.h"

#include "core/memory.h"
#include "export/stage_frame.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The length of scene names, and room for a first "_".
typedef struct Label {
    char text[sizeof((ObstacleDef *)0)->name + 1];
} Label;

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// USD takes letters, digits and "_", no digit first; OBJ takes no blanks.
static Label clean(const char *name)
{
    Label label = {""};
    size_t length = 0;
    if (!is_letter(name[0])) label.text[length++] = '_';
    for (const char *at = name[0] == '_' ? name + 1 : name; *at; at++)
        label.text[length++] = is_letter(*at) || (*at >= '0' && *at <= '9') ? *at : '_';
    return label;
}

static int compare_labels(const void *a, const void *b)
{
    return strcmp(a, b);
}

// Counts this label among the sorted ones: 0, 1, or 2 for more.
static int occurrences(const Label *sorted, uint32_t count, const char *text)
{
    const Label *found = bsearch(text, sorted, count, sizeof *sorted, compare_labels);
    if (!found) return 0;
    bool before = found > sorted && strcmp(found[-1].text, text) == 0;
    bool after = found + 1 < sorted + count && strcmp(found[1].text, text) == 0;
    return before || after ? 2 : 1;
}

static bool is_taken(const char *name)
{
    return strcmp(name, STAGE_WATER) == 0 || strcmp(name, STAGE_PARTICLES) == 0;
}

// Makes a name unique that several bodies have, or that something else has in files of all: the body's number
// behind it, and more "_" between as long as another one is called just that.
static void number_label(const Label *sorted, uint32_t count, const char *name, GeometryPart *part,
                         uint32_t k)
{
    size_t length = strlen(name);
    strcpy(part->label, name);
    if (occurrences(sorted, count, name) < 2 && !is_taken(name)) return;
    do {
        part->label[length++] = '_';
        snprintf(part->label + length, sizeof part->label - length, "%u", k);
    } while (occurrences(sorted, count, part->label) > 0);
}

Result obstacle_labels(const Obstacles *obstacles, GeometryPart *parts, uint32_t count)
{
    Label *sorted = memory_allocate(count * sizeof *sorted);
    if (!sorted) return result_no_memory("the obstacles' names", count * sizeof *sorted);
    for (uint32_t k = 0; k < count; k++) sorted[k] = clean(obstacles_body(obstacles, k)->name);
    qsort(sorted, count, sizeof *sorted, compare_labels);
    for (uint32_t k = 0; k < count; k++)
        number_label(sorted, count, clean(obstacles_body(obstacles, k)->name).text, &parts[k], k);
    memory_free(sorted);
    return result_ok();
}
