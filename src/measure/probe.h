// Probes: what a scene asks to be measured at a place. One table has the columns that each kind adds to a
// log.
#ifndef PBF_MEASURE_PROBE_H
#define PBF_MEASURE_PROBE_H

#include "core/vec3.h"

#include <stdint.h>

#define PROBE_COLUMNS_MAX 6

// What a force probe is named after for the tank's walls.
#define PROBE_TANK "tank"

typedef enum ProbeKind {
    PROBE_LEVEL,    // height of the free surface above (x, y)
    PROBE_PRESSURE, // at a point
    PROBE_VELOCITY, // at a point
    PROBE_FLUX,     // volume rate through a rectangle
    PROBE_FORCE,    // of the water on an obstacle or on the tank's walls
    PROBE_KIND_COUNT
} ProbeKind;

typedef struct ProbeDef {
    char name[64];
    ProbeKind kind;
    Vec3 position; // m, scene coordinates; of a level: x and y
    Vec3 rotation; // degrees about x, then y, then z; unrotated, a rectangle faces +z, its width along x
    float width, height; // m, of a rectangle
    char obstacle[64];   // name of the body, or PROBE_TANK
} ProbeDef;

typedef struct ProbeColumn {
    const char *suffix, *unit; // the column is called NAME_suffix
} ProbeColumn;

typedef struct ProbeKindRow {
    const char *key; // in scenes: "level"
    ProbeColumn columns[PROBE_COLUMNS_MAX + 1];
    const char *help; // one sentence
} ProbeKindRow;

// The row of a kind.
const ProbeKindRow *probe_kind(ProbeKind kind);

// How many columns a probe of that kind has.
uint32_t probe_column_count(ProbeKind kind);

#endif
