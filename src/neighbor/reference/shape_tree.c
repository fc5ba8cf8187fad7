// Shape queries with a k-d tree.
#include "neighbor/reference/shape_reference.h"

#include <math.h>
#include <string.h>

#define RANGES 64u

Result shape_tree_build(ShapeTree *tree, PointView points, uint32_t dimensions, uint32_t bucket)
{
    tree->flat = dimensions == 2;
    tree->points.count = points.count;
    if (points.count == 0) return result_ok();
    PointSet set = {.x = points.x, .y = points.y, .z = points.z, .count = points.count};
    const float *stream[3] = {points.x, points.y, points.z};
    for (int axis = 0; axis < 3; axis++) {
        set.lo[axis] = set.hi[axis] = stream[axis][0];
        for (uint32_t k = 1; k < points.count; k++) {
            set.lo[axis] = fminf(set.lo[axis], stream[axis][k]);
            set.hi[axis] = fmaxf(set.hi[axis], stream[axis][k]);
        }
    }
    return kd_points_build(&tree->points, &set, bucket);
}

void shape_tree_free(ShapeTree *tree)
{
    kd_points_free(&tree->points);
}

// The ball around a box, relative to the pivot.
typedef struct BoxBall {
    float squared, along, radius; // of its center: distance^2 and part along the axis; half diagonal
} BoxBall;

static BoxBall ball_of(const ShapeQuery *query, const PointBox *box)
{
    Vec3 lo = {box->lo[0], box->lo[1], box->lo[2]}, hi = {box->hi[0], box->hi[1], box->hi[2]};
    Vec3 to_lo = vec3_sub(lo, query->at), to_hi = vec3_sub(hi, query->at);
    Vec3 center = vec3_scale(vec3_add(to_lo, to_hi), 0.5f);
    return (BoxBall){vec3_dot(center, center), vec3_dot(center, query->axis),
                     0.5f * vec3_length(vec3_sub(hi, lo)) + 1e-6f * vec3_length(center)};
}

// Can the shape hold points of the box? Tests the ball around the box against the shape blown up by its
// radius; margins are wider than rounding.
static bool may_hold(const ShapeQuery *query, const PointBox *box)
{
    BoxBall ball = ball_of(query, box);
    if (query->kind == SHAPE_ELLIPSOID) {
        float ratio = query->reach / query->across, scale = 1.001f + ball.radius / query->across;
        float form = ball.squared * query->across_inverse_squared + ball.along * ball.along * query->stretch;
        return form <= scale * scale + 1e-5f * ratio * ratio;
    }
    if (query->kind != SHAPE_CONE || query->cosine < 0.05f) return true;
    float cc = query->cosine * query->cosine * 0.9999f, back = ball.radius / sqrtf(1.0f - cc);
    float along = ball.along + back, squared = ball.squared + back * (2.0f * ball.along + back);
    return along >= 0.0f && along * along >= cc * squared * 0.9999f;
}

static bool ball_reaches(const ShapeQuery *query, const PointBox *box)
{
    const float at[3] = {query->at.x, query->at.y, query->at.z};
    float squared = 0.0f, reach = query->reach * 1.001f;
    for (int axis = 0; axis < 3; axis++) {
        float gap = fmaxf(0.0f, fmaxf(box->lo[axis] - at[axis], at[axis] - box->hi[axis]));
        squared += gap * gap;
    }
    return squared <= reach * reach;
}

uint32_t shape_tree_find(const ShapeTree *tree, const ShapeQuery *query, bool prune, uint32_t *out)
{
    const KdPoints *kd = &tree->points;
    const ShapeKernel *kernel = shape_kernel();
    const ShapePoints points = {kd_streams(kd), tree->flat};
    uint32_t stack[2 * KD_LEVELS_MAX], depth = 0, leaves = 1u << kd->levels, ranges = 0, found = 0;
    PlaceRange range[RANGES];
    if (kd->count > 0) stack[depth++] = 1;
    while (depth > 0) {
        uint32_t node = stack[--depth];
        const PointBox *box = &kd->box[node];
        if (!ball_reaches(query, box) || (prune && !may_hold(query, box))) continue;
        if (node < leaves) {
            stack[depth++] = 2 * node + 1;
            stack[depth++] = 2 * node;
            continue;
        }
        uint32_t number = node - leaves;
        range[ranges++] =
            (PlaceRange){kd_first(kd, kd->levels, number), kd_first(kd, kd->levels, number + 1)};
        if (ranges < RANGES) continue;
        found += kernel->filter(query, &points, range, ranges, out + found);
        ranges = 0;
    }
    return found + kernel->filter(query, &points, range, ranges, out + found);
}
