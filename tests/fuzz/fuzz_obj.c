// Obstacle meshes from OBJ files, and the distance grid around a small one.
#include "fuzz_input.h"
#include "obstacle/mesh.h"

#include <stdlib.h>

#define TRIANGLES_MAX 200
#define GRID_NODES_MAX 4096

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    TriangleMesh mesh;
    char *text = fuzz_copy(data, size);
    Result result = mesh_parse_obj("input.obj", text, size, &mesh);
    free(text);
    if (!result_is_ok(&result)) return 0;
    if (mesh.triangle_count <= TRIANGLES_MAX && fuzz_goes_on(data, size)) {
        DistanceGrid grid;
        result = distance_grid_build(&mesh, 0.1f, 0.25f, GRID_NODES_MAX, &grid);
        if (result_is_ok(&result)) {
            Vec3 gradient;
            distance_grid_sample(&grid, mesh.bounds.hi, &gradient);
            distance_grid_free(&grid);
        }
    }
    mesh_free(&mesh);
    return 0;
}
