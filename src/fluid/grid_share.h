// The cells of a grid divided among processes: each has a box of them, and what it needs of those around.
// Levels of a multigrid solver are divided alike, down to the first that is small: that one, and coarser
// ones, every process has whole.
#ifndef PBF_FLUID_GRID_SHARE_H
#define PBF_FLUID_GRID_SHARE_H

#include "fluid/links.h"
#include "fluid/poisson.h"

#include <stdbool.h>

// Boxes begin at cell 1 plus multiples of this, so that what is summed up by bricks of so many cells is not
// cut.
#define GRID_SHARE_BRICK 4u

// How many cells beyond its own a process may write to.
#define GRID_SHARE_REACH 5u

// Grids of this many cells are divided.
#define GRID_SHARE_LEAST 8192u

// Cells lo <= cell < hi along each axis, x fastest; nothing if hi <= lo.
typedef struct CellBox {
    uint32_t lo[3], hi[3];
} CellBox;

CellBox cell_box_common(CellBox a, CellBox b);
CellBox cell_box_wider(CellBox box, uint32_t by);
uint64_t cell_box_cells(CellBox box);

// Sets a field's cells within `by` of a box to 0 bytes, those around the level's cells among them.
void cell_box_clear(const PoissonLevel *level, CellBox box, uint32_t by, void *field, size_t each);

// A block of memory that only grows, and loses what it holds.
typedef struct GridRoom {
    char *at;
    size_t capacity;
} GridRoom;

struct GridShare {
    const Links *links;
    uint32_t n[3], parts[3]; // cells; boxes along each axis
    uint32_t unit;           // cells: where boxes may begin
    uint32_t levels;         // that are divided; 0: none
    uint32_t *near;          // ranks whose boxes are within GRID_SHARE_REACH of this one's
    uint32_t nears;
    GridRoom nearby, out, in, messages, lists;
    uint64_t messages_sent, border; // messages, and numbers at borders; the caller's to set back
};

void grid_share_free(GridShare *share);

// Divides a grid where processes share it and it is large: returns whether they do. least: GRID_SHARE_LEAST,
// or another number of cells for tests. Ends all processes where memory is short.
bool grid_share_divide(GridShare *share, const Links *links, const uint32_t n[3], uint32_t least);

// The cells of a rank on a level, which may be the first that is not divided: what the rank has of it before
// it is gathered. Boxes may be empty.
CellBox grid_share_box(const GridShare *share, uint32_t rank, uint32_t level);

// Memory that grows; ends all processes where it is short.
void *grid_share_room(const GridShare *share, GridRoom *room, size_t bytes);

// Sends and receives, and counts.
void grid_share_exchange(GridShare *share, const LinkMessage *out, uint32_t outs, const LinkMessage *in,
                         uint32_t ins);

// Which cells around a box: those of a color of the chess board, as poisson.c relaxes them, or all, beyond
// its faces; or beyond its edges and corners, too.
typedef enum GridBorder { GRID_ODD, GRID_EVEN, GRID_FACES, GRID_ALL } GridBorder;

// Gets streams' cells within `depth` of the own ones from those who have them.
void grid_share_border(GridShare *share, const PoissonLevel *level, uint32_t k, float *const *streams,
                       uint32_t count, uint32_t depth, GridBorder border);

// Gets all cells of streams, on the first level that is not divided.
void grid_share_gather(GridShare *share, const PoissonLevel *level, uint32_t k, float *const *streams,
                       uint32_t count);

#endif
