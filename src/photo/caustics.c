#include "photo/caustics.h"

#include "core/clock.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "core/round.h"
#include "photo/color.h"
#include "photo/flight.h"
#include "photo/number.h"
#include "photo/photon_map.h"
#include "photo/stop.h"

#include <string.h>

enum {
    BATCH = 1 << 18, // photons between two additions to the map
    GRAIN = 1 << 10, // of the loop over photons
    TEXELS_MAX = 2048,
    EVENTS_MAX = 16,
};

// Photons are counted as whole numbers, whose sum does not depend on their order.
#define UNIT 65536.0f

// Passes of averaging over squares of 5 x 5 texels.
#define BLUR_RADIUS 2
#define BLUR_PASSES 2

typedef struct FloorGrid {
    Box3 box;
    uint32_t width, height;  // texels; 0 without a floor
    float texel;             // m
    _Atomic uint32_t *count; // red, green, blue of each texel
    Vec3 *light;             // irradiance
} FloorGrid;

struct Caustics {
    FloorGrid floor;
    PhotonMap bodies;
    Vec3 flux;
};

// --- sending ---

// Where photons come from.
typedef struct Source {
    const Lamp *lamp; // NULL: the sun
    uint32_t photons;
    Vec3 flux; // of a photon, in `unit`; of a lamp's for a middle that shines straight into all directions
} Source;

typedef struct Sending {
    const PathScene *scene;
    const CausticsDef *def;
    Caustics *caustics;
    uint32_t photons; // to be sent
    Source source[1 + LAMPS_MAX];
    uint32_t sources;
    float side[2], up[2], top; // m, the rectangle that the sun's photons start from, along its axes
    Vec3 center;               // m, of the ball around the target, which lamps shine at
    float radius;              // m
    float unit;                // flux that photons are counted in
    uint32_t first;            // number of the batch's first photon
    Photon *landed;            // BATCH
    uint32_t *landed_count;    // of each block
} Sending;

static void aim_sun(Sending *sending)
{
    const Sun *sun = &sending->scene->lights.sun;
    Box3 box = sending->def->target;
    sending->side[0] = sending->up[0] = INFINITY;
    sending->side[1] = sending->up[1] = sending->top = -INFINITY;
    for (int k = 0; k < 8; k++) {
        Vec3 corner = box3_corner(box, k);
        float side = vec3_dot(corner, sun->side), up = vec3_dot(corner, sun->up);
        sending->side[0] = fminf(sending->side[0], side);
        sending->side[1] = fmaxf(sending->side[1], side);
        sending->up[0] = fminf(sending->up[0], up);
        sending->up[1] = fmaxf(sending->up[1], up);
        sending->top = fmaxf(sending->top, vec3_dot(corner, sun->toward));
    }
    sending->top += 0.1f * sqrtf((sending->side[1] - sending->side[0]) * (sending->up[1] - sending->up[0]));
}

// Solid angle of the target's ball, and the cosine of half the cone's angle; from within, half of all ways.
static float cone_toward(const Sending *sending, Vec3 point, float *cosine)
{
    float distance = vec3_length(vec3_sub(sending->center, point)), sine = sending->radius / distance;
    *cosine = sine < 1 ? sqrtf(1 - sine * sine) : 0;
    return 2 * PHOTO_PI * (1 - *cosine);
}

static Vec3 lamp_flux(const Sending *sending, const Lamp *lamp)
{
    float cosine;
    return vec3_scale(lamp->light, lamp_area(lamp) * cone_toward(sending, lamp->middle, &cosine));
}

// A third of the photons is the lamps', whose light is softer; each lamp's by its flux.
static void open_sources(Sending *sending)
{
    const Lights *lights = &sending->scene->lights;
    Box3 box = sending->def->target;
    uint32_t all = sending->photons, rest = lights->sun.shines ? all / 3 : all;
    float sum = 0;
    sending->sources = 0;
    sending->unit = 0;
    sending->center = vec3_scale(vec3_add(box.lo, box.hi), 0.5f);
    sending->radius = 0.5f * vec3_length(vec3_sub(box.hi, box.lo));
    for (uint32_t k = 0; k < lights->lamp_count; k++)
        sum += color_luminance(lamp_flux(sending, &lights->lamp[k]));
    if (lights->sun.shines) {
        aim_sun(sending);
        float area = (sending->side[1] - sending->side[0]) * (sending->up[1] - sending->up[0]);
        uint32_t count = sum > 0 ? all - rest : all;
        sending->source[sending->sources++] =
            (Source){NULL, count, vec3_scale(lights->sun.irradiance, area / (float)count)};
    }
    for (uint32_t k = 0; k < lights->lamp_count && sum > 0; k++) {
        Vec3 flux = lamp_flux(sending, &lights->lamp[k]);
        uint32_t count = (uint32_t)((float)rest * color_luminance(flux) / sum);
        if (count > 0)
            sending->source[sending->sources++] =
                (Source){&lights->lamp[k], count, vec3_scale(flux, 1 / (float)count)};
    }
    for (uint32_t k = 0; k < sending->sources; k++)
        sending->unit = fmaxf(sending->unit, color_largest(sending->source[k].flux));
    for (uint32_t k = 0; k < sending->sources; k++)
        sending->source[k].flux = vec3_scale(sending->source[k].flux, 1 / sending->unit);
}

