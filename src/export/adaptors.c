// Adaptors: particles, the surface, obstacles and strands as geometry.
#include "core/srgb.h"
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

// Three streams as one vector in scene coordinates; those of velocities are not moved.
static void diffuse_vectors(const Attribute *attribute, uint32_t first, uint32_t count, void *out)
{
    const DiffuseParticles *p = attribute->data[0];
    const FrameView *view = attribute->data[1];
    bool places = attribute->role == ROLE_POSITION;
    const float *const *stream =
        places ? (const float *const[]){p->x, p->y, p->z} : (const float *const[]){p->vx, p->vy, p->vz};
    Vec3 origin = places ? view->origin : vec3_make(0, 0, 0);
    Vec3 *to = out;
    for (uint32_t k = 0; k < count; k++)
        to[k] = vec3_add(origin, vec3_make(stream[0][first + k], stream[1][first + k], stream[2][first + k]));
}

Geometry geometry_of_diffuse(const FrameView *view)
{
    static const DiffuseParticles none;
    const DiffuseParticles *p = view->diffuse ? view->diffuse : &none;
    Geometry geometry = {.name = "whitewater",
                         .timed = true,
                         .time = view->time,
                         .spacing = (double)view->spacing,
                         .point_count = p->count,
                         .vertex_count = p->count};
    const struct {
        const char *name;
        AttributeRole role;
    } vectors[] = {{"position", ROLE_POSITION}, {"velocity", ROLE_VELOCITY}};
    for (int k = 0; k < 2; k++) {
        Attribute *to =
            geometry_add(&geometry, vectors[k].name, vectors[k].role, ELEMENT_POINT, TYPE_FLOAT, 3, NULL, 0);
        to->values = diffuse_vectors;
        to->data[0] = p, to->data[1] = view;
    }
    const struct {
        const char *name;
        NumberType type;
        const void *data;
    } numbers[] = {{"class", TYPE_UINT32, p->kind},
                   {"age", TYPE_FLOAT, p->age},
                   {"life", TYPE_FLOAT, p->life},
                   {"size", TYPE_FLOAT, p->size},
                   {"id", TYPE_UINT32, p->id}};
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
        geometry_add(&geometry, numbers[k].name, ROLE_NONE, ELEMENT_POINT, numbers[k].type, 1,
                     numbers[k].data, 4);
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
                         .timed = mesh->moves,
                         .time = mesh->time,
                         .spacing = mesh->spacing,
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

// --- strands ---

static void strand_positions(const Attribute *attribute, uint32_t first, uint32_t count, void *out)
{
    const FrameView *view = attribute->data[0];
    StrandView strands = strands_view(view->strands);
    Vec3 *to = out;
    for (uint32_t k = 0; k < count; k++) to[k] = vec3_add(view->origin, strands.position[first + k]);
}

static void strand_numbers(const Attribute *attribute, uint32_t first, uint32_t count, void *out)
{
    (void)attribute;
    uint32_t *to = out;
    for (uint32_t k = 0; k < count; k++) to[k] = first + k;
}

static const StrandDef *def_of(const StrandView *strands, uint32_t strand)
{
    return &strands->defs[strands->group[strand]];
}

static void strand_radii(const Attribute *attribute, uint32_t first, uint32_t count, void *out)
{
    StrandView strands = strands_view(((const FrameView *)attribute->data[0])->strands);
    float *to = out;
    for (uint32_t k = 0; k < count; k++) to[k] = def_of(&strands, first + k)->radius;
}

static void strand_colors(const Attribute *attribute, uint32_t first, uint32_t count, void *out)
{
    StrandView strands = strands_view(((const FrameView *)attribute->data[0])->strands);
    uint8_t *to = out;
    for (uint32_t k = 0; k < 3 * count; k++) {
        float linear = def_of(&strands, first + k / 3)->color[k % 3];
        to[k] = (uint8_t)(255 * srgb_of_linear(linear) + 0.5f);
    }
}

Geometry geometry_of_strands(const FrameView *view)
{
    static const uint32_t none[1];
    StrandView strands = view->strands ? strands_view(view->strands) : (StrandView){.first = none};
    Geometry geometry = {.name = "strands",
                         .timed = true,
                         .time = view->time,
                         .spacing = (double)view->spacing,
                         .point_count = strands.particle_count,
                         .vertex_count = strands.particle_count,
                         .line_first = strands.first,
                         .line_count = strands.strand_count};
    const struct {
        const char *name;
        AttributeRole role;
        GeometryElement element;
        NumberType type;
        uint32_t components;
        const void *data;
        void (*values)(const Attribute *attribute, uint32_t first, uint32_t count, void *out);
    } rows[] = {{"position", ROLE_POSITION, ELEMENT_POINT, TYPE_FLOAT, 3, NULL, strand_positions},
                {"velocity", ROLE_VELOCITY, ELEMENT_POINT, TYPE_FLOAT, 3, strands.velocity, NULL},
                {"radius", ROLE_RADIUS, ELEMENT_LINE, TYPE_FLOAT, 1, NULL, strand_radii},
                {"color", ROLE_COLOR, ELEMENT_LINE, TYPE_UINT8, 3, NULL, strand_colors},
                {"strand", ROLE_NONE, ELEMENT_LINE, TYPE_UINT32, 1, NULL, strand_numbers},
                {"group", ROLE_NONE, ELEMENT_LINE, TYPE_UINT32, 1, strands.group, NULL}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        uint32_t stride = rows[k].components * number_bytes(rows[k].type);
        Attribute *to = geometry_add(&geometry, rows[k].name, rows[k].role, rows[k].element, rows[k].type,
                                     rows[k].components, rows[k].data, stride);
        to->values = rows[k].values;
        if (to->values) to->data[0] = view;
    }
    return geometry;
}
