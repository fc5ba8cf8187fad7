// The loops of shape_kernel.h. Included by shape_kernel_*.c, which differ in their compiler flags alone;
// SHAPE_KERNEL names the table that each defines.

#include "core/lanes.h"
#include "neighbor/shape/shape_kernel.h"

// A query in vector registers.
typedef struct ShapeLanes {
    Lanes x, y, z, axis_x, axis_y, axis_z, reach_squared, round, stretch;
} ShapeLanes;

static inline ShapeLanes spread_query(const ShapeQuery *query)
{
    return (ShapeLanes){.x = lanes_set(query->at.x),
                        .y = lanes_set(query->at.y),
                        .z = lanes_set(query->at.z),
                        .axis_x = lanes_set(query->axis.x * query->steep),
                        .axis_y = lanes_set(query->axis.y * query->steep),
                        .axis_z = lanes_set(query->axis.z * query->steep),
                        .reach_squared = lanes_set(query->reach_squared),
                        .round = lanes_set(query->across_inverse_squared),
                        .stretch = lanes_set(query->stretch)};
}

static inline Lanes absolute(Lanes a)
{
    return lanes_max(a, lanes_sub(lanes_set(0.0f), a));
}

// shape_inside for sixteen points. What is known when this is compiled into a loop (kind, flat) costs
// nothing.
static inline uint32_t inside_bits(const ShapeLanes *query, ShapeQueryKind kind, bool wide, bool flat,
                                   Lanes x, Lanes y, Lanes z)
{
    Lanes dx = lanes_sub(x, query->x), dy = lanes_sub(y, query->y), dz = flat ? dx : lanes_sub(z, query->z);
    Lanes squared = lanes_add(lanes_mul(dx, dx), lanes_mul(dy, dy));
    if (!flat) squared = lanes_add(squared, lanes_mul(dz, dz));
    Lanes t = lanes_add(lanes_mul(dx, query->axis_x), lanes_mul(dy, query->axis_y));
    if (!flat) t = lanes_add(t, lanes_mul(dz, query->axis_z));
    if (kind == SHAPE_ELLIPSOID) {
        Lanes stretched = lanes_mul(lanes_mul(t, t), query->stretch),
              round = lanes_mul(squared, query->round);
        return lanes_bits(lanes_less_equal(lanes_add(stretched, round), lanes_set(1.0f)));
    }
    uint32_t bits = lanes_bits(lanes_less_equal(squared, query->reach_squared));
    if (kind == SHAPE_CONE) {
        Lanes ahead = lanes_max(t, lanes_set(0.0f)), border = lanes_mul(ahead, ahead);
        bits &= lanes_bits(wide ? lanes_less_equal(border, squared) : lanes_less_equal(squared, border));
    }
    return bits;
}

ALWAYS_INLINE uint32_t filter_kind(const ShapeQuery *query, ShapeQueryKind kind, bool wide, bool flat,
                                   const PointStreams *points, const PlaceRange *ranges, uint32_t count,
                                   uint32_t *out)
{
    const ShapeLanes lanes = spread_query(query);
    const float *x = points->x, *y = points->y, *z = flat ? points->x : points->z;
    const uint32_t *index = points->index;
    uint32_t *at = out;
    for (uint32_t range = 0; range < count; range++) {
        for (uint32_t k = ranges[range].begin, end = ranges[range].end; k < end; k += SHAPE_LANES) {
            uint32_t bits = inside_bits(&lanes, kind, wide, flat, lanes_load(x + k), lanes_load(y + k),
                                        lanes_load(z + k));
            bits &= lanes_first_bits(end - k);
            at += index ? lanes_write_chosen(at, index + k, bits) : lanes_write_numbers(at, k, bits);
        }
    }
    return (uint32_t)(at - out);
}

ALWAYS_INLINE uint32_t listed_kind(const ShapeQuery *query, ShapeQueryKind kind, bool wide, bool flat,
                                   const PointStreams *points, const uint32_t *list, uint32_t count,
                                   uint32_t *out)
{
    const ShapeLanes lanes = spread_query(query);
    uint32_t *at = out;
    for (uint32_t k = 0; k < count; k += SHAPE_LANES) {
        LaneIndex places = lanes_index_load(list + k, lanes_first(count - k), list[0]);
        Lanes x = lanes_gather(points->x, places), y = lanes_gather(points->y, places);
        Lanes z = flat ? x : lanes_gather(points->z, places);
        uint32_t bits = inside_bits(&lanes, kind, wide, flat, x, y, z) & lanes_first_bits(count - k);
        at += lanes_write_chosen(at, list + k, bits);
    }
    return (uint32_t)(at - out);
}

