#include "viewer/simulation.h"

#include "core/memory.h"

#include <pthread.h>
#include <string.h>

struct Simulation {
    pthread_t thread;
    Exchange exchange;
    Stepper stepper;     // the thread's, but for the history, which others may look into
    SimSnapshot glimpse; // the window's
};

// --- life ---

static void *thread_main(void *context)
{
    stepper_run(context);
    return NULL;
}

static void release(Simulation *self)
{
    stepper_free(&self->stepper);
    snapshot_free(&self->glimpse.side[0]);
    exchange_close(&self->exchange);
    memory_free(self);
}

static Result begin(Simulation *self, const SimulationDef *def, SharedScene *scene)
{
    exchange_open(&self->exchange, def->wake);
    self->exchange.status = (SimulationStatus){.playing = def->playing, .speed = def->speed};
    TRY(stepper_start(&self->stepper, def, scene, &self->exchange));
    int error = pthread_create(&self->thread, NULL, thread_main, &self->stepper);
    if (!error) return result_ok();
    return result_error(RESULT_FAILED, "a thread for the simulation: %s", strerror(error));
}

Result simulation_start(const SimulationDef *def, SharedScene *scene, Simulation **out)
{
    *out = NULL;
    Simulation *self = memory_allocate_zeroed(sizeof *self);
    if (!self) return result_no_memory("the simulation", sizeof *self);
    Result result = begin(self, def, scene);
    if (result_is_ok(&result))
        *out = self;
    else
        release(self);
    return result;
}

void simulation_stop(Simulation *simulation)
{
    if (!simulation) return;
    exchange_ask_to_quit(&simulation->exchange);
    pthread_join(simulation->thread, NULL);
    release(simulation);
}

// --- asking ---

void simulation_play(Simulation *simulation, bool playing)
{
    exchange_ask(&simulation->exchange, (Request){.kind = REQUEST_PLAY, .play = playing});
}

void simulation_step(Simulation *simulation)
{
    exchange_ask(&simulation->exchange, (Request){.kind = REQUEST_STEP});
}

void simulation_frame(Simulation *simulation)
{
    exchange_ask(&simulation->exchange, (Request){.kind = REQUEST_FRAME});
}

void simulation_reset(Simulation *simulation)
{
    exchange_ask(&simulation->exchange, (Request){.kind = REQUEST_RESET});
}

void simulation_set_speed(Simulation *simulation, double speed)
{
    exchange_ask(&simulation->exchange, (Request){.kind = REQUEST_SPEED, .speed = speed});
}

void simulation_load(Simulation *simulation, const char *path, float spacing, SceneLoad what)
{
    size_t bytes = strlen(path) + 1;
    Request request = {.kind = REQUEST_LOAD, .load = {memory_allocate(bytes), spacing, what}};
    if (!request.load.path) {
        exchange_tell(&simulation->exchange, result_no_memory("the name of a scene", bytes));
        return;
    }
    memcpy(request.load.path, path, bytes);
    exchange_ask(&simulation->exchange, request);
}

void simulation_edit(Simulation *simulation, SceneSource *source)
{
    SceneSource *edit = memory_allocate(sizeof *edit);
    if (!edit) {
        exchange_tell(&simulation->exchange, result_no_memory("the scene's text", sizeof *edit));
        scene_source_free(source);
        return;
    }
    *edit = *source;
    *source = (SceneSource){0};
    exchange_ask(&simulation->exchange, (Request){.kind = REQUEST_EDIT, .edit = edit});
}

static void compare(Simulation *simulation, Comparison comparison)
{
    exchange_ask(&simulation->exchange, (Request){.kind = REQUEST_COMPARE, .compare = comparison});
}

void simulation_compare(Simulation *simulation, uint32_t parameter, float left, float right)
{
    compare(simulation, (Comparison){COMPARE_SETTING, parameter, left, right});
}

void simulation_compare_sides(Simulation *simulation)
{
    compare(simulation, (Comparison){.kind = COMPARE_GIVEN});
}

void simulation_compare_end(Simulation *simulation)
{
    compare(simulation, (Comparison){.kind = COMPARE_NOTHING});
}

void simulation_set(Simulation *simulation, uint32_t parameter, float value)
{
    exchange_ask(&simulation->exchange, (Request){.kind = REQUEST_SET, .set = {parameter, value}});
}

void simulation_want_mesh(Simulation *simulation, bool wanted)
{
    exchange_ask(&simulation->exchange, (Request){.kind = REQUEST_MESH, .mesh = wanted});
}

void simulation_wait_at_frames(Simulation *simulation, bool wait)
{
    exchange_ask(&simulation->exchange, (Request){.kind = REQUEST_WAIT_AT_FRAMES, .wait_at_frames = wait});
}

void simulation_scrub(Simulation *simulation, double time)
{
    exchange_ask(&simulation->exchange, (Request){.kind = REQUEST_SCRUB, .scrub = time});
}

void simulation_back(Simulation *simulation)
{
    exchange_ask(&simulation->exchange, (Request){.kind = REQUEST_BACK});
}