static Flight start_sun(const Sending *sending, PathSampler *sampler)
{
    const Sun *sun = &sending->scene->lights.sun;
    float u, v;
    sampler_pair(sampler, &u, &v);
    Vec3 origin = vec3_scale(sun->side, sending->side[0] + u * (sending->side[1] - sending->side[0]));
    origin = vec3_add(origin, vec3_scale(sun->up, sending->up[0] + v * (sending->up[1] - sending->up[0])));
    origin = vec3_add(origin, vec3_scale(sun->toward, sending->top));
    Vec3 direction = vec3_scale(sun_draw(sun, sampler), -1);
    return (Flight){.ray = {origin, direction, 0, INFINITY, sampler_one(sampler), 0}};
}

// A direction in a cone about the axis, evenly.
static Vec3 cone_direction(Vec3 axis, float cosine, float u, float v)
{
    Vec3 a, b;
    vec3_axes_across(axis, &a, &b);
    float along = 1 - u * (1 - cosine), aside = sqrtf(fmaxf(1 - along * along, 0)), turn = 2 * PHOTO_PI * v;
    Vec3 way = vec3_add(vec3_scale(a, aside * cosf(turn)), vec3_scale(b, aside * sinf(turn)));
    return vec3_add(vec3_scale(axis, along), way);
}

// *share: of the flux in the lamp's list, by place and direction.
static Flight start_lamp(const Sending *sending, const Lamp *lamp, PathSampler *sampler, Vec3 *share)
{
    float u, v, s, t, cosine, middle;
    Vec3 light;
    sampler_pair(sampler, &u, &v);
    sampler_pair(sampler, &s, &t);
    Vec3 origin = lamp_place(lamp, 2 * u - 1, 2 * v - 1, &light);
    Vec3 axis = vec3_normalize_or(vec3_sub(sending->center, origin), lamp->normal);
    float solid = cone_toward(sending, origin, &cosine);
    Vec3 direction = cone_direction(axis, cosine, s, t);
    float facing = fmaxf(vec3_dot(direction, lamp->normal), 0);
    float part = color_luminance(light) / color_luminance(lamp->light);
    *share = vec3_scale(*share, part * facing * solid / cone_toward(sending, lamp->middle, &middle));
    return (Flight){.ray = {origin, direction, 0, INFINITY, sampler_one(sampler), 0}};
}

static void count_on_floor(FloorGrid *floor, Vec3 point, Vec3 share)
{
    int i = number_floor((point.x - floor->box.lo.x) / floor->texel);
    int j = number_floor((point.y - floor->box.lo.y) / floor->texel);
    if (i < 0 || j < 0 || i >= (int)floor->width || j >= (int)floor->height) return;
    _Atomic uint32_t *count = floor->count + 3 * ((size_t)j * floor->width + (size_t)i);
    const float parts[3] = {share.x, share.y, share.z};
    for (int k = 0; k < 3; k++)
        atomic_fetch_add_explicit(&count[k], (uint32_t)(parts[k] * UNIT + 0.5f), memory_order_relaxed);
}

// Photon of that number; *share: its flux, in units.
static Flight start(const Sending *sending, uint32_t number, PathSampler *sampler, Vec3 *share)
{
    uint32_t source = 0;
    while (number >= sending->source[source].photons && source + 1 < sending->sources)
        number -= sending->source[source++].photons;
    const Lamp *lamp = sending->source[source].lamp;
    *sampler = sampler_make(0x5eed + source, number);
    *share = sending->source[source].flux;
    return lamp ? start_lamp(sending, lamp, sampler, share) : start_sun(sending, sampler);
}

