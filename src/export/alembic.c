// One Alembic file of a whole run (Ogawa, Alembic's core version 0): the water as a PolyMesh and the
// particles as Points with velocities, each body as a PolyMesh below an Xform. Layout and names are those of
// Alembic 1.8 (AbcCoreOgawa/WriteUtil.cpp, AbcGeom). Objects are y up, as Alembic's readers expect, unless z
// is asked for.
#include "core/hash.h"
#include "core/memory.h"
#include "export/export.h"
#include "export/ogawa.h"
#include "export/stage_frame.h"

#include <string.h>

#define LIBRARY_VERSION 10800 // 1.8.0
#define GEOM_BASE ";schemaBaseType=AbcGeom_GeomBase_v1"

enum { POD_BOOLEAN = 0, POD_UINT8 = 1, POD_INT32 = 6, POD_UINT64 = 7, POD_FLOAT = 10, POD_DOUBLE = 11 };
enum { PROPERTY_COMPOUND = 0, PROPERTY_SCALAR = 1, PROPERTY_ARRAY = 2 };

// --- bytes ---

typedef struct Bytes {
    uint8_t *at;
    size_t capacity, used;
} Bytes;

static void put(OgawaWriter *writer, Bytes *bytes, const void *data, size_t count)
{
    Result result =
        MEMORY_RESERVE(bytes->at, bytes->capacity, bytes->used, bytes->used + count + 1, "the Alembic file");
    if (!result_is_ok(&result)) {
        writer->short_of_memory = true;
        return;
    }
    memcpy(bytes->at + bytes->used, data, count);
    bytes->used += count;
}

static void put_word(OgawaWriter *writer, Bytes *bytes, uint32_t word)
{
    put(writer, bytes, &word, sizeof word);
}

static void put_text(OgawaWriter *writer, Bytes *bytes, const char *text)
{
    put_word(writer, bytes, (uint32_t)strlen(text));
    put(writer, bytes, text, strlen(text));
}

// --- properties ---

// An array or a scalar that has a value in every frame.
typedef struct Property {
    const char *name, *meta; // "P", "geoScope=vtx;interpretation=point"
    uint32_t kind, pod, extent;
    OgawaGroup samples;
    uint64_t place, digest[2], bytes; // of the last sample
    uint32_t count;
    bool changes, resizes, single; // single: of one value in every frame
} Property;

static Property property_of(const char *name, const char *meta, uint32_t kind, uint32_t pod, uint32_t extent)
{
    return (Property){.name = name, .meta = meta, .kind = kind, .pod = pod, .extent = extent, .single = true};
}

// Readers tell samples apart by their digests.
static void digest_of(const void *data, size_t bytes, uint64_t out[2])
{
    const uint64_t size = bytes;
    out[0] = hash_bytes(hash_bytes(HASH_START, &size, sizeof size), data, bytes);
    out[1] = hash_bytes(hash_bytes(out[0] ^ 1, &size, sizeof size), data, bytes);
}

// Adds a frame's value; one that is as before is not written again. values: of `extent` numbers each.
static void add_sample(OgawaWriter *writer, Property *property, const void *data, size_t bytes,
                       uint64_t values)
{
    uint64_t digest[2];
    digest_of(data, bytes, digest);
    bool same = property->count > 0 && bytes == property->bytes && digest[0] == property->digest[0] &&
                digest[1] == property->digest[1];
    if (!same)
        property->place = ogawa_data(writer, bytes > 0 ? digest : NULL, bytes > 0 ? 16 : 0, data, bytes);
    property->changes |= property->count > 0 && !same;
    property->resizes |= property->count > 0 && bytes != property->bytes;
    property->single &= values == 1;
    memcpy(property->digest, digest, sizeof digest);
    property->bytes = bytes;
    property->count++;
    ogawa_add(writer, &property->samples, property->place);
    if (property->kind == PROPERTY_ARRAY)
        ogawa_add(writer, &property->samples, OGAWA_NO_DATA); // its length says all
}

// Describes a property for its compound. Bits: WritePropertyInfo. Counts have four bytes, metadata stand
// here.
static void put_property(OgawaWriter *writer, Bytes *bytes, const Property *property)
{
    uint32_t info = property->kind | 2u << 2 | 0xffu << 20;
    if (property->kind != PROPERTY_COMPOUND) {
        info |= property->single | property->pod << 4 | 1u << 8 | property->extent << 12;
        if (!property->changes) info |= 1u << 11;
        if (!property->resizes) info |= 1u << 10;
    }
    put_word(writer, bytes, info);
    if (property->kind != PROPERTY_COMPOUND) put_word(writer, bytes, property->count);
    if (property->kind != PROPERTY_COMPOUND) put_word(writer, bytes, 1); // time sampling
    put_text(writer, bytes, property->name);
    put_text(writer, bytes, property->meta);
}

