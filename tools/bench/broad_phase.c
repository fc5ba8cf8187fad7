// The two experiments on broad phases in Pouchol et al. 2009: random boxes and segments in the plane (section
// 4.1), and water falling over 2,000 balls (section 4.2). Each prints the hierarchical hash against the
// multilevel hash; the second one also the tree of boxes that scenes use by default.
// usage: bench_broad_phase [SEGMENTS [SPACING [STEPS]]]
#include "obstacle/broad_phase.h"
#include "benching.h"
#include "core/clock.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "scene/scene.h"

#include <stdio.h>
#include <stdlib.h>

#define KINDS 3
#define REPEATS 5
#define BOXES_MAX 10000
#define FOUND_MAX 4096
#define SIDE 8192.0f      // 2^13
#define SEGMENT_MAX 16.0f // 2^4

static uint64_t random_state = 1;

static float random_between(float lo, float hi)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return lo + (hi - lo) * (float)((double)(random_state >> 11) * 0x1p-53);
}

// A tenth of the boxes is about 2^10 wide, a quarter 2^6, the others 2^3: between half and one and a half
// times that.
static void make_boxes(Box3 *boxes, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++) {
        float mean = k % 20 < 2 ? 1024.0f : k % 20 < 7 ? 64.0f : 8.0f;
        Vec3 half = {0.5f * mean * random_between(0.5f, 1.5f), 0.5f * mean * random_between(0.5f, 1.5f), 0};
        Vec3 center = {random_between(0, SIDE), random_between(0, SIDE), 0};
        boxes[k] = (Box3){vec3_sub(center, half), vec3_add(center, half)};
    }
}

static void make_segments(Box3 *boxes, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++) {
        float angle = random_between(0, 6.2831853f), length = random_between(0, SEGMENT_MAX);
        Vec3 from = {random_between(0, SIDE), random_between(0, SIDE), 0};
        Vec3 to = {from.x + length * cosf(angle), from.y + length * sinf(angle), 0};
        boxes[k] = (Box3){vec3_min(from, to), vec3_max(from, to)};
    }
}

// One way to find the boxes that a segment's box touches, and what it takes.
typedef struct Side {
    bool hierarchical;
    SizeHash hash;
    double ms[REPEATS];
    uint64_t found, hits;
} Side;

static void file_boxes(Side *side, bool hierarchical, int class_step, const Box3 *box, uint32_t boxes)
{
    *side = (Side){.hierarchical = hierarchical};
    stop_on_error(size_hash_build(&side->hash, hierarchical, class_step, box, boxes));
}

static void query(Side *side, const Box3 *segment, uint32_t segments, int repeat)
{
    static uint32_t found[FOUND_MAX];
    double started = clock_seconds();
    side->found = side->hits = 0;
    for (uint32_t k = 0; k < segments; k++) {
        uint32_t touching = size_hash_touching(&side->hash, segment[k], found, FOUND_MAX);
        side->found += touching;
        side->hits += touching > 0;
    }
    side->ms[repeat] = 1e3 * (clock_seconds() - started);
}

static void compare_in_the_plane(int class_step, const Box3 *box, uint32_t boxes, const Box3 *segment,
                                 uint32_t segments)
{
    Side multilevel, hierarchical;
    file_boxes(&multilevel, false, class_step, box, boxes);
    file_boxes(&hierarchical, true, class_step, box, boxes);
    for (int repeat = 0; repeat < REPEATS; repeat++) {
        query(&multilevel, segment, segments, repeat);
        query(&hierarchical, segment, segments, repeat);
    }
    if (multilevel.found != hierarchical.found) stop_on_error(result_error(RESULT_FAILED, "answers differ"));
    double ms[2] = {median(multilevel.ms, REPEATS), median(hierarchical.ms, REPEATS)};
    double bytes[2] = {(double)size_hash_bytes(&multilevel.hash),
                       (double)size_hash_bytes(&hierarchical.hash)};
    printf("%8u %7.1f %12.1f %12.1f %7.2f %13.1f %13.1f %8.1f\n", boxes,
           100.0 * (double)multilevel.hits / segments, ms[0], ms[1], ms[0] / ms[1], 1e-3 * bytes[0],
           1e-3 * bytes[1], 100 * (bytes[1] / bytes[0] - 1));
    size_hash_free(&multilevel.hash);
    size_hash_free(&hierarchical.hash);
}

