#include "render/visibility.h"

#include "core/memory.h"
#include "core/parallel.h"

#include <string.h>

enum {
    GRAIN = 8192,
    // Coarse depth maps that are filled side by side and then joined by their minimum.
    MAX_LANES = 8,
    MAX_SIDE = 2048,
    MAX_LEVELS = 12,
};

// Cells of the coarse map per particle radius. More find more hidden particles and cost more.
static const float CELLS_PER_RADIUS = 2.6f;

struct Visibility {
    bool covered;
    float *maps; // lanes of the finest level, then the coarser levels of lane 0
    size_t maps_capacity;
    uint32_t lanes;
    uint32_t levels, width[MAX_LEVELS], height[MAX_LEVELS];
    float *level[MAX_LEVELS]; // farthest depth that can still be seen through each cell
    float cells;              // cells per unit of the projection plane
    const View *view;
    Spheres spheres;
    float pixels; // picture pixels per unit of the projection plane
    float largest_sprite;
    uint8_t *classes;
};

// A sphere on the projection plane.
typedef struct Projected {
    float x, y;   // of the center
    float z;      // depth of the center, m
    float size;   // radius on the plane, of a disc that the silhouette contains
    float extent; // radius on the plane, of a square that contains the silhouette
} Projected;

// Without fminf's handling of NaN, which costs a call: depths and places here are never NaN.
static inline float lesser(float a, float b)
{
    return a < b ? a : b;
}

static inline float greater(float a, float b)
{
    return a > b ? a : b;
}

Result visibility_create(bool covered, Visibility **out)
{
    *out = memory_allocate_zeroed(sizeof **out);
    if (!*out) return result_no_memory("the renderer", sizeof **out);
    (*out)->covered = covered;
    return result_ok();
}

void visibility_destroy(Visibility *visibility)
{
    if (!visibility) return;
    memory_free(visibility->maps);
    memory_free(visibility);
}

// False where the sphere lies outside the view.
static inline bool project(const Visibility *self, uint32_t k, Projected *out)
{
    const View *view = self->view;
    float r = self->spheres.radius;
    Vec3 p = vec3_sub(vec3_make(self->spheres.x[k], self->spheres.y[k], self->spheres.z[k]), view->eye);
    float x = vec3_dot(p, view->right), y = vec3_dot(p, view->up), z = vec3_dot(p, view->forward);
    if (!(z > (view->parallel ? view->near : view->near + r) && z < view->far)) return false;
    if (view->parallel) {
        *out = (Projected){x, y, z, r, r};
    } else {
        float near = 1 / (z - r), inverse = 1 / z;
        x *= inverse;
        y *= inverse;
        // The silhouette is an ellipse, longer outward from the picture's middle by up to 1 + x^2 + y^2.
        *out = (Projected){x, y, z, 0.99f * r * inverse, r * near * (1 + x * x + y * y)};
    }
    return fabsf(x) < view->tan_x + out->extent && fabsf(y) < view->tan_y + out->extent;
}

static inline int clamp_cell(float at, uint32_t side)
{
    return at < 0 ? 0 : at >= (float)side ? (int)side - 1 : (int)at;
}

// Equals (int)ceilf(at) for non-negative values.
static inline int ceil_cell(float at)
{
    int cell = (int)at;
    return cell + ((float)cell < at);
}

// Writes the depth behind the sphere to all cells that lie wholly inside its silhouette.
static void splat(const Visibility *self, float *map, const Projected *p)
{
    float r = p->size * self->cells;
    float cx = (p->x + self->view->tan_x) * self->cells, cy = (p->y + self->view->tan_y) * self->cells;
    float depth = p->z + self->spheres.radius;
    int width = (int)self->width[0], height = (int)self->height[0];
    int lo = ceil_cell(greater(cy - r, 0)), hi = (int)lesser(cy + r, (float)height);
    for (int j = lo; j < hi; j++) {
        float dy = greater(fabsf((float)j - cy), fabsf((float)(j + 1) - cy));
        float square = r * r - dy * dy;
        if (square <= 0) continue;
        float reach = sqrtf(square);
        int from = ceil_cell(greater(cx - reach, 0)), to = (int)lesser(cx + reach, (float)width);
        float *row = map + (size_t)j * (size_t)width;
        for (int i = from; i < to; i++) row[i] = lesser(row[i], depth);
    }
}

static void fill_lane(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    Visibility *self = context;
    size_t cells = (size_t)self->width[0] * self->height[0];
    for (uint32_t lane = begin; lane < end; lane++) {
        float *map = self->maps + lane * cells;
        for (size_t c = 0; c < cells; c++) map[c] = INFINITY;
        uint32_t count = self->spheres.count;
        uint32_t first = (uint32_t)((uint64_t)count * lane / self->lanes);
        uint32_t last = (uint32_t)((uint64_t)count * (lane + 1) / self->lanes);
        for (uint32_t k = first; k < last; k++) {
            Projected p;
            if (project(self, k, &p)) splat(self, map, &p);
        }
    }
}

static void join_lanes(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    Visibility *self = context;
    size_t cells = (size_t)self->width[0] * self->height[0];
    for (uint32_t lane = 1; lane < self->lanes; lane++) {
        const float *map = self->maps + lane * cells;
        for (uint32_t c = begin; c < end; c++) self->maps[c] = lesser(self->maps[c], map[c]);
    }
}