// Writes properties as one compound; returns its place. Their samples are gone then.
static uint64_t put_compound(OgawaWriter *writer, Property *properties, uint32_t count)
{
    OgawaGroup group = {0};
    Bytes headers = {0};
    for (uint32_t k = 0; k < count; k++) {
        Property *property = &properties[k];
        if (!property->changes && property->samples.count > 0)
            property->samples.count = property->kind == PROPERTY_ARRAY ? 2 : 1;
        put_property(writer, &headers, property);
        ogawa_add(writer, &group, ogawa_group(writer, &property->samples));
    }
    ogawa_add(writer, &group, ogawa_data(writer, NULL, 0, headers.at, headers.used));
    memory_free(headers.at);
    return ogawa_group(writer, &group);
}

// --- objects ---

// What a kind of object is called.
typedef struct Schema {
    const char *object, *compound, *name; // metadata of the object and of its compound, whose name is ".geom"
} Schema;

static const Schema poly_mesh = {"schema=AbcGeom_PolyMesh_v1" GEOM_BASE
                                 ";schemaObjTitle=AbcGeom_PolyMesh_v1:.geom",
                                 "schema=AbcGeom_PolyMesh_v1" GEOM_BASE, ".geom"};
static const Schema point_set = {"schema=AbcGeom_Points_v1" GEOM_BASE
                                 ";schemaObjTitle=AbcGeom_Points_v1:.geom",
                                 "schema=AbcGeom_Points_v1" GEOM_BASE, ".geom"};
static const Schema transform = {"schema=AbcGeom_Xform_v3;schemaObjTitle=AbcGeom_Xform_v3:.xform",
                                 "schema=AbcGeom_Xform_v3", ".xform"};

// A child of an object that is written.
typedef struct Child {
    const char *name;
    const Schema *schema;
    uint64_t place;
} Child;

// Writes an object: its properties, its children, their names and two hashes of what is in them.
static uint64_t put_object(OgawaWriter *writer, uint64_t properties, const Child *children, uint32_t count)
{
    OgawaGroup group = {0};
    Bytes headers = {0};
    ogawa_add(writer, &group, properties);
    for (uint32_t k = 0; k < count; k++) {
        ogawa_add(writer, &group, children[k].place);
        put_text(writer, &headers, children[k].name);
        put(writer, &headers, "\xff", 1); // metadata stand here
        put_text(writer, &headers, children[k].schema->object);
    }
    // No two objects of a file are at the same place.
    uint64_t hashes[4] = {properties, writer->at, count, writer->at};
    put(writer, &headers, hashes, sizeof hashes);
    ogawa_add(writer, &group, ogawa_data(writer, NULL, 0, headers.at, headers.used));
    memory_free(headers.at);
    return ogawa_group(writer, &group);
}

static uint64_t put_schema_object(OgawaWriter *writer, const Schema *schema, Property *properties,
                                  uint32_t count, const Child *child)
{
    OgawaGroup top = {0};
    Bytes header = {0};
    Property compound = property_of(schema->name, schema->compound, PROPERTY_COMPOUND, 0, 0);
    ogawa_add(writer, &top, put_compound(writer, properties, count));
    put_property(writer, &header, &compound);
    ogawa_add(writer, &top, ogawa_data(writer, NULL, 0, header.at, header.used));
    memory_free(header.at);
    return put_object(writer, ogawa_group(writer, &top), child, child ? 1 : 0);
}

// --- meshes and points ---

enum { BOUNDS, POINTS, INDICES, COUNTS, VELOCITIES, NORMALS, MESH_PROPERTIES };
enum { IDS = INDICES, WIDTHS = COUNTS, POINT_PROPERTIES = VELOCITIES + 1 };

static void begin_shape(Property *p)
{
    p[BOUNDS] = property_of(".selfBnds", "interpretation=box", PROPERTY_SCALAR, POD_DOUBLE, 6);
    p[POINTS] = property_of("P", "geoScope=vtx;interpretation=point", PROPERTY_ARRAY, POD_FLOAT, 3);
    p[VELOCITIES] =
        property_of(".velocities", "geoScope=vtx;interpretation=vector", PROPERTY_ARRAY, POD_FLOAT, 3);
}

