// Wall-clock and CPU time, for profiles and progress only: simulated time comes from the scene.
#ifndef PBF_CORE_CLOCK_H
#define PBF_CORE_CLOCK_H

// Seconds since an arbitrary moment; never goes back.
double clock_seconds(void);

// CPU time used by all threads of the process, s: the cost of a loop even while other programs run.
double clock_processor_seconds(void);

// How long the calling thread was ready to run since its start while others had the cores, s. 0 where the
// system does not tell.
double clock_waited_seconds(void);

#endif
