// Writes the meshes that scenes use: gcc tools/make_assets.c -lm -o make_assets && ./make_assets
// assets/torus.obj, a torus; scenes/meshes/car.obj, the body of a car (its wheels are cylinders of the
// scene).
#include <math.h>
#include <stdio.h>

#define TURN 6.283185307179586
#define RING_STEPS 80
#define TUBE_STEPS 40
#define RING_RADIUS 0.5 // m
#define TUBE_RADIUS 0.2 // m

static FILE *open_file(const char *path)
{
    FILE *file = fopen(path, "w");
    if (!file) perror(path);
    return file;
}

static int close_file(FILE *file, const char *path)
{
    if (fclose(file) == 0) return 0;
    perror(path);
    return 1;
}

static int write_torus(const char *path)
{
    FILE *file = open_file(path);
    if (!file) return 1;
    fprintf(
        file,
        "# A torus about the z axis: ring radius %g m, tube radius %g m. Written by tools/make_assets.c.\n",
        RING_RADIUS, TUBE_RADIUS);
    for (int i = 0; i < RING_STEPS; i++) {
        for (int j = 0; j < TUBE_STEPS; j++) {
            double ring = TURN * i / RING_STEPS, tube = TURN * j / TUBE_STEPS;
            double r = RING_RADIUS + TUBE_RADIUS * cos(tube);
            fprintf(file, "v %.6f %.6f %.6f\n", r * cos(ring), r * sin(ring), TUBE_RADIUS * sin(tube));
        }
    }
    for (int i = 0; i < RING_STEPS; i++) {
        for (int j = 0; j < TUBE_STEPS; j++) {
            int here = i * TUBE_STEPS, next = (i + 1) % RING_STEPS * TUBE_STEPS, up = (j + 1) % TUBE_STEPS;
            fprintf(file, "f %d %d %d %d\n", here + j + 1, next + j + 1, next + up + 1, here + up + 1);
        }
    }
    return close_file(file, path);
}

// The car's outline seen from its left: x forwards, z up, m, from the lower rear counterclockwise (seen from
// -y). Everything is seen from (CENTER_X, CENTER_Z), so a fan closes the sides.
static const double outline[][2] = {
    {-2.05, 0.30}, {-1.20, 0.25}, {0.00, 0.25},  {1.20, 0.25},  {2.05, 0.30},  {2.20, 0.50},
    {2.15, 0.72},  {1.95, 0.84},  {1.45, 0.93},  {1.00, 0.99},  {0.78, 1.14},  {0.52, 1.34},
    {0.28, 1.46},  {-0.10, 1.50}, {-0.60, 1.50}, {-0.98, 1.45}, {-1.28, 1.30}, {-1.52, 1.10},
    {-1.75, 1.01}, {-2.08, 0.95}, {-2.18, 0.75}, {-2.17, 0.48},
};
#define OUTLINE ((int)(sizeof outline / sizeof outline[0]))
#define CENTER_X (-0.2)
#define CENTER_Z 0.85
#define SLICES 12 // from side to side

// Half the car's width at a height: widest at the belt line, the roof is narrower.
static double half_width(double z)
{
    double over = z > 0.9 ? (z - 0.9) / 0.6 : 0, under = z < 0.5 ? (0.5 - z) / 0.25 : 0;
    return 0.88 - 0.22 * over - 0.06 * under * under;
}

// Slices of the outline from right to left, drawn in a little at both sides so that edges are round.
static int write_car(const char *path)
{
    FILE *file = open_file(path);
    if (!file) return 1;
    fprintf(file, "# The body of a car, 4.4 m long, 1.76 m wide, driving along x; z = 0 is the road. "
                  "Written by tools/make_assets.c.\n");
    for (int slice = 0; slice <= SLICES; slice++) {
        double side = -cos(0.5 * TURN * slice / SLICES); // slices are closer where the body bends
        double inset = 1 - 0.10 * pow(fabs(side), 6);
        for (int k = 0; k < OUTLINE; k++) {
            double x = CENTER_X + inset * (outline[k][0] - CENTER_X);
            double z = CENTER_Z + inset * (outline[k][1] - CENTER_Z);
            fprintf(file, "v %.5f %.5f %.5f\n", x, side * half_width(z), z);
        }
    }
    for (int side = -1; side <= 1; side += 2)
        fprintf(file, "v %.5f %.5f %.5f\n", CENTER_X, side * half_width(CENTER_Z), CENTER_Z);
    for (int slice = 0; slice < SLICES; slice++) {
        for (int k = 0; k < OUTLINE; k++) {
            int a = slice * OUTLINE + k + 1, b = slice * OUTLINE + (k + 1) % OUTLINE + 1;
            fprintf(file, "f %d %d %d %d\n", a, a + OUTLINE, b + OUTLINE, b);
        }
    }
    int right = (SLICES + 1) * OUTLINE + 1, last = SLICES * OUTLINE;
    for (int k = 0; k < OUTLINE; k++) {
        int next = (k + 1) % OUTLINE;
        fprintf(file, "f %d %d %d\n", k + 1, next + 1, right);
        fprintf(file, "f %d %d %d\n", last + next + 1, last + k + 1, right + 1);
    }
    return close_file(file, path);
}

int main(void)
{
    return write_torus("assets/torus.obj") | write_car("scenes/meshes/car.obj");
}