static void begin_mesh(Property p[MESH_PROPERTIES])
{
    begin_shape(p);
    p[INDICES] = property_of(".faceIndices", "", PROPERTY_ARRAY, POD_INT32, 1);
    p[COUNTS] = property_of(".faceCounts", "", PROPERTY_ARRAY, POD_INT32, 1);
    p[NORMALS] = property_of("N",
                             "arrayExtent=1;geoScope=vtx;interpretation=normal;isGeomParam=true;podExtent=3;"
                             "podName=float32_t",
                             PROPERTY_ARRAY, POD_FLOAT, 3);
}

static void begin_points(Property p[POINT_PROPERTIES])
{
    begin_shape(p);
    p[IDS] = property_of(".pointIds", "", PROPERTY_ARRAY, POD_UINT64, 1);
    p[WIDTHS] =
        property_of(".widths", "arrayExtent=1;geoScope=con;isGeomParam=true;podExtent=1;podName=float32_t",
                    PROPERTY_ARRAY, POD_FLOAT, 1);
}

typedef struct AlembicWriter {
    OgawaWriter ogawa;
    const char *path;
    FileSeries series;
    void *scratch; // of the numbers of one sample
    size_t scratch_bytes;
    Property water[MESH_PROPERTIES], particles[POINT_PROPERTIES];
    uint32_t bodies;
    StageBody *body;
    Child *body_mesh; // written
    Property *pose;   // three for each body
} AlembicWriter;

static void *scratch(AlembicWriter *writer, size_t bytes)
{
    if (bytes > writer->scratch_bytes) {
        memory_free(writer->scratch);
        writer->scratch = memory_allocate(bytes);
        writer->scratch_bytes = writer->scratch ? bytes : 0;
        writer->ogawa.short_of_memory |= !writer->scratch;
    }
    return writer->scratch_bytes >= bytes ? writer->scratch : NULL;
}

static void add_vectors(AlembicWriter *writer, Property *property, const Vec3 *vectors, uint32_t count,
                        UpAxis up)
{
    Vec3 *out = scratch(writer, count * sizeof *out + 1);
    for (uint32_t k = 0; out && k < count; k++) out[k] = geometry_turn(up, vectors[k]);
    if (out) add_sample(&writer->ogawa, property, out, count * sizeof *out, count);
}

static void add_shape(AlembicWriter *writer, Property *p, const Vec3 *points, uint32_t count, UpAxis up)
{
    double bounds[6] = {0};
    for (uint32_t k = 0; k < count; k++) {
        Vec3 point = geometry_turn(up, points[k]);
        const double at[3] = {(double)point.x, (double)point.y, (double)point.z};
        for (int axis = 0; axis < 3; axis++) {
            if (k == 0 || at[axis] < bounds[axis]) bounds[axis] = at[axis];
            if (k == 0 || at[axis] > bounds[3 + axis]) bounds[3 + axis] = at[axis];
        }
    }
    add_sample(&writer->ogawa, &p[BOUNDS], bounds, sizeof bounds, 1);
    add_vectors(writer, &p[POINTS], points, count, up);
}

// Alembic's faces are clockwise as seen from outside.
static void add_triangles(AlembicWriter *writer, Property *p, const uint32_t (*triangle)[3], uint32_t count)
{
    uint32_t(*corners)[3] = scratch(writer, count * sizeof *corners + 1);
    for (uint32_t t = 0; corners && t < count; t++)
        corners[t][0] = triangle[t][0], corners[t][1] = triangle[t][2], corners[t][2] = triangle[t][1];
    if (corners) add_sample(&writer->ogawa, &p[INDICES], corners, count * sizeof *corners, 3ull * count);
    uint32_t *counts = scratch(writer, count * sizeof *counts + 1);
    for (uint32_t t = 0; counts && t < count; t++) counts[t] = 3;
    if (counts) add_sample(&writer->ogawa, &p[COUNTS], counts, count * sizeof *counts, count);
}

static void add_water(AlembicWriter *writer, const StageFrame *frame)
{
    UpAxis up = writer->series.up;
    add_shape(writer, writer->water, frame->water_point, frame->water_points, up);
    add_triangles(writer, writer->water, frame->triangle, frame->triangles);
    add_vectors(writer, &writer->water[VELOCITIES], frame->water_velocity, frame->water_points, up);
    add_vectors(writer, &writer->water[NORMALS], frame->water_normal, frame->water_points, up);
}

