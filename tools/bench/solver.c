// How far from incompressible the solver leaves the water, and for what time: runs a scene with settings and
// prints a CSV row for each window of time. The error is that of the positions at the end of a step, summed
// again in double over lists of its own; StepReport's is the one that the last iteration still corrects.
// usage: bench_solver SCENE.yaml NAME:FROM-TO... KEY=VALUE...
#include "benching.h"
#include "core/parallel.h"
#include "fluid/kernel.h"
#include "scene/scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846
#define STEPS_MAX 20000
#define WINDOWS_MAX 8
#define OVERRIDES_MAX 16
#define EVERY 3 // steps between two measurements of the error

// --- the error ---

#define RINGS 64

typedef struct Compression {
    double mean, rms, max; // of max(rho / rho0 - 1, 0)
} Compression;

// The kernel's volume further than d beyond a plane: of each shell of radius s the cap 2 pi s (s - d).
static double volume_beyond(double d, double h)
{
    double sum = 0.0, width = (h - d) / RINGS;
    for (int k = 0; k < RINGS && width > 0.0; k++) {
        double s = d + (k + 0.5) * width;
        sum += kernel_value(s, h) * 2.0 * PI * s * (s - d) * width;
    }
    return sum;
}

// What walls and bodies leave free of the kernel's volume.
static double open_share(const FrameView *view, Vec3 p)
{
    TankDef tank = obstacles_tank(view->obstacles);
    const float to_wall[TANK_FACE_COUNT] = {p.x, tank.size.x - p.x, p.y, tank.size.y - p.y,
                                            p.z, tank.size.z - p.z};
    double open = 1.0, h = (double)view->radius;
    for (int face = 0; face < TANK_FACE_COUNT && tank.present; face++) {
        if (!tank.open[face]) open *= 1.0 - volume_beyond((double)to_wall[face], h);
    }
    for (uint32_t body = 0; body < obstacles_count(view->obstacles); body++) {
        SurfacePoint near = obstacle_surface(view->obstacles, body, p);
        double d = (double)near.distance;
        open *= 1.0 - volume_beyond(d, h) + volume_beyond(d + (double)near.thickness, h);
    }
    return open;
}

static Result measure_compression(NeighborSearch *search, const FrameView *view, Compression *out)
{
    NeighborLists lists;
    NeighborStats stats;
    TRY(neighbor_search_run(search, (PointView){view->x, view->y, view->z, view->count}, &lists, &stats));
    double d = (double)view->spacing, h = (double)view->radius, sum = 0.0, squares = 0.0, max = 0.0;
    double mass = rest_lattice(d, h).mass_factor * d * d * d; // over rho0
    for (uint32_t i = 0; i < view->count; i++) {
        double density =
            mass * kernel_value(0.0, h) - open_share(view, vec3_make(view->x[i], view->y[i], view->z[i]));
        const uint32_t *near = lists.index + lists.begin[i];
        for (uint32_t k = 0; k < lists.count[i]; k++) {
            double dx = (double)view->x[i] - (double)view->x[near[k]],
                   dy = (double)view->y[i] - (double)view->y[near[k]],
                   dz = (double)view->z[i] - (double)view->z[near[k]];
            density += mass * kernel_value(sqrt(dx * dx + dy * dy + dz * dz), h);
        }
        double error = fmax(density, 0.0); // the wall's 1 and the constraint's cancel
        sum += error;
        squares += error * error;
        max = fmax(max, error);
    }
    *out = (Compression){sum / view->count, sqrt(squares / view->count), max};
    return result_ok();
}

// --- windows of time ---

typedef struct Window {
    char name[32];
    double from, to; // s
    uint32_t steps, measured;
    Compression sum;
    double speed2;                               // m^2/s^2, sum of the means
    double pressure[STEPS_MAX], step[STEPS_MAX]; // ms of processor time
} Window;

static Window windows[WINDOWS_MAX];
static uint32_t window_count;

