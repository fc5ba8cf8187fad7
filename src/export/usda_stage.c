// One USD stage of a whole run, as text: a mesh of the water with time samples of its points, triangles and
// velocities, the particles as points, each body as a mesh with a transform. A time code is a frame.
#include "core/memory.h"
#include "export/export.h"
#include "export/stage_frame.h"

#include <math.h>
#include <string.h>

typedef struct StageWriter {
    FileWriter file;
    const char *path;
    FileSeries series;
    double rate; // frames a second
    // Bodies' meshes, of the first frame that has them.
    StageFrame with_bodies;
} StageWriter;

typedef void PutSample(StageWriter *stage, const StageFrame *frame);

static Result read_frame(const StageWriter *stage, uint32_t k, StageFrame *out)
{
    return stage_frame_read_beside(stage->path, stage->series.files[k], out);
}

static double time_code(const StageWriter *stage, uint32_t k)
{
    return round(stage->series.times[k] * stage->rate);
}

// --- values ---

static void put_vector(StageWriter *stage, bool first, Vec3 v)
{
    v = geometry_turn(stage->series.up, v);
    file_writer_print(&stage->file, "%s(%.7g, %.7g, %.7g)", first ? "" : ", ", (double)v.x, (double)v.y,
                      (double)v.z);
}

static void put_vectors(StageWriter *stage, const Vec3 *vectors, uint32_t count)
{
    file_writer_print(&stage->file, "[");
    for (uint32_t k = 0; k < count; k++) put_vector(stage, k == 0, vectors[k]);
    file_writer_print(&stage->file, "]");
}

static void put_water_points(StageWriter *stage, const StageFrame *frame)
{
    put_vectors(stage, frame->water_point, frame->water_points);
}

static void put_water_normals(StageWriter *stage, const StageFrame *frame)
{
    put_vectors(stage, frame->water_normal, frame->water_points);
}

static void put_water_velocities(StageWriter *stage, const StageFrame *frame)
{
    put_vectors(stage, frame->water_velocity, frame->water_points);
}

static void put_counts(FileWriter *file, uint32_t triangles)
{
    file_writer_print(file, "[");
    for (uint32_t t = 0; t < triangles; t++) file_writer_print(file, t > 0 ? ", 3" : "3");
    file_writer_print(file, "]");
}

static void put_indices(FileWriter *file, const uint32_t (*triangle)[3], uint32_t triangles)
{
    file_writer_print(file, "[");
    for (uint32_t t = 0; t < triangles; t++)
        file_writer_print(file, "%s%u, %u, %u", t > 0 ? ", " : "", triangle[t][0], triangle[t][1],
                          triangle[t][2]);
    file_writer_print(file, "]");
}

static void put_water_counts(StageWriter *stage, const StageFrame *frame)
{
    put_counts(&stage->file, frame->triangles);
}

static void put_water_indices(StageWriter *stage, const StageFrame *frame)
{
    put_indices(&stage->file, frame->triangle, frame->triangles);
}

// The bounding box; programs place and cull by it without looking at the points.
static void put_extent(StageWriter *stage, const Vec3 *points, uint32_t count, float margin)
{
    Vec3 lo = {0, 0, 0}, hi = {0, 0, 0}, more = vec3_make(margin, margin, margin);
    for (uint32_t k = 0; k < count; k++) {
        Vec3 point = geometry_turn(stage->series.up, points[k]);
        lo = k == 0 ? point : vec3_min(lo, point);
        hi = k == 0 ? point : vec3_max(hi, point);
    }
    lo = vec3_sub(lo, more), hi = vec3_add(hi, more);
    file_writer_print(&stage->file, "[(%.7g, %.7g, %.7g), (%.7g, %.7g, %.7g)]", (double)lo.x, (double)lo.y,
                      (double)lo.z, (double)hi.x, (double)hi.y, (double)hi.z);
}

static void put_water_extent(StageWriter *stage, const StageFrame *frame)
{
    put_extent(stage, frame->water_point, frame->water_points, 0);
}

static void put_particle_points(StageWriter *stage, const StageFrame *frame)
{
    put_vectors(stage, frame->particle, frame->particles);
}

static void put_particle_velocities(StageWriter *stage, const StageFrame *frame)
{
    put_vectors(stage, frame->particle_velocity, frame->particles);
}

static void put_particle_ids(StageWriter *stage, const StageFrame *frame)
{
    file_writer_print(&stage->file, "[");
    for (uint32_t k = 0; k < frame->particles; k++)
        file_writer_print(&stage->file, "%s%u", k > 0 ? ", " : "", frame->id[k]);
    file_writer_print(&stage->file, "]");
}

