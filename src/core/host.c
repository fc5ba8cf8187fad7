#include "core/host.h"

static _Thread_local Host *now;

Host *host_now(void)
{
    return now;
}

Host *host_enter(Host *host)
{
    Host *before = now;
    now = host;
    return before;
}
