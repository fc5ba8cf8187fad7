#include "photo/pane_water.h"

#include "core/memory.h"
#include "core/parallel.h"
#include "photo/flight.h"
#include "photo/number.h"

enum { FACES = 4, CELLS_MAX = 1024 }; // low and high along x and y; cells along an edge

// Faces and cells are wider by this share of a cell than they are, for what rounds.
#define MARGIN 0.01f

// An inner face: a grid along the other horizontal axis and the vertical one.
typedef struct Face {
    float place; // m, along its own axis
    Vec3 lo;     // m, the grid's corner
    uint32_t width, height;
    uint8_t *side; // PaneSide of each cell; NULL: not of glass
} Face;

struct PaneWater {
    Face face[FACES];
    float cell;    // m
    bool outer[2]; // is it dry beyond the outer faces across x and y?
};

static inline float along(Vec3 p, int axis)
{
    return vec3_component(p, axis);
}

// Of a triangle, at any time that the shutter is open.
static Box3 swept_box(const RayMesh *mesh, uint32_t triangle, float shutter)
{
    Box3 box = {vec3_make(INFINITY, INFINITY, INFINITY), vec3_make(-INFINITY, -INFINITY, -INFINITY)};
    for (int k = 0; k < 3; k++) {
        uint32_t at = mesh->triangle[triangle][k];
        Vec3 v = mesh->velocity ? vec3_scale(mesh->velocity[at], 0.5f * shutter) : vec3_make(0, 0, 0);
        Vec3 early = vec3_sub(mesh->vertex[at], v), late = vec3_add(mesh->vertex[at], v);
        box.lo = vec3_min(box.lo, vec3_min(early, late));
        box.hi = vec3_max(box.hi, vec3_max(early, late));
    }
    return box;
}

static bool is_within(const Box3 *box, const Box3 *outer)
{
    return box->lo.x > outer->lo.x && box->lo.y > outer->lo.y && box->hi.x < outer->hi.x &&
           box->hi.y < outer->hi.y;
}

static bool is_beside(const Box3 *box, const Box3 *other)
{
    return box->hi.x < other->lo.x || box->lo.x > other->hi.x || box->hi.y < other->lo.y ||
           box->lo.y > other->hi.y;
}

// Do no bodies or strands reach into the glass? Mist that does is not seen in it.
static bool glass_is_free(const Panes *panes, const RayMesh *meshes, uint32_t count, float shutter)
{
    for (uint32_t m = 1; m < count; m++) {
        for (uint32_t t = 0; t < meshes[m].triangle_count; t++) {
            Box3 box = swept_box(&meshes[m], t, shutter);
            if (!is_within(&box, &panes->inner) && !is_beside(&box, &panes->outer)) return false;
        }
    }
    return true;
}

static Result open_face(const PaneWater *self, const Panes *panes, int number, Face *face)
{
    int axis = number / 2, across = 1 - axis;
    bool high = number % 2;
    float inner = along(high ? panes->inner.hi : panes->inner.lo, axis);
    float outer = along(high ? panes->outer.hi : panes->outer.lo, axis);
    if (high ? inner >= outer : inner <= outer) return result_ok();
    float low = fmaxf(panes->outer.lo.z, panes->inner.lo.z),
          top = fminf(panes->outer.hi.z, panes->inner.hi.z);
    float wide = along(panes->outer.hi, across) - along(panes->outer.lo, across);
    *face = (Face){.place = inner, .lo = panes->outer.lo};
    face->lo.z = low;
    face->width = (uint32_t)(wide / self->cell) + 1;
    face->height = (uint32_t)((top - low) / self->cell) + 1;
    size_t cells = (size_t)face->width * face->height;
    face->side = memory_allocate_zeroed(cells);
    return face->side ? result_ok() : result_no_memory("the water at the glass", cells);
}

enum { OPEN, CROSSED }; // in place of a PaneSide, until rays have asked

// Marks what a triangle that reaches through the face covers.
static void cross(Face *face, int axis, float cell, const Box3 *box)
{
    float margin = MARGIN * cell;
    if (along(box->lo, axis) > face->place + margin || along(box->hi, axis) < face->place - margin) return;
    int across = 1 - axis, last_x = (int)face->width - 1, last_z = (int)face->height - 1;
    float x = along(face->lo, across), z = face->lo.z, over = 1 / cell;
    int i0 = number_floor((along(box->lo, across) - x) * over - MARGIN);
    int i1 = number_floor((along(box->hi, across) - x) * over + MARGIN);
    int j0 = number_floor((box->lo.z - z) * over - MARGIN),
        j1 = number_floor((box->hi.z - z) * over + MARGIN);
    for (int j = j0 < 0 ? 0 : j0; j <= (j1 < last_z ? j1 : last_z); j++) {
        for (int i = i0 < 0 ? 0 : i0; i <= (i1 < last_x ? i1 : last_x); i++)
            face->side[(size_t)j * face->width + (size_t)i] = CROSSED;
    }
}