static void put_particle_extent(StageWriter *stage, const StageFrame *frame)
{
    put_extent(stage, frame->particle, frame->particles, (float)frame->spacing / 2);
}

// USD multiplies rows with matrices: the rotation stands transposed, the position in the last row.
static void put_pose(StageWriter *stage, const StagePose *pose)
{
    UpAxis up = stage->series.up;
    Vec3 at = geometry_turn(up, pose->position);
    file_writer_print(&stage->file, "( ");
    for (int axis = 0; axis < 3; axis++) {
        const Vec3 *r = pose->row;
        Vec3 column = axis == 0   ? vec3_make(r[0].x, r[1].x, r[2].x)
                      : axis == 1 ? vec3_make(r[0].y, r[1].y, r[2].y)
                                  : vec3_make(r[0].z, r[1].z, r[2].z);
        column = vec3_add(geometry_turn(up, column), (Vec3){0, 0, 0}); // -0 becomes 0
        file_writer_print(&stage->file, "(%.9g, %.9g, %.9g, 0), ", (double)column.x, (double)column.y,
                          (double)column.z);
    }
    file_writer_print(&stage->file, "(%.9g, %.9g, %.9g, 1) )", (double)at.x, (double)at.y, (double)at.z);
}

// --- time samples ---

static Result put_samples(StageWriter *stage, const char *declaration, PutSample *put)
{
    file_writer_print(&stage->file, "        %s.timeSamples = {\n", declaration);
    for (uint32_t k = 0; k < stage->series.count; k++) {
        StageFrame frame;
        Result result = read_frame(stage, k, &frame);
        if (result_is_ok(&result)) {
            file_writer_print(&stage->file, "            %.9g: ", time_code(stage, k));
            put(stage, &frame);
            file_writer_print(&stage->file, ",\n");
        }
        stage_frame_free(&frame);
        TRY(result);
    }
    file_writer_print(&stage->file, "        }\n");
    return result_ok();
}

static Result put_water(StageWriter *stage)
{
    file_writer_print(&stage->file, "\n    def Mesh \"" STAGE_WATER "\"\n    {\n"
                                    "        uniform token subdivisionScheme = \"none\"\n"
                                    "        color3f[] primvars:displayColor = [(0.2, 0.45, 0.6)]\n");
    TRY(put_samples(stage, "float3[] extent", put_water_extent));
    TRY(put_samples(stage, "int[] faceVertexCounts", put_water_counts));
    TRY(put_samples(stage, "int[] faceVertexIndices", put_water_indices));
    TRY(put_samples(stage, "point3f[] points", put_water_points));
    TRY(put_samples(stage, "vector3f[] velocities", put_water_velocities));
    file_writer_print(&stage->file,
                      "        normal3f[] normals (\n            interpolation = \"vertex\"\n        )\n");
    TRY(put_samples(stage, "normal3f[] normals", put_water_normals));
    file_writer_print(&stage->file, "    }\n");
    return result_ok();
}

static Result put_particles(StageWriter *stage)
{
    file_writer_print(
        &stage->file,
        "\n    def Points \"" STAGE_PARTICLES "\"\n    {\n"
        "        float[] widths = [%.9g] (\n            interpolation = \"constant\"\n        )\n"
        "        color3f[] primvars:displayColor = [(0.2, 0.45, 0.6)]\n",
        stage->with_bodies.spacing);
    TRY(put_samples(stage, "float3[] extent", put_particle_extent));
    TRY(put_samples(stage, "point3f[] points", put_particle_points));
    TRY(put_samples(stage, "vector3f[] velocities", put_particle_velocities));
    TRY(put_samples(stage, "int64[] ids", put_particle_ids));
    file_writer_print(&stage->file, "    }\n");
    return result_ok();
}

// --- bodies ---

// The poses of all bodies in all frames, one frame after the other. Free *out with memory_free.
static Result read_poses(StageWriter *stage, StagePose **out)
{
    uint32_t count = stage->with_bodies.bodies.count;
    size_t bytes = (size_t)stage->series.count * count * sizeof **out;
    *out = memory_allocate(bytes);
    if (!*out) return result_no_memory("the bodies' poses", bytes);
    for (uint32_t k = 0; k < stage->series.count && count > 0; k++) {
        StageFrame frame;
        Result result = read_frame(stage, k, &frame);
        if (result_is_ok(&result) && frame.poses != count)
            result = result_error(RESULT_FAILED, "%s: has %u bodies, not %u", stage->series.files[k],
                                  frame.poses, count);
        if (result_is_ok(&result)) memcpy(*out + (size_t)k * count, frame.pose, count * sizeof **out);
        stage_frame_free(&frame);
        TRY(result);
    }
    return result_ok();
}

