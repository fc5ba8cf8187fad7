// Fields of what a view shows, for all handles that have some.
#ifndef PBF_LIBRARY_FIELDS_H
#define PBF_LIBRARY_FIELDS_H

#include "core/result.h"
#include "fluid/frame_view.h"

// As pbf_sim_read.
Result fields_read(const FrameView *view, const char *name, void *out, size_t bytes, size_t stride);

#endif
