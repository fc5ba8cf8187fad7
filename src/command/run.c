#include "command/run.h"

#include "command/interrupt.h"
#include "command/library_call.h"
#include "command/number.h"
#include "core/clock.h"
#include "core/parallel.h"
#include "core/progress.h"

#include <stdio.h>
#include <stdlib.h>

#define SLOW_PARTICLES 100000u // whose settling takes about a second, and more

typedef struct RunState {
    const RunDef *def;
    pbf_sim *sim;
    Progress progress;
    uint32_t particles;
    uint64_t steps;
    double start;        // s, simulated time of the first step
    double step_seconds; // spent in steps
    RunOutcome *outcome;
} RunState;

Result run_interrupted(void)
{
    int signal_number = interrupt_signal();
    if (signal_number == 0) return result_ok();
    return result_error(RESULT_FAILED, "interrupted by %s", interrupt_name(signal_number));
}

static Result check_interrupted(RunState *run)
{
    Result result = run_interrupted();
    run->outcome->interrupted = !result_is_ok(&result);
    return result;
}

static void show_progress(RunState *run, uint32_t frames_done)
{
    double end = (run->def->frames - 1) / run->def->fps, time = run->outcome->time;
    double share = end > run->start ? (time - run->start) / (end - run->start) : 1.0;
    if (frames_done < run->def->frames && share > 0.999) share = 0.999;
    char particles[27];
    progress_show(&run->progress, share, "%u of %u frames, %.3f s, %llu steps, %s particles, %.0f ms a step",
                  frames_done, run->def->frames, time, (unsigned long long)run->steps,
                  number_grouped(run->particles, particles),
                  run->steps > 0 ? 1e3 * run->step_seconds / (double)run->steps : 0.0);
}

static Result advance(RunState *run, uint32_t frame)
{
    double until = frame / run->def->fps;
    while (run->outcome->time < until) {
        pbf_report report;
        TRY(check_interrupted(run));
        double started = clock_seconds();
        TRY(library_result(run->def->options, pbf_sim_step(run->sim, until, &report)));
        run->step_seconds += clock_seconds() - started;
        run->steps++;
        run->outcome->time = report.time;
        run->particles = report.particles;
        if (run->def->on_step) TRY(run->def->on_step(run->def->context));
        show_progress(run, frame);
    }
    return result_ok();
}

// A photograph may take minutes, and be interrupted.
static Result finish_frame(RunState *run, uint32_t frame)
{
    Result result = run->def->on_frame(frame, run->sim, run->def->context);
    if (!result_is_ok(&result)) check_interrupted(run);
    return result;
}

static void show_settling(RunState *run, const pbf_info *info)
{
    char particles[27];
    if (info->steps > 0 || info->particles < SLOW_PARTICLES) return;
    progress_note(&run->progress, "giving %s particles room before the first step",
                  number_grouped(info->particles, particles));
}

static Result run_all(RunState *run)
{
    pbf_info info;
    TRY(library_result(run->def->options, pbf_sim_info(run->sim, &info)));
    show_settling(run, &info);
    TRY(library_result(run->def->options, pbf_sim_settle(run->sim)));
    run->start = run->outcome->time = info.time;
    run->particles = info.particles;
    for (uint32_t frame = run->def->first; frame < run->def->frames; frame++) {
        TRY(advance(run, frame));
        TRY(check_interrupted(run));
        TRY(finish_frame(run, frame));
        run->outcome->frames_done = frame + 1;
        show_progress(run, frame + 1);
    }
    return result_ok();
}

Result run_frames(pbf_sim *sim, const RunDef *def, RunOutcome *outcome)
{
    RunState run = {
        .def = def, .sim = sim, .progress = progress_begin(def->options->quiet), .outcome = outcome};
    *outcome = (RunOutcome){.frames_done = def->first};
    Result result = run_all(&run);
    progress_end(&run.progress);
    return result;
}

void run_set_threads(uint32_t threads)
{
    char text[16];
    parallel_set_workers(threads);
    if (threads == 0) return;
    snprintf(text, sizeof text, "%u", threads);
    setenv("LP_NUM_THREADS", text, 0);
}
