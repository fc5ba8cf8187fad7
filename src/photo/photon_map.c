#include "photo/photon_map.h"

#include "core/memory.h"
#include "core/sort.h"
#include "photo/color.h"
#include "photo/number.h"
#include "photo/sampler.h"

#include <string.h>

Result photon_map_add(PhotonMap *map, const Photon *photons, uint32_t count)
{
    TRY(MEMORY_RESERVE(map->photon, map->capacity, map->count, map->count + count, "the photons"));
    memcpy(map->photon + map->count, photons, count * sizeof *photons);
    map->count += count;
    return result_ok();
}

void photon_map_free(PhotonMap *map)
{
    memory_free(map->photon);
    memory_free(map->start);
    *map = (PhotonMap){0};
}

// Cells are cubes of twice the radius: a query touches eight.
static uint32_t bucket_of(const PhotonMap *map, int x, int y, int z)
{
    uint32_t hash = sampler_hash2(sampler_hash2((uint32_t)x, (uint32_t)y), (uint32_t)z);
    return hash & map->bucket_mask;
}

static int cell_of(const PhotonMap *map, float x)
{
    return number_floor(x / (2 * map->radius));
}

static Result sort_photons(PhotonMap *map, SortBuffers *buffers)
{
    uint32_t count = (uint32_t)map->count;
    const uint32_t *order;
    TRY(sort_buffers_reserve(buffers, count));
    for (uint32_t k = 0; k < count; k++) {
        Vec3 p = map->photon[k].point;
        buffers->keys[0][k] = bucket_of(map, cell_of(map, p.x), cell_of(map, p.y), cell_of(map, p.z));
    }
    sort_order(buffers, count, &order);
    Photon *sorted = memory_allocate(count * sizeof *sorted);
    if (!sorted) return result_no_memory("the photons", count * sizeof *sorted);
    for (uint32_t k = 0; k < count; k++) sorted[k] = map->photon[order[k]];
    memory_free(map->photon);
    map->photon = sorted;
    map->capacity = count;
    for (uint32_t k = 0, bucket = 0; bucket <= map->bucket_mask + 1; bucket++) {
        while (k < count && buffers->keys[0][k] < bucket) k++;
        map->start[bucket] = k;
    }
    return result_ok();
}

Result photon_map_sort(PhotonMap *map, float radius)
{
    uint32_t buckets = 1;
    while (buckets < map->count) buckets *= 2;
    map->radius = radius;
    map->bucket_mask = buckets - 1;
    map->start = memory_allocate((buckets + 1) * sizeof *map->start);
    if (!map->start) return result_no_memory("the photons", (buckets + 1) * sizeof *map->start);
    SortBuffers buffers = {0};
    Result result = sort_photons(map, &buffers);
    sort_buffers_free(&buffers);
    return result;
}

// Photons of another side of an edge, or of the far side of something thin, are not at this place.
static float share_at(const PhotonMap *map, const Photon *photon, Vec3 point, Vec3 normal)
{
    Vec3 way = vec3_sub(photon->point, point);
    float square = vec3_dot(way, way) / (map->radius * map->radius);
    if (square >= 1 || vec3_dot(photon->normal, normal) < 0.5f) return 0;
    return 1 - square;
}

Vec3 photon_map_light(const PhotonMap *map, Vec3 point, Vec3 normal)
{
    Vec3 sum = color_gray(0);
    if (map->count == 0) return sum;
    int x = number_floor(point.x / (2 * map->radius) - 0.5f),
        y = number_floor(point.y / (2 * map->radius) - 0.5f),
        z = number_floor(point.z / (2 * map->radius) - 0.5f);
    uint32_t seen[8], count = 0;
    for (int k = 0; k < 8; k++) {
        uint32_t bucket = bucket_of(map, x + (k & 1), y + (k >> 1 & 1), z + (k >> 2));
        bool again = false; // two cells may share a bucket
        for (uint32_t i = 0; i < count; i++) again |= seen[i] == bucket;
        if (again) continue;
        seen[count++] = bucket;
        for (uint32_t i = map->start[bucket]; i < map->start[bucket + 1]; i++) {
            float share = share_at(map, &map->photon[i], point, normal);
            if (share > 0) sum = vec3_add(sum, vec3_scale(map->photon[i].flux, share));
        }
    }
    return vec3_scale(sum, 2 / (PHOTO_PI * map->radius * map->radius)); // the kernel's integral is pi r^2 / 2
}
