#include "strand/strand.h"

#include "core/hash.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "strand/strand_lengths.h"

#include <string.h>

#define PI 3.14159265f
#define PARTICLES_MAX INT32_MAX

// --- life ---

static Result count_particles(const StrandDef *defs, uint32_t count, uint32_t *strands, uint32_t *particles)
{
    uint64_t all = 0, rows = 0;
    for (uint32_t k = 0; k < count; k++) {
        rows += defs[k].count;
        all += (uint64_t)defs[k].count * (defs[k].segments + 1);
    }
    if (all > PARTICLES_MAX)
        return result_error(RESULT_USAGE, "strands: %llu particles are too many (at most %d)",
                            (unsigned long long)all, PARTICLES_MAX);
    *strands = (uint32_t)rows;
    *particles = (uint32_t)all;
    return result_ok();
}

// Room for everything; all zero.
static Result allocate(Strands *strands)
{
    size_t rows = strands->strand_count, particles = strands->particle_count;
    const struct {
        void *at; // the address of a pointer
        size_t bytes;
    } parts[] = {
        {&strands->defs, strands->group_count * sizeof(StrandDef)},
        {&strands->first, (rows + 1) * sizeof(uint32_t)},
        {&strands->group, rows * sizeof(uint32_t)},
        {&strands->strand_of, particles * sizeof(uint32_t)},
        {&strands->segment, rows * sizeof(float)},
        {&strands->mass, rows * sizeof(float)},
        {&strands->inverse_mass, particles * sizeof(float)},
        {&strands->anchors, rows * sizeof(StrandAnchor)},
        {&strands->x, particles * sizeof(Vec3)},
        {&strands->v, particles * sizeof(Vec3)},
        {&strands->way, particles * sizeof(Vec3)},
        {&strands->next_v, particles * sizeof(Vec3)},
        {&strands->free_way, particles * sizeof(Vec3)},
        {&strands->restless, rows * sizeof(bool)},
        {&strands->listed, rows * sizeof(uint32_t)},
        {&strands->has_planes, rows * sizeof(bool)},
        {&strands->planes, PLANES_PER_PARTICLE * particles * sizeof(StrandPlane)},
    };
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
        void *block = memory_allocate_zeroed(parts[k].bytes);
        if (!block) return result_no_memory("strands", parts[k].bytes);
        memcpy(parts[k].at, &block, sizeof block);
    }
    return result_ok();
}

static void number_particles(Strands *strands)
{
    uint32_t strand = 0, particle = 0;
    for (uint32_t group = 0; group < strands->group_count; group++) {
        for (uint32_t k = 0; k < strands->defs[group].count; k++, strand++) {
            strands->first[strand] = particle;
            strands->group[strand] = group;
            for (uint32_t i = 0; i <= strands->defs[group].segments; i++)
                strands->strand_of[particle++] = strand;
        }
    }
    strands->first[strand] = particle;
}

// A whole strand weighs what its cylinder does, all particles the same.
static void weigh(Strands *strands)
{
    for (uint32_t k = 0; k < strands->strand_count; k++) {
        const StrandDef *def = strand_def(strands, k);
        float length = strands->segment[k] * (float)def->segments;
        strands->mass[k] =
            def->density * PI * def->radius * def->radius * length / (float)(def->segments + 1);
        uint32_t begin = strands->first[k] + strand_held_first(def);
        uint32_t end = strands->first[k + 1] - strand_held_last(def);
        for (uint32_t i = begin; i < end; i++) strands->inverse_mass[i] = 1.0f / strands->mass[k];
    }
}

static Result fill(Strands *strands, const StrandDef *defs, const Obstacles *obstacles)
{
    bool contacts = false;
    TRY(allocate(strands));
    for (uint32_t k = 0; k < strands->group_count; k++) {
        strands->defs[k] = defs[k];
        contacts |= defs[k].self_contact;
    }
    number_particles(strands);
    TRY(strand_place(strands, obstacles));
    weigh(strands);
    return contacts ? strand_pairs_create(strands, &strands->pairs) : result_ok();
}

Result strands_create(const StrandDef *defs, uint32_t count, const Obstacles *obstacles, Strands **out)
{
    uint32_t rows = 0, particles = 0;
    *out = NULL;
    TRY(count_particles(defs, count, &rows, &particles));
    Strands *strands = memory_allocate_zeroed(sizeof *strands);
    if (!strands) return result_no_memory("strands", sizeof *strands);
    strands->group_count = count;
    strands->strand_count = rows;
    strands->particle_count = particles;
    Result result = fill(strands, defs, obstacles);
    if (result_is_ok(&result))
        *out = strands;
    else
        strands_destroy(strands);
    return result;
}

