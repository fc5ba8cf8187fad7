// The passes of viscosity, over sixteen lanes; part of passes_body.h.

// Of a pair with the sum of densities, over rho0: half of m / (rho_i + rho_j) W_ij.
static inline Lanes viscous_weight(Lanes half_shape_of_pair, Lanes densities)
{
    return lanes_mul(lanes_reciprocal(densities), half_shape_of_pair);
}

// The change of velocities by the surfaces that fluid sticks to.
static inline Lanes3 drag_of_walls(const PassView *view, uint32_t first)
{
    const PassConstants *k = &view->constants;
    Planes planes = planes_of(view, first);
    Lanes3 p = lanes3_load(view->x + first, view->y + first, view->z + first);
    Lanes3 v = lanes3_load(view->vx + first, view->vy + first, view->vz + first);
    ContactLoad *loads = k->wall_load > 0.0f ? planes.loads : NULL;
    Lanes3 drag = walls_drag(planes.layers, loads, planes.count, planes.lane, k->inv_h, p, v, k->wall_speed,
                             -k->wall_drag * k->wall_load);
    return lanes3_scale(drag, lanes_set(-k->wall_drag));
}

// dt nu K sum_j 2 m / (rho_i + rho_j) W_ij ((v_j - v_i) . d) d, and walls. stretched: W of ellipsoids.
ALWAYS_INLINE void viscosities(const PassView *view, uint32_t begin, uint32_t end, void *restrict scratch,
                               bool stretched)
{
    const PassConstants *k = &view->constants;
    Lanes3 *shared = scratch;
    FOR_BLOCKS(begin, end, first, last)
    {
        BlockSum3 gains = {0};
        for (uint32_t i = first; i < last; i += GROUP) {
            Lanes3 x = self3(view->x, view->y, view->z, i), v = self3(view->vx, view->vy, view->vz, i);
            Ellipsoid ellipsoid = stretched ? self_ellipsoid(view, i) : (Ellipsoid){0};
            Lanes3 gain = lanes3_zero();
            Lanes density = self(view->density, i);
            Gap ahead = gap_first(view, x, i);
            FOR_PAIRS(view, i, batch)
            {
                Pair p = pair_next(view, x, batch, &ahead);
                Lanes3 u = lanes3_sub(other3(view->vx, view->vy, view->vz, batch), v);
                Lanes shape = stretched
                                  ? mean_kernel(view, gap_of(view, x, batch), ellipsoid, batch).half_shape
                                  : half_shape(&p);
                Lanes weight = viscous_weight(shape, lanes_add(density, other(view->density, batch)));
                Lanes scale = lanes_mul(weight, lanes3_dot(u, p.d));
                add_along(&gain, shared, batch, begin, scale, p.d);
            }
            collect_difference3(gain, &shared[own_slot(i, begin)], &gains, i - first);
        }
        Lanes3 gain = lanes3_scale(block3(&gains), lanes_set(k->viscosity));
        gain = lanes3_add(gain, drag_of_walls(view, first));
        gain = unless_held(view, first, gain);
        lanes3_store(view->next_x + first, view->next_y + first, view->next_z + first, gain);
    }
}

static void pass_viscosity(const PassView *view, uint32_t begin, uint32_t end, void *restrict scratch)
{
    if (view->swell)
        viscosities(view, begin, end, scratch, true);
    else
        viscosities(view, begin, end, scratch, false);
}

// The surfaces' I - n n^T.
static inline void add_wall_blocks(const PassView *view, uint32_t first)
{
    const PassConstants *k = &view->constants;
    Planes planes = planes_of(view, first);
    Lanes3 p = lanes3_load(view->x + first, view->y + first, view->z + first);
    Lanes zero = lanes_set(0.0f), one = lanes_set(1.0f);
    const Lanes3 axes[3] = {{one, zero, zero}, {zero, one, zero}, {zero, zero, one}};
    for (int column = 0, c = 0; column < 3; column++) {
        Lanes3 drag =
            walls_drag(planes.layers, NULL, planes.count, planes.lane, k->inv_h, p, axes[column], 0.0f, 0.0f);
        const Lanes rows[3] = {drag.x, drag.y, drag.z};
        for (int row = column; row < 3; row++, c++) {
            Lanes sum = lanes_mul_add(lanes_set(k->wall_drag), rows[row], lanes_load(view->block[c] + first));
            lanes_store(view->block[c] + first, sum);
        }
    }
}

// dt nu K sum_j 2 m / (rho_i + rho_j) W_ij d d^T, and walls. stretched: W of ellipsoids.
ALWAYS_INLINE void blocks_of_viscosity(const PassView *view, uint32_t begin, uint32_t end,
                                       void *restrict scratch, bool stretched)
{
    const PassConstants *k = &view->constants;
    struct Sums {
        Lanes of[6];
    } *shared = scratch;
    FOR_BLOCKS(begin, end, first, last)
    {
        BlockSum sums[6] = {0};
        for (uint32_t i = first; i < last; i += GROUP) {
            Lanes3 x = self3(view->x, view->y, view->z, i);
            Ellipsoid ellipsoid = stretched ? self_ellipsoid(view, i) : (Ellipsoid){0};
            Lanes density = self(view->density, i);
            struct Sums own;
            for (int c = 0; c < 6; c++) own.of[c] = lanes_set(0.0f);
            FOR_PAIRS(view, i, batch)
            {
                Pair p = pair_of(view, x, batch);
                Lanes shape = stretched
                                  ? mean_kernel(view, gap_of(view, x, batch), ellipsoid, batch).half_shape
                                  : half_shape(&p);
                Lanes weight = viscous_weight(shape, lanes_add(density, other(view->density, batch)));
                Lanes3 wd = lanes3_scale(p.d, weight);
                Lanes terms[6] = {lanes_mul(wd.x, p.d.x), lanes_mul(wd.x, p.d.y), lanes_mul(wd.x, p.d.z),
                                  lanes_mul(wd.y, p.d.y), lanes_mul(wd.y, p.d.z), lanes_mul(wd.z, p.d.z)};
                struct Sums *theirs = is_shared(batch) ? &shared[other_slot(batch, begin)] : NULL;
                for (int c = 0; c < 6; c++) {
                    own.of[c] = lanes_add(own.of[c], terms[c]);
                    if (theirs) theirs->of[c] = lanes_add(theirs->of[c], terms[c]);
                }
            }
            for (int c = 0; c < 6; c++)
                collect(own.of[c], &shared[own_slot(i, begin)].of[c], sums[c].at + (i - first));
        }
        for (int c = 0; c < 6; c++)
            lanes_store(view->block[c] + first, lanes_mul(lanes_set(k->viscosity), lanes_load(sums[c].at)));
        add_wall_blocks(view, first);
    }
}

static void pass_viscosity_blocks(const PassView *view, uint32_t begin, uint32_t end, void *restrict scratch)
{
    if (view->swell)
        blocks_of_viscosity(view, begin, end, scratch, true);
    else
        blocks_of_viscosity(view, begin, end, scratch, false);
}
