#include "command/particle_spacing.h"

#include "command/library_call.h"
#include "core/param.h"

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

Result particle_spacing_find(const Options *options, const pbf_cloud_data *file, const char *path,
                             Progress *progress, ParticleSpacing *out)
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