// Each coarser cell holds the farthest depth of its four.
static void build_levels(Visibility *self)
{
    for (uint32_t n = 1; n < self->levels; n++) {
        uint32_t fine_width = self->width[n - 1], fine_height = self->height[n - 1];
        for (uint32_t j = 0; j < self->height[n]; j++) {
            uint32_t j1 = 2 * j + 1 < fine_height ? 2 * j + 1 : 2 * j;
            const float *upper = self->level[n - 1] + (size_t)fine_width * 2 * j;
            const float *lower = self->level[n - 1] + (size_t)fine_width * j1;
            float *row = self->level[n] + (size_t)self->width[n] * j;
            for (uint32_t i = 0; i < self->width[n]; i++) {
                uint32_t i1 = 2 * i + 1 < fine_width ? 2 * i + 1 : 2 * i;
                row[i] = greater(greater(upper[2 * i], upper[i1]), greater(lower[2 * i], lower[i1]));
            }
        }
    }
}

static bool is_hidden(const Visibility *self, const Projected *p)
{
    float x0 = (p->x - p->extent + self->view->tan_x) * self->cells,
          y0 = (p->y - p->extent + self->view->tan_y) * self->cells;
    float side = 2 * p->extent * self->cells;
    uint32_t level = 0;
    while (level + 1 < self->levels && side > 2) {
        side *= 0.5f;
        x0 *= 0.5f;
        y0 *= 0.5f;
        level++;
    }
    int i0 = clamp_cell(x0, self->width[level]), i1 = clamp_cell(x0 + side, self->width[level]);
    int j0 = clamp_cell(y0, self->height[level]), j1 = clamp_cell(y0 + side, self->height[level]);
    float nearest = p->z - self->spheres.radius;
    for (int j = j0; j <= j1; j++) {
        const float *row = self->level[level] + (size_t)self->width[level] * (size_t)j;
        for (int i = i0; i <= i1; i++) {
            if (!(row[i] < nearest)) return false;
        }
    }
    return true;
}

static void classify(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    Visibility *self = context;
    for (uint32_t k = begin; k < end; k++) {
        Projected p;
        SphereClass class = SPHERE_HIDDEN;
        if (project(self, k, &p) && !(self->covered && is_hidden(self, &p))) {
            // A sprite whose middle lies outside the picture is widened to as much as twice its size.
            bool outside = fabsf(p.x) > self->view->tan_x || fabsf(p.y) > self->view->tan_y;
            float size = (outside ? 4 : 2) * p.extent * self->pixels + 4;
            class = size <= self->largest_sprite ? SPHERE_SPRITE : SPHERE_QUAD;
        }
        self->classes[k] = (uint8_t) class;
    }
}

// Sizes the coarse map by the particles' size in the middle of the view's depth.
static Result size_maps(Visibility *self, float middle_depth)
{
    const View *view = self->view;
    float radius = self->spheres.radius / (view->parallel ? 1 : middle_depth);
    float cells = CELLS_PER_RADIUS / radius;
    float longest = 2 * greater(view->tan_x, view->tan_y);
    self->cells = lesser(greater(cells, 16 / longest), (float)MAX_SIDE / longest);
    self->width[0] = (uint32_t)ceilf(2 * view->tan_x * self->cells);
    self->height[0] = (uint32_t)ceilf(2 * view->tan_y * self->cells);
    if (self->width[0] == 0) self->width[0] = 1;
    if (self->height[0] == 0) self->height[0] = 1;
    uint32_t workers = parallel_workers();
    self->lanes = workers < MAX_LANES ? workers : MAX_LANES;
    size_t finest = (size_t)self->width[0] * self->height[0], total = finest * self->lanes;
    self->levels = 1;
    while (self->levels < MAX_LEVELS &&
           (self->width[self->levels - 1] > 1 || self->height[self->levels - 1] > 1)) {
        uint32_t n = self->levels++;
        self->width[n] = (self->width[n - 1] + 1) / 2;
        self->height[n] = (self->height[n - 1] + 1) / 2;
        total += (size_t)self->width[n] * self->height[n];
    }
    TRY(MEMORY_RESERVE(self->maps, self->maps_capacity, 0, total, "particles' visibility"));
    self->level[0] = self->maps;
    float *next = self->maps + finest * self->lanes;
    for (uint32_t n = 1; n < self->levels; n++) {
        self->level[n] = next;
        next += (size_t)self->width[n] * self->height[n];
    }
    return result_ok();
}

// Fills the map: how far each part of the picture can be seen into.
static Result map_depths(Visibility *self)
{
    TRY(size_maps(self, self->view->reach));
    parallel_for(self->lanes, 1, fill_lane, self);
    parallel_for(self->width[0] * self->height[0], 1 << 16, join_lanes, self);
    build_levels(self);
    return result_ok();
}

Result visibility_classify(Visibility *visibility, const View *view, Spheres spheres, uint32_t height,
                           float largest_sprite, uint8_t *classes)
{
    Visibility *self = visibility;
    self->view = view;
    self->spheres = spheres;
    self->pixels = 0.5f * (float)height / view->tan_y;
    self->largest_sprite = largest_sprite;
    self->classes = classes;
    if (self->covered) TRY(map_depths(self));
    parallel_for(spheres.count, GRAIN, classify, self);
    return result_ok();
}
