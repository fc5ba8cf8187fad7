// Compiled once for every instruction set: the including file defines NEAR_POINTS and its name decides the
// compiler's flags. Particles stand in the lanes.
#include "core/lanes.h"

_Static_assert(NEAR_POINTS_ROOM - NEAR_POINTS_MAX >= LANES, "a whole vector is written past the end");

bool NEAR_POINTS(NearQuery *query, NearPoints *out)
{
    const PointBins *bins = query->bins;
    const float *const streams[3] = {bins->x, bins->y, bins->z};
    const Lanes zero = lanes_set(0), square = lanes_set(query->radius * query->radius);
    out->count = 0;
    for (; query->row < query->row_count; query->row++) {
        const PointRow *row = &query->rows[query->row];
        const uint32_t begin = bins->begin[row->first], end = bins->begin[row->last + 1];
        for (uint32_t j = query->next > begin ? query->next : begin; j < end; j += LANES) {
            if (out->count + LANES > NEAR_POINTS_MAX) {
                query->next = j;
                return true;
            }
            Lanes at[3], distance = zero;
            for (int axis = 0; axis < 3; axis++) {
                at[axis] = lanes_add(lanes_load(streams[axis] + j), lanes_set(row->shift[axis]));
                Lanes below = lanes_sub(lanes_set(query->low[axis]), at[axis]);
                Lanes above = lanes_sub(at[axis], lanes_set(query->high[axis]));
                Lanes away = lanes_max(lanes_max(below, above), zero);
                distance = lanes_add(distance, lanes_mul(away, away));
            }
            uint32_t left = end - j, all = left < LANES ? (1u << left) - 1u : (1u << LANES) - 1u;
            uint32_t bits = lanes_bits(lanes_less_equal(distance, square)) & all;
            for (int axis = 0; axis < 3; axis++)
                lanes_store_chosen(out->at[axis] + out->count, at[axis], bits);
            out->count += lanes_write_numbers(out->index + out->count, j, bits);
        }
        query->next = 0;
    }
    return out->count > 0;
}
