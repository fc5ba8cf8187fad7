// Adaptors: particles, the surface and obstacles as geometry.
#include "export/export.h"

static void add_vectors(Geometry *geometry, const char *name, AttributeRole role, GeometryElement element,
                        const Vec3 *vectors)
{
    geometry_add(geometry, name, role, element, TYPE_FLOAT, 3, vectors, sizeof *vectors);
}

static void particle_values(const Attribute *attribute, uint32_t first, uint32_t count, void *out)
{
    particle_attribute_values(attribute->data[0], attribute->data[1], first, first + count, out);
}

static AttributeRole particle_role(const ParticleAttribute *attribute)
{
    if (attribute == particle_attribute(ATTRIBUTE_POSITION)) return ROLE_POSITION;
    return attribute == particle_attribute(ATTRIBUTE_VELOCITY) ? ROLE_VELOCITY : ROLE_NONE;
}

Geometry geometry_of_particles(const FrameView *view)
{
    Geometry geometry = {.name = "particles",
                         .timed = true,
                         .time = view->time,
                         .spacing = (double)view->spacing,
                         .point_count = view->count,
                         .vertex_count = view->count};
    const ParticleAttribute *from;
    for (uint32_t k = 0; (from = particle_file_attribute(k)); k++) {
        NumberType type = from->type == BLOCK_UINT32 ? TYPE_UINT32 : TYPE_FLOAT;
        Attribute *to = geometry_add(&geometry, from->name, particle_role(from), ELEMENT_POINT, type,
                                     from->components, NULL, 0);
        to->values = particle_values;
        to->data[0] = from, to->data[1] = view;
    }
    return geometry;
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
