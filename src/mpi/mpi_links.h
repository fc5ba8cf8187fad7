// Links by MPI: the one door to it.
#ifndef PBF_MPI_MPI_LINKS_H
#define PBF_MPI_MPI_LINKS_H

#include "fluid/links.h"

// Finds out who says why all end (mpi_links_speaks), which may be asked from now on. MPI takes a while to
// start, and ranks may die in it.
void mpi_links_prepare(void);

// Starts MPI, which takes its own arguments away, and links all processes. What MPI cannot do ends all of
// them.
const Links *mpi_links_start(int *argc, char ***argv);

// Whether this rank is to say why all end: so for one rank, once. The others are silent; once MPI has
// started, so are all machines but that of rank 0. Signal handlers may ask. By a file in the folder that the
// launcher (mpirun, srun) makes on each machine and removes at the end.
bool mpi_links_speaks(void);

// Ends MPI, once all ranks come to it. Where rank 0 has the environment variable PBF_MPI_COUNTS, it writes to
// the file of that name what each rank has had, sent and waited for in its steps (README.md).
void mpi_links_end(void);

#endif
