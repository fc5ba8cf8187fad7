// A pressure grid that processes divide: particles tell those who have the cells around them what they add,
// and get back how far the cells move them. README.md says what is sent.
#ifndef PBF_FLUID_PRESSURE_SHARE_H
#define PBF_FLUID_PRESSURE_SHARE_H

#include "fluid/grid_share.h"
#include "fluid/pressure_grid.h"

// Divides the cells of level 0 of a grid, of which nothing else has to be there yet, if it is worth it:
// grid->share is theirs then, else NULL. Ends all processes where memory is short.
void pressure_share_divide(PressureGrid *grid, const uint32_t n[3], const Links *links);

// Of a grid that is divided: what its cells are divided by; else NULL.
GridShare *pressure_share_cells(const PressureGrid *grid);

// Rooms of its own for what the naming of waters needs.
enum {
    PRESSURE_PIECES,
    PRESSURE_JOINTS,
    PRESSURE_ALL_PIECES,
    PRESSURE_ALL_JOINTS,
    PRESSURE_ORDER,
    PRESSURE_ROOMS
};
void *pressure_share_room(PressureGrid *grid, int room, size_t bytes);

// Finds the cells that particles reach, and walls there and around own cells, and clears the sums there.
void pressure_share_begin(PressureGrid *grid, const PressureJob *job);

// Adds what other processes' particles have added to own cells, and to the faces above them.
void pressure_share_tell(PressureGrid *grid);

// Gets moves, phi and names of waters at the cells that particles reach.
void pressure_share_give(PressureGrid *grid);

// Runs loops over the level's own cells and those within `by` of them, or over all where nobody shares it.
void pressure_share_widen(PressureGrid *grid, uint32_t by);

// The same cells as a box, with those around the grid.
CellBox pressure_share_around(const PressureGrid *grid, uint32_t by);

// What a process has sent since the last call.
typedef struct PressureTraffic {
    uint64_t messages;
    uint64_t marks;  // bytes that say which cells particles reach
    uint64_t sums;   // numbers of 8 bytes
    uint64_t given;  // cells of 24 bytes
    uint64_t border; // numbers of 4 bytes
} PressureTraffic;
PressureTraffic pressure_share_traffic(PressureGrid *grid);

void pressure_share_free(PressureGrid *grid);

#endif