void strands_destroy(Strands *strands)
{
    if (!strands) return;
    void *blocks[] = {strands->defs,    strands->first,  strands->group,        strands->strand_of,
                      strands->segment, strands->mass,   strands->inverse_mass, strands->anchors,
                      strands->x,       strands->v,      strands->way,          strands->free_way,
                      strands->next_v,  strands->planes, strands->restless,     strands->has_planes,
                      strands->listed,  strands->lengths};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; k++) memory_free(blocks[k]);
    strand_pairs_destroy(strands->pairs);
    memory_free(strands);
}

Result strands_copy(const Strands *from, Strands **out)
{
    *out = NULL;
    Strands *copy = memory_allocate_zeroed(sizeof *copy);
    if (!copy) return result_no_memory("a copy of the strands", sizeof *copy);
    copy->group_count = from->group_count;
    copy->strand_count = from->strand_count;
    copy->particle_count = from->particle_count;
    Result result = allocate(copy);
    if (!result_is_ok(&result)) {
        strands_destroy(copy);
        return result;
    }
    memcpy(copy->defs, from->defs, from->group_count * sizeof *from->defs);
    number_particles(copy);
    memcpy(copy->segment, from->segment, from->strand_count * sizeof *from->segment);
    weigh(copy);
    strands_follow(copy, from);
    *out = copy;
    return result_ok();
}

void strands_follow(Strands *copy, const Strands *from)
{
    CHECK(copy->particle_count == from->particle_count);
    memcpy(copy->x, from->x, from->particle_count * sizeof *from->x);
    memcpy(copy->v, from->v, from->particle_count * sizeof *from->v);
}

// --- views ---

StrandView strands_view(const Strands *strands)
{
    return (StrandView){.strand_count = strands->strand_count,
                        .particle_count = strands->particle_count,
                        .group_count = strands->group_count,
                        .first = strands->first,
                        .group = strands->group,
                        .defs = strands->defs,
                        .position = strands->x,
                        .velocity = strands->v};
}

Box3 strands_bounds(const Strands *strands)
{
    Box3 box = {vec3_make(INFINITY, INFINITY, INFINITY), vec3_make(-INFINITY, -INFINITY, -INFINITY)};
    for (uint32_t i = 0; i < strands->particle_count; i++)
        box = box3_join(box, (Box3){strands->x[i], strands->x[i]});
    return box;
}

float strands_mass(const Strands *strands, uint32_t strand)
{
    return strands->mass[strand];
}

Result strands_reserve(Strands *strands)
{
    TRY(MEMORY_RESERVE(strands->lengths, strands->lengths_capacity, 0, parallel_workers(), "strands"));
    return strand_pairs_reserve(strands->pairs);
}

StrandLine strand_line(Strands *strands, uint32_t strand)
{
    const StrandDef *def = strand_def(strands, strand);
    return (StrandLine){.x = strands->x + strands->first[strand],
                        .way = strands->way + strands->first[strand],
                        .count = strands->first[strand + 1] - strands->first[strand],
                        .held_first = strand_held_first(def),
                        .held_last = strand_held_last(def),
                        .segment = (double)strands->segment[strand]};
}

// --- stored states ---

void strands_store(const Strands *strands, StateBlocks *blocks)
{
    blocks_add(blocks, "strand_x", BLOCK_FLOAT, 3 * (uint64_t)strands->particle_count, strands->x);
    blocks_add(blocks, "strand_v", BLOCK_FLOAT, 3 * (uint64_t)strands->particle_count, strands->v);
}

Result strands_restore(Strands *strands, const StateBlocks *blocks)
{
    uint64_t count = 3 * (uint64_t)strands->particle_count;
    TRY(blocks_copy(blocks, "strand_x", BLOCK_FLOAT, count, strands->x));
    TRY(blocks_copy(blocks, "strand_v", BLOCK_FLOAT, count, strands->v));
    for (uint32_t i = 0; i < strands->particle_count; i++) {
        Vec3 x = strands->x[i], v = strands->v[i];
        if (!isfinite(x.x + x.y + x.z) || !isfinite(v.x + v.y + v.z))
            return result_error(RESULT_USAGE, "strand_x, strand_v: particle %u is not finite", i);
    }
    return result_ok();
}

uint64_t strands_hash(const Strands *strands, uint64_t hash)
{
    hash = hash_bytes(hash, strands->x, strands->particle_count * sizeof *strands->x);
    return hash_bytes(hash, strands->v, strands->particle_count * sizeof *strands->v);
}
