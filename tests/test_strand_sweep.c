// Edges of strands that may meet in a step, against every pair looked at one by one.
#include "core/cpu.h"
#include "core/memory.h"
#include "core/random.h"
#include "scene_helpers.h"
#include "strand/strand_state.h"
#include "strand/strand_sweep.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define STRANDS 120u
#define SEGMENTS 6u
#define MARGIN 0.5f
#define TIMES 8         // at which a pair is looked at
#define FINE_TIMES 1000 // at which the points of a meeting are
#define FINE_WAY 5e-5   // m, half of what edges move towards each other by between two of those
#define EDGES (STRANDS * SEGMENTS)

static Vec3 random_vector(uint64_t *random, float size)
{
    float x = random_between(random, -size, size), y = random_between(random, -size, size);
    return vec3_make(x, y, random_between(random, -size, size));
}

// Strands that begin in a cube and move by up to `way`. Two thicknesses, so that boxes differ.
static Strands *scatter(float cube, float way)
{
    StrandDef defs[STRANDS];
    Strands *strands;
    uint64_t random = 11;
    for (uint32_t k = 0; k < STRANDS; k++) {
        defs[k] = (StrandDef)STRAND_DEF_DEFAULT;
        defs[k].segments = SEGMENTS;
        defs[k].radius = k % 3 ? 0.002f : 0.006f;
        defs[k].from = random_vector(&random, 0.5f * cube);
        defs[k].to = vec3_add(defs[k].from, random_vector(&random, 0.06f));
    }
    Result result = strands_create(defs, STRANDS, NULL, &strands);
    if (!result_is_ok(&result)) fail_msg("%s", result.text);
    for (uint32_t i = 0; i < strands->particle_count; i++) strands->way[i] = random_vector(&random, way);
    return strands;
}

static double clamped(double s)
{
    return fmin(fmax(s, 0.0), 1.0);
}

// The distance of two segments p + s u and q + t v: the nearest of what every end and the inside give.
static double segment_distance(const double p[3], const double u[3], const double q[3], const double v[3])
{
    double uu = 0, vv = 0, uv = 0, ur = 0, vr = 0, best = 1e30;
    for (int a = 0; a < 3; a++) {
        double r = p[a] - q[a];
        uu += u[a] * u[a], vv += v[a] * v[a], uv += u[a] * v[a], ur += u[a] * r, vr += v[a] * r;
    }
    double area = uu * vv - uv * uv;
    const double s[5] = {0, 1, clamped(-ur / uu), clamped((uv - ur) / uu),
                         area > 0 ? clamped((uv * vr - ur * vv) / area) : 0};
    for (int k = 0; k < 5; k++) {
        double t = clamped((uv * s[k] + vr) / vv), sum = 0;
        for (int a = 0; a < 3; a++) {
            double gap = p[a] + s[k] * u[a] - q[a] - t * v[a];
            sum += gap * gap;
        }
        best = fmin(best, sqrt(sum));
    }
    return best;
}

static void edge_at(const Strands *strands, uint32_t k, double time, double from[3], double along[3])
{
    const float *x = &strands->x[k].x, *way = &strands->way[k].x;
    for (int a = 0; a < 3; a++) {
        from[a] = (double)x[a] + time * (double)way[a];
        along[a] = (double)x[3 + a] + time * (double)way[3 + a] - from[a];
    }
}

// How near two edges come, m, less their thickness, at some times of the step.
static double nearest_on_the_way(const Strands *strands, uint32_t a, uint32_t b)
{
    double best = 1e30, p[3], u[3], q[3], v[3];
    for (int n = 0; n <= TIMES; n++) {
        edge_at(strands, a, (double)n / TIMES, p, u);
        edge_at(strands, b, (double)n / TIMES, q, v);
        best = fmin(best, segment_distance(p, u, q, v));
    }
    return best - (double)strand_def(strands, strands->strand_of[a])->radius -
           (double)strand_def(strands, strands->strand_of[b])->radius;
}

// Of an edge, among all of them.
static uint32_t number_of(const Strands *strands, uint32_t k)
{
    return k - strands->strand_of[k];
}

// Of each pair of edges.
static float *all_gaps(const Strands *strands, const StrandSweep *sweep)
{
    float *gaps = malloc(EDGES * EDGES * sizeof *gaps);
    for (uint32_t n = 0; n < EDGES; n++) {
        for (uint32_t m = 0; m < n; m++) {
            uint32_t a = sweep->own[n].edge, b = sweep->own[m].edge;
            bool far = vec3_length(vec3_sub(strands->x[a], strands->x[b])) > 0.3f;
            gaps[EDGES * n + m] = gaps[EDGES * m + n] = far ? 1.0f : (float)nearest_on_the_way(strands, a, b);
        }
    }
    return gaps;
}

