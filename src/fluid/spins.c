#include "fluid/spins.h"

#include "core/lanes.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "core/round.h"

#include <math.h>
#include <string.h>

#define GRAIN 4096u

static const char *const names[3] = {"spin_x", "spin_y", "spin_z"};

static float *along(Streams3 vectors, int axis)
{
    return axis == 0 ? vectors.x : axis == 1 ? vectors.y : vectors.z;
}

Result spins_reserve(Spins *spins, uint32_t count, uint32_t ghosts)
{
    if (count == 0) {
        spins_free(spins);
        return result_ok();
    }
    size_t needed = round_up((size_t)count + ghosts + LANES, LANES);
    if (needed > spins->stride) {
        size_t stride = round_up(needed + needed / 8, LANES);
        float *memory = memory_allocate_zeroed(9 * stride * sizeof *memory);
        if (!memory) return result_no_memory("spins", 9 * stride * sizeof *memory);
        Spins grown = {.now = streams3_at(memory, stride),
                       .before = streams3_at(memory + 3 * stride, stride),
                       .gain = streams3_at(memory + 6 * stride, stride),
                       .memory = memory,
                       .stride = stride,
                       .count = spins->count};
        for (int a = 0; a < 3 && spins->count > 0; a++)
            memcpy(along(grown.now, a), along(spins->now, a), spins->count * sizeof(float));
        spins_free(spins);
        *spins = grown;
    }
    // Lanes behind the last are read, too.
    uint32_t from = spins->count < count ? spins->count : count;
    for (int a = 0; a < 3; a++)
        memset(along(spins->now, a) + from, 0, (spins->stride - from) * sizeof(float));
    spins->count = count;
    return result_ok();
}

void spins_free(Spins *spins)
{
    memory_free(spins->memory);
    *spins = (Spins){0};
}

void spins_move(Spins *spins, uint32_t to, uint32_t from)
{
    if (to >= spins->count) return; // of particles that have not stepped yet
    for (int a = 0; a < 3; a++)
        along(spins->now, a)[to] = from < spins->count ? along(spins->now, a)[from] : 0.0f;
}

void spins_cut(Spins *spins, uint32_t count)
{
    if (count < spins->count) spins->count = count;
}

typedef struct Reorder {
    const Spins *spins;
    const uint32_t *order;
} Reorder;

static void reorder(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const Reorder *job = context;
    const Spins *spins = job->spins;
    for (uint32_t i = begin; i < end; i++) {
        uint32_t from = job->order[i];
        spins->before.x[i] = spins->now.x[from];
        spins->before.y[i] = spins->now.y[from];
        spins->before.z[i] = spins->now.z[from];
    }
}

void spins_reorder(Spins *spins, const uint32_t *order, uint32_t count)
{
    if (spins->count == 0) return;
    parallel_for(count, GRAIN, reorder, &(Reorder){spins, order});
    Streams3 now = spins->before;
    spins->before = spins->now;
    spins->now = now;
    for (uint32_t i = count; i < spins->count || i % LANES != 0; i++) now.x[i] = now.y[i] = now.z[i] = 0.0f;
    spins->count = count;
}

void spins_store(const Spins *spins, StateBlocks *blocks)
{
    for (int a = 0; a < 3 && spins->count > 0; a++)
        blocks_add(blocks, names[a], BLOCK_FLOAT, spins->count, along(spins->now, a));
}

Result spins_restore(Spins *spins, const StateBlocks *blocks, uint32_t count)
{
    spins->count = 0;
    if (!blocks || !blocks_find(blocks, names[0], BLOCK_FLOAT)) return result_ok();
    TRY(spins_reserve(spins, count, 0));
    for (int a = 0; a < 3 && count > 0; a++) {
        float *to = along(spins->now, a);
        TRY(blocks_copy(blocks, names[a], BLOCK_FLOAT, count, to));
        for (uint32_t i = 0; i < count; i++) {
            if (!isfinite(to[i]))
                return result_error(RESULT_USAGE, "%s: value %g is out of range for a stored state", names[a],
                                    (double)to[i]);
        }
    }
    return result_ok();
}
