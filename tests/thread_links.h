// Links between threads of the test, instead of processes.
#ifndef PBF_TESTS_THREAD_LINKS_H
#define PBF_TESTS_THREAD_LINKS_H

#include "fluid/links.h"

#define THREAD_RANKS_MAX 16

// Runs body(links, context) on so many threads at once, each with its own rank's links; rank 0 is the calling
// one.
typedef void ThreadRank(const Links *links, void *context);
void thread_links_run(uint32_t ranks, ThreadRank *body, void *context);

// Bytes that all ranks have sent in messages to single ranks, in the present run, and these messages.
uint64_t thread_links_bytes(void);
uint64_t thread_links_messages(void);

#endif
