// Obstacle meshes from OBJ files, and the distance grid around a small one.
#include "fuzz_input.h"
#include "obstacle/mesh.h"

#define TRIANGLES_MAX 200
#define GRID_NODES_MAX 4096

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    TriangleMesh mesh;
    Result result = mesh_read_obj(fuzz_input_path(data, size), &mesh);
    if (!result_is_ok(&result)) return 0;
    if (mesh.triangle_count <= TRIANGLES_MAX) {
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