// Finds the cells of all faces that the water's edge crosses, and whether it reaches through the outer ones.
static void cross_faces(PaneWater *self, const Panes *panes, const RayMesh *water, float shutter)
{
    self->outer[0] = self->outer[1] = true;
    for (uint32_t t = 0; t < water->triangle_count; t++) {
        Box3 box = swept_box(water, t, shutter);
        for (int k = 0; k < FACES; k++)
            if (self->face[k].side) cross(&self->face[k], k / 2, self->cell, &box);
        self->outer[0] &= box.lo.x > panes->outer.lo.x && box.hi.x < panes->outer.hi.x;
        self->outer[1] &= box.lo.y > panes->outer.lo.y && box.hi.y < panes->outer.hi.y;
    }
}

typedef struct Asking {
    const struct PathScene *scene;
    const PaneWater *water;
    Face *face;
    int axis;
} Asking;

// All cells of a row that no edge parts are alike: one point tells.
static void ask_rows(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    const Asking *ask = context;
    Face *face = ask->face;
    float cell = ask->water->cell;
    (void)worker;
    for (uint32_t j = begin; j < end; j++) {
        uint8_t *row = face->side + (size_t)j * face->width;
        PaneSide before = PANE_UNSURE;
        for (uint32_t i = 0; i < face->width; i++) {
            bool crossed = row[i] == CROSSED;
            if (!crossed && before == PANE_UNSURE) {
                float u = ((float)i + 0.5f) * cell, v = ((float)j + 0.5f) * cell;
                Vec3 point = ask->axis == 0 ? vec3_make(face->place, face->lo.y + u, face->lo.z + v)
                                            : vec3_make(face->lo.x + u, face->place, face->lo.z + v);
                before = scene_in_water(ask->scene, point) ? PANE_WET : PANE_DRY;
            }
            if (crossed) before = PANE_UNSURE;
            row[i] = (uint8_t)before;
        }
    }
}

static Result make(PaneWater *self, const struct PathScene *scene, const RayMesh *water, float shutter)
{
    const Panes *panes = &scene->panes;
    for (int k = 0; k < FACES; k++) TRY(open_face(self, panes, k, &self->face[k]));
    cross_faces(self, panes, water, shutter);
    for (int k = 0; k < FACES; k++) {
        Asking ask = {scene, self, &self->face[k], k / 2};
        if (self->face[k].side) parallel_for(self->face[k].height, 4, ask_rows, &ask);
    }
    return result_ok();
}

Result pane_water_make(const struct PathScene *scene, const RayMesh *meshes, uint32_t count, float shutter,
                       float cell, PaneWater **out)
{
    *out = NULL;
    const Panes *panes = &scene->panes;
    if (!panes->present || !glass_is_free(panes, meshes, count, shutter)) return result_ok();
    PaneWater *self = memory_allocate_zeroed(sizeof *self);
    if (!self) return result_no_memory("the water at the glass", sizeof *self);
    Vec3 size = vec3_sub(panes->outer.hi, panes->outer.lo);
    float longest = fmaxf(fmaxf(size.x, size.y), size.z);
    self->cell = fmaxf(cell, longest / CELLS_MAX);
    Result result = make(self, scene, &meshes[0], shutter);
    if (result_is_ok(&result))
        *out = self;
    else
        pane_water_destroy(self);
    return result;
}

void pane_water_destroy(PaneWater *water)
{
    if (!water) return;
    for (int k = 0; k < FACES; k++) memory_free(water->face[k].side);
    memory_free(water);
}

PaneSide pane_water_behind(const PaneWater *water, const PaneHit *hit, Vec3 point)
{
    if (hit->axis > 1) return PANE_UNSURE;
    if (!hit->inner) return water->outer[hit->axis] ? PANE_DRY : PANE_UNSURE;
    // Out of the glass, and into the tank: against the axis at its high end.
    const Face *face = &water->face[2 * hit->axis + (along(hit->outward, hit->axis) < 0)];
    if (!face->side) return PANE_UNSURE;
    float over = 1 / water->cell;
    int i = number_floor((hit->axis == 0 ? point.y - face->lo.y : point.x - face->lo.x) * over);
    int j = number_floor((point.z - face->lo.z) * over);
    if (i < 0 || j < 0 || i >= (int)face->width || j >= (int)face->height) return PANE_UNSURE;
    return (PaneSide)face->side[(size_t)j * face->width + (size_t)i];
}
