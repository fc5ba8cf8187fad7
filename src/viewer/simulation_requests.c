// What the window asks for, carried out between steps.
#include "core/clock.h"
#include "core/memory.h"
#include "viewer/parameters.h"
#include "viewer/simulation_state.h"

#include <stdio.h>
#include <string.h>

// Single steps that are asked for faster than they are done are not all remembered.
static const uint32_t DUE_MAX = 4;

Fluid *simulation_side(Simulation *self, int side)
{
    return self->lockstep ? lockstep_fluid(self->lockstep, side) : self->fluid;
}

double simulation_time(Simulation *self)
{
    return self->lockstep ? lockstep_time(self->lockstep) : fluid_time(self->fluid);
}

void simulation_renew_facts(Simulation *self, bool new_scene, bool same_file)
{
    const SceneDef *scene = &self->scene;
    SceneFacts *facts = &self->facts;
    pthread_mutex_lock(&self->mutex);
    facts->number += new_scene;
    facts->revision++;
    memcpy(facts->name, scene->name, sizeof facts->name);
    memcpy(facts->description, scene->description, sizeof facts->description);
    memcpy(facts->path, scene->path, sizeof facts->path);
    memcpy(facts->scene, scene->source.path, sizeof facts->scene);
    facts->fluid = scene->fluid;
    facts->render = scene->output.render;
    facts->tank = scene->tank;
    facts->tank_corner = scene->tank_corner;
    facts->fps = scene->output.fps;
    facts->duration = scene->output.duration;
    if (new_scene) facts->file_renewed = same_file;
    facts->compared = self->lockstep ? self->compared : PARAMETER_NONE;
    pthread_mutex_unlock(&self->mutex);
}

void simulation_anchor(Simulation *self)
{
    self->anchor_clock = clock_seconds();
    self->anchor_time = simulation_time(self);
}

void simulation_start_count(Simulation *self)
{
    self->rate_clock = clock_seconds();
    self->rate_time = simulation_time(self);
    self->rate_waited = 0;
    self->rate_steps = 0;
}

// Water that begins to move is paced, and its steps are counted, from here.
static void start_clock(Simulation *self)
{
    simulation_anchor(self);
    simulation_start_count(self);
    pthread_mutex_lock(&self->mutex);
    self->status.step_rate = self->status.time_rate = self->status.idle = 0;
    pthread_mutex_unlock(&self->mutex);
}

void simulation_adopt(Simulation *self, Fluid *fluid, Lockstep *lockstep)
{
    fluid_destroy(self->fluid);
    lockstep_destroy(self->lockstep);
    self->fluid = fluid;
    self->lockstep = lockstep;
    self->fluid_number++;
    self->frame = self->scene.start ? self->scene.start->frame : 0;
    self->steps_due = self->frames_due = 0;
    self->force_until = 0;
    self->unshown = true;
    pthread_mutex_lock(&self->mutex);
    self->status.steps = 0;
    self->status.comparing = lockstep != NULL;
    self->status.finished = false;
    pthread_mutex_unlock(&self->mutex);
    start_clock(self);
}

void simulation_drop_other(Simulation *self)
{
    if (self->other_is_ours) scene_free(&self->other);
    self->other_is_ours = false;
}

// Both sides of a comparison of methods: the second one follows the first in all else.
static Result build_methods(Simulation *self, const char *left, const char *right)
{
    Lockstep *lockstep;
    const char *method[2] = {left, right};
    SceneDef sides[2] = {self->scene, self->scene};
    for (int side = 0; side < 2; side++)
        snprintf(sides[side].fluid.neighbor, sizeof sides[side].fluid.neighbor, "%s", method[side]);
    TRY(lockstep_create(&sides[0], &sides[1], &lockstep));
    simulation_drop_other(self);
    self->scene = sides[0];
    self->other = sides[1];
    self->compared = parameter_of_methods();
    for (int side = 0; side < 2; side++)
        snprintf(self->name[side], sizeof self->name[side], "%s", sides[side].fluid.neighbor);
    simulation_adopt(self, NULL, lockstep);
    return result_ok();
}

