#include "neighbor/reference/cell_table.h"

#include "core/memory.h"

#include <string.h>

Result cell_table_start(CellTable *table, uint32_t runs)
{
    uint64_t buckets = 16;
    while (buckets < 2 * (uint64_t)runs && buckets < UINT64_C(1) << 31) buckets *= 2;
    TRY(MEMORY_RESERVE(table->bucket, table->bucket_capacity, 0, buckets, "hash table"));
    TRY(MEMORY_RESERVE(table->next_run, table->next_capacity, 0, runs, "hash table"));
    memset(table->bucket, 0xff, buckets * sizeof(uint32_t)); // CELL_NONE
    table->mask = (uint32_t)buckets - 1;
    table->cells = 0;
    return result_ok();
}

void cell_table_free(CellTable *table)
{
    memory_free(table->bucket);
    memory_free(table->cell);
    memory_free(table->next_run);
    *table = (CellTable){0};
}

uint64_t cell_table_bytes(const CellTable *table, uint32_t runs)
{
    if (!table->bucket) return 0;
    return ((uint64_t)table->mask + 1 + runs) * sizeof(uint32_t) + table->cells * (uint64_t)sizeof(TableCell);
}

Result cell_table_add(CellTable *table, uint64_t key, uint32_t hash, uint32_t *cell)
{
    *cell = cell_table_find(table, key, hash);
    if (*cell != CELL_NONE) return result_ok();
    if (table->cells == table->cell_capacity)
        TRY(MEMORY_RESERVE(table->cell, table->cell_capacity, table->cells, (size_t)table->cells + 64,
                           "hash table"));
    uint32_t *bucket = &table->bucket[hash & table->mask];
    table->cell[table->cells] = (TableCell){key, *bucket, CELL_NONE, CELL_NONE, 0};
    *bucket = *cell = table->cells++;
    return result_ok();
}

void cell_table_file(CellTable *table, uint32_t cell, uint32_t run)
{
    TableCell *at = &table->cell[cell];
    table->next_run[run] = CELL_NONE;
    if (at->run == CELL_NONE)
        at->run = run;
    else
        table->next_run[at->last] = run;
    at->last = run;
}

uint32_t cell_table_pack(const CellTable *table, const FiledRuns *filed, const CellNeighborhood *around,
                         uint32_t own_run, RowWriter *writer)
{
    uint32_t own = 0;
    RunPacker packer = {writer, filed, 0, 0};
    row_list_start(writer);
    for (int k = 0; k < 27; k++) {
        if (around->cell[k] == CELL_NONE) continue;
        for (uint32_t run = table->cell[around->cell[k]].run; run != CELL_NONE; run = table->next_run[run]) {
            uint32_t position = run_pack(&packer, run);
            if (run == own_run) own = position;
        }
    }
    run_pack_finish(&packer);
    return own;
}
