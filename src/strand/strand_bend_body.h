// Springs against curvature, of eight strands at once: the implicit Euler method. Included by
// strand_lengths_body.h.
//
// The energy of a bent rod, EI / 2 times the integral of the squared curvature, with the curvature at a
// particle as 2 / l^2 times its distance from the middle of its neighbors, is linear in what particles move
// by: one symmetric system of five bands a strand.

// Identity + share * B^T B, where (B x)_j = x_j - (x_j-1 + x_j+1) / 2: the diagonal and the two bands below.
static void fill_bands(StrandLengths *own, const Row *share)
{
    uint32_t n = own->count;
    for (uint32_t i = 0; i < n; i++) {
        bool inner = i > 0 && i + 1 < n;
        own->bands[0][i] =
            1.0 + *share * ((inner ? 1.0 : 0.0) + (i > 1 ? 0.25 : 0.0) + (i + 2 < n ? 0.25 : 0.0));
        own->bands[1][i] = (i == 0 ? 0.0 : -0.5) * *share * ((inner ? 1.0 : 0.0) + (i > 1 ? 1.0 : 0.0));
        own->bands[2][i] = (i > 1 ? 0.25 : 0.0) * *share;
    }
}

// Where a particle is held, its row and column go to the right side.
static void move_held(StrandLengths *own, uint32_t i)
{
    uint32_t n = own->count;
    Row zero = {0}, *of[4] = {&own->bands[2][i], &own->bands[1][i], i + 1 < n ? &own->bands[1][i + 1] : NULL,
                              i + 2 < n ? &own->bands[2][i + 2] : NULL};
    const int64_t offset[4] = {-2, -1, 1, 2};
    for (int k = 0; k < 4; k++) {
        int64_t j = (int64_t)i + offset[k];
        if (j < 0 || !of[k]) continue;
        for (int axis = 0; axis < 3; axis++)
            own->right[j][axis] -= *of[k] * (own->row[i].x[axis] + own->row[i].way[axis]);
        *of[k] = zero;
    }
    own->bands[0][i] = zero + 1.0;
    for (int axis = 0; axis < 3; axis++) own->right[i][axis] = own->row[i].x[axis] + own->row[i].way[axis];
}

// L D L^T, then both substitutions in place.
static void solve_bands(StrandLengths *own)
{
    Row *diagonal = own->bands[0], *below = own->bands[1], *below_that = own->bands[2], zero = {0};
    for (uint32_t i = 0; i < own->count; i++) {
        Row far = i > 1 ? below_that[i] / diagonal[i - 2] : zero, near = below[i];
        if (i > 1) near -= below_that[i] * below[i - 1];
        Row scaled = i > 0 ? near / diagonal[i - 1] : zero;
        diagonal[i] -= near * scaled + (i > 1 ? below_that[i] * far : zero);
        below[i] = scaled; // of L from here on
        below_that[i] = far;
        for (int axis = 0; axis < 3; axis++) {
            if (i > 0) own->right[i][axis] -= scaled * own->right[i - 1][axis];
            if (i > 1) own->right[i][axis] -= far * own->right[i - 2][axis];
        }
    }
    for (uint32_t i = own->count; i-- > 0;) {
        for (int axis = 0; axis < 3; axis++) {
            own->right[i][axis] /= diagonal[i];
            if (i + 1 < own->count) own->right[i][axis] -= below[i + 1] * own->right[i + 1][axis];
            if (i + 2 < own->count) own->right[i][axis] -= below_that[i + 2] * own->right[i + 2][axis];
        }
    }
}

// Moves the particles of strands that resist bending.
static void bend(StrandLengths *own, const StrandBunch *bunch)
{
    Row share;
    for (uint32_t lane = 0; lane < STRANDS_AT_ONCE; lane++)
        share[lane] = bunch->bend[lane < bunch->count ? lane : 0];
    RowMask bends = share > 0.0;
    fill_bands(own, &share);
    for (uint32_t i = 0; i < own->count; i++) {
        for (int axis = 0; axis < 3; axis++)
            own->right[i][axis] = own->row[i].x[axis] + own->row[i].way[axis];
    }
    for (uint32_t i = 0; i < own->count; i++) {
        if (is_held(bunch, i)) move_held(own, i);
    }
    solve_bands(own);
    for (uint32_t i = 0; i < own->count; i++) {
        for (int axis = 0; axis < 3; axis++) {
            Row moved = ROUNDED(own->right[i][axis] - own->row[i].x[axis]);
            own->row[i].way[axis] = CHOOSE(bends & (own->row[i].weight > 0.0), moved, own->row[i].way[axis]);
        }
    }
}
