#include "photo/ray_scene.h"

#ifdef PBF_EMBREE

#include "core/memory.h"
#include "photo/box_ray.h"
#include "photo/embree.h"
#include "photo/number.h"
#include "photo/sampler.h"
#include "photo/stop.h"

#include <string.h>

typedef struct MovedVertices {
    void *at[2]; // when the shutter opens and when it closes: Vec3, or RayPuff
} MovedVertices;

// What decides whether a ray meets a puff.
typedef struct Puffs {
    const RayPuff *at[2];       // when the shutter opens and when it closes
    float depth, passed_middle; // share of light that passes the middle
} Puffs;

// Normals of a triangle's corners, packed so that a hit reads one place: two numbers each, on the octahedron
// (Meyer et al. 2010, "On floating-point normal vectors").
typedef struct CornerNormals {
    int16_t at[3][2];
} CornerNormals;

struct RayScene {
    RTCDevice device;
    RTCScene scene;
    RayMesh *meshes;
    MovedVertices *moved;
    CornerNormals **normals; // of each mesh's triangles; NULL: flat
    Puffs *puffs;            // of each mesh that has them
    uint32_t count;
    bool has_puffs;
    Box3 bounds; // of all meshes, at any time
};

Result ray_scene_check(void)
{
    return embree_load();
}

static Result embree_error(const RayScene *self)
{
    enum RTCError code = embree.rtcGetDeviceError(self->device);
    if (code == RTC_ERROR_NONE) return result_ok();
    if (code == RTC_ERROR_OUT_OF_MEMORY)
        return result_error(RESULT_NO_MEMORY, "out of memory: the rays' search tree");
    return result_error(RESULT_FAILED, "Embree reports error %d", (int)code);
}

static size_t vertex_bytes(const RayMesh *mesh)
{
    return mesh->puff ? sizeof *mesh->puff : sizeof *mesh->vertex;
}

// Straight paths around where the vertices are now. A puff begins with its center.
static Result move_vertices(const RayMesh *mesh, float shutter, MovedVertices *out)
{
    const void *vertices = mesh->puff ? (const void *)mesh->puff : mesh->vertex;
    for (int end = 0; end < 2; end++) {
        size_t each = vertex_bytes(mesh), bytes = mesh->vertex_count * each;
        out->at[end] = memory_allocate(bytes);
        if (!out->at[end]) return result_no_memory("moving vertices", bytes);
        float time = end ? 0.5f * shutter : -0.5f * shutter;
        memcpy(out->at[end], vertices, bytes);
        for (uint32_t k = 0; k < mesh->vertex_count; k++) {
            Vec3 *at = (Vec3 *)((char *)out->at[end] + k * each);
            *at = vec3_add(*at, vec3_scale(mesh->velocity[k], time));
        }
    }
    return result_ok();
}

static void pack_normal(Vec3 n, int16_t out[2])
{
    float over = 1 / (fabsf(n.x) + fabsf(n.y) + fabsf(n.z)), u = n.x * over, v = n.y * over;
    if (n.z < 0) {
        float turned = (1 - fabsf(v)) * (u < 0 ? -1.0f : 1.0f);
        v = (1 - fabsf(u)) * (v < 0 ? -1.0f : 1.0f);
        u = turned;
    }
    out[0] = (int16_t)lrintf(32767 * u);
    out[1] = (int16_t)lrintf(32767 * v);
}

// Not of unit length.
static inline Vec3 unpacked_normal(const int16_t packed[2])
{
    float u = (float)packed[0] * (1.0f / 32767), v = (float)packed[1] * (1.0f / 32767);
    float z = 1 - fabsf(u) - fabsf(v);
    if (z < 0) {
        u -= u < 0 ? z : -z;
        v -= v < 0 ? z : -z;
    }
    return (Vec3){u, v, z};
}

