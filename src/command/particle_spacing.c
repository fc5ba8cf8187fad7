#include "command/particle_spacing.h"

#include "command/library_call.h"
#include "core/param.h"

#include <math.h>

// Of a spacing: floats that are further apart leave particles and meshes on visible steps.
#define COARSE 0.03

static Result estimate(const Options *options, const pbf_cloud_data *file, const char *path,
                       Progress *progress, ParticleSpacing *out)
{
    int certain;
    pbf_result found = pbf_spacing(NULL, &file->positions, &out->meters, &certain);
    if (found.code == PBF_USAGE)
        return result_error(RESULT_USAGE, "%s: the spacing cannot be estimated (--spacing METERS gives it)",
                            path);
    TRY(library_result(options, found));
    out->certain = certain != 0;
    out->source = out->certain
                      ? "estimated from particles inside the water; --spacing sets it"
                      : "a rough estimate: hardly any particle has neighbors all around; --spacing sets it";
    if (!out->certain)
        progress_note(
            progress,
            "%s: warning: hardly any particle has neighbors all around; a spacing of %.4g m is assumed, "
            "%.3g m^3 of water in all (--spacing or --radius sets it)",
            path, out->meters, file->positions.count * out->meters * out->meters * out->meters);
    return result_ok();
}

static float farthest_coordinate(const pbf_points *points)
{
    const float *streams[3] = {points->x, points->y, points->z};
    float far = 0;
    for (int c = 0; c < 3; c++) {
        for (uint32_t k = 0; k < points->count; k++) far = fmaxf(far, fabsf(streams[c][k]));
    }
    return far;
}

static void warn_of_rounding(const pbf_cloud_data *file, const char *path, double spacing, Progress *progress)
{
    float far = farthest_coordinate(&file->positions);
    double step = (double)(nextafterf(far, INFINITY) - far);
    if (step <= COARSE * spacing) return;
    progress_note(
        progress,
        "%s: warning: particles lie up to %.3g m from the origin, where coordinates go in steps of %.2g m: "
        "too coarse for a spacing of %.4g m (move them near the origin)",
        path, (double)far, step, spacing);
}

static Result choose(const Options *options, const pbf_cloud_data *file, const char *path, Progress *progress,
                     ParticleSpacing *out)
{
    if (options->spacing && options->radius > 0)
        return result_error(RESULT_USAGE, "--radius: --spacing is given as well (one of them)");
    *out = (ParticleSpacing){.meters = file->spacing, .certain = true, .source = "from the file"};
    if (options->spacing) {
        param_number(options->spacing, &out->meters); // checked when the options were read
        out->source = "from --spacing";
    } else if (options->radius > 0) {
        out->meters = 2 * options->radius;
        out->source = "twice --radius";
    } else if (out->meters == 0) {
        return estimate(options, file, path, progress, out);
    }
    return result_ok();
}

Result particle_spacing_find(const Options *options, const pbf_cloud_data *file, const char *path,
                             Progress *progress, ParticleSpacing *out)
{
    TRY(choose(options, file, path, progress, out));
    warn_of_rounding(file, path, out->meters, progress);
    return result_ok();
}