// A loop of its own for each kind of shape and number of dimensions.
#define BY_KIND(loop, query, flat, ...)                                                                      \
    switch ((query)->kind) {                                                                                 \
    case SHAPE_BALL:                                                                                         \
        return flat ? loop(query, SHAPE_BALL, false, true, __VA_ARGS__)                                      \
                    : loop(query, SHAPE_BALL, false, false, __VA_ARGS__);                                    \
    case SHAPE_CONE:                                                                                         \
        if ((query)->steep < 0.0f)                                                                           \
            return flat ? loop(query, SHAPE_CONE, true, true, __VA_ARGS__)                                   \
                        : loop(query, SHAPE_CONE, true, false, __VA_ARGS__);                                 \
        return flat ? loop(query, SHAPE_CONE, false, true, __VA_ARGS__)                                      \
                    : loop(query, SHAPE_CONE, false, false, __VA_ARGS__);                                    \
    default:                                                                                                 \
        return flat ? loop(query, SHAPE_ELLIPSOID, false, true, __VA_ARGS__)                                 \
                    : loop(query, SHAPE_ELLIPSOID, false, false, __VA_ARGS__);                               \
    }

static uint32_t filter(const ShapeQuery *query, const ShapePoints *points, const PlaceRange *ranges,
                       uint32_t count, uint32_t *out)
{
    BY_KIND(filter_kind, query, points->flat, &points->streams, ranges, count, out)
}

static uint32_t filter_listed(const ShapeQuery *query, const ShapePoints *points, const uint32_t *list,
                              uint32_t count, uint32_t *out)
{
    BY_KIND(listed_kind, query, points->flat, &points->streams, list, count, out)
}

// --- cutting rows ---
//
// A row is the line (X, y, z) with half a cell around it: it can hold points of a shape only where the line
// is in the shape blown up by that half cell (its Minkowski sum). Blown-up shapes are a little larger than
// that: an ellipsoid is scaled, a ball gets the half cell's diagonal, a cone's apex moves back.

// Beyond the error of rounding in shape_inside and here.
#define CUT_SLACK 1.0001f
#define CUT_MARGIN 1e-3f

// Sixteen lines, and what is left of them.
typedef struct Cut {
    Lanes y, z, from, to;
    uint32_t bits;
} Cut;

// In units of the minor semi-axis, where the metric is I - g u u^T.
static inline void cut_ellipsoid(const ShapeQuery *query, const ShapeRows *rows, Cut *cut)
{
    float inverse = 1.0f / query->across, ratio = query->across / query->reach, g = 1.0f - ratio * ratio;
    float hy = rows->half_y * inverse, hz = rows->half_z * inverse;
    Vec3 u = query->axis;
    // Half the cell's longer diagonal, in the metric.
    float across = fminf(fabsf(hy * u.y + hz * u.z), fabsf(hy * u.y - hz * u.z));
    float rho = sqrtf(fmaxf(0.0f, hy * hy + hz * hz - g * across * across));
    float scale = (1.0f + rho) * CUT_SLACK + CUT_MARGIN + 1e-6f / (ratio * ratio), a = 1.0f - g * u.x * u.x;
    Lanes y = lanes_mul(cut->y, lanes_set(inverse)), z = lanes_mul(cut->z, lanes_set(inverse));
    Lanes k = lanes_add(lanes_mul(lanes_set(u.y), y), lanes_mul(lanes_set(u.z), z));
    Lanes b = lanes_mul(lanes_set(g * u.x), k); // a X^2 - 2 b X + c <= 0
    Lanes c =
        lanes_sub(lanes_add(lanes_mul(y, y), lanes_mul(z, z)), lanes_mul(lanes_set(g), lanes_mul(k, k)));
    c = lanes_sub(c, lanes_set(scale * scale));
    Lanes inner = lanes_sub(lanes_mul(b, b), lanes_mul(lanes_set(a), c)), zero = lanes_set(0.0f);
    cut->bits &= lanes_bits(lanes_less_equal(zero, inner));
    Lanes root = lanes_sqrt(lanes_max(inner, zero)), to_x = lanes_set(query->across / a);
    cut->from = lanes_mul(lanes_sub(b, root), to_x);
    cut->to = lanes_mul(lanes_add(b, root), to_x);
}

