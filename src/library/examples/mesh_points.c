/* A mesh of points of one's own: a ball of them becomes a closed surface, written as an OBJ file. */
#include <pbf.h>
#include <stdio.h>

#define SIDE 21

/* As a program of one's own may keep its particles. */
typedef struct Grain {
    int kind;
    double place[3];
    float mass;
} Grain;

static Grain grains[SIDE * SIDE * SIDE];

static uint32_t fill_ball(double spacing)
{
    uint32_t count = 0;
    int i, j, k, half = SIDE / 2;
    for (k = -half; k <= half; k++) {
        for (j = -half; j <= half; j++) {
            for (i = -half; i <= half; i++) {
                if (i * i + j * j + k * k > half * half) continue;
                grains[count].place[0] = spacing * i;
                grains[count].place[1] = spacing * j;
                grains[count].place[2] = spacing * k;
                count++;
            }
        }
    }
    return count;
}

static void write_obj(const pbf_mesh_data *mesh, FILE *file)
{
    uint32_t k;
    for (k = 0; k < mesh->vertex_count; k++) {
        const float *v = mesh->vertices + 3 * (size_t)k;
        fprintf(file, "v %g %g %g\n", (double)v[0], (double)v[1], (double)v[2]);
    }
    for (k = 0; k < mesh->triangle_count; k++) {
        const uint32_t *t = mesh->triangles + 3 * (size_t)k;
        fprintf(file, "f %u %u %u\n", t[0] + 1, t[1] + 1, t[2] + 1);
    }
}

int main(int argc, char **argv)
{
    static const pbf_setting settings[] = {{"surface.cell", "0.4"}};
    double spacing = 0.01;
    pbf_points points;
    pbf_mesh *mesh = NULL;
    pbf_mesh_data data;
    pbf_result result;
    points.x = &grains[0].place[0];
    points.y = &grains[0].place[1];
    points.z = &grains[0].place[2];
    points.stride = sizeof(Grain);
    points.type = PBF_DOUBLE;
    points.count = fill_ball(spacing);
    result = pbf_surface(NULL, &points, NULL, spacing, settings, 1, &mesh);
    if (result.code == PBF_OK) result = pbf_mesh_get(mesh, &data);
    if (result.code == PBF_OK) {
        FILE *file = argc > 1 ? fopen(argv[1], "w") : NULL;
        printf("%u particles of %.1f cm^3 in all, %u triangles around %.1f cm^3\n", points.count,
               1e6 * points.count * spacing * spacing * spacing, data.triangle_count, 1e6 * data.volume);
        if (file) write_obj(&data, file);
        if (file) fclose(file);
    } else {
        fprintf(stderr, "%s\n", result.text);
    }
    pbf_mesh_destroy(mesh);
    return result.code != PBF_OK;
}