static void add_particles(AlembicWriter *writer, const StageFrame *frame)
{
    UpAxis up = writer->series.up;
    const float width = (float)frame->spacing;
    add_shape(writer, writer->particles, frame->particle, frame->particles, up);
    uint64_t *ids = scratch(writer, frame->particles * sizeof *ids + 1);
    for (uint32_t k = 0; ids && k < frame->particles; k++) ids[k] = frame->id[k];
    if (ids)
        add_sample(&writer->ogawa, &writer->particles[IDS], ids, frame->particles * sizeof *ids,
                   frame->particles);
    add_sample(&writer->ogawa, &writer->particles[WIDTHS], &width, sizeof width, 1);
    add_vectors(writer, &writer->particles[VELOCITIES], frame->particle_velocity, frame->particles, up);
}

// --- bodies ---

enum { INHERITS, OPS, VALUES, POSE_PROPERTIES };

static Result begin_bodies(AlembicWriter *writer, uint32_t count)
{
    writer->body = memory_allocate_zeroed(count * sizeof *writer->body);
    writer->body_mesh = memory_allocate_zeroed(count * sizeof *writer->body_mesh);
    writer->pose = memory_allocate_zeroed((size_t)count * POSE_PROPERTIES * sizeof *writer->pose);
    if (!writer->body || !writer->body_mesh || !writer->pose) return result_no_memory("the bodies", count);
    writer->bodies = count;
    for (uint32_t k = 0; k < count; k++) {
        Property *p = writer->pose + (size_t)k * POSE_PROPERTIES;
        p[INHERITS] = property_of(".inherits", "", PROPERTY_SCALAR, POD_BOOLEAN, 1);
        p[OPS] = property_of(".ops", "", PROPERTY_SCALAR, POD_UINT8, 1);
        p[VALUES] = property_of(".vals", "", PROPERTY_SCALAR, POD_DOUBLE, 16);
    }
    return result_ok();
}

// Writes the meshes of the bodies, which stay as they are, in their own axes.
static void put_body_meshes(AlembicWriter *writer, const StageBodies *bodies)
{
    for (uint32_t k = 0; k < bodies->count && k < writer->bodies; k++) {
        Property mesh[MESH_PROPERTIES];
        const StageBody *body = &bodies->body[k];
        writer->body[k] = *body;
        begin_mesh(mesh);
        add_shape(writer, mesh, bodies->point + body->first_point, body->point_count, UP_Z);
        add_triangles(writer, mesh, bodies->triangle + body->first_triangle, body->triangle_count);
        uint64_t place = put_schema_object(&writer->ogawa, &poly_mesh, mesh, VELOCITIES, NULL);
        writer->body_mesh[k] = (Child){"mesh", &poly_mesh, place};
    }
}

// Rows times matrices, as in USD: the rotation transposed, the position in the last row.
static void add_pose(AlembicWriter *writer, uint32_t k, const StagePose *pose)
{
    const uint8_t inherits = 1, matrix_op = 3 << 4;
    UpAxis up = writer->series.up;
    const Vec3 *r = pose->row;
    const Vec3 rows[4] = {geometry_turn(up, vec3_make(r[0].x, r[1].x, r[2].x)),
                          geometry_turn(up, vec3_make(r[0].y, r[1].y, r[2].y)),
                          geometry_turn(up, vec3_make(r[0].z, r[1].z, r[2].z)),
                          geometry_turn(up, pose->position)};
    double matrix[16];
    for (int i = 0; i < 4; i++) {
        const double row[4] = {(double)rows[i].x, (double)rows[i].y, (double)rows[i].z, i == 3};
        memcpy(matrix + 4 * i, row, sizeof row);
    }
    Property *p = writer->pose + (size_t)k * POSE_PROPERTIES;
    add_sample(&writer->ogawa, &p[INHERITS], &inherits, 1, 1);
    add_sample(&writer->ogawa, &p[OPS], &matrix_op, 1, 1);
    add_sample(&writer->ogawa, &p[VALUES], matrix, sizeof matrix, 1);
}

// --- the archive ---

static Result add_frame(AlembicWriter *writer, uint32_t k, const StageFrame *frame)
{
    if (k == 0) TRY(begin_bodies(writer, frame->poses));
    if (frame->poses != writer->bodies)
        return result_error(RESULT_FAILED, "%s: has %u bodies, not %u", writer->series.files[k], frame->poses,
                            writer->bodies);
    add_water(writer, frame);
    add_particles(writer, frame);
    if (writer->bodies > 0 && frame->bodies.count > 0 && !writer->body_mesh[0].name)
        put_body_meshes(writer, &frame->bodies);
    for (uint32_t b = 0; b < writer->bodies; b++) add_pose(writer, b, &frame->pose[b]);
    return result_ok();
}

