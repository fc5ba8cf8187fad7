// Compiled once for every instruction set: the including file defines FIELD_SUM and its name decides the
// compiler's flags. The loops over eight nodes become vectors.
static void add_kernel(float *restrict values, const Kernel *kernel, const float *restrict offset, float cell)
{
    int low[3], high[3];
    for (int axis = 0; axis < 3; axis++) {
        float first = (kernel->centre[axis] - kernel->extent[axis]) / cell;
        float last = (kernel->centre[axis] + kernel->extent[axis]) / cell;
        low[axis] = first > 0 ? (int)ceilf(first) : 0;
        high[axis] = last < 7 ? (int)floorf(last) : 7;
    }
    const float *m = kernel->m;
    float x[8];
    for (int k = 0; k < 8; k++) x[k] = offset[k] - kernel->centre[0];
    for (int iz = low[2]; iz <= high[2]; iz++) {
        float z = offset[iz] - kernel->centre[2];
        for (int iy = low[1]; iy <= high[1]; iy++) {
            float y = offset[iy] - kernel->centre[1];
            float b = 2 * (m[1] * y + m[2] * z);
            float rest = 1 - (m[3] * y * y + 2 * m[4] * y * z + m[5] * z * z);
            if (rest + b * b / (4 * m[0]) <= 0) continue; // the whole line passes outside
            float *restrict row = values + 8 * (iy + 8 * iz);
            for (int k = 0; k < 8; k++) {
                float t = rest - x[k] * (m[0] * x[k] + b);
                t = t > 0 ? t : 0;
                row[k] += kernel->amplitude * t * t * t;
            }
        }
    }
}

void FIELD_SUM(float *values, const Kernel *kernels, uint32_t count, float cell)
{
    float offset[8];
    for (int k = 0; k < 8; k++) offset[k] = (float)k * cell;
    for (uint32_t k = 0; k < count; k++) add_kernel(values, &kernels[k], offset, cell);
}
