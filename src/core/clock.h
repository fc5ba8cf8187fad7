// Wall-clock time, for profiles and progress only: simulated time comes from the scene.
#ifndef PBF_CORE_CLOCK_H
#define PBF_CORE_CLOCK_H

// Seconds since an arbitrary moment; never goes back.
double clock_seconds(void);

#endif
