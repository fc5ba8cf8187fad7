// Writes the meshes that scenes use: gcc tools/make_assets.c -lm -o make_assets && ./make_assets
// assets/torus.obj, a torus; in scenes/meshes car.obj, the body of a car (its wheels are cylinders of the
// scene), tumbler.obj, a drinking glass, and rock.obj, a boulder.
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

// --- a drinking glass ---

// Its outline from the middle of its foot outward, over the rim and down to the middle inside: radius, z, m.
static const double tumbler[][2] = {
    {0.0, 0.0},      {0.026, 0.0},     {0.0285, 0.0008}, {0.0298, 0.003},  {0.0316, 0.03},  {0.0336, 0.06},
    {0.0362, 0.098}, {0.0359, 0.0995}, {0.035, 0.1},     {0.0336, 0.0996}, {0.0328, 0.098}, {0.0302, 0.06},
    {0.0282, 0.03},  {0.0268, 0.014},  {0.0255, 0.0115}, {0.022, 0.01},    {0.0, 0.01},
};
#define TUMBLER ((int)(sizeof tumbler / sizeof tumbler[0]))
#define TUMBLER_STEPS 96

static int write_tumbler(const char *path)
{
    FILE *file = open_file(path);
    if (!file) return 1;
    fprintf(file, "# A drinking glass, 10 cm high, standing on z = 0. Written by tools/make_assets.c.\n");
    fprintf(file, "v 0 0 %g\nv 0 0 %g\n", tumbler[0][1], tumbler[TUMBLER - 1][1]);
    for (int i = 0; i < TUMBLER_STEPS; i++) {
        double turn = TURN * i / TUMBLER_STEPS;
        for (int k = 1; k < TUMBLER - 1; k++)
            fprintf(file, "v %.6f %.6f %.6f\n", tumbler[k][0] * cos(turn), tumbler[k][0] * sin(turn),
                    tumbler[k][1]);
    }
    int row = TUMBLER - 2;
    for (int i = 0; i < TUMBLER_STEPS; i++) {
        int a = 3 + i * row, b = 3 + (i + 1) % TUMBLER_STEPS * row;
        fprintf(file, "f 1 %d %d\n", b, a);
        for (int k = 0; k + 1 < row; k++)
            fprintf(file, "f %d %d %d %d\n", a + k, b + k, b + k + 1, a + k + 1);
        fprintf(file, "f 2 %d %d\n", a + row - 1, b + row - 1);
    }
    return close_file(file, path);
}

// --- a boulder ---

#define ROCK_RINGS 26
#define ROCK_STEPS 52
#define ROCK_FACES 22

static double random_unit(unsigned *state)
{
    *state = *state * 1664525u + 1013904223u;
    return (*state >> 8) / 16777216.0;
}

// Distance from the middle to the surface: the nearest of some planes, whose edges are worn, and bumps.
static double rock_radius(double face[ROCK_FACES][4], double x, double y, double z)
{
    double sum = 0;
    for (int k = 0; k < ROCK_FACES; k++) {
        double facing = face[k][0] * x + face[k][1] * y + face[k][2] * z;
        if (facing > 0.05) sum += pow(facing / face[k][3], 14);
    }
    double bumps = sin(9 * x + 4 * z) * sin(11 * y + 2) + 0.6 * sin(17 * z + 5 * y) * sin(19 * x + 1);
    return pow(sum, -1.0 / 14) * (1 + 0.035 * bumps);
}

static int write_rock(const char *path)
{
    double face[ROCK_FACES][4];
    unsigned state = 7;
    FILE *file = open_file(path);
    if (!file) return 1;
    for (int k = 0; k < ROCK_FACES; k++) { // spread evenly, then shaken
        double z = 1 - 2 * (k + 0.5) / ROCK_FACES + 0.12 * (random_unit(&state) - 0.5);
        double turn = 2.399963 * k + 0.5 * random_unit(&state), flat = sqrt(fmax(1 - z * z, 0));
        face[k][0] = flat * cos(turn);
        face[k][1] = flat * sin(turn);
        face[k][2] = z;
        face[k][3] = 0.62 + 0.33 * random_unit(&state);
    }
    fprintf(file, "# A boulder of about 1 m radius. Written by tools/make_assets.c.\n");
    for (int j = 0; j <= ROCK_RINGS; j++) {
        double polar = 0.5 * TURN * j / ROCK_RINGS;
        for (int i = 0; i < (j % ROCK_RINGS ? ROCK_STEPS : 1); i++) {
            double turn = TURN * i / ROCK_STEPS, x = sin(polar) * cos(turn), y = sin(polar) * sin(turn);
            double z = cos(polar), r = rock_radius(face, x, y, z);
            fprintf(file, "v %.4f %.4f %.4f\n", r * x, r * y, 0.8 * r * z);
        }
    }
    int last = 2 + (ROCK_RINGS - 1) * ROCK_STEPS;
    for (int i = 0; i < ROCK_STEPS; i++) {
        int next = (i + 1) % ROCK_STEPS;
        fprintf(file, "f 1 %d %d\nf %d %d %d\n", 2 + i, 2 + next, last, last - ROCK_STEPS + next,
                last - ROCK_STEPS + i);
        for (int j = 0; j + 2 < ROCK_RINGS; j++) {
            int a = 2 + j * ROCK_STEPS, b = a + ROCK_STEPS;
            fprintf(file, "f %d %d %d %d\n", a + i, b + i, b + next, a + next);
        }
    }
    return close_file(file, path);
}

int main(void)
{
    return write_torus("assets/torus.obj") | write_car("scenes/meshes/car.obj") |
           write_tumbler("scenes/meshes/tumbler.obj") | write_rock("scenes/meshes/rock.obj");
}
