#include "viewer/sides.h"

#include "core/c_locale.h"
#include "core/memory.h"
#include "viewer/parameters.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// The most particles in a dropped ball.
static const uint32_t BALL_MAX = 50000;
// Of the memory that is free, what the second side may take.
static const double MEMORY_SHARE = 0.9;

// Do the sides differ in a setting alone?
static bool compares_setting(const Sides *self)
{
    return self->lockstep && self->side[0].scene == self->side[1].scene;
}

static bool compares_given(const Sides *self)
{
    return self->lockstep && self->side[0].scene != self->side[1].scene;
}

// --- replacing the fluids ---

static void release(Side side[2])
{
    for (int k = 0; k < 2; k++) shared_scene_release(side[k].scene);
}

static void destroy(Fluid *fluids[2])
{
    for (int k = 0; k < 2; k++) fluid_destroy(fluids[k]);
}

// The fluids of two sides: from the start of their scenes, or from a state.
static Result build_pair(const Side side[2], const StateBlocks *state, Fluid *out[2])
{
    out[0] = out[1] = NULL;
    if (!state)
        return scene_build_pair((const SceneDef *[2]){&side[0].scene->def, &side[1].scene->def},
                                (const FluidDef *[2]){&side[0].fluid, &side[1].fluid}, out);
    Result result = result_ok();
    for (int k = 0; k < 2 && result_is_ok(&result); k++)
        result = scene_restore_with(&side[k].scene->def, &side[k].fluid, state, &out[k]);
    if (!result_is_ok(&result)) destroy(out);
    return result;
}

static Result build_lockstep(const Side side[2], const StateBlocks *state, Lockstep **out)
{
    Fluid *fluids[2];
    TRY(build_pair(side, state, fluids));
    Result result = lockstep_create(fluids, out);
    if (!result_is_ok(&result)) destroy(fluids);
    return result;
}

static void watch(Sides *self)
{
    for (uint32_t k = 0; k < sides_count(self); k++) fluid_watch(sides_fluid(self, k), self->stop);
}