// Of all places, those that the search of one finds are marked.
static void mark_found(const StrandSweep *sweep, uint32_t place, bool behind, const SweepCell *cell,
                       uint8_t *mark)
{
    uint32_t count, before = 0;
    const uint32_t *found = strand_sweep_find(sweep, cell, place, 0, &count);
    for (uint32_t n = 0; n < count; n++) {
        assert_true(n == 0 || found[n] > before);
        assert_true(!behind || found[n] > place);
        before = found[n];
        mark[found[n]] = 1;
    }
}

// Edges of a strand that are not further apart than its thickness, and two more, are left to bending.
static uint32_t kept_apart(const Strands *strands, uint32_t k)
{
    uint32_t strand = strands->strand_of[k];
    return 3 + (uint32_t)(4.0f * strand_def(strands, strand)->radius / strands->segment[strand]);
}

// The points of a meeting come as near as its reach, at some time of the step.
static void check_meeting(const Strands *strands, uint32_t a, uint32_t b, const SweepMeeting *meeting)
{
    double best = 1e30, p[3], u[3], q[3], v[3];
    for (int n = 0; n <= FINE_TIMES; n++) {
        double sum = 0;
        edge_at(strands, a, (double)n / FINE_TIMES, p, u);
        edge_at(strands, b, (double)n / FINE_TIMES, q, v);
        for (int k = 0; k < 3; k++) {
            double gap = p[k] + (double)meeting->along * u[k] - q[k] - (double)meeting->beside * v[k];
            sum += gap * gap;
        }
        best = fmin(best, sqrt(sum));
    }
    assert_true(best <= (1.0 + (double)MARGIN) * (double)meeting->thickness + FINE_WAY);
}

// Every pair that comes as near as its thickness is found and meets; none is found that cannot.
static uint32_t check_pairs(const Strands *strands, const StrandSweep *sweep, bool behind, const float *gaps)
{
    uint8_t *mark = calloc(sweep->count, 1);
    SweepCell cell = {.end = 0};
    SweepMeeting meeting;
    uint32_t near = 0;
    for (uint32_t place = 0; place < sweep->count; place++) {
        if (place >= cell.end) strand_sweep_cell(sweep, place, behind, 0, &cell);
        memset(mark, 0, sweep->count);
        mark_found(sweep, place, behind, &cell, mark);
        for (uint32_t other = behind ? place + 1 : 0; other < sweep->count; other++) {
            uint32_t a = sweep->edge_at[place], b = sweep->edge_at[other], apart = a > b ? a - b : b - a;
            if (strands->strand_of[a] == strands->strand_of[b] && apart < kept_apart(strands, a)) {
                assert_false(mark[other]);
                continue;
            }
            float gap = gaps[EDGES * number_of(strands, a) + number_of(strands, b)];
            if (gap <= 0.0f) {
                assert_true(mark[other]);
                assert_int_equal(strand_sweep_meet(sweep, &place, &other, 1, MARGIN, &meeting), 1);
                check_meeting(strands, a, b, &meeting);
                near++;
            }
            // Their boxes are within a sum of lengths and ways.
            if (mark[other]) assert_true(gap < 0.2f);
        }
    }
    free(mark);
    return near;
}

static void check_cube(float cube)
{
    StrandSweep sweep;
    Strands *strands = scatter(cube, 0.02f);
    Result result = strand_sweep_create(&sweep, strands);
    if (!result_is_ok(&result)) fail_msg("%s", result.text);
    float *gaps = all_gaps(strands, &sweep);
    for (CpuLevel level = CPU_PLAIN; level <= cpu_best_level(CPU_AVX512); level++) {
        cpu_set_level(level);
        result = strand_sweep_sort(&sweep, strands, 1.0f + MARGIN);
        if (!result_is_ok(&result)) fail_msg("%s", result.text);
        uint32_t near = check_pairs(strands, &sweep, true, gaps),
                 all = check_pairs(strands, &sweep, false, gaps);
        print_message("%s, %g m: %u pairs of %u edges meet\n", cpu_level_name(level), (double)cube, near,
                      EDGES);
        assert_true(near > 0);
        assert_int_equal(all, 2 * near);
    }
    cpu_set_level(CPU_AVX512);
    free(gaps);
    strand_sweep_free(&sweep);
    strands_destroy(strands);
}

static void test_search(void **state)
{
    (void)state;
    check_cube(0.05f); // one heap
    check_cube(0.4f);  // a few in a cell
    check_cube(5.0f);  // far from each other
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_search)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
