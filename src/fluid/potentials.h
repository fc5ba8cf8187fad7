// What whitewater comes from (Ihmsen, Akinci, Akinci and Teschner 2012, "Unified Spray, Foam and Air Bubbles
// for Particle-Based Fluids", sec. 3), over sixteen lanes; part of passes_body.h. Both are divided by the sum
// of their weights W = 1 - r / h, so that they mean the same at every spacing and influence radius:
//   trapped air  A_i = sum_j |v_ij| (1 - v_ij . x_ij / (|v_ij| |x_ij|)) W_ij / sum_j W_ij, m/s      (eq. 2)
//   wave crest   K_i = sum_j (1 - n_i . n_j) W_ij / sum_j W_ij over the j below i's tangent plane   (eqs.
//   4-7)
//                where v_i . n_i >= 0.6 |v_i|, else 0
// n points out of the water and is 0 inside. Particles slower than PassConstants.potential_speed, and those
// of the spray, have none.

// Cosine between velocity and normal of a crest.
#define CREST_COSINE 0.6f

// Normals, as h grad of the color field, that are shorter belong to particles inside.
#define SURFACE_NORMAL 0.2f

// A particle with less of the rest lattice's weights is spray.
#define SPRAY_SHARE 0.2f

// The pass of curls sums what closes, that of forces the rest and divides: each has room for so many sums.
typedef struct CrestSums {
    Lanes weight, bend; // bend: (1 - n_i . n_j) W
} CrestSums;

// Marks of particles in wave_crest, until store_crest: 0 for those without potentials.
#define MARK_FAST 1.0f
#define MARK_CREST 2.0f

// Sums of this kind lie behind the `before` bytes that other sums of the block's groups take in the scratch.
static inline void *sums_behind(void *scratch, size_t before, uint32_t begin, uint32_t end)
{
    return (char *)scratch + (own_slot(end - 1, begin) + 1) * before;
}

static inline Lanes speed2_at(const PassView *view, uint32_t first)
{
    Lanes3 v = lanes3_load(view->vx + first, view->vy + first, view->vz + first);
    return lanes3_dot(v, v);
}

// Marks the particles of a block that are fast enough.
// Returns whether there are any; if not, the block's pairs need not be looked at.
static bool mark_fast(const PassView *view, uint32_t begin, uint32_t end)
{
    if (!view->trapped_air) return false;
    Lanes least = lanes_set(view->constants.potential_speed * view->constants.potential_speed);
    Lanes none = lanes_set(0.0f), fast = lanes_set(MARK_FAST);
    bool any = false;
    for (uint32_t first = begin; first < end; first += LANES) {
        Lanes speed2 = speed2_at(view, first);
        lanes_store(view->wave_crest + first, lanes_select(lanes_less_equal(speed2, least), none, fast));
        any |= lanes_any_less(least, speed2);
    }
    return any;
}

// Has any particle of the group at i a mark above this one? A batch where neither the group nor those it
// serves beside it have adds to sums that are not used. Marks of other blocks may be changing: they are not
// looked at.
static inline bool marked_above(const PassView *view, uint32_t i, float mark)
{
    return lanes_any_less(lanes_set(mark), self(view->wave_crest, i));
}
static inline bool others_marked_above(const PassView *view, PairBatch batch, float mark)
{
    return is_shared(batch) && lanes_any_less(lanes_set(mark), other(view->wave_crest, batch));
}

static void no_potentials(const PassView *view, uint32_t begin, uint32_t end)
{
    if (!view->trapped_air) return;
    for (uint32_t first = begin; first < end; first += LANES) {
        lanes_store(view->trapped_air + first, lanes_set(0.0f));
        lanes_store(view->wave_crest + first, lanes_set(0.0f));
    }
}

// Twice |v_ij| (1 - v_ij . x_ij / (|v_ij| r)) W of a pair; u = v_j - v_i.
static inline Lanes closing_of(const Pair *p, Lanes3 u)
{
    Lanes u2 = lanes_mul_add(u.x, u.x, lanes_set(1e-20f)); // without a direction it still has a root
    u2 = lanes_mul_add(u.z, u.z, lanes_mul_add(u.y, u.y, u2));
    Lanes towards = lanes_mul(lanes3_dot(u, p->d), p->twice_inv_r);
    return lanes_mul(p->t, lanes_mul_add(u2, lanes_twice_rsqrt(u2), towards));
}