static Result add_frames(AlembicWriter *writer)
{
    for (uint32_t k = 0; k < writer->series.count; k++) {
        StageFrame frame;
        Result result = stage_frame_read_beside(writer->path, writer->series.files[k], &frame);
        if (result_is_ok(&result)) result = add_frame(writer, k, &frame);
        stage_frame_free(&frame);
        TRY(result);
    }
    return result_ok();
}

static uint64_t put_objects(AlembicWriter *writer)
{
    OgawaWriter *ogawa = &writer->ogawa;
    Child *children = memory_allocate((2 + (size_t)writer->bodies) * sizeof *children);
    if (!children) {
        ogawa->short_of_memory = true;
        return 0;
    }
    children[0] = (Child){STAGE_WATER, &poly_mesh,
                          put_schema_object(ogawa, &poly_mesh, writer->water, MESH_PROPERTIES, NULL)};
    children[1] = (Child){STAGE_PARTICLES, &point_set,
                          put_schema_object(ogawa, &point_set, writer->particles, POINT_PROPERTIES, NULL)};
    uint32_t count = 2;
    for (uint32_t k = 0; k < writer->bodies && writer->body_mesh[0].name; k++) {
        Property *pose = writer->pose + (size_t)k * POSE_PROPERTIES;
        uint64_t place = put_schema_object(ogawa, &transform, pose, POSE_PROPERTIES, &writer->body_mesh[k]);
        children[count++] = (Child){writer->body[k].label, &transform, place};
    }
    uint64_t top = put_object(ogawa, 0, children, count);
    memory_free(children);
    return top;
}

// The times of frame numbers, and those of this file: a first one, and the same step for all.
static uint64_t put_times(AlembicWriter *writer)
{
    const FileSeries *series = &writer->series;
    Bytes bytes = {0};
    const double steps[2] = {1, 1 / series_rate(*series)};
    const double starts[2] = {0, series->count > 0 ? series->times[0] : 0};
    for (uint32_t k = 0; k < 2; k++) {
        put_word(&writer->ogawa, &bytes, k == 0 ? 0 : series->count);
        put(&writer->ogawa, &bytes, &steps[k], sizeof *steps);
        put_word(&writer->ogawa, &bytes, 1);
        put(&writer->ogawa, &bytes, &starts[k], sizeof *starts);
    }
    uint64_t place = ogawa_data(&writer->ogawa, NULL, 0, bytes.at, bytes.used);
    memory_free(bytes.at);
    return place;
}

static uint64_t put_archive(AlembicWriter *writer)
{
    static const char meta[] = "_ai_AlembicVersion=Alembic 1.8.0;_ai_Application=pbf";
    const int32_t core_version = 0, library_version = LIBRARY_VERSION;
    OgawaWriter *ogawa = &writer->ogawa;
    OgawaGroup root = {0};
    ogawa_add(ogawa, &root, ogawa_data(ogawa, NULL, 0, &core_version, sizeof core_version));
    ogawa_add(ogawa, &root, ogawa_data(ogawa, NULL, 0, &library_version, sizeof library_version));
    ogawa_add(ogawa, &root, put_objects(writer));
    ogawa_add(ogawa, &root, ogawa_data(ogawa, NULL, 0, meta, sizeof meta - 1));
    ogawa_add(ogawa, &root, put_times(writer));
    ogawa_add(ogawa, &root, OGAWA_NO_DATA); // shared metadata: none
    return ogawa_group(ogawa, &root);
}

static void release(AlembicWriter *writer)
{
    for (uint32_t k = 0; k < MESH_PROPERTIES; k++) ogawa_group_free(&writer->water[k].samples);
    for (uint32_t k = 0; k < POINT_PROPERTIES; k++) ogawa_group_free(&writer->particles[k].samples);
    for (uint32_t k = 0; k < writer->bodies * POSE_PROPERTIES; k++)
        ogawa_group_free(&writer->pose[k].samples);
    memory_free(writer->scratch);
    memory_free(writer->body);
    memory_free(writer->body_mesh);
    memory_free(writer->pose);
}

Result export_stage_abc(const char *path, FileSeries series)
{
    AlembicWriter writer = {.path = path, .series = series};
    if (series.up == UP_DEFAULT) writer.series.up = UP_Y;
    begin_mesh(writer.water);
    begin_points(writer.particles);
    TRY(ogawa_open(path, &writer.ogawa));
    Result result = add_frames(&writer);
    if (result_is_ok(&result))
        result = ogawa_commit(&writer.ogawa, put_archive(&writer));
    else
        ogawa_discard(&writer.ogawa);
    release(&writer);
    return result;
}
