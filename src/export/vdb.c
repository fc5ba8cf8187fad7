// OpenVDB files, by a library that is loaded when one is asked for: openvdb/door.cpp.
#include "core/memory.h"
#include "export/export.h"
#include "export/openvdb/door.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define LIBRARY "libpbf-vdb.so"
#define VOXEL 0.5 // spacings

// Where the library is, as seen from the folder of the program.
static const char *const places[] = {"", "../lib/pbf/", "../lib/"};

static VdbWrite *find_door(void)
{
    static VdbWrite *door;
    char program[PATH_MAX], path[PATH_MAX + 64];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (door || length <= 0) return door;
    program[length] = '\0';
    *strrchr(program, '/') = '\0';
    for (size_t k = 0; !door && k < sizeof places / sizeof *places; k++) {
        snprintf(path, sizeof path, "%s/%s%s", program, places[k], LIBRARY);
        void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        // POSIX lets a function's address travel as a pointer to data; ISO C knows no cast for it.
        if (library) *(void **)&door = dlsym(library, VDB_WRITE_NAME);
    }
    return door;
}

Result export_vdb_probe(void)
{
    if (find_door()) return result_ok();
    return result_error(RESULT_USAGE,
                        ".vdb: %s is not beside the program (install libopenvdb-dev, make again)", LIBRARY);
}

static Result write_grids(const FileTarget *target, int fd, const VdbMesh *mesh)
{
    char reason[300];
    if (find_door()(target->temporary, mesh, reason, sizeof reason) != 0)
        return result_error(RESULT_FAILED, "%.200s: cannot write: %.280s", target->path, reason);
    if (fsync(fd) == 0 || errno == EINVAL || errno == EROFS) return result_ok();
    return result_error(RESULT_FAILED, "%.200s: cannot write: %s", target->path, strerror(errno));
}

static Result write_mesh(const char *path, const VdbMesh *mesh)
{
    FileTarget target;
    int fd;
    TRY(file_target_open(path, &target, &fd));
    Result result = target.standard ? result_error(RESULT_USAGE, "-: .vdb files need a name")
                                    : write_grids(&target, fd, mesh);
    close(fd);
    if (result_is_ok(&result)) return file_target_commit(&target);
    file_target_discard(&target);
    return result;
}

Result export_vdb(const char *path, const Geometry *geometry)
{
    TRY(export_vdb_probe());
    size_t bytes = (geometry->point_count + 1u) * 3 * sizeof(float);
    float(*point)[3] = memory_allocate(bytes);
    if (!point) return result_no_memory("the surface", bytes);
    const Attribute *position = geometry_find(geometry, ROLE_POSITION);
    for (uint32_t k = 0; k < geometry->point_count; k++) {
        Vec3 at = geometry_vector(geometry, position, k);
        point[k][0] = at.x, point[k][1] = at.y, point[k][2] = at.z;
    }
    VdbMesh mesh = {.point = (const float(*)[3])point,
                    .triangle = (const uint32_t(*)[3])geometry->triangle,
                    .point_count = geometry->point_count,
                    .triangle_count = geometry->triangle_count,
                    .voxel = VOXEL * geometry->spacing,
                    .spacing = geometry->spacing,
                    .time = geometry->time};
    Result result = write_mesh(path, &mesh);
    memory_free(point);
    return result;
}
