// Pictures that end soon once somebody asks for it.
#ifndef PBF_PHOTO_STOP_H
#define PBF_PHOTO_STOP_H

#include "core/result.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

// Blocks of loops ask before they begin. stop: NULL: never.
static inline bool is_stopped(const atomic_bool *stop)
{
    return stop && atomic_load_explicit(stop, memory_order_relaxed);
}

static inline Result stop_check(const atomic_bool *stop)
{
    return is_stopped(stop) ? result_error(RESULT_STOPPED, "the photograph was stopped") : result_ok();
}

#endif