static Result pack_normals(const RayMesh *mesh, CornerNormals **out)
{
    size_t bytes = mesh->triangle_count * sizeof **out;
    if (!mesh->normal || mesh->puff) return result_ok();
    *out = memory_allocate(bytes);
    if (!*out) return result_no_memory("the rays' normals", bytes);
    for (uint32_t t = 0; t < mesh->triangle_count; t++) {
        for (int k = 0; k < 3; k++) pack_normal(mesh->normal[mesh->triangle[t][k]], (*out)[t].at[k]);
    }
    return result_ok();
}

// Embree has found the plane of a puff's middle on the ray: does the ray meet it?
static bool meets_puff(const Puffs *puffs, const struct RTCFilterFunctionNArguments *args)
{
    const struct RTCRay *ray = (const struct RTCRay *)(const void *)args->ray; // N is 1
    uint32_t number = ((const struct RTCHit *)(const void *)args->hit)->primID;
    float draw = sampler_unit(sampler_hash2(ray->id, number));
    if (ray->id == 0 || draw < puffs->passed_middle) return false;
    const RayPuff *opens = &puffs->at[0][number], *closes = &puffs->at[1][number];
    Vec3 center = vec3_add(vec3_scale(opens->center, 1 - ray->time), vec3_scale(closes->center, ray->time));
    Vec3 aside = {ray->org_x + ray->dir_x * ray->tfar - center.x,
                  ray->org_y + ray->dir_y * ray->tfar - center.y,
                  ray->org_z + ray->dir_z * ray->tfar - center.z};
    float inside = 1 - vec3_dot(aside, aside) / (opens->radius * opens->radius);
    return inside > 0 && draw >= expf(-puffs->depth * inside * inside);
}

static void meet_puff(const struct RTCFilterFunctionNArguments *args)
{
    if (!meets_puff(args->geometryUserPtr, args)) args->valid[0] = 0;
}

static RTCGeometry puff_geometry(RayScene *self, uint32_t number, const void *const at[2])
{
    const RayMesh *mesh = &self->meshes[number];
    self->puffs[number] = (Puffs){{at[0], at[1]}, mesh->depth, expf(-mesh->depth)};
    RTCGeometry geometry = embree.rtcNewGeometry(
        self->device, mesh->normal ? RTC_GEOMETRY_TYPE_ORIENTED_DISC_POINT : RTC_GEOMETRY_TYPE_DISC_POINT);
    embree.rtcSetGeometryUserData(geometry, &self->puffs[number]);
    embree.rtcSetGeometryIntersectFilterFunction(geometry, meet_puff);
    embree.rtcSetGeometryOccludedFilterFunction(geometry, meet_puff);
    return geometry;
}

static RTCGeometry triangle_geometry(RayScene *self, const RayMesh *mesh)
{
    RTCGeometry geometry = embree.rtcNewGeometry(self->device, RTC_GEOMETRY_TYPE_TRIANGLE);
    embree.rtcSetSharedGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, mesh->triangle, 0,
                                      sizeof *mesh->triangle, mesh->triangle_count);
    return geometry;
}

static Result add_mesh(RayScene *self, uint32_t number, float shutter)
{
    const RayMesh *mesh = &self->meshes[number];
    TRY(pack_normals(mesh, &self->normals[number]));
    MovedVertices *moved = &self->moved[number];
    const void *now = mesh->puff ? (const void *)mesh->puff : mesh->vertex, *at[2] = {now, now};
    unsigned steps = shutter > 0 && mesh->velocity ? 2 : 1;
    if (steps == 2) {
        TRY(move_vertices(mesh, shutter, moved));
        at[0] = moved->at[0], at[1] = moved->at[1];
    }
    RTCGeometry geometry = mesh->puff ? puff_geometry(self, number, at) : triangle_geometry(self, mesh);
    embree.rtcSetGeometryTimeStepCount(geometry, steps);
    for (unsigned step = 0; step < steps; step++) {
        embree.rtcSetSharedGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, step,
                                          mesh->puff ? RTC_FORMAT_FLOAT4 : RTC_FORMAT_FLOAT3, at[step], 0,
                                          vertex_bytes(mesh), mesh->vertex_count);
        if (mesh->puff && mesh->normal)
            embree.rtcSetSharedGeometryBuffer(geometry, RTC_BUFFER_TYPE_NORMAL, step, RTC_FORMAT_FLOAT3,
                                              mesh->normal, 0, sizeof *mesh->normal, mesh->vertex_count);
    }
    embree.rtcCommitGeometry(geometry);
    embree.rtcAttachGeometryByID(self->scene, geometry, number);
    embree.rtcReleaseGeometry(geometry);
    return embree_error(self);
}

