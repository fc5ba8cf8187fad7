// Pairs as the ellipsoids of stretch.h see them, over sixteen lanes; part of passes_body.h.

// The ellipsoid of a particle.
typedef struct Ellipsoid {
    Lanes swell;
    Lanes3 along;
} Ellipsoid;

static inline Ellipsoid self_ellipsoid(const PassView *view, uint32_t i)
{
    return (Ellipsoid){self(view->swell, i), self3(view->along_x, view->along_y, view->along_z, i)};
}

static inline Ellipsoid other_ellipsoid(const PassView *view, PairBatch batch)
{
    return (Ellipsoid){other(view->swell, batch), other3(view->along_x, view->along_y, view->along_z, batch)};
}

// A ball's pair with z for the distance, and half the gradient of z^2 for the way: kernels of it and their
// slopes along it are those of the ellipsoid.
static inline Pair ellipsoid_pair(const PassView *view, Gap gap, Ellipsoid e, PairBatch batch)
{
    Lanes along = lanes3_dot(gap.d, e.along);
    Gap z = {.d = lanes3_add_scaled(gap.d, e.swell, gap.d), .r2 = lanes_mul_add(e.swell, gap.r2, gap.r2)};
    z.r2 = lanes_sub_mul(z.r2, along, along);
    z.d = lanes3_add_scaled(z.d, lanes_sub(lanes_set(0.0f), along), e.along);
    return pair_across(view, z, batch);
}

// Half of w, and the negative third of grad_i w, of a ball or as the mean of both particles' ellipsoids.
typedef struct PairKernel {
    Lanes half_shape;
    Lanes3 slope;
} PairKernel;

static inline Lanes3 slope_of(const Pair *p)
{
    return lanes3_scale(p->d, lanes_mul(sixth_slope(p), p->twice_inv_r));
}

static inline PairKernel mean_kernel(const PassView *view, Gap gap, Ellipsoid own, PairBatch batch)
{
    Lanes half = lanes_set(0.5f);
    Pair p = ellipsoid_pair(view, gap, own, batch);
    Pair q = ellipsoid_pair(view, gap, other_ellipsoid(view, batch), batch);
    return (PairKernel){lanes_mul(half, lanes_add(half_shape(&p), half_shape(&q))),
                        lanes3_scale(lanes3_add(slope_of(&p), slope_of(&q)), half)};
}
