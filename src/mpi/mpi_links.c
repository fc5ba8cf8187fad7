#include "mpi/mpi_links.h"

#include "core/memory.h"

#include <limits.h>
#include <mpi.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

// Bytes of one message at most: MPI counts with an int. Longer ones go in pieces, which arrive in order.
#define PIECE ((size_t)1 << 30)

static struct {
    Links links;
    MpiTraffic traffic;
    MPI_Request *requests;
    size_t capacity;
    int *bytes, *begins; // of every rank
    MPI_Win window;      // has `spoken`
    atomic_flag *spoken; // of the ranks on rank 0's machine; NULL on others
} mpi;

bool mpi_links_speaks(void)
{
    return mpi.spoken && !atomic_flag_test_and_set(mpi.spoken);
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
    MPI_Allreduce(MPI_IN_PLACE, numbers, number_of(count), MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
}

static void most(void *self, double *numbers, size_t count)
{
    (void)self;
    MPI_Allreduce(MPI_IN_PLACE, numbers, number_of(count), MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
}

static void sum_below(void *self, int64_t *numbers, size_t count)
{
    (void)self;
    MPI_Exscan(MPI_IN_PLACE, numbers, number_of(count), MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
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
    MPI_Allgather(mine, number_of(bytes), MPI_BYTE, all, number_of(bytes), MPI_BYTE, MPI_COMM_WORLD);
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
    MPI_Allgatherv(mine, mpi.bytes[mpi.links.rank], MPI_BYTE, all, mpi.bytes, mpi.begins, MPI_BYTE,
                   MPI_COMM_WORLD);
}

static void deal(void *self, const uint32_t *mine, uint32_t *theirs)
{
    (void)self;
    MPI_Alltoall(mine, 1, MPI_UINT32_T, theirs, 1, MPI_UINT32_T, MPI_COMM_WORLD);
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
    for (uint32_t k = 0; k < ins; k++) n += start(&in[k], false, mpi.requests + n);
    for (uint32_t k = 0; k < outs; k++) {
        size_t pieces = start(&out[k], true, mpi.requests + n);
        mpi.traffic.messages += pieces;
        mpi.traffic.bytes += out[k].bytes;
        n += pieces;
    }
    MPI_Waitall(number_of(n), mpi.requests, MPI_STATUSES_IGNORE);
}

// A flag that the ranks of one machine share.
static void share_flag(void)
{
    MPI_Comm machine;
    int first = mpi.links.rank == 0, unit;
    MPI_Aint bytes;
    atomic_flag *flag;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
    MPI_Bcast(&first, 1, MPI_INT, 0, machine);
    int here;
    MPI_Comm_rank(machine, &here);
    MPI_Win_allocate_shared(here == 0 ? sizeof *flag : 0, 1, MPI_INFO_NULL, machine, &flag, &mpi.window);
    MPI_Win_shared_query(mpi.window, 0, &bytes, &unit, &flag);
    if (here == 0) atomic_flag_clear(flag);
    MPI_Barrier(machine);
    MPI_Comm_free(&machine);
    if (first) mpi.spoken = flag;
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
                        .fail = fail};
    mpi.bytes = memory_allocate(2 * (size_t)ranks * sizeof *mpi.bytes);
    mpi.begins = mpi.bytes + ranks;
    Result result = result_no_memory("the ranks", 2 * (size_t)ranks * sizeof *mpi.bytes);
    if (!mpi.bytes || level < MPI_THREAD_FUNNELED) fail(NULL, &result);
    share_flag();
    return &mpi.links;
}

MpiTraffic mpi_links_traffic(void)
{
    return mpi.traffic;
}

void mpi_links_end(void)
{
    memory_free(mpi.requests);
    memory_free(mpi.bytes);
    mpi.spoken = NULL;
    MPI_Win_free(&mpi.window);
    MPI_Finalize();
}