// By more than a ray's rounding.
static Box3 widened(const struct RTCBounds *box)
{
    Vec3 lo = {box->lower_x, box->lower_y, box->lower_z}, hi = {box->upper_x, box->upper_y, box->upper_z};
    float margin = 1e-4f * vec3_length(vec3_sub(hi, lo));
    Vec3 more = {margin, margin, margin};
    return (Box3){vec3_sub(lo, more), vec3_add(hi, more)};
}

static bool goes_on(void *stop, double done)
{
    (void)done;
    return !is_stopped(stop);
}

static Result fill(RayScene *self, const RayMesh *meshes, uint32_t count, float shutter,
                   const atomic_bool *stop)
{
    size_t bytes =
        count * (sizeof *self->meshes + sizeof *self->moved + sizeof *self->normals + sizeof *self->puffs);
    self->meshes = memory_allocate_zeroed(count * sizeof *self->meshes);
    self->moved = memory_allocate_zeroed(count * sizeof *self->moved);
    self->normals = memory_allocate_zeroed(count * sizeof *self->normals);
    self->puffs = memory_allocate_zeroed(count * sizeof *self->puffs);
    if (!self->meshes || !self->moved || !self->normals || !self->puffs)
        return result_no_memory("the rays' meshes", bytes);
    memcpy(self->meshes, meshes, count * sizeof *meshes);
    self->count = count;
    TRY(embree_load());
    // One thread builds the tree: its shape decides which of two triangles a ray on their edge hits.
    self->device = embree.rtcNewDevice("threads=1,set_affinity=0,hugepages=0");
    if (!self->device) return result_error(RESULT_FAILED, "Embree does not start");
    self->scene = embree.rtcNewScene(self->device);
    // Not RTC_SCENE_FLAG_ROBUST: of two million hits on a splash none differed, and it takes a tenth longer.
    embree.rtcSetSceneFlags(self->scene, RTC_SCENE_FLAG_NONE);
    for (uint32_t k = 0; k < count; k++) {
        if (meshes[k].triangle_count > 0 || meshes[k].puff) TRY(add_mesh(self, k, shutter));
        self->has_puffs |= meshes[k].puff != NULL;
    }
    embree.rtcSetSceneProgressMonitorFunction(self->scene, goes_on, (void *)stop);
    embree.rtcCommitScene(self->scene);
    TRY(stop_check(stop));
    struct RTCBounds box;
    embree.rtcGetSceneBounds(self->scene, &box);
    self->bounds = widened(&box);
    return embree_error(self);
}

Result ray_scene_create(const RayMesh *meshes, uint32_t count, float shutter, const atomic_bool *stop,
                        RayScene **out)
{
    *out = NULL;
    RayScene *self = memory_allocate_zeroed(sizeof *self);
    if (!self) return result_no_memory("the rays' scene", sizeof *self);
    Result result = fill(self, meshes, count, shutter, stop);
    if (result_is_ok(&result))
        *out = self;
    else
        ray_scene_destroy(self);
    return result;
}

void ray_scene_destroy(RayScene *scene)
{
    if (!scene) return;
    if (scene->scene) embree.rtcReleaseScene(scene->scene);
    if (scene->device) embree.rtcReleaseDevice(scene->device);
    for (uint32_t k = 0; k < scene->count; k++) {
        memory_free(scene->moved[k].at[0]);
        memory_free(scene->moved[k].at[1]);
        memory_free(scene->normals[k]);
    }
    memory_free(scene->puffs);
    memory_free(scene->normals);
    memory_free(scene->moved);
    memory_free(scene->meshes);
    memory_free(scene);
}