void simulation_undo(Simulation *simulation, int direction)
{
    exchange_ask(&simulation->exchange, (Request){.kind = REQUEST_UNDO, .direction = direction});
}

void simulation_loop(Simulation *simulation, bool loop)
{
    exchange_ask(&simulation->exchange, (Request){.kind = REQUEST_LOOP, .loop = loop});
}

void simulation_save(Simulation *simulation)
{
    exchange_ask(&simulation->exchange, (Request){.kind = REQUEST_SAVE});
}

void simulation_save_scene(Simulation *simulation, const KeptScene *kept)
{
    KeptScene *copy = memory_allocate(sizeof *copy);
    if (!copy) {
        exchange_tell(&simulation->exchange, result_no_memory("the scene's text", sizeof *copy));
        return;
    }
    *copy = *kept;
    exchange_ask(&simulation->exchange, (Request){.kind = REQUEST_SAVE, .save = copy});
}

void simulation_force(Simulation *simulation, const FluidForce *force, double seconds)
{
    Request request = {.kind = REQUEST_FORCE};
    if (force) request.force.force = *force;
    if (force) request.force.seconds = seconds;
    exchange_ask(&simulation->exchange, request);
}

void simulation_drop_ball(Simulation *simulation, Vec3 center, float radius)
{
    exchange_ask(&simulation->exchange, (Request){.kind = REQUEST_BALL, .ball = {center, radius}});
}

void simulation_shift_obstacle(Simulation *simulation, uint32_t body, Vec3 offset, float speed)
{
    exchange_ask(&simulation->exchange, (Request){.kind = REQUEST_SHIFT, .shift = {body, offset, speed}});
}

// --- looking ---

Measurements *simulation_measurements(Simulation *simulation)
{
    return &simulation->stepper.measurements;
}

SimulationStatus simulation_status(Simulation *simulation)
{
    return exchange_status(&simulation->exchange);
}

// Bodies stand where the state has them, unless somebody has moved them.
static Result move_bodies(const StateBlocks *state, Snapshot *snapshot)
{
    double begin, end;
    if (!snapshot->obstacles || blocks_find(state, "body_shifts", BLOCK_FLOAT)) return result_ok();
    TRY(blocks_copy(state, "step_begin", BLOCK_DOUBLE, 1, &begin));
    TRY(blocks_copy(state, "time", BLOCK_DOUBLE, 1, &end));
    return obstacles_move(snapshot->obstacles, begin, end);
}

static Result fill_glimpse(SimSnapshot *glimpse, const SimSnapshot *shown, const StateBlocks *state)
{
    float spacing;
    FrameView view;
    Snapshot *side = &glimpse->side[0];
    TRY(blocks_copy(state, "spacing", BLOCK_FLOAT, 1, &spacing));
    if (spacing != shown->side[0].view.spacing)
        return result_error(RESULT_USAGE, "spacing: is that of other water");
    TRY(fluid_view_state(state, &shown->side[0].view, &view));
    TRY(snapshot_take(side, &view, 2 * shown->fluid));
    if (side->strands) TRY(strands_restore(side->strands, state));
    glimpse->sides = 1;
    glimpse->scene = shown->scene;
    glimpse->fluid = shown->fluid;
    glimpse->timeline = shown->timeline;
    memcpy(glimpse->method, shown->method, sizeof glimpse->method);
    return move_bodies(state, side);
}

const SimSnapshot *simulation_glimpse(Simulation *simulation, double time)
{
    StateBlocks state;
    bool between = false;
    SimSnapshot *glimpse = &simulation->glimpse;
    const SimSnapshot *shown = simulation->exchange.taken;
    if (shown->sides > 1 || shown->side[0].has_mesh) return NULL;
    Result result = history_look(&simulation->stepper.history, time, &state, &glimpse->frame, &between);
    if (result_is_ok(&result) && state.count > 0) result = fill_glimpse(glimpse, shown, &state);
    glimpse->on_frame = !between;
    bool there = result_is_ok(&result) && state.count > 0;
    blocks_free(&state);
    return there ? glimpse : NULL;
}

SharedScene *simulation_scene(Simulation *simulation)
{
    return exchange_scene(&simulation->exchange);
}

bool simulation_facts(Simulation *simulation, SceneFacts *facts)
{
    Exchange *exchange = &simulation->exchange;
    pthread_mutex_lock(&exchange->mutex);
    bool differ =
        exchange->facts.revision != facts->revision && exchange->facts.number == exchange->taken->scene;
    if (differ) *facts = exchange->facts;
    pthread_mutex_unlock(&exchange->mutex);
    return differ;
}

const SimSnapshot *simulation_take(Simulation *simulation, bool *fresh)
{
    Exchange *exchange = &simulation->exchange;
    pthread_mutex_lock(&exchange->mutex);
    *fresh = exchange->ready_is_new;
    if (*fresh) {
        SimSnapshot *snapshot = exchange->taken;
        exchange->taken = exchange->ready;
        exchange->ready = snapshot;
        exchange->ready_is_new = false;
        pthread_cond_signal(&exchange->asked);
    }
    const SimSnapshot *taken = exchange->taken;
    pthread_mutex_unlock(&exchange->mutex);
    return taken;
}
