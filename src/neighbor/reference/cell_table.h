// A hash table of cells that hold points: bucket -> cells -> runs of points. Cells are compared by key, so
// cells that share a bucket are never mistaken for each other. The hash function is the caller's: Teschner's
// for one size of cells, Pouchol's sum over the sizes for a hierarchy.
#ifndef PBF_NEIGHBOR_REFERENCE_CELL_TABLE_H
#define PBF_NEIGHBOR_REFERENCE_CELL_TABLE_H

#include "neighbor/reference/filed_runs.h"

#define CELL_NONE UINT32_MAX

// One cell; its runs are a list through CellTable.next_run, in ascending order.
typedef struct TableCell {
    uint64_t key;
    uint32_t next;      // in the same bucket
    uint32_t run, last; // first and last run, CELL_NONE without
    uint32_t children;  // there are cells of the next smaller size inside
} TableCell;

typedef struct CellTable {
    uint32_t *bucket; // first cell
    uint32_t mask;    // buckets - 1
    TableCell *cell;
    uint32_t cells;
    uint32_t *next_run; // of each run
    size_t bucket_capacity, cell_capacity, next_capacity;
} CellTable;

// Eq. 1 of Pouchol et al. 2009, which is Teschner et al. 2003, without the modulo.
static inline uint32_t cell_hash(uint32_t x, uint32_t y, uint32_t z)
{
    return x * 73856093u ^ y * 19349663u ^ z * 83492791u;
}

// Empties the table; it gets two buckets a run or more.
Result cell_table_start(CellTable *table, uint32_t runs);
void cell_table_free(CellTable *table);
uint64_t cell_table_bytes(const CellTable *table, uint32_t runs);

// The cell with this key and hash, CELL_NONE if there is none.
static inline uint32_t cell_table_find(const CellTable *table, uint64_t key, uint32_t hash)
{
    uint32_t cell = table->bucket[hash & table->mask];
    while (cell != CELL_NONE && table->cell[cell].key != key) cell = table->cell[cell].next;
    return cell;
}

// As cell_table_find, but adds the cell if it is missing. Error: RESULT_NO_MEMORY.
Result cell_table_add(CellTable *table, uint64_t key, uint32_t hash, uint32_t *cell);

// Appends a run to a cell.
void cell_table_file(CellTable *table, uint32_t cell, uint32_t run);

// The cells that a query found in the 27 places around a cell, in the order of their keys; CELL_NONE where
// empty.
typedef struct CellNeighborhood {
    uint32_t cell[27];
} CellNeighborhood;

// Packs the runs of the cells into writer->list. Returns the position of the first point of own_run.
uint32_t cell_table_pack(const CellTable *table, const FiledRuns *filed, const CellNeighborhood *around,
                         uint32_t own_run, RowWriter *writer);

#endif