static struct RTCRay embree_ray(const Ray *ray)
{
    return (struct RTCRay){.org_x = ray->origin.x,
                           .org_y = ray->origin.y,
                           .org_z = ray->origin.z,
                           .tnear = ray->near,
                           .dir_x = ray->direction.x,
                           .dir_y = ray->direction.y,
                           .dir_z = ray->direction.z,
                           .time = ray->time,
                           .tfar = ray->far,
                           .id = ray->chance,
                           .mask = UINT32_MAX};
}

// Is the ray where meshes are? Quicker than asking Embree.
static bool comes_near(const RayScene *scene, const Ray *ray)
{
    BoxCrossing box =
        box_ray_cross(&scene->bounds, box_ray_four(ray->origin), 1 / box_ray_four(ray->direction));
    return number_max(box.enter, ray->near) <= number_min(box.leave, ray->far);
}

// Unpacked normals are not of one length, but those of neighboring corners nearly are.
static Vec3 smooth_normal(const CornerNormals *corners, float u, float v, Vec3 outward)
{
    Vec3 normal = vec3_scale(unpacked_normal(corners->at[0]), 1 - u - v);
    normal = vec3_add(normal, vec3_scale(unpacked_normal(corners->at[1]), u));
    normal = vec3_add(normal, vec3_scale(unpacked_normal(corners->at[2]), v));
    return vec3_normalize_or(normal, outward);
}

bool ray_scene_has_puffs(const RayScene *scene)
{
    return scene->has_puffs;
}

bool ray_scene_hit(const RayScene *scene, const Ray *ray, RayHit *out)
{
    if (!comes_near(scene, ray)) return false;
    struct RTCIntersectContext context;
    struct RTCRayHit query = {.ray = embree_ray(ray)};
    rtcInitIntersectContext(&context);
    query.hit.geomID = RTC_INVALID_GEOMETRY_ID;
    embree.rtcIntersect1(scene->scene, &context, &query);
    if (query.hit.geomID == RTC_INVALID_GEOMETRY_ID) return false;
    const struct RTCHit *hit = &query.hit;
    const CornerNormals *normals = scene->normals[hit->geomID];
    if (normals) __builtin_prefetch(&normals[hit->primID]);
    out->distance = query.ray.tfar;
    out->mesh = hit->geomID;
    out->triangle = hit->primID;
    out->outward = vec3_normalize_or(vec3_make(hit->Ng_x, hit->Ng_y, hit->Ng_z), vec3_make(0, 0, 1));
    out->normal = normals ? smooth_normal(&normals[hit->primID], hit->u, hit->v, out->outward) : out->outward;
    return true;
}

bool ray_scene_blocked(const RayScene *scene, const Ray *ray)
{
    if (!comes_near(scene, ray)) return false;
    struct RTCIntersectContext context;
    struct RTCRay query = embree_ray(ray);
    rtcInitIntersectContext(&context);
    embree.rtcOccluded1(scene->scene, &context, &query);
    return query.tfar < 0;
}

#else

Result ray_scene_check(void)
{
    return result_error(RESULT_FAILED, "style photo: this pbf was built without Embree (install "
                                       "libembree-dev, then make)");
}

Result ray_scene_create(const RayMesh *meshes, uint32_t count, float shutter, const atomic_bool *stop,
                        RayScene **out)
{
    (void)meshes, (void)count, (void)shutter, (void)stop;
    *out = NULL;
    return ray_scene_check();
}

void ray_scene_destroy(RayScene *scene)
{
    (void)scene;
}

bool ray_scene_has_puffs(const RayScene *scene)
{
    (void)scene;
    return false;
}

bool ray_scene_hit(const RayScene *scene, const Ray *ray, RayHit *out)
{
    (void)scene, (void)ray, (void)out;
    return false;
}

bool ray_scene_blocked(const RayScene *scene, const Ray *ray)
{
    (void)scene, (void)ray;
    return false;
}

#endif
