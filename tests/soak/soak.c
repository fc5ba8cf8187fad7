// Steps a scene for a long time and watches what must not grow: memory, the water's volume, anything that is
// not a number. usage: soak SCENE STEPS [KEY=VALUE ...]. Prints a table; status 1 if a bound is broken.
#include "core/memory.h"
#include "core/parallel.h"
#include "scene/scene.h"
#include "surface/surface.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ROWS 40
#define WARM_ROWS 12 // splashes settle, the scene fills, buffers find their size
#define MEMORY_GROWTH 0.01
#define VOLUME_DRIFT 0.02
#define SETTINGS 16

typedef struct Sample {
    double memory, volume; // bytes resident; m^3 of the mesh for each m^3 of particles
} Sample;

static double resident_bytes(void)
{
    long total = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%ld %ld", &total, &resident) != 2) resident = 0;
    if (file) fclose(file);
    return (double)resident * (double)sysconf(_SC_PAGESIZE);
}

static double volume_ratio(const SceneDef *scene, const FrameView *view)
{
    SurfacePoints points = {.x = view->x, .y = view->y, .z = view->z, .count = view->count};
    SurfaceMesh mesh;
    Result result = surface_reconstruct(&scene->surface, points, &mesh);
    if (!result_is_ok(&result)) return NAN;
    double cell = (double)view->spacing * view->spacing * view->spacing;
    double ratio = surface_mesh_volume(&mesh) / (view->count * cell);
    surface_mesh_free(&mesh);
    return ratio;
}

static Result soak(const SceneDef *scene, Fluid *fluid, uint64_t steps, Sample samples[ROWS])
{
    uint64_t done = 0;
    double frame = 1.0 / scene->output.fps;
    printf("%10s %10s %10s %14s %14s %8s %10s\n", "step", "time s", "particles", "resident MB", "heap MB",
           "volume", "speed m/s");
    for (int row = 0; row < ROWS; row++) {
        uint64_t until = steps * (uint64_t)(row + 1) / ROWS;
        StepReport report = {0};
        while (done < until) {
            double end = (floor(fluid_time(fluid) / frame + 1e-6) + 1) * frame;
            TRY(fluid_step(fluid, end, &report));
            done++;
        }
        FrameView view = fluid_view(fluid);
        samples[row].volume = volume_ratio(scene, &view);
        samples[row].memory = resident_bytes();
        printf("%10llu %10.2f %10u %14.3f %14.3f %8.4f %10.4f\n", (unsigned long long)done, view.time,
               view.count, samples[row].memory / 1e6, (double)memory_bytes_in_use() / 1e6,
               samples[row].volume, report.speed_max);
        fflush(stdout);
    }
    return result_ok();
}

// The means of the rows just after the warm-up and of the last ones.
static int judge(const Sample samples[ROWS])
{
    double early = 0, late = 0, early_volume = 0, late_volume = 0;
    for (int k = 0; k < 4; k++) {
        early += samples[WARM_ROWS + k].memory / 4;
        late += samples[ROWS - 4 + k].memory / 4;
        early_volume += samples[WARM_ROWS + k].volume / 4;
        late_volume += samples[ROWS - 4 + k].volume / 4;
    }
    double growth = late / early - 1, drift = late_volume / early_volume - 1;
    printf("memory %+.2f %% (at most %.0f), volume %+.2f %% (at most %.0f either way)\n", 100 * growth,
           100 * MEMORY_GROWTH, 100 * drift, 100 * VOLUME_DRIFT);
    return growth <= MEMORY_GROWTH && fabs(drift) <= VOLUME_DRIFT ? 0 : 1; // NaN fails
}

int main(int argc, char **argv)
{
    static Sample samples[ROWS];
    SceneOverride overrides[SETTINGS];
    uint32_t count = 0;
    for (int k = 3; k < argc && count < SETTINGS; k++) {
        char *equals = strchr(argv[k], '=');
        if (!equals) continue;
        *equals = '\0';
        overrides[count++] = (SceneOverride){argv[k], equals + 1};
    }
    SceneDef scene;
    Fluid *fluid = NULL;
    parallel_set_workers(1); // scenes are small
    if (argc < 3) {
        fputs("usage: soak SCENE STEPS [KEY=VALUE ...]\n", stderr);
        return 2;
    }
    Result result = scene_read(argv[1], overrides, count, &scene);
    if (result_is_ok(&result)) result = scene_build(&scene, &fluid);
    if (result_is_ok(&result)) result = soak(&scene, fluid, strtoull(argv[2], NULL, 10), samples);
    fluid_destroy(fluid);
    if (!result_is_ok(&result)) {
        fprintf(stderr, "soak: %s\n", result.text);
        return 1;
    }
    scene_free(&scene);
    return judge(samples);
}