static double mean_speed2(const FrameView *view)
{
    double sum = 0.0;
    for (uint32_t i = 0; i < view->count; i++) {
        Vec3 v = {view->vx[i], view->vy[i], view->vz[i]};
        sum += (double)vec3_dot(v, v);
    }
    return sum / view->count;
}

static Result count_step(Window *window, NeighborSearch *search, const FrameView *view)
{
    const double *ms = view->report.processor_ms;
    double total = 0.0;
    for (int phase = 0; phase < PHASE_COUNT; phase++) total += ms[phase];
    CHECK(window->steps < STEPS_MAX);
    window->pressure[window->steps] = ms[PHASE_DENSITY] + ms[PHASE_CORRECTION];
    window->step[window->steps] = total;
    if (window->steps++ % EVERY != 0) return result_ok();
    Compression now;
    TRY(measure_compression(search, view, &now));
    window->sum.mean += now.mean;
    window->sum.rms += now.rms;
    window->sum.max += now.max;
    window->speed2 += mean_speed2(view);
    window->measured++;
    return result_ok();
}

// Milliseconds are those of one second of simulated time.
static void print_row(Window *window, const SceneDef *scene, const FrameView *view)
{
    double rate = window->steps / (window->to - window->from), n = window->measured;
    printf("%s,%u,%s,%u,%g,%g,%.1f,%.2f,%.2f,%.5f,%.5f,%.5f,%.5f\n", scene->name, view->count, window->name,
           scene->fluid.iterations, (double)scene->fluid.warm_start, (double)scene->fluid.relaxation, rate,
           rate * median(window->pressure, window->steps), rate * median(window->step, window->steps),
           100.0 * window->sum.mean / n, 100.0 * window->sum.rms / n, 100.0 * window->sum.max / n,
           sqrt(window->speed2 / n));
}

// --- the run ---

static Result run(const SceneDef *scene)
{
    Fluid *fluid;
    TRY(scene_build(scene, &fluid));
    fluid_time_processor(fluid);
    FrameView view = fluid_view(fluid);
    NeighborSearch *search;
    TRY(neighbor_search_create("aabb_grid", view.radius, &search));
    double end = 0.0;
    for (uint32_t k = 0; k < window_count; k++) end = fmax(end, windows[k].to);
    for (int frame = 1; view.time < end; frame++) {
        double until = frame / scene->output.fps;
        while (fluid_time(fluid) < until) {
            TRY(fluid_step(fluid, until, NULL));
            view = fluid_view(fluid);
            for (uint32_t k = 0; k < window_count; k++) {
                if (view.time > windows[k].from && view.time <= windows[k].to)
                    TRY(count_step(&windows[k], search, &view));
            }
        }
    }
    for (uint32_t k = 0; k < window_count; k++) print_row(&windows[k], scene, &view);
    fluid_destroy(fluid);
    neighbor_search_destroy(search);
    return result_ok();
}

int main(int count, char **argument)
{
    SceneOverride overrides[OVERRIDES_MAX];
    uint32_t override_count = 0;
    for (int k = 2; k < count; k++) {
        char *equals = strchr(argument[k], '=');
        Window *window = &windows[window_count];
        if (equals && override_count < OVERRIDES_MAX) {
            *equals = '\0';
            overrides[override_count++] = (SceneOverride){argument[k], equals + 1};
        } else if (window_count < WINDOWS_MAX &&
                   sscanf(argument[k], "%31[^:]:%lf-%lf", window->name, &window->from, &window->to) == 3) {
            window_count++;
        }
    }
    if (window_count == 0) {
        fprintf(stderr, "usage: bench_solver SCENE.yaml NAME:FROM-TO... KEY=VALUE...\n");
        return 2;
    }
    parallel_set_workers(1);
    SceneDef scene;
    Result result = scene_read(argument[1], overrides, override_count, &scene);
    if (result_is_ok(&result)) {
        result = run(&scene);
        scene_free(&scene);
    }
    if (!result_is_ok(&result)) fprintf(stderr, "bench_solver: %s\n", result.text);
    return result_exit_status(&result);
}
