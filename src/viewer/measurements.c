#include "viewer/measurements.h"

#include "core/clock.h"
#include "core/memory.h"
#include "export/file_writer.h"

// Of the time, what measuring may take while nobody looks at it.
static const double SHARE = 0.02;

Result measurements_open(Measurements *measurements)
{
    pthread_mutex_init(&measurements->lock, NULL);
    return quantities_create(&measurements->work);
}

void measurements_close(Measurements *measurements)
{
    quantities_free(measurements->work);
    memory_free(measurements->rows);
    pthread_mutex_destroy(&measurements->lock);
    *measurements = (Measurements){0};
}

// Rows up to a time, or before it.
static uint32_t rows_until(const Measurements *measurements, double time, bool with)
{
    uint32_t k = measurements->count;
    while (k > 0 &&
           (measurements->rows[k - 1].time > time || (!with && measurements->rows[k - 1].time == time)))
        k--;
    return k;
}

static Result append(Measurements *self, const FluidTotals *row)
{
    self->count = rows_until(self, row->time, false);
    TRY(MEMORY_RESERVE(self->rows, self->capacity, self->count, (size_t)self->count + 1, "measurements"));
    self->rows[self->count++] = *row;
    return result_ok();
}

Result measurements_add(Measurements *measurements, const FrameView *view, Vec3 gravity)
{
    FluidTotals row;
    double begun = clock_seconds();
    if (!measurements->wanted && begun < measurements->due) return result_ok();
    TRY(quantities_measure(measurements->work, view, gravity, &row));
    double ended = clock_seconds();
    measurements->due = ended + (ended - begun) / SHARE;
    pthread_mutex_lock(&measurements->lock);
    Result result = append(measurements, &row);
    pthread_mutex_unlock(&measurements->lock);
    return result;
}

void measurements_cut(Measurements *measurements, double time)
{
    pthread_mutex_lock(&measurements->lock);
    measurements->count = rows_until(measurements, time, true);
    pthread_mutex_unlock(&measurements->lock);
}

static double value_of(const FluidTotals *row, const Quantity *quantity)
{
    return *(const double *)((const char *)row + quantity->offset);
}

uint32_t measurements_line(Measurements *measurements, uint32_t quantity, uint32_t room, float *times,
                           float *values)
{
    pthread_mutex_lock(&measurements->lock);
    uint32_t all = measurements->count, count = all < room ? all : room;
    for (uint32_t k = 0; k < count; k++) {
        // The first and the last are always among them.
        const FluidTotals *row =
            &measurements->rows[count > 1 ? (uint64_t)k * (all - 1) / (count - 1) : all - 1];
        times[k] = (float)row->time;
        values[k] = (float)value_of(row, quantity_at(quantity));
    }
    pthread_mutex_unlock(&measurements->lock);
    return count;
}

static void print_rows(const Measurements *measurements, FileWriter *file)
{
    for (uint32_t k = 0; quantity_at(k); k++)
        file_writer_print(file, "%s%s", k > 0 ? "," : "", quantity_at(k)->name);
    file_writer_print(file, "\n");
    for (uint32_t row = 0; row < measurements->count; row++) {
        for (uint32_t k = 0; quantity_at(k); k++)
            file_writer_print(file, "%s%.10g", k > 0 ? "," : "",
                              value_of(&measurements->rows[row], quantity_at(k)));
        file_writer_print(file, "\n");
    }
}

Result measurements_write(Measurements *measurements, const char *path)
{
    FileWriter file;
    pthread_mutex_lock(&measurements->lock);
    bool none = measurements->count == 0;
    pthread_mutex_unlock(&measurements->lock);
    if (none)
        return result_error(RESULT_USAGE, "nothing has been measured yet: play, or go on to the next frame");
    TRY(file_writer_open(path, &file));
    pthread_mutex_lock(&measurements->lock);
    print_rows(measurements, &file);
    pthread_mutex_unlock(&measurements->lock);
    return file_writer_commit(&file);
}
