// Kernels of drops that fly alone, drawn out along their motion as an open shutter sees them: without
// renderers that blur motion, spray in a mesh looks like beads. Volume is kept: lengths along the motion grow
// by a, those across it shrink by sqrt(a). (Kim and Lee 2025 stretch the kernels of all particles so, Eq. 10;
// inside water the shapes of Yu and Turk are better.)
#include "surface/kernels.h"

#include "core/memory.h"
#include "core/parallel.h"

#include <math.h>
#include <string.h>

// Particles of a body that counts as a drop.
#define DROP_MAX 4u
#define STRETCH_MAX 3.0f
#define GRAIN 8192u

typedef struct Stretching {
    const SurfaceDef *def;
    const PointBins *bins;
    const SurfacePoints *points;
    const uint32_t *body, *size; // of each particle; of each body
    Kernels *kernels;
} Stretching;

// A symmetric matrix xx, xy, xz, yy, yz, zz between two others: s m s, for s = across (I - u u^T) + along u
// u^T.
static void scale_matrix(float m[6], Vec3 u, float along, float across)
{
    const float axis[3] = {u.x, u.y, u.z},
                full[3][3] = {{m[0], m[1], m[2]}, {m[1], m[3], m[4]}, {m[2], m[4], m[5]}};
    float s[3][3], half[3][3], out[3][3];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) s[i][j] = (along - across) * axis[i] * axis[j] + (i == j ? across : 0.0f);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            half[i][j] = s[i][0] * full[0][j] + s[i][1] * full[1][j] + s[i][2] * full[2][j];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            out[i][j] = half[i][0] * s[0][j] + half[i][1] * s[1][j] + half[i][2] * s[2][j];
    const float kept[6] = {out[0][0], out[0][1], out[0][2], out[1][1], out[1][2], out[2][2]};
    memcpy(m, kept, sizeof kept);
}

// Half the box of d^T m d = root: sqrt(root (m^-1)_kk).
static void find_extent(Kernel *kernel)
{
    const float *m = kernel->m;
    double cofactor[3] = {(double)m[3] * m[5] - (double)m[4] * m[4],
                          (double)m[0] * m[5] - (double)m[2] * m[2],
                          (double)m[0] * m[3] - (double)m[1] * m[1]};
    double determinant = m[0] * cofactor[0] - (double)m[1] * ((double)m[1] * m[5] - (double)m[4] * m[2]) +
                         (double)m[2] * ((double)m[1] * m[4] - (double)m[3] * m[2]);
    for (int axis = 0; axis < 3; axis++)
        kernel->extent[axis] = (float)sqrt(kernel->root * cofactor[axis] / determinant) * 1.00001f;
}

static float longest_extent(const Kernel *kernel)
{
    return fmaxf(kernel->extent[0], fmaxf(kernel->extent[1], kernel->extent[2]));
}

// Nothing may reach further than a round kernel does: what would is stretched less.
static void stretch_kernel(const Stretching *job, Kernel *kernel, uint32_t source)
{
    Vec3 v = {job->points->vx[source], job->points->vy[source], job->points->vz[source]};
    float speed = vec3_length(v), part = 1.0f + speed * job->def->shutter / job->def->spacing;
    part = part < STRETCH_MAX ? part : STRETCH_MAX;
    const Kernel kept = *kernel;
    while (part > 1.0f) {
        scale_matrix(kernel->m, vec3_scale(v, 1.0f / speed), 1.0f / part, sqrtf(part));
        find_extent(kernel);
        float longest = longest_extent(kernel);
        if (longest <= job->kernels->radius) return;
        *kernel = kept;
        part *= 0.98f * job->kernels->radius / longest;
    }
}

static void stretch_kernels(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const Stretching *job = context;
    const PointBins *bins = job->bins;
    for (uint32_t i = begin; i < end; i++) {
        uint32_t kernel = job->kernels->of[i];
        if (kernel != BLOCK_NONE && job->size[job->body[i]] <= DROP_MAX)
            stretch_kernel(job, &job->kernels->kernel[kernel], bins->source[i]);
    }
}

Result kernels_stretch(const SurfaceDef *def, const PointBins *bins, const SurfacePoints *points,
                       const uint32_t *body, Kernels *kernels)
{
    size_t bytes = bins->count * sizeof(uint32_t);
    uint32_t *size = memory_allocate_zeroed(bytes);
    if (!size) return result_no_memory("the surface's kernels", bytes);
    for (uint32_t i = 0; i < bins->count; i++) size[body[i]]++;
    Stretching job = {def, bins, points, body, size, kernels};
    parallel_for(bins->count, GRAIN, stretch_kernels, &job);
    memory_free(size);
    return result_ok();
}
