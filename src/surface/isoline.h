// Isolines of a field on a regular grid in two dimensions, by marching squares: polylines that are closed, or
// end where the field is not defined. Vertices lie on grid edges and are shared by the cells beside them, so
// that lines have no gaps; where a cell could be cut in two ways, its mean decides.
#ifndef PBF_SURFACE_ISOLINE_H
#define PBF_SURFACE_ISOLINE_H

#include "core/result.h"

#include <stdbool.h>
#include <stdint.h>

#define ISOLINE_NODES_MAX (1u << 25)

// Line k: points first[k] .. first[k + 1] - 1, with what is at or above the level on its left. A closed line
// repeats its first point.
typedef struct Isolines {
    float (*point)[2]; // column and row, in cells
    uint32_t *first;
    uint32_t count, point_count;
} Isolines;

// value: columns * rows nodes, row by row, ISOLINE_NODES_MAX at most. defined: NULL, or for each node whether
// the field is defined there if it is at least 0.5; cells with another corner are left out. Error:
// RESULT_NO_MEMORY. Free with isolines_free.
Result isolines_find(const float *value, const float *defined, uint32_t columns, uint32_t rows, float level,
                     Isolines *out);
void isolines_free(Isolines *lines); // zeroed lines are allowed

bool isoline_is_closed(const Isolines *lines, uint32_t k);

// Area at or above the level, in cells^2: of all lines, which have to be closed. Holes count negative.
double isolines_area(const Isolines *lines);

// Length of all lines, in cells.
double isolines_length(const Isolines *lines);

#endif
