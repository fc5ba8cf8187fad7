// The door to OpenVDB: a library of its own, which the program loads when such a file is asked for. Linked
// in, OpenVDB would cost each start of the program 50 ms and 29 MB.
#include "export/openvdb/door.h"

#include <cstdio>
#include <exception>
#include <openvdb/openvdb.h>
#include <openvdb/tools/LevelSetUtil.h>
#include <openvdb/tools/MeshToVolume.h>
#include <vector>

using openvdb::FloatGrid;

// Voxels that the level set knows on each side of the surface.
static const float BAND = 3.0f;

static FloatGrid::Ptr level_set_of(const VdbMesh *mesh)
{
    auto transform = openvdb::math::Transform::createLinearTransform(mesh->voxel);
    std::vector<openvdb::Vec3s> points;
    std::vector<openvdb::Vec3I> triangles;
    points.reserve(mesh->point_count);
    triangles.reserve(mesh->triangle_count);
    for (size_t k = 0; k < mesh->point_count; k++) points.emplace_back(mesh->point[k]);
    // OpenVDB takes the other side of a triangle for the outside.
    for (size_t k = 0; k < mesh->triangle_count; k++) {
        const uint32_t *at = mesh->triangle[k];
        triangles.emplace_back(at[0], at[2], at[1]);
    }
    if (triangles.empty()) {
        auto nothing = openvdb::createLevelSet<FloatGrid>(mesh->voxel, BAND);
        return nothing;
    }
    return openvdb::tools::meshToLevelSet<FloatGrid>(*transform, points, triangles, BAND);
}

static void write(const char *path, const VdbMesh *mesh)
{
    openvdb::initialize();
    FloatGrid::Ptr surface = level_set_of(mesh), density = surface->deepCopy();
    surface->setName("surface");
    density->setName("density");
    openvdb::tools::sdfToFogVolume(*density);
    openvdb::MetaMap meta;
    meta.insertMeta("creator", openvdb::StringMetadata("pbf"));
    meta.insertMeta("time", openvdb::DoubleMetadata(mesh->time));
    meta.insertMeta("spacing", openvdb::DoubleMetadata(mesh->spacing));
    openvdb::io::File file(path);
    file.write(openvdb::GridPtrVec{density, surface}, meta);
    file.close();
}

extern "C" __attribute__((visibility("default"))) VdbWrite pbf_vdb_write_1;

int pbf_vdb_write_1(const char *path, const VdbMesh *mesh, char *reason, size_t reason_bytes)
{
    try {
        write(path, mesh);
        return 0;
    } catch (const std::exception &failure) {
        snprintf(reason, reason_bytes, "%s", failure.what());
        return 1;
    }
}
