// Time, for profiles and progress only: simulated time comes from the scene.
#ifndef PBF_CORE_CLOCK_H
#define PBF_CORE_CLOCK_H

// Seconds since an arbitrary moment; never goes back.
double clock_seconds(void);

// Processor time that all threads of the process have used, s: what a loop costs when other programs run too.
double clock_processor_seconds(void);

#endif
