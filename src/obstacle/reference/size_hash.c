#include "obstacle/reference/size_hash.h"

#include "core/memory.h"

#include <math.h>
#include <string.h>

// Smaller boxes share the smallest class, larger ones the largest.
#define EXPONENT_MIN (-12)
#define EXPONENT_MAX 18
#define PART_BITS_MAX 3
#define PLACE_BITS 19
#define PLACE_MASK ((UINT64_C(1) << PLACE_BITS) - 1)
// Coordinates further from 0 are filed here, m: a box of any size meets a few cells of the largest class, and
// places of the smallest one fit an int. Candidates are compared with the box itself.
#define FARTHEST 131072.0f

typedef struct Place {
    int32_t x, y, z;
} Place;

// Without floorf and fminf: a plain x86-64 calls functions for them, six a class and query.
static inline int32_t place_along(float coordinate, float inverse)
{
    float at = coordinate > -FARTHEST ? coordinate : -FARTHEST;
    float place = (at < FARTHEST ? at : FARTHEST) * inverse;
    int32_t whole = (int32_t)place;
    return whole - ((float)whole > place);
}

static inline Place place_of(Vec3 point, float inverse)
{
    return (Place){place_along(point.x, inverse), place_along(point.y, inverse),
                   place_along(point.z, inverse)};
}

// Places far apart may share a key; what is found there does not touch the box that asked.
static uint64_t key_of(uint32_t class, Place at)
{
    return (uint64_t) class << (3 * PLACE_BITS) | ((uint64_t)at.z & PLACE_MASK) << (2 * PLACE_BITS) |
           ((uint64_t)at.y & PLACE_MASK) << PLACE_BITS | ((uint64_t)at.x & PLACE_MASK);
}

// h^c of Pouchol et al. 2009, Eq. 3, without the modulo.
static uint32_t class_hash(uint32_t class, Place at)
{
    return ((uint32_t)at.x * 73856093u ^ (uint32_t)at.y * 19349663u ^ (uint32_t)at.z * 83492791u) +
           class * 2654435761u;
}

static uint32_t slot_of(const SizeHash *hash, uint32_t code)
{
    return (uint32_t)((uint64_t)(code * 0x9e3779b1u) * hash->slot_count >> 32);
}

// Puts a cell that is not there yet into its slot.
static void fill_slot(SizeHash *hash, uint32_t cell)
{
    uint32_t slot = slot_of(hash, hash->hashes[cell]);
    while (hash->slots[slot] != SIZE_NONE) slot = slot + 1 < hash->slot_count ? slot + 1 : 0;
    hash->slots[slot] = cell;
}

static uint32_t find_cell(const SizeHash *hash, uint64_t key, uint32_t code)
{
    uint32_t slot = slot_of(hash, code);
    while (hash->slots[slot] != SIZE_NONE && hash->cells[hash->slots[slot]].key != key)
        slot = slot + 1 < hash->slot_count ? slot + 1 : 0;
    return hash->slots[slot];
}

// Rebuilds the table of slots for the cells that are there.
static Result make_slots(SizeHash *hash, uint32_t count)
{
    TRY(MEMORY_RESERVE(hash->slots, hash->slot_capacity, 0, count, "obstacles"));
    hash->slot_count = count;
    memset(hash->slots, 0xff, (size_t)count * sizeof *hash->slots); // SIZE_NONE
    for (uint32_t k = 0; k < hash->cell_count; k++) fill_slot(hash, k);
    return result_ok();
}

// The cell with this key and hash, made if there is none.
static Result add_cell(SizeHash *hash, uint64_t key, uint32_t code, uint32_t *cell)
{
    *cell = find_cell(hash, key, code);
    if (*cell != SIZE_NONE) return result_ok();
    size_t count = (size_t)hash->cell_count + 2; // one more marks the end
    TRY(MEMORY_RESERVE(hash->cells, hash->cell_capacity, hash->cell_count, count, "obstacles"));
    TRY(MEMORY_RESERVE(hash->hashes, hash->hash_capacity, hash->cell_count, count, "obstacles"));
    *cell = hash->cell_count++;
    hash->cells[*cell] = (SizeCell){key, 0, SIZE_NONE};
    hash->hashes[*cell] = code;
    if (2 * (uint64_t)hash->cell_count > hash->slot_count) return make_slots(hash, 2 * hash->slot_count);
    fill_slot(hash, *cell);
    return result_ok();
}

