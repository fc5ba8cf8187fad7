#include "photo/ray_scene.h"

#ifdef PBF_EMBREE

#include "core/memory.h"

#include <embree3/rtcore.h>
#include <string.h>

typedef struct MovedVertices {
    Vec3 *at[2]; // when the shutter opens and when it closes
} MovedVertices;

struct RayScene {
    RTCDevice device;
    RTCScene scene;
    RayMesh *meshes;
    MovedVertices *moved;
    uint32_t count;
};

Result ray_scene_check(void)
{
    return result_ok();
}

static Result embree_error(const RayScene *self)
{
    enum RTCError code = rtcGetDeviceError(self->device);
    if (code == RTC_ERROR_NONE) return result_ok();
    if (code == RTC_ERROR_OUT_OF_MEMORY)
        return result_error(RESULT_NO_MEMORY, "out of memory: the rays' search tree");
    return result_error(RESULT_FAILED, "Embree reports error %d", (int)code);
}

// Straight paths around where the vertices are now.
static Result move_vertices(const RayMesh *mesh, float shutter, MovedVertices *out)
{
    for (int end = 0; end < 2; end++) {
        size_t bytes = mesh->vertex_count * sizeof(Vec3);
        out->at[end] = memory_allocate(bytes);
        if (!out->at[end]) return result_no_memory("moving vertices", bytes);
        float time = end ? 0.5f * shutter : -0.5f * shutter;
        for (uint32_t k = 0; k < mesh->vertex_count; k++)
            out->at[end][k] = vec3_add(mesh->vertex[k], vec3_scale(mesh->velocity[k], time));
    }
    return result_ok();
}

static Result add_mesh(RayScene *self, uint32_t number, float shutter)
{
    const RayMesh *mesh = &self->meshes[number];
    MovedVertices *moved = &self->moved[number];
    bool moves = shutter > 0 && mesh->velocity;
    if (moves) TRY(move_vertices(mesh, shutter, moved));
    RTCGeometry geometry = rtcNewGeometry(self->device, RTC_GEOMETRY_TYPE_TRIANGLE);
    rtcSetGeometryTimeStepCount(geometry, moves ? 2 : 1);
    for (unsigned step = 0; step < (moves ? 2u : 1u); step++) {
        const Vec3 *vertices = moves ? moved->at[step] : mesh->vertex;
        rtcSetSharedGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, step, RTC_FORMAT_FLOAT3, vertices, 0,
                                   sizeof(Vec3), mesh->vertex_count);
    }
    rtcSetSharedGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, mesh->triangle, 0,
                               sizeof *mesh->triangle, mesh->triangle_count);
    rtcCommitGeometry(geometry);
    rtcAttachGeometryByID(self->scene, geometry, number);
    rtcReleaseGeometry(geometry);
    return embree_error(self);
}

static Result fill(RayScene *self, const RayMesh *meshes, uint32_t count, float shutter)
{
    size_t bytes = count * (sizeof *self->meshes + sizeof *self->moved);
    self->meshes = memory_allocate_zeroed(count * sizeof *self->meshes);
    self->moved = memory_allocate_zeroed(count * sizeof *self->moved);
    if (!self->meshes || !self->moved) return result_no_memory("the rays' meshes", bytes);
    memcpy(self->meshes, meshes, count * sizeof *meshes);
    self->count = count;
    // One thread builds the tree: its shape decides which of two triangles a ray on their edge hits.
    self->device = rtcNewDevice("threads=1,set_affinity=0,hugepages=0");
    if (!self->device) return result_error(RESULT_FAILED, "Embree does not start");
    self->scene = rtcNewScene(self->device);
    rtcSetSceneFlags(self->scene, RTC_SCENE_FLAG_ROBUST);
    for (uint32_t k = 0; k < count; k++) {
        if (meshes[k].triangle_count > 0) TRY(add_mesh(self, k, shutter));
    }
    rtcCommitScene(self->scene);
    return embree_error(self);
}

Result ray_scene_create(const RayMesh *meshes, uint32_t count, float shutter, RayScene **out)
{
    *out = NULL;
    RayScene *self = memory_allocate_zeroed(sizeof *self);
    if (!self) return result_no_memory("the rays' scene", sizeof *self);
    Result result = fill(self, meshes, count, shutter);
    if (result_is_ok(&result))
        *out = self;
    else
        ray_scene_destroy(self);
    return result;
}

void ray_scene_destroy(RayScene *scene)
{
    if (!scene) return;
    if (scene->scene) rtcReleaseScene(scene->scene);
    if (scene->device) rtcReleaseDevice(scene->device);
    for (uint32_t k = 0; k < scene->count; k++) {
        memory_free(scene->moved[k].at[0]);
        memory_free(scene->moved[k].at[1]);
    }
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
                           .mask = UINT32_MAX};
}

static Vec3 smooth_normal(const RayMesh *mesh, const struct RTCHit *hit, Vec3 outward)
{
    if (!mesh->normal) return outward;
    const uint32_t *corner = mesh->triangle[hit->primID];
    Vec3 normal = vec3_scale(mesh->normal[corner[0]], 1 - hit->u - hit->v);
    normal = vec3_add(normal, vec3_scale(mesh->normal[corner[1]], hit->u));
    normal = vec3_add(normal, vec3_scale(mesh->normal[corner[2]], hit->v));
    return vec3_normalize_or(normal, outward);
}

bool ray_scene_hit(const RayScene *scene, const Ray *ray, RayHit *out)
{
    struct RTCIntersectContext context;
    struct RTCRayHit query = {.ray = embree_ray(ray)};
    rtcInitIntersectContext(&context);
    query.hit.geomID = RTC_INVALID_GEOMETRY_ID;
    rtcIntersect1(scene->scene, &context, &query);
    if (query.hit.geomID == RTC_INVALID_GEOMETRY_ID) return false;
    const struct RTCHit *hit = &query.hit;
    out->distance = query.ray.tfar;
    out->mesh = hit->geomID;
    out->triangle = hit->primID;
    out->outward = vec3_normalize_or(vec3_make(hit->Ng_x, hit->Ng_y, hit->Ng_z), vec3_make(0, 0, 1));
    out->normal = smooth_normal(&scene->meshes[hit->geomID], hit, out->outward);
    return true;
}

bool ray_scene_blocked(const RayScene *scene, const Ray *ray)
{
    struct RTCIntersectContext context;
    struct RTCRay query = embree_ray(ray);
    rtcInitIntersectContext(&context);
    rtcOccluded1(scene->scene, &context, &query);
    return query.tfar < 0;
}

#else

Result ray_scene_check(void)
{
    return result_error(RESULT_FAILED, "style photo: this pbf was built without Embree (install "
                                       "libembree-dev, then make)");
}

Result ray_scene_create(const RayMesh *meshes, uint32_t count, float shutter, RayScene **out)
{
    (void)meshes, (void)count, (void)shutter;
    *out = NULL;
    return ray_scene_check();
}

void ray_scene_destroy(RayScene *scene)
{
    (void)scene;
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