static uint32_t compared_setting(const SceneDef sides[2])
{
    for (uint32_t k = 0; parameter_at(k); k++) {
        if (parameter_get(&sides[0].fluid, k) != parameter_get(&sides[1].fluid, k)) return k;
    }
    return PARAMETER_NONE;
}

// What the user has changed stays, but the spacing and another setting.
static void keep_settings(const Simulation *self, const FluidDef *from, uint32_t but, FluidDef *to)
{
    for (uint32_t k = 0; parameter_at(k); k++) {
        if (k != but && (self->changed >> k & 1)) parameter_set(to, k, parameter_get(from, k));
    }
}

// The left side is called by the setting that was changed there.
static void name_left(Simulation *self)
{
    if (self->compared == parameter_of_methods())
        snprintf(self->name[0], sizeof self->name[0], "%s", self->scene.fluid.neighbor);
    else
        parameter_setting(self->compared, &self->scene.fluid, self->name[0], sizeof self->name[0]);
}

// keep: what the user has changed.
static Result build_sides(Simulation *self, const char *path, float spacing, bool keep)
{
    Lockstep *lockstep;
    SceneDef sides[2];
    char names[2][80];
    TRY(self->def.read_sides(path, spacing, self->def.context, sides, names));
    uint32_t compared = compared_setting(sides);
    bool same = self->lockstep && self->other_is_ours; // else the settings are those of a lone fluid
    for (int side = 0; side < 2 && keep; side++)
        keep_settings(self, side == 1 && same ? &self->other.fluid : &self->scene.fluid,
                      same ? PARAMETER_NONE : compared, &sides[side].fluid);
    Result result = lockstep_create(&sides[0], &sides[1], &lockstep);
    if (!result_is_ok(&result)) {
        scene_free(&sides[0]);
        scene_free(&sides[1]);
        return result;
    }
    scene_free(&self->scene);
    simulation_drop_other(self);
    self->scene = sides[0];
    self->other = sides[1];
    self->other_is_ours = true;
    self->compared = compared;
    memcpy(self->name, names, sizeof self->name);
    if (keep && same && compared != PARAMETER_NONE && (self->changed >> compared & 1)) name_left(self);
    simulation_adopt(self, NULL, lockstep);
    return result_ok();
}

static Result build_one(Simulation *self)
{
    Fluid *fluid;
    SceneDef scene = self->scene;
    if (self->lockstep && !self->other_is_ours)
        memcpy(scene.fluid.neighbor, self->own_method, sizeof self->own_method);
    TRY(scene_build(&scene, &fluid));
    self->scene = scene;
    simulation_drop_other(self);
    simulation_adopt(self, fluid, NULL);
    return result_ok();
}

static Result reset(Simulation *self)
{
    if (!self->lockstep) return build_one(self);
    if (!self->other_is_ours)
        return build_methods(self, self->scene.fluid.neighbor, self->other.fluid.neighbor);
    Lockstep *lockstep;
    TRY(lockstep_create(&self->scene, &self->other, &lockstep));
    simulation_adopt(self, NULL, lockstep);
    return result_ok();
}

static Result compare(Simulation *self, const Request *request)
{
    if (!request->on) {
        TRY(build_one(self));
    } else if (request->method[0][0]) {
        if (!self->lockstep || self->other_is_ours)
            memcpy(self->own_method, self->scene.fluid.neighbor, sizeof self->own_method);
        TRY(build_methods(self, request->method[0], request->method[1]));
    } else {
        char path[sizeof self->scene.path];
        memcpy(path, self->scene.path, sizeof path); // the scene that it belongs to is replaced
        TRY(build_sides(self, path, self->scene.fluid.spacing, true));
    }
    simulation_renew_facts(self, false, false);
    return result_ok();
}