static void put_poses(StageWriter *stage, uint32_t body, const StagePose *poses)
{
    uint32_t count = stage->with_bodies.bodies.count;
    bool moving = false;
    for (uint32_t k = 1; k < stage->series.count; k++)
        moving |= memcmp(&poses[body], &poses[(size_t)k * count + body], sizeof *poses) != 0;
    file_writer_print(&stage->file,
                      "        uniform token[] xformOpOrder = [\"xformOp:transform\"]\n"
                      "        matrix4d xformOp:transform%s = ",
                      moving ? ".timeSamples" : "");
    if (!moving) put_pose(stage, &poses[body]);
    for (uint32_t k = 0; k < stage->series.count && moving; k++) {
        file_writer_print(&stage->file, "%s%.9g: ", k == 0 ? "{\n            " : "            ",
                          time_code(stage, k));
        put_pose(stage, &poses[(size_t)k * count + body]);
        file_writer_print(&stage->file, ",\n");
    }
    file_writer_print(&stage->file, "%s\n", moving ? "        }" : "");
}

static void put_body(StageWriter *stage, uint32_t k, const StagePose *poses)
{
    const StageBodies *bodies = &stage->with_bodies.bodies;
    const StageBody *body = &bodies->body[k];
    const UpAxis up = stage->series.up;
    FileWriter *file = &stage->file;
    file_writer_print(file,
                      "\n    def Mesh \"%.*s\"\n    {\n        uniform token subdivisionScheme = \"none\"\n",
                      GEOMETRY_LABEL_BYTES - 1, body->label);
    put_poses(stage, k, poses);
    stage->series.up = UP_Z; // a body's own axes stay
    file_writer_print(file, "        float3[] extent = ");
    put_extent(stage, bodies->point + body->first_point, body->point_count, 0);
    file_writer_print(file, "\n        int[] faceVertexCounts = ");
    put_counts(file, body->triangle_count);
    file_writer_print(file, "\n        int[] faceVertexIndices = ");
    put_indices(file, bodies->triangle + body->first_triangle, body->triangle_count);
    file_writer_print(file, "\n        point3f[] points = ");
    put_vectors(stage, bodies->point + body->first_point, body->point_count);
    stage->series.up = up;
    file_writer_print(file,
                      "\n        color3f[] primvars:displayColor = [(%.9g, %.9g, %.9g)]\n"
                      "        custom int userProperties:obstacle = %u\n    }\n",
                      (double)body->color[0], (double)body->color[1], (double)body->color[2], k);
}

static Result put_bodies(StageWriter *stage)
{
    StagePose *poses = NULL;
    Result result = read_poses(stage, &poses);
    for (uint32_t k = 0; k < stage->with_bodies.bodies.count && result_is_ok(&result); k++)
        put_body(stage, k, poses);
    memory_free(poses);
    return result;
}

// Keeps the first frame that has the bodies' meshes, or the last one.
static Result find_bodies(StageWriter *stage)
{
    for (uint32_t k = 0; k < stage->series.count && stage->with_bodies.bodies.count == 0; k++) {
        stage_frame_free(&stage->with_bodies);
        TRY(read_frame(stage, k, &stage->with_bodies));
        if (stage->with_bodies.poses == 0) break; // none at all
    }
    return result_ok();
}

static Result put_stage(StageWriter *stage)
{
    uint32_t last = stage->series.count > 0 ? stage->series.count - 1 : 0;
    file_writer_print(
        &stage->file,
        "#usda 1.0\n(\n    defaultPrim = \"scene\"\n    metersPerUnit = 1\n    upAxis = \"%s\"\n"
        "    startTimeCode = %.9g\n    endTimeCode = %.9g\n    timeCodesPerSecond = %.9g\n"
        "    framesPerSecond = %.9g\n)\n\ndef Xform \"scene\"\n{",
        stage->series.up == UP_Y ? "Y" : "Z", last > 0 ? time_code(stage, 0) : 0.0,
        last > 0 ? time_code(stage, last) : 0.0, stage->rate, stage->rate);
    TRY(find_bodies(stage));
    TRY(put_water(stage));
    TRY(put_particles(stage));
    TRY(put_bodies(stage));
    file_writer_print(&stage->file, "}\n");
    return result_ok();
}

Result export_stage_usda(const char *path, FileSeries series)
{
    StageWriter stage = {.path = path, .series = series, .rate = series_rate(series)};
    TRY(file_writer_open(path, &stage.file));
    Result result = put_stage(&stage);
    stage_frame_free(&stage.with_bodies);
    if (result_is_ok(&result)) return file_writer_commit(&stage.file);
    file_writer_discard(&stage.file);
    return result;
}
