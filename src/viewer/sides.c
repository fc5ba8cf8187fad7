#include "viewer/sides.h"

#include "viewer/parameters.h"

#include <stdio.h>
#include <string.h>

// The most particles in a dropped ball.
static const uint32_t BALL_MAX = 50000;

static bool compares_methods(const Sides *self)
{
    return self->lockstep && self->side[0].scene == self->side[1].scene;
}

static bool compares_given(const Sides *self)
{
    return self->lockstep && self->side[0].scene != self->side[1].scene;
}

static void set_method(FluidDef *fluid, const char *method)
{
    snprintf(fluid->neighbor, sizeof fluid->neighbor, "%s", method);
}

// --- replacing the fluids ---

static void release(Side side[2])
{
    for (int k = 0; k < 2; k++) shared_scene_release(side[k].scene);
}

static Result build_pair(const Side side[2], Lockstep **out)
{
    Fluid *fluids[2];
    TRY(scene_build_pair((const SceneDef *[2]){&side[0].scene->def, &side[1].scene->def},
                         (const FluidDef *[2]){&side[0].fluid, &side[1].fluid}, fluids));
    return lockstep_create(fluids, out);
}

// Builds one side, or two if the second one has a scene. Both scenes are taken over, after an error too.
static Result take(Sides *self, Side side[2])
{
    Fluid *fluid = NULL;
    Lockstep *lockstep = NULL;
    Result result = side[1].scene ? build_pair(side, &lockstep)
                                  : scene_build_with(&side[0].scene->def, &side[0].fluid, &fluid);
    if (!result_is_ok(&result)) {
        release(side);
        return result;
    }
    sides_free(self);
    memcpy(self->side, side, sizeof self->side);
    self->fluid = fluid;
    self->lockstep = lockstep;
    return result_ok();
}

void sides_free(Sides *sides)
{
    fluid_destroy(sides->fluid);
    lockstep_destroy(sides->lockstep);
    sides->fluid = NULL;
    sides->lockstep = NULL;
    release(sides->side);
    memset(sides->side, 0, sizeof sides->side);
}

// --- one fluid, or two methods ---

static Result build_one(Sides *self, SharedScene *scene, const FluidDef *fluid)
{
    return take(self, (Side[2]){{.scene = shared_scene_hold(scene), .fluid = *fluid}});
}

// The sides differ in nothing else.
static Result build_methods(Sides *self, SharedScene *scene, const FluidDef *fluid, const char *left,
                            const char *right)
{
    const char *method[2] = {left, right};
    Side side[2];
    for (int k = 0; k < 2; k++) {
        side[k] = (Side){.scene = shared_scene_hold(scene), .fluid = *fluid};
        set_method(&side[k].fluid, method[k]);
        snprintf(side[k].name, sizeof side[k].name, "%s", method[k]);
    }
    TRY(take(self, side));
    self->compared = parameter_of_methods();
    return result_ok();
}

Result sides_start(Sides *sides, SharedScene *scene)
{
    sides->compared = PARAMETER_NONE;
    return build_one(sides, scene, &scene->def.fluid);
}

// --- the sides that the command line gives ---

static uint32_t compared_setting(const Side side[2])
{
    for (uint32_t k = 0; parameter_at(k); k++) {
        if (parameter_get(&side[0].fluid, k) != parameter_get(&side[1].fluid, k)) return k;
    }
    return PARAMETER_NONE;
}

// Keeps what the user has changed, except the spacing and the setting `but`.
static void keep_settings(const Sides *self, const FluidDef *from, uint32_t but, FluidDef *to)
{
    for (uint32_t k = 0; parameter_at(k); k++) {
        if (k != but && (self->changed >> k & 1)) parameter_set(to, k, parameter_get(from, k));
    }
}

// Names the left side after the setting that was changed there.
static void name_left(uint32_t compared, Side *left)
{
    if (compared == parameter_of_methods())
        snprintf(left->name, sizeof left->name, "%s", left->fluid.neighbor);
    else
        parameter_setting(compared, &left->fluid, left->name, sizeof left->name);
}

static Result read_given(const Sides *self, const char *path, float spacing, Side side[2])
{
    SceneDef scene[2];
    char names[2][80];
    memset(side, 0, 2 * sizeof *side);
    TRY(self->read_sides(path, spacing, self->context, scene, names));
    Result result = shared_scene_create(&scene[0], &side[0].scene);
    if (!result_is_ok(&result)) {
        scene_free(&scene[1]);
        return result;
    }
    result = shared_scene_create(&scene[1], &side[1].scene);
    if (!result_is_ok(&result)) {
        shared_scene_release(side[0].scene);
        return result;
    }
    for (int k = 0; k < 2; k++) {
        side[k].fluid = side[k].scene->def.fluid;
        memcpy(side[k].name, names[k], sizeof side[k].name);
    }
    return result_ok();
}