// Boxes in a plane leave an axis undivided and have smaller parts along the others.
static void choose_parts(SizeHash *hash, const Box3 *boxes, uint32_t count)
{
    Box3 all = boxes[0];
    for (uint32_t k = 1; k < count; k++) all = box3_join(all, boxes[k]);
    Vec3 size = vec3_scale(vec3_sub(all.hi, all.lo), hash->inverse[0]); // in cells
    const float sizes[] = {size.x, size.y, size.z};
    int thin = 0;
    for (int axis = 1; axis < 3; axis++)
        if (sizes[axis] < sizes[thin]) thin = axis;
    bool flat = sizes[thin] <= 0.25f;
    for (int axis = 0; axis < 3; axis++) hash->part_bits[axis] = !flat ? 2 : axis == thin ? 0 : PART_BITS_MAX;
}

// Which of the 64 parts of its parent a cell is in; `step` is the number of powers of two between them.
static inline uint32_t part_of(const int bits[3], Place at, int step)
{
    uint32_t part = 0;
    const int32_t place[] = {at.x, at.y, at.z};
    for (int axis = 0; axis < 3; axis++) {
        uint64_t along =
            (uint64_t)(uint32_t)place[axis] << PART_BITS_MAX >> (step + PART_BITS_MAX - bits[axis]);
        part = part << bits[axis] | ((uint32_t)along & ((1u << bits[axis]) - 1));
    }
    return part;
}

static Result mark_child(SizeHash *hash, uint32_t cell, uint32_t part)
{
    if (hash->cells[cell].children == SIZE_NONE) {
        TRY(MEMORY_RESERVE(hash->parts, hash->part_capacity, hash->part_count, (size_t)hash->part_count + 1,
                           "obstacles"));
        hash->parts[hash->part_count] = 0;
        hash->cells[cell].children = hash->part_count++;
    }
    hash->parts[hash->cells[cell].children] |= UINT64_C(1) << part;
    return result_ok();
}

static Place place_above(Place at, int step)
{
    return (Place){at.x >> step, at.y >> step, at.z >> step};
}

// Listing 1 of Pouchol et al. 2009: all larger cells on the way to a cell of a class.
static Result add_path(SizeHash *hash, uint32_t class, Place at, uint32_t *cell)
{
    uint32_t code = 0;
    for (uint32_t k = 0; k <= class; k++) {
        uint32_t above = *cell;
        Place here = place_above(at, hash->exponent[k] - hash->exponent[class]);
        code += class_hash(k, here);
        TRY(add_cell(hash, key_of(k, here), code, cell));
        if (k == 0) continue;
        int step = hash->exponent[k - 1] - hash->exponent[k];
        TRY(mark_child(hash, above, part_of(hash->part_bits, here, step)));
    }
    return result_ok();
}

static int size_exponent(Box3 box)
{
    Vec3 size = vec3_sub(box.hi, box.lo);
    float longest = fmaxf(size.x, fmaxf(size.y, size.z));
    if (!(longest < ldexpf(1, EXPONENT_MAX))) return EXPONENT_MAX;
    int exponent;
    float mantissa = frexpf(longest, &exponent); // [0.5, 1) 2^exponent
    if (mantissa == 0.5f) exponent--;
    return mantissa > 0 && exponent > EXPONENT_MIN ? exponent : EXPONENT_MIN;
}

static void choose_classes(SizeHash *hash, int class_step, const Box3 *boxes, uint32_t count)
{
    bool used[EXPONENT_MAX - EXPONENT_MIN + 1] = {false};
    for (uint32_t k = 0; k < count; k++) used[size_exponent(boxes[k]) - EXPONENT_MIN] = true;
    hash->classes = 0;
    for (int e = EXPONENT_MAX; e >= EXPONENT_MIN && hash->classes < SIZE_CLASSES_MAX; e--) {
        if (!used[e - EXPONENT_MIN]) continue;
        if (hash->classes > 0 && hash->exponent[hash->classes - 1] - e < class_step) continue;
        hash->exponent[hash->classes] = e;
        hash->inverse[hash->classes++] = ldexpf(1, -e);
    }
}

// The class with the smallest cells that are not smaller than the box.
static uint32_t class_of(const SizeHash *hash, Box3 box)
{
    int exponent = size_exponent(box);
    uint32_t class = hash->classes - 1;
    while (hash->exponent[class] < exponent) class --;
    return class;
}