// Follows one photon; true if it has ended on a body.
static bool send(const Sending *sending, uint32_t number, Photon *landed)
{
    const PathScene *scene = sending->scene;
    PathSampler sampler;
    Vec3 share, added;
    Flight flight = start(sending, number, &sampler, &share);
    bool bent = false, misty = ray_scene_has_puffs(scene->rays);
    for (int k = 0; k < EVENTS_MAX; k++) {
        if (misty) flight.ray.chance = sampler_chance(&sampler);
        Event event;
        flight_find(scene, &flight, false, &event);
        share = vec3_mul(share, flight_fade(scene, &flight, event.distance, &added));
        bool opaque = event.kind == EVENT_MESH && event.material->matter == MATTER_OPAQUE;
        if (event.kind == EVENT_NONE || event_is_mist(&event)) return false; // mist is lit where it is seen
        if (event.kind == EVENT_GROUND || opaque) {
            // What comes straight is drawn where it is seen.
            if (!bent && !flight.in_water && flight.in_glass == 0) return false;
            if (event.kind == EVENT_GROUND) count_on_floor(&sending->caustics->floor, event.point, share);
            *landed = (Photon){event.point, event.normal, vec3_scale(share, sending->unit)};
            return opaque;
        }
        Passage passage = flight_cross(scene, &event, &sampler, &flight);
        bent |= passage == MIRRORED || passage == BENT;
    }
    return false;
}

static void send_block(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    Sending *sending = context;
    Photon *landed = sending->landed + begin;
    uint32_t count = 0;
    (void)worker;
    sending->landed_count[begin / GRAIN] = 0;
    if (is_stopped(sending->def->stop)) return;
    for (uint32_t k = begin; k < end; k++) count += send(sending, sending->first + k, &landed[count]);
    sending->landed_count[begin / GRAIN] = count;
}

static uint32_t count_photons(const Sending *sending)
{
    uint32_t photons = 0;
    for (uint32_t k = 0; k < sending->sources; k++) photons += sending->source[k].photons;
    return photons;
}

static Result send_batches(Sending *sending)
{
    const CausticsDef *def = sending->def;
    uint32_t photons = count_photons(sending);
    for (uint32_t first = 0; first < photons; first += BATCH) {
        uint32_t rest = photons - first, count = rest < BATCH ? rest : BATCH;
        sending->first = first;
        parallel_for(count, GRAIN, send_block, sending);
        TRY(stop_check(def->stop));
        for (uint32_t block = 0; block * GRAIN < count && def->bodies; block++)
            TRY(photon_map_add(&sending->caustics->bodies, sending->landed + block * GRAIN,
                               sending->landed_count[block]));
    }
    return result_ok();
}

// As many photons as there is time for, by how long the first ones take, which do not count.
static void fit_photons(Sending *sending)
{
    const CausticsDef *def = sending->def;
    FloorGrid *floor = &sending->caustics->floor;
    if (def->seconds <= 0 || def->photons <= CAUSTICS_PHOTONS_LEAST) return;
    double begun = clock_seconds();
    sending->photons = CAUSTICS_PHOTONS_LEAST;
    open_sources(sending);
    uint32_t count = count_photons(sending);
    parallel_for(count, GRAIN, send_block, sending);
    memset((void *)floor->count, 0, 3 * (size_t)floor->width * floor->height * sizeof *floor->count);
    double photons = def->seconds / (clock_seconds() - begun) * count;
    sending->photons = (uint32_t)fmin(fmax(photons, CAUSTICS_PHOTONS_LEAST), def->photons);
}

// --- the floor ---

static Result open_floor(const CausticsDef *def, FloorGrid *floor)
{
    float wide = def->floor.hi.x - def->floor.lo.x, deep = def->floor.hi.y - def->floor.lo.y;
    floor->box = def->floor;
    floor->texel = fmaxf(def->grain, fmaxf(wide, deep) / (TEXELS_MAX - 1));
    floor->width = (uint32_t)(wide / floor->texel) + 1;
    floor->height = (uint32_t)(deep / floor->texel) + 1;
    size_t texels = (size_t)floor->width * floor->height;
    floor->count = memory_allocate_zeroed(3 * texels * sizeof *floor->count);
    floor->light = memory_allocate(texels * sizeof *floor->light);
    if (floor->count && floor->light) return result_ok();
    return result_no_memory("light on the floor", texels * 6 * sizeof(float));
}

typedef struct Blur {
    const Vec3 *from;
    Vec3 *to;
    uint32_t width, height;
} Blur;

// Averages along rows and writes columns, so that two passes do both.
static void blur_rows(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    const Blur *blur = context;
    (void)worker;
    for (uint32_t j = begin; j < end; j++) {
        const Vec3 *row = blur->from + (size_t)j * blur->width;
        for (int i = 0; i < (int)blur->width; i++) {
            Vec3 sum = color_gray(0);
            for (int k = -BLUR_RADIUS; k <= BLUR_RADIUS; k++) {
                if (i + k >= 0 && i + k < (int)blur->width) sum = vec3_add(sum, row[i + k]);
            }
            blur->to[(size_t)i * blur->height + j] = vec3_scale(sum, 1.0f / (2 * BLUR_RADIUS + 1));
        }
    }
}

