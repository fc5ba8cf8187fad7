// The passes of particles that spin, over sixteen lanes; part of passes_body.h.

// --- micropolar fluids: Bender et al. 2017 ---

typedef struct SpinSums {
    Lanes3 drive, spread;
} SpinSums;

static inline void spin_add(SpinSums *sums, Lanes3 drive, Lanes3 spread)
{
    sums->drive = lanes3_add(sums->drive, drive);
    sums->spread = lanes3_add(sums->spread, spread);
}

// Velocities: dt nu_t sum_j grad_i W_ij x (V_j w_i + V_i w_j), the adjoint of the curl that spins follow:
// the sum of all is 0, and what it gives to velocities is what swirls give to spins. Spins: dt zeta sum_j
// (V_i + V_j) / 2 W_ij (w_j - w_i).
static void pass_spin(const PassView *view, uint32_t begin, uint32_t end, void *restrict scratch)
{
    const PassConstants *k = &view->constants;
    SpinSums *shared = scratch;
    FOR_BLOCKS(begin, end, first, last)
    {
        BlockSum3 drives = {0}, spreads = {0};
        for (uint32_t i = first; i < last; i += GROUP) {
            Lanes3 x = self3(view->x, view->y, view->z, i);
            Lanes3 w = self3(view->spin_x, view->spin_y, view->spin_z, i);
            Lanes volume = self(view->volume, i);
            SpinSums own = {lanes3_zero(), lanes3_zero()};
            Gap ahead = gap_first(view, x, i);
            FOR_PAIRS(view, i, batch)
            {
                Pair p = pair_next(view, x, batch, &ahead);
                Lanes theirs = other(view->volume, batch);
                Lanes3 wj = other3(view->spin_x, view->spin_y, view->spin_z, batch);
                Lanes3 g = lanes3_scale(p.d, lanes_mul(sixth_slope(&p), p.twice_inv_r));
                Lanes3 both = lanes3_add_scaled(lanes3_scale(w, theirs), volume, wj);
                Lanes near = lanes_mul(half_shape(&p), lanes_add(volume, theirs));
                Lanes3 drive = lanes3_cross(g, both), spread = lanes3_scale(lanes3_sub(wj, w), near);
                spin_add(&own, drive, spread);
                if (is_shared(batch)) spin_add(&shared[other_slot(batch, begin)], drive, spread);
            }
            SpinSums *before = &shared[own_slot(i, begin)];
            collect_difference3(own.drive, &before->drive, &drives, i - first);
            collect_difference3(own.spread, &before->spread, &spreads, i - first);
        }
        Lanes3 drive = lanes3_scale(block3(&drives), lanes_set(-k->spin_drive));
        drive = unless_held(view, first, drive);
        Lanes3 spread = lanes3_scale(block3(&spreads), lanes_set(k->spin_spread));
        lanes3_store(view->next_x + first, view->next_y + first, view->next_z + first, drive);
        lanes3_store(view->spread_x + first, view->spread_y + first, view->spread_z + first, spread);
    }
}

// --- turbulence by angular momentum: Kim and Lee 2025, eqs. 23-27 ---

// sum_j V_j W_ij (a_j - a_i) x (x_i - x_j).
static inline BlockSum3 turned_about(const PassView *view, uint32_t begin, uint32_t first, uint32_t last,
                                     const float *a_x, const float *a_y, const float *a_z, Lanes3 *shared)
{
    BlockSum3 sums = {0};
    for (uint32_t i = first; i < last; i += GROUP) {
        Lanes3 x = self3(view->x, view->y, view->z, i), sum = lanes3_zero();
        Lanes3 a = self3(a_x, a_y, a_z, i);
        Lanes volume = self(view->volume, i);
        Gap ahead = gap_first(view, x, i);
        FOR_PAIRS(view, i, batch)
        {
            Pair p = pair_next(view, x, batch, &ahead);
            Lanes3 more = lanes3_sub(other3(a_x, a_y, a_z, batch), a);
            Lanes3 one = lanes3_scale(lanes3_cross(more, p.d), half_shape(&p));
            sum = lanes3_add_scaled(sum, other(view->volume, batch), one);
            if (is_shared(batch)) {
                Lanes3 *theirs = &shared[other_slot(batch, begin)];
                *theirs = lanes3_add_scaled(*theirs, volume, one);
            }
        }
        collect3(sum, &shared[own_slot(i, begin)], &sums, i - first);
    }
    return sums;
}

// What forces on the particles around turn one by in a step: (eq. 23) sum_j V_j W_ij (x_j - x_i) x (dv_j -
// dv_i), over the kernel's own moment of inertia. dv: the change of a velocity in the step.
static void pass_torque(const PassView *view, uint32_t begin, uint32_t end, void *restrict scratch)
{
    FOR_BLOCKS(begin, end, first, last)
    {
        BlockSum3 turns =
            turned_about(view, begin, first, last, view->change_x, view->change_y, view->change_z, scratch);
        Lanes3 turn = lanes3_scale(block3(&turns), lanes_set(view->constants.spin_turn));
        lanes3_store(view->spread_x + first, view->spread_y + first, view->spread_z + first, turn);
    }
}

// alpha dt sum_j V_j W_ij (w_j - w_i) x (x_i - x_j) (eq. 27).
static void pass_transfer(const PassView *view, uint32_t begin, uint32_t end, void *restrict scratch)
{
    FOR_BLOCKS(begin, end, first, last)
    {
        BlockSum3 drives =
            turned_about(view, begin, first, last, view->spin_x, view->spin_y, view->spin_z, scratch);
        Lanes3 drive = lanes3_scale(block3(&drives), lanes_set(view->constants.spin_transfer));
        drive = unless_held(view, first, drive);
        lanes3_store(view->next_x + first, view->next_y + first, view->next_z + first, drive);
    }
}