static Result file_box(SizeHash *hash, Box3 box, uint32_t number)
{
    uint32_t class = class_of(hash, box);
    Place lo = place_of(box.lo, hash->inverse[class]), hi = place_of(box.hi, hash->inverse[class]);
    for (int32_t z = lo.z; z <= hi.z; z++) {
        for (int32_t y = lo.y; y <= hi.y; y++) {
            for (int32_t x = lo.x; x <= hi.x; x++) {
                Place at = {x, y, z};
                uint32_t cell = SIZE_NONE, first = (uint32_t)(x == lo.x) | (uint32_t)(y == lo.y) << 1 |
                                                   (uint32_t)(z == lo.z) << 2;
                if (hash->hierarchical)
                    TRY(add_path(hash, class, at, &cell));
                else
                    TRY(add_cell(hash, key_of(class, at), class_hash(class, at), &cell));
                TRY(MEMORY_RESERVE(hash->filed, hash->filed_capacity, hash->item_count,
                                   (size_t)hash->item_count + 1, "obstacles"));
                hash->filed[hash->item_count++] = (uint64_t)cell << 32 | number << 3 | first;
            }
        }
    }
    return result_ok();
}

// The items of a cell side by side: a counting sort.
static Result gather_items(SizeHash *hash, const Box3 *boxes)
{
    TRY(MEMORY_RESERVE(hash->items, hash->item_capacity, 0, hash->item_count, "obstacles"));
    for (uint32_t k = 0; k < hash->item_count; k++) hash->cells[hash->filed[k] >> 32].first++;
    uint32_t sum = 0;
    for (uint32_t k = 0; k < hash->cell_count; k++) sum = hash->cells[k].first += sum;
    hash->cells[hash->cell_count] = (SizeCell){.first = sum, .children = SIZE_NONE};
    for (uint32_t k = hash->item_count; k-- > 0;) {
        uint32_t tag = (uint32_t)hash->filed[k];
        hash->items[--hash->cells[hash->filed[k] >> 32].first] = (SizeItem){boxes[tag >> 3], tag};
    }
    return result_ok();
}

Result size_hash_build(SizeHash *hash, bool hierarchical, int class_step, const Box3 *boxes, uint32_t count)
{
    CHECK(count <= SIZE_BOXES_MAX && class_step >= 1);
    hash->hierarchical = hierarchical;
    hash->cell_count = hash->item_count = hash->part_count = 0;
    choose_classes(hash, class_step, boxes, count);
    if (count == 0) return result_ok();
    choose_parts(hash, boxes, count);
    TRY(make_slots(hash, 64));
    for (uint32_t k = 0; k < count; k++) TRY(file_box(hash, boxes[k], k));
    TRY(make_slots(hash, 2 * hash->cell_count));
    return gather_items(hash, boxes);
}

void size_hash_free(SizeHash *hash)
{
    memory_free(hash->cells);
    memory_free(hash->hashes);
    memory_free(hash->items);
    memory_free(hash->parts);
    memory_free(hash->slots);
    memory_free(hash->filed);
    *hash = (SizeHash){0};
}

uint64_t size_hash_bytes(const SizeHash *hash)
{
    return hash->cell_count * (uint64_t)sizeof *hash->cells +
           hash->item_count * (uint64_t)sizeof *hash->items +
           hash->part_count * (uint64_t)sizeof *hash->parts +
           hash->slot_count * (uint64_t)sizeof *hash->slots;
}

typedef struct Query {
    const SizeHash *hash;
    Box3 box;
    uint32_t *out;
    uint32_t capacity, found;
} Query;

double size_hash_effort(const SizeHash *hash, Box3 box)
{
    if (hash->classes == 0) return 0;
    float inverse = hash->inverse[hash->classes - 1];
    Vec3 cells = vec3_scale(vec3_sub(box.hi, box.lo), inverse);
    return (2.0 + (double)cells.x) * (2.0 + (double)cells.y) * (2.0 + (double)cells.z);
}

// A box that lies in several of the query's cells counts in the first of them: on each axis that is the
// query's first cell or its own.
static void take_items(Query *query, const SizeCell *cell, Place at, Place lo)
{
    uint32_t needed =
        (uint32_t)(at.x != lo.x) | (uint32_t)(at.y != lo.y) << 1 | (uint32_t)(at.z != lo.z) << 2;
    const SizeItem *item = query->hash->items + cell[0].first, *end = query->hash->items + cell[1].first;
    uint32_t room = query->found < query->capacity ? query->capacity - query->found : 0;
    if (end - item <= room) {
        // Each is written; what comes next overwrites those that do not touch. Whether one does is
        // unpredictable: a branch would often be mispredicted.
        uint32_t *out = query->out + query->found;
        for (; item < end; item++) {
            *out = item->tag >> 3;
            out += ((item->tag & needed) == needed) & box3_touches(item->box, query->box);
        }
        query->found = (uint32_t)(out - query->out);
        return;
    }
    for (; item < end; item++) {
        if ((item->tag & needed) != needed || !box3_touches(item->box, query->box)) continue;
        if (query->found < query->capacity) query->out[query->found] = item->tag >> 3;
        query->found++;
    }
}

