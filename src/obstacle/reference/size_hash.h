// Boxes of any size in one hash table of cells of sizes 2^c: which of them touch a box? Two ways to do it.
// The multilevel hash (Eitz and Lixu 2007, as in Pouchol et al. 2009, section 2.2) files each box in the
// smallest class whose cells are not smaller than the box, so in eight cells at most, and a query looks at
// its cells in every class. The hierarchical hash (Pouchol et al. 2009, sections 3.1 to 3.3.1) also makes the
// larger cells around each cell, keys a cell by the sum of the hashes on the way down (Eq. 4), and remembers
// which of its parts hold smaller cells, so a query goes from the largest class down and never looks where
// there is nothing. Both need memory by the boxes, not by the space between them.
//
// Good for scenes with thousands of bodies of very different sizes; a query costs a lookup for each cell that
// its box meets, 5 to 20 ns each.
#ifndef PBF_OBSTACLE_REFERENCE_SIZE_HASH_H
#define PBF_OBSTACLE_REFERENCE_SIZE_HASH_H

#include "core/result.h"
#include "core/vec3.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SIZE_CLASSES_MAX 16
// Powers of two that classes are apart by default: boxes in between go into the class above. With every power
// of two, as in the papers, more classes cost a query more than their smaller cells save.
#define SIZE_CLASS_STEP 2
#define SIZE_BOXES_MAX (1u << 29)

// The boxes in a cell are items first .. first of the next cell.
typedef struct SizeCell {
    uint64_t key;      // class and place
    uint32_t first;    // in SizeHash.items
    uint32_t children; // in SizeHash.parts: which parts hold smaller cells; SIZE_NONE without
} SizeCell;

#define SIZE_NONE UINT32_MAX

// A box in a cell, with its bounds: a query reads a cell's boxes one after the other.
typedef struct SizeItem {
    Box3 box;
    uint32_t tag; // number of the box << 3 | per axis: this is its first cell
} SizeItem;

typedef struct SizeHash {
    bool hierarchical;
    uint32_t classes;                // largest first
    int exponent[SIZE_CLASSES_MAX];  // edge of a class's cells is 2^exponent m
    float inverse[SIZE_CLASSES_MAX]; // 1 / edge
    uint32_t cell_count, item_count, part_count, slot_count;
    SizeCell *cells;
    uint32_t *hashes; // of each cell
    SizeItem *items;
    int part_bits[3]; // a cell has 2^part_bits parts along each axis, 64 in all
    uint64_t *parts;  // a bit for each part of a cell
    uint32_t *slots;  // open addressing: cells or SIZE_NONE
    uint64_t *filed;  // while building: cell << 32 | tag of an item
    size_t cell_capacity, hash_capacity, item_capacity, part_capacity, slot_capacity, filed_capacity;
} SizeHash;

// Files all boxes again, in classes at least class_step >= 1 powers of two apart. All zero before the first
// call; memory grows to its high-water mark and is kept. count <= SIZE_BOXES_MAX. Errors: RESULT_NO_MEMORY.
Result size_hash_build(SizeHash *hash, bool hierarchical, int class_step, const Box3 *boxes, uint32_t count);
void size_hash_free(SizeHash *hash);

// Bytes that the structure uses, without what building alone needs.
uint64_t size_hash_bytes(const SizeHash *hash);

// Cells of the smallest class that a query for this box looks at, at most.
double size_hash_effort(const SizeHash *hash, Box3 box);

// Writes the numbers of the boxes that touch `box` to out, in no particular order, each once, the first
// `capacity` of them; returns how many there are. Thread-safe.
uint32_t size_hash_touching(const SizeHash *hash, Box3 box, uint32_t *out, uint32_t capacity);

#endif