// Builds one side, or two if the second one has a scene; state: NULL for the start. Both scenes are taken
// over, after an error too.
static Result take(Sides *self, Side side[2], const StateBlocks *state)
{
    Fluid *fluid = NULL;
    Lockstep *lockstep = NULL;
    Result result = side[1].scene ? build_lockstep(side, state, &lockstep)
                                  : scene_build_with(&side[0].scene->def, &side[0].fluid, &fluid);
    if (!result_is_ok(&result)) {
        release(side);
        return result;
    }
    sides_free(self);
    memcpy(self->side, side, sizeof self->side);
    self->fluid = fluid;
    self->lockstep = lockstep;
    watch(self);
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

Result sides_start(Sides *sides, SharedScene *scene)
{
    sides->compared = PARAMETER_NONE;
    Side side[2] = {{.scene = shared_scene_hold(scene), .fluid = scene->def.fluid}};
    return take(sides, side, NULL);
}

// --- two values of a setting ---

// Names a side after the setting that is compared.
static void name_side(uint32_t compared, Side *side)
{
    if (compared == parameter_of_methods())
        snprintf(side->name, sizeof side->name, "%.*s", (int)sizeof side->fluid.neighbor - 1,
                 side->fluid.neighbor);
    else
        parameter_setting(compared, &side->fluid, side->name, sizeof side->name);
}

// The left side goes on alone.
static void keep_left(Sides *self)
{
    if (!self->lockstep) return;
    self->fluid = lockstep_keep(self->lockstep, 0);
    self->lockstep = NULL;
    shared_scene_release(self->side[1].scene);
    self->side[1] = (Side){0};
    self->compared = PARAMETER_NONE;
}

static Result check_memory(const FluidDef *settings, uint32_t particles)
{
    double needed = (double)fluid_memory_estimate(settings, particles),
           available = (double)memory_available();
    if (needed <= MEMORY_SHARE * available) return result_ok();
    return result_error(RESULT_NO_MEMORY, "a second fluid needs about %.1f GB, and %.1f GB are free",
                        1e-9 * needed, 1e-9 * available);
}

// Sets a second fluid beside the only one, in the same state.
static Result add_right(Sides *self, uint32_t parameter, float value)
{
    StateBlocks state = {0};
    Side right = self->side[0];
    parameter_set(&right.fluid, parameter, value);
    name_side(parameter, &right);
    name_side(parameter, &self->side[0]);
    fluid_store(self->fluid, &state);
    TRY(check_memory(&right.fluid, fluid_view(self->fluid).count));
    Fluid *fluids[2] = {self->fluid, NULL};
    TRY(scene_restore_with(&right.scene->def, &right.fluid, &state, &fluids[1]));
    Result result = lockstep_create(fluids, &self->lockstep);
    if (!result_is_ok(&result)) {
        fluid_destroy(fluids[1]);
        return result;
    }
    self->fluid = NULL;
    self->side[1] = right;
    shared_scene_hold(right.scene);
    self->compared = parameter;
    watch(self);
    return result_ok();
}

static Result compare_setting(Sides *self, const Comparison *comparison)
{
    uint32_t parameter = comparison->parameter;
    keep_left(self);
    if (!isnan(comparison->left)) TRY(sides_set(self, parameter, comparison->left));
    return add_right(self, parameter, comparison->right);
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

// keep: what the user has changed. state: NULL for the start.
static Result build_given(Sides *self, const char *path, float spacing, bool keep, const StateBlocks *state)
{
    Side side[2];
    TRY(read_given(self, path, spacing, side));
    uint32_t compared = compared_setting(side);
    bool same = compares_given(self);
    if (keep) {
        keep_settings(self, &self->side[0].fluid, PARAMETER_NONE, &side[0].fluid);
        keep_settings(self, &self->side[same ? 1 : 0].fluid, same ? PARAMETER_NONE : compared,
                      &side[1].fluid);
    }
    if (keep && compared != PARAMETER_NONE && (self->changed >> compared & 1)) name_side(compared, &side[0]);
    TRY(take(self, side, state));
    self->compared = compared;
    return result_ok();
}

// A scene's own start may differ from the other one's; once the water moves, both go on from what there is.
static Result compare_given(Sides *self, bool *anew)
{
    StateBlocks state = {0};
    const char *path = self->side[0].scene->def.path;
    float spacing = self->side[0].fluid.spacing;
    fluid_store(sides_fluid(self, 0), &state);
    bool moves = fluid_view(sides_fluid(self, 0)).report.step > 0;
    Result result = moves ? build_given(self, path, spacing, true, &state) : result_ok();
    *anew = !moves || result.code == RESULT_USAGE; // the water does not fit
    return *anew ? build_given(self, path, spacing, true, NULL) : result;
}

Result sides_compare(Sides *sides, const Comparison *comparison, bool *anew)
{
    *anew = false;
    switch (comparison->kind) {
    case COMPARE_NOTHING:
        keep_left(sides);
        break;
    case COMPARE_SETTING:
        return compare_setting(sides, comparison);
    case COMPARE_GIVEN:
        return compare_given(sides, anew);
    }
    return result_ok();
}

// --- starting over ---

Result sides_reset(Sides *sides)
{
    Side side[2];
    memcpy(side, sides->side, sizeof side);
    for (uint32_t k = 0; k < sides_count(sides); k++) shared_scene_hold(side[k].scene);
    return take(sides, side, NULL);
}

// Two sides that differ in a setting do so in the other scene, too. The scene is taken over.
static Result begin(Sides *self, SceneDef *def, bool keep)
{
    Side side[2] = {0};
    TRY(shared_scene_create(def, &side[0].scene));
    side[0].fluid = side[0].scene->def.fluid;
    if (keep) keep_settings(self, &self->side[0].fluid, PARAMETER_NONE, &side[0].fluid);
    if (!compares_setting(self)) return take(self, side, NULL);
    side[1] = side[0];
    shared_scene_hold(side[1].scene);
    for (int k = 0; k < 2; k++) {
        parameter_set(&side[k].fluid, self->compared, parameter_get(&self->side[k].fluid, self->compared));
        name_side(self->compared, &side[k]);
    }
    return take(self, side, NULL);
}

static Result load_scene(Sides *self, const char *path, float spacing, bool keep)
{
    SceneDef def;
    TRY(self->read(path, spacing, self->context, &def));
    return begin(self, &def, keep);
}

// Its file does not know what was edited.
static Result respace_edited(Sides *self, float spacing)
{
    char text[32];
    SceneSource source;
    TRY(scene_source_copy(&self->side[0].scene->def.source, &source));
    c_snprintf(text, sizeof text, "%.7g", (double)spacing);
    Result result = scene_source_set(&source, &(SceneOverride){"spacing", text}, 1);
    source.edited = true;
    if (result_is_ok(&result)) result = sides_edit(self, &source);
    scene_source_free(&source);
    return result;
}

Result sides_edit(Sides *sides, SceneSource *source)
{
    SceneDef def;
    TRY(scene_read_source(source, &def));
    return begin(sides, &def, true);
}

Result sides_load(Sides *sides, const char *path, float spacing, SceneLoad what)
{
    bool keep = what == LOAD_RESPACED;
    if (keep && sides->side[0].scene->def.source.edited) return respace_edited(sides, spacing);
    if (compares_given(sides))
        TRY(build_given(sides, path, spacing, keep, NULL));
    else
        TRY(load_scene(sides, path, spacing, keep));
    if (!keep) sides->changed = 0;
    return result_ok();
}

// --- remembering ---

// A moment of the left side's scene with this state, which is taken over, after an error too.
static Result make_moment(const Sides *sides, StateBlocks *state, Moment **out)
{
    Moment *moment = memory_allocate_zeroed(sizeof *moment);
    *out = NULL;
    if (!moment) {
        blocks_free(state);
        return result_no_memory("a remembered state", sizeof *moment);
    }
    moment->scene = shared_scene_hold(sides->side[0].scene);
    moment->fluid = sides->side[0].fluid;
    moment->changed = sides->changed;
    moment->bytes = sizeof *moment + blocks_bytes(state);
    moment->state = *state;
    *state = (StateBlocks){0};
    Result result = blocks_copy(&moment->state, "time", BLOCK_DOUBLE, 1, &moment->time);
    if (result_is_ok(&result)) result = blocks_copy(&moment->state, "step", BLOCK_UINT64, 1, &moment->steps);
    if (result_is_ok(&result))
        *out = moment;
    else
        moment_free(moment);
    return result;
}

Result sides_remember(const Sides *sides, Moment **out)
{
    StateBlocks now = {0}, copy;
    fluid_store(sides_fluid(sides, 0), &now);
    TRY(blocks_clone(&now, &copy));
    return make_moment(sides, &copy, out);
}

Result sides_recall(const Sides *sides, StateBlocks *state, uint32_t frame, Moment **out)
{
    float spacing = 0;
    *out = NULL;
    Result result = blocks_copy(state, "spacing", BLOCK_FLOAT, 1, &spacing);
    if (!result_is_ok(&result) || spacing != sides->side[0].fluid.spacing) {
        blocks_free(state);
        return result;
    }
    TRY(make_moment(sides, state, out));
    (*out)->frame = frame;
    return result_ok();
}

Result sides_scene_now(const Sides *sides, SceneDef *out)
{
    const Side *left = &sides->side[0];
    SceneSource source;
    TRY(scene_source_copy(&left->scene->def.source, &source));
    for (uint32_t k = 0; parameter_at(k); k++) {
        const ParamRow *row = parameter_at(k);
        char value[100];
        bool changed = parameter_get(&left->fluid, k) != parameter_get(&left->scene->def.fluid, k);
        if (!(sides->changed >> k & 1) || !changed) continue;
        param_value_exact(row, (const char *)&left->fluid + row->offset, value, sizeof value);
        Result result = scene_source_set(&source, &(SceneOverride){row->key, value}, 1);
        if (result_is_ok(&result)) continue;
        scene_source_free(&source);
        return result;
    }
    *out = left->scene->def;
    out->fluid = left->fluid;
    out->source = source;
    return result_ok();
}

// The only fluid takes the moment's state. False in *fits if it cannot, being of another scene or size.
static Result restore_in_place(Sides *self, const Moment *moment, const StateBlocks *state, bool *fits)
{
    const FluidDef *now = &self->side[0].fluid, *then = &moment->fluid;
    *fits = self->side[0].scene == moment->scene && now->spacing == then->spacing &&
            now->radius_factor == then->radius_factor;
    if (!*fits) return result_ok();
    TRY(fluid_change(self->fluid, then));
    TRY(fluid_restore(self->fluid, state));
    self->side[0].fluid = *then;
    return result_ok();
}

static Result restore_elsewhere(Sides *self, const Moment *moment, const StateBlocks *state)
{
    Fluid *fluid;
    Side side = {.scene = moment->scene, .fluid = moment->fluid};
    TRY(scene_restore_with(&moment->scene->def, &moment->fluid, state, &fluid));
    shared_scene_hold(moment->scene);
    sides_free(self);
    self->side[0] = side;
    self->fluid = fluid;
    watch(self);
    return result_ok();
}

static Result restore(Sides *self, const Moment *moment, bool *fits)
{
    StateBlocks unpacked;
    const StateBlocks *state;
    TRY(moment_open(moment, &unpacked, &state));
    Result result = restore_in_place(self, moment, state, fits);
    if (result_is_ok(&result) && !*fits) result = restore_elsewhere(self, moment, state);
    blocks_free(&unpacked);
    return result;
}

Result sides_restore(Sides *sides, const Moment *moment, bool *other)
{
    bool fits, again = compares_setting(sides);
    uint32_t compared = sides->compared;
    float right = again ? parameter_get(&sides->side[1].fluid, compared) : 0;
    *other = sides->lockstep != NULL;
    keep_left(sides);
    TRY(restore(sides, moment, &fits));
    *other |= !fits;
    sides->changed = moment->changed;
    return again ? add_right(sides, compared, right) : result_ok();
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
    if (sides->lockstep) lockstep_start_figures(sides->lockstep);
    if (one) name_side(parameter, &sides->side[0]);
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