// Writes the sum of A, not yet divided.
static inline void store_closing(const PassView *view, uint32_t first, Lanes closing)
{
    Lanes none = lanes_set(0.0f), slow = lanes_load(view->wave_crest + first);
    closing = lanes_mul(lanes_set(0.5f), closing);
    lanes_store(view->trapped_air + first, lanes_select(lanes_less_equal(slow, none), none, closing));
}

// The marks of sixteen particles, raised to MARK_CREST where one is fast and on a crest.
static inline Lanes crest_marks(const PassView *view, uint32_t first)
{
    Lanes none = lanes_set(0.0f), fast = lanes_load(view->wave_crest + first);
    Lanes3 v = lanes3_load(view->vx + first, view->vy + first, view->vz + first);
    Lanes3 n = lanes3_load(view->normal_x + first, view->normal_y + first, view->normal_z + first);
    float least = SURFACE_NORMAL * view->constants.normal_scale;
    Lanes n2 = lanes3_dot(n, n), out = lanes_max(lanes_sub(none, lanes3_dot(v, n)), none); // n points inward
    Lanes bound = lanes_mul(lanes_mul(n2, lanes3_dot(v, v)), lanes_set(CREST_COSINE * CREST_COSINE));
    LaneMask inside = lanes_less_equal(n2, lanes_set(least * least));
    LaneMask ahead = lanes_less_equal(bound, lanes_mul(out, out));
    Lanes crest = lanes_select(lanes_less_equal(fast, none), none, lanes_set(MARK_CREST));
    return lanes_select(inside, fast, lanes_select(ahead, crest, fast));
}

// Marks the fast particles of a block that are on a crest. Has the block fast ones?
static bool mark_crests(const PassView *view, uint32_t begin, uint32_t end)
{
    if (!view->wave_crest) return false;
    bool any = false;
    for (uint32_t first = begin; first < end; first += LANES) {
        Lanes marks = crest_marks(view, first);
        lanes_store(view->wave_crest + first, marks);
        any |= lanes_any_less(lanes_set(0.0f), marks);
    }
    return any;
}

// 2 / |n|, or 0 inside the water.
static inline Lanes twice_inverse_normal(const PassView *view, Lanes3 n)
{
    float least = SURFACE_NORMAL * view->constants.normal_scale;
    Lanes n2 = lanes_max(lanes3_dot(n, n), lanes_set(1e-20f));
    LaneMask inside = lanes_less_equal(n2, lanes_set(least * least));
    return lanes_select(inside, lanes_set(0.0f), lanes_twice_rsqrt(n2));
}

// (1 - n_i . n_j) W of a pair for either side, 0 if the other one is above its tangent plane.
static inline void crest_add(const PassView *view, const Pair *p, Lanes3 n, Lanes twice_inverse,
                             Lanes3 others, Lanes *own, Lanes *theirs)
{
    Lanes none = lanes_set(0.0f);
    Lanes scale = lanes_mul(twice_inverse, twice_inverse_normal(view, others));
    Lanes cosine = lanes_mul(lanes_set(0.25f), lanes_mul(scale, lanes3_dot(n, others)));
    Lanes bend = lanes_sub_mul(p->t, p->t, cosine);
    LaneMask above = lanes_less_equal(none, lanes3_dot(n, p->d));
    *own = lanes_add(*own, lanes_select(above, none, bend));
    if (!theirs) return;
    LaneMask above_other = lanes_less_equal(lanes3_dot(others, p->d), none);
    *theirs = lanes_add(*theirs, lanes_select(above_other, none, bend));
}

// Divides both sums by that of the weights; spray has none.
static inline void store_potentials(const PassView *view, uint32_t first, Lanes weight, Lanes bend)
{
    Lanes none = lanes_set(0.0f), least = lanes_set(SPRAY_SHARE * view->constants.potential_weight);
    Lanes mark = lanes_load(view->wave_crest + first);
    weight = lanes_sub(weight, lanes_set(1.0f - OWN_SHAPE)); // itself
    LaneMask spray = lanes_less_equal(weight, least);
    LaneMask lower = lanes_less_equal(mark, lanes_set(MARK_FAST));
    Lanes share = lanes_max(weight, least);
    Lanes air = lanes_div(lanes_load(view->trapped_air + first), share), crest = lanes_div(bend, share);
    lanes_store(view->trapped_air + first, lanes_select(spray, none, air));
    lanes_store(view->wave_crest + first, lanes_select(spray, none, lanes_select(lower, none, crest)));
}