static Result load(Simulation *self, const Request *request)
{
    SceneDef scene;
    bool methods = self->lockstep && !self->other_is_ours, keep = request->load == LOAD_RESPACED;
    if (self->lockstep && !methods) {
        TRY(build_sides(self, request->path, request->value, keep));
    } else {
        TRY(self->def.read(request->path, request->value, self->def.context, &scene));
        SceneDef old = self->scene;
        FluidDef own = old.fluid;
        if (methods) memcpy(own.neighbor, self->own_method, sizeof own.neighbor);
        if (keep) keep_settings(self, &own, PARAMETER_NONE, &scene.fluid);
        self->scene = scene;
        Result result =
            methods ? build_methods(self, old.fluid.neighbor, self->other.fluid.neighbor) : build_one(self);
        if (!result_is_ok(&result)) self->scene = old;
        if (result_is_ok(&result) && methods)
            memcpy(self->own_method, scene.fluid.neighbor, sizeof self->own_method);
        scene_free(result_is_ok(&result) ? &old : &scene);
        if (!result_is_ok(&result)) return result;
    }
    if (!keep) self->changed = 0;
    simulation_renew_facts(self, true, request->load != LOAD_OTHER);
    return result_ok();
}

static Result change_sides(Simulation *self, const FluidDef wanted[2])
{
    TRY(fluid_change(simulation_side(self, 0), &wanted[0]));
    self->scene.fluid = wanted[0];
    if (!self->lockstep) return result_ok();
    TRY(fluid_change(simulation_side(self, 1), &wanted[1]));
    self->other.fluid = wanted[1];
    return result_ok();
}

static Result set(Simulation *self, uint32_t parameter, float value)
{
    bool one = self->lockstep && parameter == self->compared;
    FluidDef wanted[2] = {self->scene.fluid, self->other.fluid};
    parameter_set(&wanted[0], parameter, value);
    if (!one) parameter_set(&wanted[1], parameter, value);
    Result result = change_sides(self, wanted);
    self->changed |= 1u << parameter;
    if (one) name_left(self);
    simulation_renew_facts(self, false, false); // the window has the new value already, and may be wrong
    return result;
}

// More particles than this are no drop.
static const uint32_t BALL_MAX = 50000;

static Result add_ball(Simulation *self, const Request *request)
{
    self->unshown = true;
    for (int side = 0; side < (self->lockstep ? 2 : 1); side++)
        TRY(fluid_add_ball(simulation_side(self, side), request->force.center, request->force.radius,
                           vec3_make(0, 0, 0), BALL_MAX, NULL));
    return result_ok();
}

static Result shift_obstacle(Simulation *self, const Request *request)
{
    // The user may have meant a body of a scene that is gone.
    const Obstacles *obstacles = fluid_view(simulation_side(self, 0)).obstacles;
    if (!obstacles || request->which >= obstacles_count(obstacles)) return result_ok();
    for (int side = 0; side < (self->lockstep ? 2 : 1); side++)
        TRY(fluid_shift_obstacle(simulation_side(self, side), request->which, request->force.center,
                                 request->value));
    return result_ok();
}

Result simulation_carry_out(Simulation *self, const Request *request)
{
    switch (request->kind) {
    case REQUEST_PLAY:
        self->steps_due = self->frames_due = 0;
        start_clock(self);
        break;
    case REQUEST_STEP:
        start_clock(self);
        if (self->steps_due < DUE_MAX) self->steps_due++;
        break;
    case REQUEST_FRAME:
        start_clock(self);
        if (self->frames_due < DUE_MAX) self->frames_due++;
        break;
    case REQUEST_SPEED:
        start_clock(self);
        break;
    case REQUEST_RESET:
        return reset(self);
    case REQUEST_LOAD:
        return load(self, request);
    case REQUEST_SET:
        return set(self, request->which, request->value);
    case REQUEST_COMPARE:
        return compare(self, request);
    case REQUEST_FORCE:
        self->force = request->force;
        self->force_until = request->on ? simulation_time(self) + request->seconds : 0;
        break;
    case REQUEST_BALL:
        return add_ball(self, request);
    case REQUEST_SHIFT:
        return shift_obstacle(self, request);
    case REQUEST_MESH:
        if (request->on && !self->want_mesh) self->unshown = true;
        self->want_mesh = request->on;
        break;
    case REQUEST_WAIT_AT_FRAMES:
        self->wait_at_frames = request->on;
        break;
    }
    return result_ok();
}
