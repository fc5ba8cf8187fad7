// What the program shows as geometry.
#include "core/memory.h"
#include "export/export.h"

static void add_vectors(Geometry *geometry, const char *name, AttributeRole role, GeometryElement element,
                        const Vec3 *vectors)
{
    geometry_add(geometry, name, role, element, TYPE_FLOAT, 3, vectors, sizeof *vectors);
}

static void add_numbers(Geometry *geometry, const char *name, NumberType type, const void *numbers)
{
    geometry_add(geometry, name, ROLE_NONE, ELEMENT_POINT, type, 1, numbers, 4);
}

Result geometry_of_particles(const FrameView *view, Geometry *out)
{
    uint32_t n = view->count;
    *out = (Geometry){.name = "particles",
                      .timed = true,
                      .time = view->time,
                      .spacing = (double)view->spacing,
                      .point_count = n,
                      .vertex_count = n};
    Vec3 *position = out->owned = memory_allocate(n * (sizeof(Vec3) + sizeof(float)));
    if (!position) return result_no_memory("the particles of a file", n * (sizeof(Vec3) + sizeof(float)));
    float *age = (float *)(position + n);
    for (uint32_t i = 0; i < n; i++) {
        position[i] = vec3_add(view->origin, vec3_make(view->x[i], view->y[i], view->z[i]));
        age[i] = frame_view_age(view, i);
    }
    add_vectors(out, "position", ROLE_POSITION, ELEMENT_POINT, position);
    Attribute *velocity = geometry_add(out, "velocity", ROLE_VELOCITY, ELEMENT_POINT, TYPE_FLOAT, 3, NULL, 4);
    velocity->data[0] = view->vx, velocity->data[1] = view->vy, velocity->data[2] = view->vz;
    add_numbers(out, "density", TYPE_FLOAT, view->density);
    add_numbers(out, "id", TYPE_UINT32, view->id);
    add_numbers(out, "vorticity", TYPE_FLOAT, view->vorticity);
    add_numbers(out, "age", TYPE_FLOAT, age);
    add_numbers(out, "neighbors", TYPE_UINT32, view->neighbors);
    return result_ok();
}

Geometry geometry_of_surface(const SurfaceMesh *mesh)
{
    Geometry geometry = {.name = "surface",
                         .point_count = mesh->vertex_count,
                         .vertex_count = mesh->vertex_count,
                         .has_triangles = true,
                         .triangle = mesh->triangle,
                         .triangle_count = mesh->triangle_count,
                         .part_count = 1};
    add_vectors(&geometry, "position", ROLE_POSITION, ELEMENT_POINT, mesh->vertex);
    add_vectors(&geometry, "normals", ROLE_NORMAL, ELEMENT_VERTEX, mesh->normal);
    if (mesh->velocity) add_vectors(&geometry, "velocity", ROLE_VELOCITY, ELEMENT_POINT, mesh->velocity);
    return geometry;
}

Geometry geometry_of_obstacles(const ObstacleMesh *mesh)
{
    Geometry geometry = {.name = "obstacles",
                         .point_count = mesh->point_count,
                         .vertex_count = mesh->vertex_count,
                         .vertex_point = mesh->vertex_point,
                         .has_triangles = true,
                         .triangle = mesh->triangle,
                         .triangle_count = mesh->triangle_count,
                         .parts = mesh->parts,
                         .part_count = mesh->part_count};
    uint32_t stride = sizeof *mesh->parts;
    add_vectors(&geometry, "position", ROLE_POSITION, ELEMENT_POINT, mesh->point);
    add_vectors(&geometry, "normals", ROLE_NORMAL, ELEMENT_VERTEX, mesh->normal);
    add_vectors(&geometry, "velocity", ROLE_VELOCITY, ELEMENT_POINT, mesh->velocity);
    geometry_add(&geometry, "obstacle", ROLE_NONE, ELEMENT_PART, TYPE_INT32, 1, &mesh->parts->number, stride);
    geometry_add(&geometry, "color", ROLE_COLOR, ELEMENT_PART, TYPE_UINT8, 3, &mesh->parts->srgb, stride);
    return geometry;
}
