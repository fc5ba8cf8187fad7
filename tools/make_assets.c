// Writes assets/torus.obj, a closed mesh for scenes: gcc tools/make_assets.c -lm -o make_assets &&
// ./make_assets
#include <math.h>
#include <stdio.h>

#define RING_STEPS 80
#define TUBE_STEPS 40
#define RING_RADIUS 0.5 // m
#define TUBE_RADIUS 0.2 // m

int main(void)
{
    const double turn = 6.283185307179586;
    FILE *file = fopen("assets/torus.obj", "w");
    if (!file) {
        perror("assets/torus.obj");
        return 1;
    }
    fprintf(
        file,
        "# A torus about the z axis: ring radius %g m, tube radius %g m. Written by tools/make_assets.c.\n",
        RING_RADIUS, TUBE_RADIUS);
    for (int i = 0; i < RING_STEPS; i++) {
        for (int j = 0; j < TUBE_STEPS; j++) {
            double ring = turn * i / RING_STEPS, tube = turn * j / TUBE_STEPS;
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
    if (fclose(file) != 0) {
        perror("assets/torus.obj");
        return 1;
    }
    return 0;
}
