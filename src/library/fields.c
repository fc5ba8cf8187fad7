// Fields: numbers and vectors of particles, of whitewater and of strands.
#include "library/fields.h"
#include "diffuse/diffuse.h"
#include "fluid/particle_attributes.h"
#include "library/handles.h"

#include <stddef.h>
#include <string.h>

#define ALL UINT32_MAX // components

// --- what is not of every fluid ---

typedef enum FieldGroup { GROUP_SPINS, GROUP_WHITEWATER, GROUP_STRANDS } FieldGroup;

typedef struct GroupField {
    const char *name, *unit;
    FieldGroup group;
    pbf_type type;
    uint32_t components;
    const char *parts[3];
    uint32_t stream; // of whitewater: the first component's
    bool is_place;   // scene coordinates have the origin in them
} GroupField;

#define STREAM(member) .stream = offsetof(DiffuseStreams, member) / sizeof(void *)
#define PARTS(group, a, b, c)                                                                                \
    PBF_FLOAT, 3,                                                                                            \
    {                                                                                                        \
        group "." a, group "." b, group "." c                                                                \
    }
#define NUMBER(type)                                                                                         \
    type, 1,                                                                                                 \
    {                                                                                                        \
        NULL                                                                                                 \
    }

static const GroupField group_fields[] = {
    {"spin", "1/s", GROUP_SPINS, PBF_FLOAT, 3, {"spin_x", "spin_y", "spin_z"}, .is_place = false},
    {"whitewater.position", "m", GROUP_WHITEWATER, PARTS("whitewater", "x", "y", "z"), STREAM(x),
     .is_place = true},
    {"whitewater.velocity", "m/s", GROUP_WHITEWATER, PARTS("whitewater", "vx", "vy", "vz"), STREAM(vx)},
    {"whitewater.class", "", GROUP_WHITEWATER, NUMBER(PBF_UINT32), STREAM(kind)},
    {"whitewater.age", "s", GROUP_WHITEWATER, NUMBER(PBF_FLOAT), STREAM(age)},
    {"whitewater.life", "s", GROUP_WHITEWATER, NUMBER(PBF_FLOAT), STREAM(life)},
    {"whitewater.size", "m", GROUP_WHITEWATER, NUMBER(PBF_FLOAT), STREAM(size)},
    {"whitewater.id", "", GROUP_WHITEWATER, NUMBER(PBF_UINT32), STREAM(id)},
    {"strands.position", "m", GROUP_STRANDS, PARTS("strands", "x", "y", "z"), .is_place = true},
    {"strands.velocity", "m/s", GROUP_STRANDS, PARTS("strands", "vx", "vy", "vz"), .is_place = false},
};
#define GROUP_FIELDS (sizeof group_fields / sizeof *group_fields)

static pbf_field describe_group(const GroupField *from)
{
    pbf_field field = {.name = from->name,
                       .unit = from->unit,
                       .stage = "end of the step",
                       .type = from->type,
                       .components = from->components,
                       .stride = 4};
    for (uint32_t c = 0; c < 3; c++) field.parts[c] = from->parts[c];
    return field;
}

static void show_spins(const FrameView *view, pbf_field *out)
{
    out->count = view->spin_x ? view->count : 0;
    out->data[0] = view->spin_x, out->data[1] = view->spin_y, out->data[2] = view->spin_z;
}

static void show_whitewater(const FrameView *view, const GroupField *field, pbf_field *out)
{
    if (!view->diffuse || view->diffuse->count == 0) return;
    out->count = view->diffuse->count;
    for (uint32_t c = 0; c < field->components; c++) out->data[c] = view->diffuse->stream[field->stream + c];
}

static void show_strands(const FrameView *view, const GroupField *field, pbf_field *out)
{
    if (!view->strands) return;
    StrandView strands = strands_view(view->strands);
    const Vec3 *from = field->is_place ? strands.position : strands.velocity;
    out->count = strands.particle_count;
    out->stride = sizeof *from;
    if (out->count > 0) out->data[0] = &from->x, out->data[1] = &from->y, out->data[2] = &from->z;
}

static pbf_field show_group(const FrameView *view, const GroupField *field)
{
    pbf_field out = describe_group(field);
    if (field->group == GROUP_SPINS) show_spins(view, &out);
    if (field->group == GROUP_WHITEWATER) show_whitewater(view, field, &out);
    if (field->group == GROUP_STRANDS) show_strands(view, field, &out);
    return out;
}

// --- what every fluid has ---

static pbf_field describe(const ParticleAttribute *attribute)
{
    pbf_field field = {.name = attribute->name,
                       .unit = attribute->unit,
                       .stage = attribute->stage,
                       .type = attribute->type == BLOCK_UINT32 ? PBF_UINT32 : PBF_FLOAT,
                       .components = attribute->components,
                       .stride = 4};
    for (uint32_t c = 0; c < 3; c++) field.parts[c] = attribute->components > 1 ? attribute->parts[c] : NULL;
    return field;
}

static pbf_field show_attribute(const FrameView *view, const ParticleAttribute *attribute)
{
    pbf_field out = describe(attribute);
    out.count = view->count;
    for (uint32_t c = 0; attribute->stored && c < out.components; c++)
        out.data[c] = view->stream[attribute->stream + c];
    return out;
}

// --- by name ---

// A field of either kind, or a component of it.
typedef struct FieldPlace {
    const ParticleAttribute *attribute; // NULL: a group's
    const GroupField *group;
    uint32_t component; // or ALL
} FieldPlace;

