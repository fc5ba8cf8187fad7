// What a rank has had, sent and waited for in its steps. Calls between steps are not counted.
#ifndef PBF_MPI_MPI_COUNTS_H
#define PBF_MPI_MPI_COUNTS_H

#include "fluid/share.h"

// Before everything else: what time it is, s.
void mpi_counts_start(double (*now)(void));

// A step begins (count NULL), or is over.
void mpi_counts_step(const ShareCount *count);

// A message to a single rank, of so many bytes.
void mpi_counts_sent(size_t bytes);

// Around messages to single ranks, and around a call of MPI in which all ranks take part, each with so many
// bytes.
double mpi_counts_begin(void);
void mpi_counts_end(double begin);
void mpi_counts_end_all(double begin, size_t bytes);

// Rank 0 writes a row for each rank to a CSV file, if it has the environment variable PBF_MPI_COUNTS. All
// ranks come to it. Files that cannot be written are a warning.
void mpi_counts_write(const Links *links);

#endif