static void look_in_class(Query *query, uint32_t class)
{
    const SizeHash *hash = query->hash;
    Place lo = place_of(query->box.lo, hash->inverse[class]),
          hi = place_of(query->box.hi, hash->inverse[class]);
    for (int32_t z = lo.z; z <= hi.z; z++) {
        for (int32_t y = lo.y; y <= hi.y; y++) {
            for (int32_t x = lo.x; x <= hi.x; x++) {
                Place at = {x, y, z};
                uint32_t cell = find_cell(hash, key_of(class, at), class_hash(class, at));
                if (cell != SIZE_NONE) take_items(query, &hash->cells[cell], at, lo);
            }
        }
    }
}

// Clips a range to the smaller cells that lie in a cell.
static void clip(int32_t *low, int32_t *high, int32_t cell, int step)
{
    int64_t first = (int64_t)cell * (INT64_C(1) << step), last = first + (INT64_C(1) << step) - 1;
    if (first > *low) *low = first < INT32_MAX ? (int32_t)first : INT32_MAX - 1;
    if (last < *high) *high = last > INT32_MIN ? (int32_t)last : INT32_MIN;
}

static void descend_into(Query *query, uint32_t class, Place at, const SizeCell *cell, uint32_t code);

// A class of cells on the way down: the box's cells, clipped to the cell above.
typedef struct Level {
    uint32_t class;
    Place first; // of the box
    Place lo, hi;
    uint64_t parts; // of the cell above, that hold cells
    uint32_t code;  // sum of the hashes above
} Level;

// Listing 2 of Pouchol et al. 2009.
static void descend(Query *query, const Level *level)
{
    const SizeHash *hash = query->hash;
    uint32_t class = level->class;
    int above = class > 0 ? hash->exponent[class - 1] - hash->exponent[class] : 0;
    for (int32_t z = level->lo.z; z <= level->hi.z; z++) {
        for (int32_t y = level->lo.y; y <= level->hi.y; y++) {
            for (int32_t x = level->lo.x; x <= level->hi.x; x++) {
                Place at = {x, y, z};
                if (class > 0 && !(level->parts >> part_of(hash->part_bits, at, above) & 1)) continue;
                uint32_t code = level->code + class_hash(class, at);
                uint32_t number = find_cell(hash, key_of(class, at), code);
                if (number == SIZE_NONE) continue;
                const SizeCell *cell = &hash->cells[number];
                take_items(query, cell, at, level->first);
                if (cell->children != SIZE_NONE) descend_into(query, class, at, cell, code);
            }
        }
    }
}

static void descend_into(Query *query, uint32_t class, Place at, const SizeCell *cell, uint32_t code)
{
    const SizeHash *hash = query->hash;
    Level below = {.class = class + 1, .parts = hash->parts[cell->children], .code = code};
    int step = hash->exponent[class] - hash->exponent[class + 1];
    below.first = below.lo = place_of(query->box.lo, hash->inverse[class + 1]);
    below.hi = place_of(query->box.hi, hash->inverse[class + 1]);
    clip(&below.lo.x, &below.hi.x, at.x, step);
    clip(&below.lo.y, &below.hi.y, at.y, step);
    clip(&below.lo.z, &below.hi.z, at.z, step);
    descend(query, &below);
}

uint32_t size_hash_touching(const SizeHash *hash, Box3 box, uint32_t *out, uint32_t capacity)
{
    Query query = {.hash = hash, .box = box, .out = out, .capacity = capacity};
    if (hash->classes == 0) return 0;
    if (hash->hierarchical) {
        Place lo = place_of(box.lo, hash->inverse[0]), hi = place_of(box.hi, hash->inverse[0]);
        descend(&query, &(Level){.first = lo, .lo = lo, .hi = hi});
    } else {
        for (uint32_t k = 0; k < hash->classes; k++) look_in_class(&query, k);
    }
    return query.found;
}
