// Links by MPI: the one door to it.
#ifndef PBF_MPI_MPI_LINKS_H
#define PBF_MPI_MPI_LINKS_H

#include "fluid/links.h"

// Starts MPI, which takes its own arguments away, and links all processes. What MPI cannot do ends all of
// them.
const Links *mpi_links_start(int *argc, char ***argv);

// What this rank has sent in messages to single ranks, since the start.
typedef struct MpiTraffic {
    uint64_t messages, bytes;
} MpiTraffic;
MpiTraffic mpi_links_traffic(void);

// Whether this rank is to say why all end: so for one rank, once. The others are silent, as are all machines
// but that of rank 0. Signal handlers may ask.
bool mpi_links_speaks(void);

// Ends MPI, once all ranks come to it.
void mpi_links_end(void);

#endif
