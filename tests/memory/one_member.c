// Stands in for OpenMP, whose library the memory sanitizer knows nothing of: one core, and a team of one
// member.
#include <omp.h>
#include <stdarg.h>
#include <stdint.h>

int omp_get_num_procs(void)
{
    return 1;
}

int omp_get_thread_num(void)
{
    return 0;
}

void omp_set_dynamic(int dynamic)
{
    (void)dynamic;
}

// What clang turns a parallel region into.
void __kmpc_fork_call(void *place, int32_t count, void (*body)(int32_t *, int32_t *, void *), ...);
void __kmpc_push_num_threads(void *place, int32_t thread, int32_t count);
int32_t __kmpc_global_thread_num(void *place);

void __kmpc_fork_call(void *place, int32_t count, void (*body)(int32_t *, int32_t *, void *), ...)
{
    int32_t thread = 0;
    va_list list;
    (void)place, (void)count;
    va_start(list, body);
    body(&thread, &thread, va_arg(list, void *));
    va_end(list);
}

void __kmpc_push_num_threads(void *place, int32_t thread, int32_t count)
{
    (void)place, (void)thread, (void)count;
}

int32_t __kmpc_global_thread_num(void *place)
{
    (void)place;
    return 0;
}