static void experiment_in_the_plane(uint32_t segments)
{
    static const uint32_t counts[] = {10, 30, 100, 300, 1000, 3000, 10000};
    static const int steps[] = {1, SIZE_CLASS_STEP};
    static const char *const titles[] = {"a class for every power of two, as in the papers",
                                         "classes at least a factor of four apart, as in scenes"};
    Box3 *box = memory_allocate(BOXES_MAX * sizeof *box),
         *segment = memory_allocate(segments * sizeof *segment);
    if (!box || !segment) stop_on_error(result_no_memory("segments", segments * sizeof *segment));
    make_segments(segment, segments);
    printf("%u segments among boxes in a square of 2^13 (Pouchol et al. 2009, section 4.1), one thread, ms\n",
           segments);
    for (int k = 0; k < 2; k++) {
        printf("\n%s\n\n%8s %7s %12s %12s %7s %13s %13s %8s\n", titles[k], "boxes", "hit %", "multilevel",
               "hierarchical", "faster", "multilevel kB", "hierarch. kB", "more %");
        for (size_t n = 0; n < sizeof counts / sizeof counts[0]; n++) {
            random_state = n + 1; // the same boxes in both tables
            make_boxes(box, counts[n]);
            compare_in_the_plane(steps[k], box, counts[n], segment, segments);
        }
    }
    memory_free(box);
    memory_free(segment);
}

// The collision phase of water at several times: what finding contacts takes, with building the structure.
static void experiment_in_water(const char *spacing, uint32_t steps)
{
    SceneOverride override = {"spacing", spacing};
    SceneDef scene;
    Fluid *fluid[KINDS];
    stop_on_error(scene_read("scenes/spheres.yaml", &override, 1, &scene));
    for (uint32_t kind = 0; kind < KINDS; kind++) {
        scene.fluid.broad_phase = (BroadPhaseKind)kind;
        stop_on_error(scene_build(&scene, &fluid[kind]));
    }
    double *ms[KINDS];
    for (uint32_t kind = 0; kind < KINDS; kind++) {
        ms[kind] = memory_allocate(steps * sizeof(double));
        if (!ms[kind]) stop_on_error(result_no_memory("times", steps * sizeof(double)));
    }
    printf("\nspheres.yaml at a spacing of %s m, %u particles, %u obstacles, %u threads (section 4.2): "
           "collision "
           "phase, median ms of %u steps\n\n",
           spacing, fluid_view(fluid[0]).count, scene.obstacle_count, parallel_workers(), steps);
    printf("%8s %12s %12s %12s %8s\n", "time s", "multilevel", "hierarchical", "bvh", "less %");
    for (double start = 0; start < scene.output.duration; start += 1) {
        for (uint32_t kind = 0; kind < KINDS; kind++) {
            while (fluid_time(fluid[kind]) < start) stop_on_error(fluid_step(fluid[kind], start, NULL));
        }
        for (uint32_t step = 0; step < steps; step++) {
            for (uint32_t kind = 0; kind < KINDS; kind++) {
                StepReport report;
                stop_on_error(fluid_step(fluid[kind], 1e3, &report));
                ms[kind][step] = report.phase_ms[PHASE_CONTACTS];
            }
        }
        double m[KINDS];
        for (uint32_t kind = 0; kind < KINDS; kind++) m[kind] = median(ms[kind], steps);
        printf("%8.1f %12.2f %12.2f %12.2f %8.1f\n", start, m[BROAD_PHASE_MULTILEVEL_HASH],
               m[BROAD_PHASE_HIERARCHICAL_HASH], m[BROAD_PHASE_BVH],
               100 * (1 - m[BROAD_PHASE_HIERARCHICAL_HASH] / m[BROAD_PHASE_MULTILEVEL_HASH]));
    }
    uint64_t hash = fluid_state_hash(fluid[0]);
    bool equal = true;
    for (uint32_t kind = 0; kind < KINDS; kind++) {
        equal &= fluid_state_hash(fluid[kind]) == hash;
        memory_free(ms[kind]);
        fluid_destroy(fluid[kind]);
    }
    printf("\nstates %s\n", equal ? "equal" : "NOT equal");
    scene_free(&scene);
}

int main(int count, char **arguments)
{
    setvbuf(stdout, NULL, _IOLBF, 0); // rows appear as they are measured
    experiment_in_the_plane(count > 1 ? (uint32_t)strtoul(arguments[1], NULL, 10) : 1000000);
    experiment_in_water(count > 2 ? arguments[2] : "0.1",
                        count > 3 ? (uint32_t)strtoul(arguments[3], NULL, 10) : 15);
    return 0;
}
