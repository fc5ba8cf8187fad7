#include "mpi/mpi_links.h"

#include "core/memory.h"
#include "mpi/mpi_counts.h"

#include <fcntl.h>
#include <limits.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Bytes of one message at most: MPI counts with an int. Longer ones go in pieces, which arrive in order.
#define PIECE ((size_t)1 << 30)

static struct {
    Links links;
    MPI_Request *requests;
    size_t capacity;
    int *bytes, *begins;   // of every rank
    char spoken[PATH_MAX]; // a file that the first one to speak on this machine creates; empty: none may
} mpi;

bool mpi_links_speaks(void)
{
    int file = mpi.spoken[0] ? open(mpi.spoken, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600) : -1;
    if (file < 0) return false;
    close(file);
    return true;
}

static __attribute__((noreturn)) void fail(void *self, const Result *result)
{
    (void)self;
    fprintf(stderr, "pbf: rank %u: %s\n", mpi.links.rank, result->text);
    fflush(stderr);
    (void)mpi_links_speaks();
    MPI_Abort(MPI_COMM_WORLD, result_exit_status(result));
    _exit(result_exit_status(result));
}

static int number_of(size_t count)
{
    CHECK(count <= INT_MAX);
    return (int)count;
}

static void sum(void *self, int64_t *numbers, size_t count)
{
    (void)self;
    double begin = mpi_counts_begin();
    MPI_Allreduce(MPI_IN_PLACE, numbers, number_of(count), MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    mpi_counts_end_all(begin, 8 * count);
}

static void most(void *self, double *numbers, size_t count)
{
    (void)self;
    double begin = mpi_counts_begin();
    MPI_Allreduce(MPI_IN_PLACE, numbers, number_of(count), MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    mpi_counts_end_all(begin, 8 * count);
}

static void sum_below(void *self, int64_t *numbers, size_t count)
{
    (void)self;
    double begin = mpi_counts_begin();
    MPI_Exscan(MPI_IN_PLACE, numbers, number_of(count), MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    mpi_counts_end_all(begin, 8 * count);
    if (mpi.links.rank == 0) memset(numbers, 0, count * sizeof *numbers);
}

static void spread(void *self, void *data, size_t bytes)
{
    (void)self;
    for (size_t at = 0; at < bytes; at += PIECE) {
        size_t piece = bytes - at < PIECE ? bytes - at : PIECE;
        MPI_Bcast((char *)data + at, (int)piece, MPI_BYTE, 0, MPI_COMM_WORLD);
    }
}

static void collect(void *self, const void *mine, size_t bytes, void *all)
{
    (void)self;
    double begin = mpi_counts_begin();
    MPI_Allgather(mine, number_of(bytes), MPI_BYTE, all, number_of(bytes), MPI_BYTE, MPI_COMM_WORLD);
    mpi_counts_end_all(begin, bytes);
}

static void collect_parts(void *self, const void *mine, const size_t *bytes, void *all)
{
    (void)self;
    size_t at = 0;
    for (uint32_t r = 0; r < mpi.links.ranks; r++) {
        mpi.bytes[r] = number_of(bytes[r]);
        mpi.begins[r] = number_of(at);
        at += bytes[r];
    }
    double begin = mpi_counts_begin();
    MPI_Allgatherv(mine, mpi.bytes[mpi.links.rank], MPI_BYTE, all, mpi.bytes, mpi.begins, MPI_BYTE,
                   MPI_COMM_WORLD);
    mpi_counts_end_all(begin, bytes[mpi.links.rank]);
}

static void deal(void *self, const uint32_t *mine, uint32_t *theirs)
{
    (void)self;
    double begin = mpi_counts_begin();
    MPI_Alltoall(mine, 1, MPI_UINT32_T, theirs, 1, MPI_UINT32_T, MPI_COMM_WORLD);
    mpi_counts_end_all(begin, sizeof *mine);
}

static size_t pieces_of(const LinkMessage *messages, uint32_t count)
{
    size_t pieces = 0;
    for (uint32_t k = 0; k < count; k++) pieces += messages[k].bytes / PIECE + 1;
    return pieces;
}

// Starts a message piece by piece; returns how many.
static size_t start(const LinkMessage *message, bool out, MPI_Request *requests)
{
    size_t n = 0;
    for (size_t at = 0; at < message->bytes; at += PIECE) {
        int bytes = (int)(message->bytes - at < PIECE ? message->bytes - at : PIECE),
            rank = (int)message->rank;
        char *data = (char *)message->data + at;
        if (out)
            MPI_Isend(data, bytes, MPI_BYTE, rank, 0, MPI_COMM_WORLD, &requests[n++]);
        else
            MPI_Irecv(data, bytes, MPI_BYTE, rank, 0, MPI_COMM_WORLD, &requests[n++]);
    }
    return n;
}

static void exchange(void *self, const LinkMessage *out, uint32_t outs, const LinkMessage *in, uint32_t ins)
{
    size_t most_pieces = pieces_of(out, outs) + pieces_of(in, ins), n = 0;
    Result result = MEMORY_RESERVE(mpi.requests, mpi.capacity, 0, most_pieces, "messages between processes");
    if (!result_is_ok(&result)) fail(self, &result);
    double begin = mpi_counts_begin();
    for (uint32_t k = 0; k < ins; k++) n += start(&in[k], false, mpi.requests + n);
    for (uint32_t k = 0; k < outs; k++) {
        n += start(&out[k], true, mpi.requests + n);
        mpi_counts_sent(out[k].bytes);
    }
    MPI_Waitall(number_of(n), mpi.requests, MPI_STATUSES_IGNORE);
    mpi_counts_end(begin);
}

static double now(void)
{
    return MPI_Wtime();
}

static void stepped(void *self, const ShareCount *count)
{
    (void)self;
    mpi_counts_step(count);
}

void mpi_links_prepare(void)
{
    const char *folder = getenv("PMIX_SERVER_TMPDIR");
    if (!folder) return;
    int length = snprintf(mpi.spoken, sizeof mpi.spoken, "%s/pbf_spoken", folder);
    if (length >= (int)sizeof mpi.spoken) mpi.spoken[0] = '\0';
}

// From now on ranks on other machines than rank 0's are silent.
static void find_machine(void)
{
    MPI_Comm machine;
    int first = mpi.links.rank == 0;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
    MPI_Bcast(&first, 1, MPI_INT, 0, machine);
    MPI_Comm_free(&machine);
    if (!first) mpi.spoken[0] = '\0';
}

const Links *mpi_links_start(int *argc, char ***argv)
{
    int level, rank, ranks;
    MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    mpi.links = (Links){.rank = (uint32_t)rank,
                        .ranks = (uint32_t)ranks,
                        .sum = sum,
                        .most = most,
                        .sum_below = sum_below,
                        .spread = spread,
                        .collect = collect,
                        .collect_parts = collect_parts,
                        .deal = deal,
                        .exchange = exchange,
                        .stepped = stepped,
                        .fail = fail};
    mpi_counts_start(now);
    mpi.bytes = memory_allocate(2 * (size_t)ranks * sizeof *mpi.bytes);
    mpi.begins = mpi.bytes + ranks;
    Result result = result_no_memory("the ranks", 2 * (size_t)ranks * sizeof *mpi.bytes);
    if (!mpi.bytes) fail(NULL, &result); // the level does not matter: other threads do not call MPI
    find_machine();
    return &mpi.links;
}

void mpi_links_end(void)
{
    mpi_counts_write(&mpi.links);
    memory_free(mpi.requests);
    memory_free(mpi.bytes);
    MPI_Finalize();
}