// keep: what the user has changed.
static Result build_given(Sides *self, const char *path, float spacing, bool keep)
{
    Side side[2];
    TRY(read_given(self, path, spacing, side));
    uint32_t compared = compared_setting(side);
    bool same = compares_given(self); // else the settings are those of a single fluid
    for (int k = 0; k < 2 && keep; k++)
        keep_settings(self, &self->side[same ? k : 0].fluid, same ? PARAMETER_NONE : compared,
                      &side[k].fluid);
    if (keep && same && compared != PARAMETER_NONE && (self->changed >> compared & 1))
        name_left(compared, &side[0]);
    TRY(take(self, side));
    self->compared = compared;
    return result_ok();
}

// --- starting over ---

// The settings of a single fluid.
static FluidDef own_settings(const Sides *self)
{
    FluidDef fluid = self->side[0].fluid;
    if (compares_methods(self)) memcpy(fluid.neighbor, self->own_method, sizeof fluid.neighbor);
    return fluid;
}

Result sides_reset(Sides *sides)
{
    Side side[2];
    memcpy(side, sides->side, sizeof side);
    for (uint32_t k = 0; k < sides_count(sides); k++) shared_scene_hold(side[k].scene);
    return take(sides, side);
}

static Result load_scene(Sides *self, const char *path, float spacing, bool keep)
{
    SceneDef def;
    SharedScene *scene;
    TRY(self->read(path, spacing, self->context, &def));
    TRY(shared_scene_create(&def, &scene));
    FluidDef fluid = scene->def.fluid, own = own_settings(self);
    bool methods = compares_methods(self);
    const Side *now = self->side;
    if (keep) keep_settings(self, &own, PARAMETER_NONE, &fluid);
    Result result = methods ? build_methods(self, scene, &fluid, now[0].fluid.neighbor, now[1].fluid.neighbor)
                            : build_one(self, scene, &fluid);
    if (result_is_ok(&result) && methods) memcpy(self->own_method, fluid.neighbor, sizeof self->own_method);
    shared_scene_release(scene);
    return result;
}

Result sides_load(Sides *sides, const char *path, float spacing, SceneLoad what)
{
    bool keep = what == LOAD_RESPACED;
    if (compares_given(sides))
        TRY(build_given(sides, path, spacing, keep));
    else
        TRY(load_scene(sides, path, spacing, keep));
    if (!keep) sides->changed = 0;
    return result_ok();
}

Result sides_compare(Sides *sides, Comparison what, const char *left, const char *right)
{
    SharedScene *scene = sides->side[0].scene;
    FluidDef fluid = sides->side[0].fluid, own = own_settings(sides);
    if (what == COMPARE_NOTHING) return build_one(sides, scene, &own);
    if (what == COMPARE_GIVEN) return build_given(sides, scene->def.path, fluid.spacing, true);
    memcpy(sides->own_method, own.neighbor, sizeof sides->own_method);
    return build_methods(sides, scene, &fluid, left, right);
}

// --- the fluids ---

uint32_t sides_count(const Sides *sides)
{
    return sides->lockstep ? 2 : 1;
}

Fluid *sides_fluid(const Sides *sides, uint32_t side)
{
    return sides->lockstep ? lockstep_fluid(sides->lockstep, (int)side) : sides->fluid;
}

double sides_time(const Sides *sides)
{
    return sides->lockstep ? lockstep_time(sides->lockstep) : fluid_time(sides->fluid);
}

Result sides_set(Sides *sides, uint32_t parameter, float value)
{
    bool one = sides->lockstep && parameter == sides->compared;
    Result result = result_ok();
    for (uint32_t k = 0; k < (one ? 1 : sides_count(sides)) && result_is_ok(&result); k++) {
        FluidDef wanted = sides->side[k].fluid;
        parameter_set(&wanted, parameter, value);
        result = fluid_change(sides_fluid(sides, k), &wanted);
        if (result_is_ok(&result)) sides->side[k].fluid = wanted;
    }
    sides->changed |= 1u << parameter;
    if (one) name_left(parameter, &sides->side[0]);
    return result;
}

void sides_push(Sides *sides, const FluidForce *force)
{
    for (uint32_t k = 0; k < sides_count(sides); k++) fluid_set_forces(sides_fluid(sides, k), force, 1);
}

Result sides_drop_ball(Sides *sides, Vec3 center, float radius)
{
    for (uint32_t k = 0; k < sides_count(sides); k++)
        TRY(fluid_add_ball(sides_fluid(sides, k), center, radius, vec3_make(0, 0, 0), BALL_MAX, NULL));
    return result_ok();
}

Result sides_shift_obstacle(Sides *sides, uint32_t body, Vec3 offset, float speed)
{
    // The user may have meant a body of a scene that is gone.
    const Obstacles *obstacles = fluid_view(sides_fluid(sides, 0)).obstacles;
    if (!obstacles || body >= obstacles_count(obstacles)) return result_ok();
    for (uint32_t k = 0; k < sides_count(sides); k++)
        TRY(fluid_shift_obstacle(sides_fluid(sides, k), body, offset, speed));
    return result_ok();
}