static Result smooth_floor(const Sending *sending, Caustics *caustics)
{
    FloorGrid *floor = &caustics->floor;
    size_t texels = (size_t)floor->width * floor->height;
    double flux[3] = {0, 0, 0};
    float unit = sending->unit / UNIT;
    for (size_t k = 0; k < texels; k++) {
        const _Atomic uint32_t *count = &floor->count[3 * k];
        Vec3 sum = vec3_scale(vec3_make((float)count[0], (float)count[1], (float)count[2]), unit);
        flux[0] += (double)sum.x, flux[1] += (double)sum.y, flux[2] += (double)sum.z;
        floor->light[k] = vec3_scale(sum, 1 / (floor->texel * floor->texel));
    }
    caustics->flux = vec3_make((float)flux[0], (float)flux[1], (float)flux[2]);
    memory_free((void *)floor->count);
    floor->count = NULL;
    Vec3 *other = memory_allocate(texels * sizeof *other);
    if (!other) return result_no_memory("light on the floor", texels * sizeof *other);
    for (int pass = 0; pass < BLUR_PASSES; pass++) {
        Blur along = {floor->light, other, floor->width, floor->height};
        Blur across = {other, floor->light, floor->height, floor->width};
        parallel_for(floor->height, 16, blur_rows, &along);
        parallel_for(floor->width, 16, blur_rows, &across);
    }
    memory_free(other);
    return result_ok();
}

static Vec3 floor_light(const FloorGrid *floor, Vec3 point)
{
    float x = (point.x - floor->box.lo.x) / floor->texel - 0.5f;
    float y = (point.y - floor->box.lo.y) / floor->texel - 0.5f;
    int i = number_floor(x), j = number_floor(y);
    if (i < 0 || j < 0 || i + 1 >= (int)floor->width || j + 1 >= (int)floor->height) return color_gray(0);
    const Vec3 *below = floor->light + (size_t)j * floor->width + i, *above = below + floor->width;
    float right = x - (float)i;
    return color_mix(color_mix(below[0], below[1], right), color_mix(above[0], above[1], right),
                     y - (float)j);
}

// --- all ---

static Result make(Sending *sending, Caustics *caustics)
{
    const CausticsDef *def = sending->def;
    uint32_t blocks = groups_of(BATCH, GRAIN);
    TRY(open_floor(def, &caustics->floor));
    sending->landed = memory_allocate(BATCH * sizeof *sending->landed);
    sending->landed_count = memory_allocate(blocks * sizeof *sending->landed_count);
    if (!sending->landed || !sending->landed_count)
        return result_no_memory("the photons", BATCH * sizeof *sending->landed);
    fit_photons(sending);
    open_sources(sending);
    TRY(send_batches(sending));
    TRY(smooth_floor(sending, caustics));
    for (size_t k = 0; k < caustics->bodies.count; k++)
        caustics->flux = vec3_add(caustics->flux, caustics->bodies.photon[k].flux);
    return caustics->bodies.count > 0 ? photon_map_sort(&caustics->bodies, 4 * def->grain) : result_ok();
}

Result caustics_make(const PathScene *scene, const CausticsDef *def, Caustics **out)
{
    *out = NULL;
    Caustics *caustics = memory_allocate_zeroed(sizeof *caustics);
    if (!caustics) return result_no_memory("the photons", sizeof *caustics);
    Sending sending = {.scene = scene, .def = def, .caustics = caustics, .photons = def->photons};
    Result result = make(&sending, caustics);
    memory_free(sending.landed);
    memory_free(sending.landed_count);
    if (result_is_ok(&result))
        *out = caustics;
    else
        caustics_destroy(caustics);
    return result;
}

void caustics_destroy(Caustics *caustics)
{
    if (!caustics) return;
    memory_free((void *)caustics->floor.count);
    memory_free(caustics->floor.light);
    photon_map_free(&caustics->bodies);
    memory_free(caustics);
}

bool caustics_cover(const Caustics *caustics, Vec3 point, bool on_ground)
{
    const Box3 *box = &caustics->floor.box;
    return !on_ground ||
           (point.x > box->lo.x && point.y > box->lo.y && point.x < box->hi.x && point.y < box->hi.y);
}

Vec3 caustics_light(const Caustics *caustics, Vec3 point, Vec3 normal, bool on_ground)
{
    return on_ground ? floor_light(&caustics->floor, point)
                     : photon_map_light(&caustics->bodies, point, normal);
}

Vec3 caustics_flux(const Caustics *caustics)
{
    return caustics->flux;
}
