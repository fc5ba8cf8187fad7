// What a step of 210,000 particles of hair takes: five heads of scenes/hair.yaml, falling in air, with and
// without contacts of hair with hair. usage: bench_strands [STEPS [THREADS]]
#include "benching.h"
#include "core/clock.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "obstacle/obstacle.h"
#include "scene/scene.h"
#include "strand/strand.h"

#define HEADS 5
#define APART 1.0f // m
#define STEP 0.004 // s
#define START 0.1  // s, when the hair falls

static Obstacles *make_heads(const SceneDef *scene)
{
    ObstacleDef heads[HEADS];
    Obstacles *obstacles;
    for (int k = 0; k < HEADS; k++) {
        stop_on_error(obstacle_def_copy(&scene->obstacles[0], &heads[k]));
        snprintf(heads[k].name, sizeof heads[k].name, "head %d", k);
    }
    stop_on_error(obstacles_create((TankDef){.present = false}, 0.0f, heads, HEADS, &obstacles));
    for (uint32_t k = 0; k < HEADS; k++) obstacles_shift(obstacles, k, vec3_make(APART * (float)k, 0, 0));
    stop_on_error(obstacles_move(obstacles, 0, 0));
    return obstacles;
}

static Strands *make_hair(const SceneDef *scene, const Obstacles *obstacles, bool self_contact)
{
    StrandDef defs[HEADS];
    Strands *strands;
    for (int k = 0; k < HEADS; k++) {
        defs[k] = scene->strands[0];
        defs[k].self_contact = self_contact;
        snprintf(defs[k].obstacle, sizeof defs[k].obstacle, "head %d", k);
    }
    stop_on_error(strands_create(defs, HEADS, obstacles, &strands));
    return strands;
}

static void step_to(Strands *strands, Obstacles *obstacles, uint32_t step)
{
    double t = STEP * step;
    stop_on_error(obstacles_move(obstacles, t - STEP, t));
    StrandStep own = {.dt = STEP, .gravity = vec3_make(0, 0, -9.81f), .obstacles = obstacles};
    stop_on_error(strands_step(strands, &own));
}

static void measure(const SceneDef *scene, bool self_contact, uint32_t steps)
{
    Obstacles *obstacles = make_heads(scene);
    Strands *strands = make_hair(scene, obstacles, self_contact);
    uint32_t first = (uint32_t)(START / STEP);
    double *wall = memory_allocate(steps * sizeof *wall), sum = 0;
    double *processor = memory_allocate(steps * sizeof *processor);
    for (uint32_t k = 1; k < first; k++) step_to(strands, obstacles, k);
    for (uint32_t k = 0; k < steps; k++) {
        double begin = clock_seconds(), busy = clock_processor_seconds();
        step_to(strands, obstacles, first + k);
        wall[k] = 1e3 * (clock_seconds() - begin);
        processor[k] = 1e3 * (clock_processor_seconds() - busy);
        sum += processor[k];
    }
    printf("%-16s %9u %7u %12.1f %12.1f %10.1f\n", self_contact ? "with contacts" : "without",
           strands_view(strands).particle_count, parallel_workers(), median(wall, steps),
           median(processor, steps), sum / steps);
    fflush(stdout);
    memory_free(wall);
    memory_free(processor);
    strands_destroy(strands);
    obstacles_destroy(obstacles);
}

int main(int count, char **arguments)
{
    uint32_t steps = count > 1 ? (uint32_t)atoi(arguments[1]) : 60;
    SceneDef scene;
    if (steps == 0) steps = 1;
    stop_on_error(scene_read("scenes/hair.yaml", NULL, 0, &scene));
    // Steps that are cut into parts take five to ten times as long: the mean knows of them.
    printf("%-16s %9s %7s %12s %12s %10s\n", "", "particles", "threads", "ms, median", "processor",
           "its mean");
    uint32_t only = count > 2 ? (uint32_t)atoi(arguments[2]) : 0;
    for (uint32_t threads = only > 0 ? only : 1; threads <= (only > 0 ? only : 2); threads++) {
        parallel_set_workers(threads);
        measure(&scene, false, steps);
        measure(&scene, true, steps);
    }
    scene_free(&scene);
    return 0;
}