static bool has_name(const char *name, const char *own, uint32_t components, const char *const parts[3],
                     uint32_t *component)
{
    *component = ALL;
    if (strcmp(own, name) == 0) return true;
    for (uint32_t c = 0; components > 1 && c < components; c++) {
        *component = c;
        if (strcmp(parts[c], name) == 0) return true;
    }
    return false;
}

static Result find(const char *name, FieldPlace *out)
{
    *out = (FieldPlace){0};
    for (int key = 0; key < ATTRIBUTE_COUNT; key++) {
        const ParticleAttribute *row = out->attribute = particle_attribute((FieldKey)key);
        if (has_name(name, row->name, row->components, row->parts, &out->component)) return result_ok();
    }
    out->attribute = NULL;
    for (size_t k = 0; k < GROUP_FIELDS; k++) {
        const GroupField *row = out->group = &group_fields[k];
        if (has_name(name, row->name, row->components, row->parts, &out->component)) return result_ok();
    }
    return result_error(RESULT_USAGE, "\"%.60s\" is not a field (position, velocity, density, ...)", name);
}

int pbf_field_info(uint32_t k, pbf_field *out)
{
    if (!out) return 0;
    *out = (pbf_field){.name = "", .unit = "", .stage = ""};
    if (k >= ATTRIBUTE_COUNT + GROUP_FIELDS) return 0;
    *out = k < ATTRIBUTE_COUNT ? describe(particle_attribute((FieldKey)k))
                               : describe_group(&group_fields[k - ATTRIBUTE_COUNT]);
    return 1;
}

// A component of a field as a field of its own.
static void narrow(uint32_t component, pbf_field *field)
{
    field->name = field->parts[component];
    field->data[0] = field->data[component];
    field->data[1] = field->data[2] = NULL;
    field->components = 1;
}

static pbf_field show_place(const FrameView *view, const FieldPlace *place)
{
    return place->attribute ? show_attribute(view, place->attribute) : show_group(view, place->group);
}

static Result show(const pbf_sim *sim, const char *name, pbf_field *out)
{
    FieldPlace place;
    TRY(find(name, &place));
    FrameView view = fluid_view(sim->fluid);
    *out = show_place(&view, &place);
    out->version = sim->version;
    if (place.component != ALL) narrow(place.component, out);
    return result_ok();
}

pbf_result pbf_sim_field(const pbf_sim *sim, const char *name, pbf_field *out)
{
    if (!out) return call_refused(sim ? sim->context : NULL, missing("out"));
    *out = (pbf_field){.name = "", .unit = "", .stage = ""};
    if (!sim) return call_refused(NULL, missing("sim"));
    if (!name) return call_refused(sim->context, missing("name"));
    return call_refused(sim->context, show(sim, name, out));
}

// --- copies ---

#define CHUNK 1024u // particles

// The numbers of some particles, all components of each one after the other.
static void take_group(const FrameView *view, const GroupField *row, const pbf_field *field, uint32_t begin,
                       uint32_t end, uint32_t *out)
{
    const float origin[3] = {view->origin.x, view->origin.y, view->origin.z};
    for (uint32_t i = begin; i < end; i++) {
        for (uint32_t c = 0; c < row->components; c++, out++) {
            float at;
            memcpy(out, (const char *)field->data[c] + (size_t)i * field->stride, sizeof *out);
            if (!row->is_place) continue;
            memcpy(&at, out, sizeof at);
            at += origin[c];
            memcpy(out, &at, sizeof at);
        }
    }
}

static Result check_room(const pbf_field *field, size_t each, size_t bytes, size_t stride)
{
    size_t needed = field->count > 0 ? (field->count - 1) * stride + each : 0;
    if (stride < each || (field->count > 1 && stride > PTRDIFF_MAX / field->count))
        return result_error(RESULT_USAGE, "a stride of %zu bytes (at least %zu)", stride, each);
    if (bytes < needed)
        return result_error(RESULT_USAGE, "%u particles need %zu bytes, out has %zu", field->count, needed,
                            bytes);
    return result_ok();
}

Result fields_read(const FrameView *view, const char *name, void *out, size_t bytes, size_t stride)
{
    uint32_t chunk[3 * CHUNK];
    FieldPlace place;
    TRY(find(name, &place));
    pbf_field field = show_place(view, &place);
    bool one = place.component != ALL;
    size_t width = 4 * (size_t)field.components, each = one ? 4 : width, skip = one ? 4 * place.component : 0;
    if (stride == 0) stride = each;
    TRY(check_room(&field, each, bytes, stride));
    for (uint32_t begin = 0; begin < field.count; begin += CHUNK) {
        uint32_t end = field.count - begin < CHUNK ? field.count : begin + CHUNK;
        if (place.attribute)
            particle_attribute_values(place.attribute, view, begin, end, chunk);
        else
            take_group(view, place.group, &field, begin, end, chunk);
        for (uint32_t i = begin; i < end; i++)
            memcpy((char *)out + i * stride, (char *)chunk + (i - begin) * width + skip, each);
    }
    return result_ok();
}

pbf_result pbf_sim_read(const pbf_sim *sim, const char *name, void *out, size_t bytes, size_t stride)
{
    if (!sim) return call_refused(NULL, missing("sim"));
    if (!name) return call_refused(sim->context, missing("name"));
    if (!out && bytes > 0) return call_refused(sim->context, missing("out"));
    FrameView view = fluid_view(sim->fluid);
    return call_refused(sim->context, fields_read(&view, name, out, bytes, stride));
}
