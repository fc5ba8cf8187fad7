#include "mpi/mpi_counts.h"

#include "core/memory.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Sums over steps.
static struct {
    double (*now)(void);
    bool inside; // a step
    double began;
    struct Row {
        uint64_t steps;
        ShareCount count;
        uint64_t messages, bytes, collectives, collective_bytes;
        double seconds, waited, waited_for_all;
    } row;
} counts;

static void add(const ShareCount *count)
{
    ShareCount *sum = &counts.row.count;
    sum->particles += count->particles;
    sum->ghosts += count->ghosts;
    sum->migrated += count->migrated;
    sum->boxes += count->boxes;
    sum->clusters += count->clusters;
    sum->near += count->near;
    sum->single += count->single;
    // So that single + exchanges + grid_messages are all messages.
    sum->exchanges += count->exchanges * count->partners;
    sum->partners += count->partners;
    sum->grid_messages += count->grid_messages;
    sum->marks += count->marks;
    sum->sums += count->sums;
    sum->given += count->given;
    sum->border += count->border;
}

void mpi_counts_start(double (*now)(void))
{
    counts.now = now;
}

void mpi_counts_step(const ShareCount *count)
{
    counts.inside = !count;
    if (counts.inside) {
        counts.began = counts.now();
        return;
    }
    counts.row.steps++;
    counts.row.seconds += counts.now() - counts.began;
    add(count);
}

void mpi_counts_sent(size_t bytes)
{
    if (!counts.inside || bytes == 0) return;
    counts.row.messages++;
    counts.row.bytes += bytes;
}

double mpi_counts_begin(void)
{
    return counts.inside ? counts.now() : 0.0;
}

void mpi_counts_end(double begin)
{
    if (counts.inside) counts.row.waited += counts.now() - begin;
}

void mpi_counts_end_all(double begin, size_t bytes)
{
    if (!counts.inside) return;
    counts.row.collectives++;
    counts.row.collective_bytes += bytes;
    counts.row.waited_for_all += counts.now() - begin;
}

static void write_rows(const char *path, const struct Row *rows, uint32_t ranks)
{
    FILE *file = fopen(path, "w");
    if (file) {
        fprintf(file,
                "rank,steps,particles,ghosts,migrated,boxes,clusters,near,messages_counted,messages,bytes,"
                "collectives,collective_bytes,seconds,waited,waited_for_all,marks,sums,given,border\n");
        for (uint32_t r = 0; r < ranks; r++) {
            const struct Row *row = &rows[r];
            const ShareCount *c = &row->count;
            fprintf(file,
                    "%u,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64
                    ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%.9f,%.9f,%.9f,%" PRIu64
                    ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n",
                    r, row->steps, c->particles, c->ghosts, c->migrated, c->boxes, c->clusters,
                    (uint64_t)c->near, (uint64_t)c->single + c->exchanges + c->grid_messages, row->messages,
                    row->bytes, row->collectives, row->collective_bytes, row->seconds, row->waited,
                    row->waited_for_all, c->marks, c->sums, c->given, c->border);
        }
    }
    bool failed = !file || ferror(file);
    if (file && fclose(file) != 0) failed = true;
    if (failed) fprintf(stderr, "pbf: %s: cannot be written: %s\n", path, strerror(errno));
}

void mpi_counts_write(const Links *links)
{
    const char *path = links->rank == 0 ? getenv("PBF_MPI_COUNTS") : NULL;
    bool wanted = path != NULL;
    links->spread(links->self, &wanted, sizeof wanted);
    if (!wanted) return;
    size_t bytes = links->ranks * sizeof(struct Row);
    struct Row *rows = memory_allocate(bytes);
    if (!rows) {
        Result result = result_no_memory("PBF_MPI_COUNTS", bytes);
        links->fail(links->self, &result);
    }
    links->collect(links->self, &counts.row, sizeof counts.row, rows);
    if (path) write_rows(path, rows, links->ranks);
    memory_free(rows);
}