static inline void cut_ball(const ShapeQuery *query, const ShapeRows *rows, Cut *cut)
{
    float reach = query->reach * (CUT_SLACK + CUT_MARGIN);
    Lanes zero = lanes_set(0.0f);
    Lanes y = lanes_max(zero, lanes_sub(absolute(cut->y), lanes_set(rows->half_y)));
    Lanes z = lanes_max(zero, lanes_sub(absolute(cut->z), lanes_set(rows->half_z)));
    Lanes inner = lanes_sub(lanes_set(reach * reach), lanes_add(lanes_mul(y, y), lanes_mul(z, z)));
    cut->bits &= lanes_bits(lanes_less_equal(zero, inner));
    cut->to = lanes_sqrt(lanes_max(inner, zero));
    cut->from = lanes_sub(zero, cut->to);
}

// Half angles from here on are not convex enough to be worth a cut.
#define CONE_COSINE_MIN 0.05f
// Lines this close to parallel to the cone's border are not cut: the quotient would magnify rounding.
#define CONE_SLOPE_MIN 0.05f

// The line with the cone (d . u)^2 >= c^2 d^2 is a quadratic a X^2 + 2 b X + c >= 0.
static inline void cut_cone(const ShapeQuery *query, const ShapeRows *rows, Cut *cut)
{
    Vec3 u = query->axis;
    float cc = query->cosine * query->cosine * 0.9999f, a = u.x * u.x - cc;
    if (query->cosine < CONE_COSINE_MIN || fabsf(a) < CONE_SLOPE_MIN) return;
    float half = sqrtf(rows->half_y * rows->half_y + rows->half_z * rows->half_z) * CUT_SLACK;
    float back = half / sqrtf(1.0f - cc);
    Lanes zero = lanes_set(0.0f), tiny = lanes_set(-1e-4f * (query->reach + back));
    Lanes y = lanes_add(cut->y, lanes_set(u.y * back)), z = lanes_add(cut->z, lanes_set(u.z * back));
    Lanes k = lanes_add(lanes_mul(lanes_set(u.y), y), lanes_mul(lanes_set(u.z), z));
    Lanes squared = lanes_add(lanes_mul(y, y), lanes_mul(z, z)), b = lanes_mul(lanes_set(u.x), k);
    Lanes c = lanes_sub(lanes_mul(k, k), lanes_mul(lanes_set(cc), squared));
    Lanes inner = lanes_sub(lanes_mul(b, b), lanes_mul(lanes_set(a), c));
    Lanes root = lanes_sqrt(lanes_max(inner, zero)), minus_b = lanes_sub(zero, b);
    Lanes divide = lanes_set(1.0f / a), start = lanes_set(-u.x * back);
    Lanes first = lanes_add(lanes_mul(lanes_sub(minus_b, root), divide), start);
    Lanes second = lanes_add(lanes_mul(lanes_add(minus_b, root), divide), start);
    if (a < 0.0f) { // across the cone: a piece between two crossings, of the cone or of its mirror image
        Lanes middle = lanes_add(lanes_mul(lanes_set(u.x), lanes_mul(minus_b, divide)), k);
        cut->bits &= lanes_bits(lanes_less_equal(zero, inner)) & lanes_bits(lanes_less_equal(tiny, middle));
        cut->from = lanes_max(cut->from, second);
        cut->to = lanes_min(cut->to, first);
    } else if (u.x > 0.0f) { // along it: everything behind the crossing
        cut->from = lanes_max(cut->from, second);
    } else {
        cut->to = lanes_min(cut->to, first);
    }
    cut->bits &= lanes_bits(lanes_less_equal(cut->from, cut->to));
}

static uint32_t cut(const ShapeQuery *query, const ShapeRows *rows, float from[SHAPE_LANES],
                    float to[SHAPE_LANES])
{
    Cut lines = {.y = lanes_load(rows->y), .z = lanes_load(rows->z), .bits = 0xffffu};
    if (query->kind == SHAPE_ELLIPSOID)
        cut_ellipsoid(query, rows, &lines);
    else
        cut_ball(query, rows, &lines);
    if (query->kind == SHAPE_CONE) cut_cone(query, rows, &lines);
    lanes_store(from, lines.from);
    lanes_store(to, lines.to);
    return lines.bits;
}

const ShapeKernel SHAPE_KERNEL = {filter, filter_listed, cut};
