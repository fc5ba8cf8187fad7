// Compiled once for every instruction set: the including file defines FIELD_SUM and its name decides the
// compiler's flags. The loops over LANES nodes become vectors.
#define LANES 16 // two lines of nodes along x

// Nodes relative to the block's first one.
typedef struct Lanes {
    float x[LANES], y[LANES]; // m; y from the first of the two lines
} Lanes;

// The places of a kernel's ends on an axis, as numbers of nodes.
static void node_range(float low, float high, float cell, int range[2])
{
    float first = low / cell, last = high / cell;
    range[0] = first > 0 ? (int)ceilf(first) : 0;
    range[1] = last < 7 ? (int)floorf(last) : 7;
}

static void add_kernel(float *restrict values, const Kernel *kernel, const Lanes *lanes, float cell)
{
    const float *m = kernel->m, *centre = kernel->centre;
    // What is left of the quadratic form where x is best: the lines along x that the kernel reaches have
    // a y^2 + 2 b y z + c z^2 < 1.
    float inverse = 1 / m[0], a = m[3] - m[1] * m[1] * inverse, b = m[4] - m[1] * m[2] * inverse,
          c = m[5] - m[2] * m[2] * inverse, inverse_a = 1 / a;
    float x[LANES], bend[LANES];
    int range[2], lines[2];
    for (int k = 0; k < LANES; k++) {
        x[k] = lanes->x[k] - centre[0];
        bend[k] = m[0] * x[k];
    }
    node_range(centre[2] - kernel->extent[2], centre[2] + kernel->extent[2], cell, range);
    for (int iz = range[0]; iz <= range[1]; iz++) {
        float z = (float)iz * cell - centre[2], middle = -b * z;
        float square = middle * middle - a * (c * z * z - 1);
        if (square <= 0) continue;
        float half = sqrtf(square) * inverse_a;
        middle = centre[1] + middle * inverse_a;
        node_range(middle - half, middle + half, cell, lines);
        float mz = m[2] * z, nz = 2 * m[4] * z, rest_z = 1 - m[5] * z * z;
        for (int iy = lines[0] & ~1; iy <= lines[1]; iy += 2) {
            float *restrict row = values + 8 * (iy + 8 * iz);
            float first = (float)iy * cell - centre[1];
            for (int k = 0; k < LANES; k++) {
                float y = lanes->y[k] + first;
                float slope = bend[k] + 2 * (m[1] * y + mz);
                float t = rest_z - y * (m[3] * y + nz) - x[k] * slope;
                t = t > 0 ? t : 0;
                row[k] += kernel->amplitude * t * t * t;
            }
        }
    }
}

void FIELD_SUM(float *values, const Kernel *kernels, uint32_t count, float cell)
{
    Lanes lanes;
    for (int k = 0; k < LANES; k++) {
        lanes.x[k] = (float)(k & 7) * cell;
        lanes.y[k] = (float)(k >> 3) * cell;
    }
    for (uint32_t k = 0; k < count; k++) add_kernel(values, &kernels[k], &lanes, cell);
}
