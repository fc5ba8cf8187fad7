// The contacts of resting particles among many balls, most of which move, against a list of all distances:
// the nearest eight surfaces within reach, in order, as planes. What is solid near edges, against integrals.
#include "fluid_helpers.h"

#include "core/memory.h"
#include "core/parallel.h"
#include "fluid/contact.h"
#include "fluid/kernel.h"
#include "fluid/planes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define POINTS 600u // 37 whole sixteens and a half
#define BALLS_MAX 300u
#define DT 0.01
#define CLEARANCE 0.01f
#define REACH 0.2f

typedef struct Ball {
    double center[3], radius, motion[3], friction; // center: at the end of the step
} Ball;

typedef struct Setting {
    Ball ball[BALLS_MAX];
    uint32_t balls;
    Obstacles *obstacles;
    float x[POINTS + 16], y[POINTS + 16], z[POINTS + 16], px[POINTS + 16], py[POINTS + 16], pz[POINTS + 16];
} Setting;

static const Vec3 tank_size = {1.0f, 0.9f, 0.8f};
#define WALL_FRICTION 0.375f

static double between(uint64_t *random, double low, double high)
{
    return low + (high - low) * fluid_test_random(random);
}

// Where its path leads a ball in the first step: a swing through the middle.
static void make_balls(Setting *setting, uint64_t *random)
{
    ObstacleDef *bodies = calloc(setting->balls, sizeof *bodies);
    assert_non_null(bodies);
    for (uint32_t b = 0; b < setting->balls; b++) {
        Ball *ball = &setting->ball[b];
        ObstacleDef *body = &bodies[b];
        double amplitude[3], swing = sin(2.0 * 3.14159265358979 * DT); // of a period of 1 s
        *ball = (Ball){.radius = (float)between(random, 0.02, 0.04),
                       .friction = (float)fluid_test_random(random)};
        for (int a = 0; a < 3; a++) {
            ball->center[a] = (float)fluid_test_random(random);
            amplitude[a] = b % 4 ? (float)between(random, -0.05, 0.05) : 0.0;
        }
        body->shape = (Shape){.kind = SHAPE_SPHERE, .radius = (float)ball->radius};
        body->position = vec3_make((float)ball->center[0], (float)ball->center[1], (float)ball->center[2]);
        body->friction = (float)ball->friction;
        body->motion =
            (MotionDef){.kind = b % 4 ? MOTION_OSCILLATION : MOTION_NONE,
                        .amplitude = vec3_make((float)amplitude[0], (float)amplitude[1], (float)amplitude[2]),
                        .period = 1.0,
                        .stop = INFINITY};
        for (int a = 0; a < 3; a++) {
            ball->motion[a] = amplitude[a] * swing;
            ball->center[a] += ball->motion[a];
        }
    }
    TankDef tank = {.present = true, .size = tank_size};
    tank.open[TANK_Z_HI] = tank.open[TANK_X_LO] = true;
    ASSERT_OK(obstacles_create(tank, WALL_FRICTION, bodies, setting->balls, &setting->obstacles));
    ASSERT_OK(obstacles_move(setting->obstacles, 0.0, DT));
    free(bodies);
}

// A surface near a point, as a plane.
typedef struct TrueContact {
    double distance, normal[3], offset, friction, motion[3];
} TrueContact;

static int nearer(const void *a, const void *b)
{
    const TrueContact *x = a, *y = b;
    return (x->distance > y->distance) - (x->distance < y->distance);
}

static TrueContact ball_contact(const Ball *ball, const double p[3])
{
    TrueContact out = {.friction = ball->friction};
    double length = sqrt(pow(p[0] - ball->center[0], 2) + pow(p[1] - ball->center[1], 2) +
                         pow(p[2] - ball->center[2], 2));
    out.distance = length - ball->radius;
    out.offset = ball->radius;
    for (int a = 0; a < 3; a++) {
        out.normal[a] = (p[a] - ball->center[a]) / length;
        out.offset += out.normal[a] * ball->center[a];
        out.motion[a] = ball->motion[a];
    }
    return out;
}

// Nothing can come to what is behind a wall all through the step, or 0.02 of the reach before it.
static bool behind_wall(const Ball *ball)
{
    for (int face = 0; face < 6; face++) {
        const int a = face / 2;
        const double size[3] = {(double)tank_size.x, (double)tank_size.y, (double)tank_size.z};
        if (face == TANK_Z_HI || face == TANK_X_LO) continue;
        double moved = face % 2 ? ball->motion[a] : -ball->motion[a]; // toward the water, backward in time
        double inside = face % 2 ? size[a] - ball->center[a] : ball->center[a];
        if (inside + fmax(moved, 0.0) + ball->radius < 0.02 * (double)REACH) return true;
    }
    return false;
}

// All surfaces by distance; returns how many.
static uint32_t list_contacts(const Setting *setting, const double p[3], TrueContact out[BALLS_MAX + 6])
{
    const double size[3] = {(double)tank_size.x, (double)tank_size.y, (double)tank_size.z};
    uint32_t count = 0;
    for (uint32_t b = 0; b < setting->balls; b++) {
        if (!behind_wall(&setting->ball[b])) out[count++] = ball_contact(&setting->ball[b], p);
    }
    for (int face = 0; face < 6; face++) {
        if (face == TANK_Z_HI || face == TANK_X_LO) continue;
        TrueContact wall = {.friction = (double)WALL_FRICTION};
        wall.normal[face / 2] = face % 2 ? -1.0 : 1.0;
        wall.offset = face % 2 ? -size[face / 2] : 0.0;
        wall.distance = wall.normal[face / 2] * p[face / 2] - wall.offset;
        out[count++] = wall;
    }
    qsort(out, count, sizeof *out, nearer);
    return count;
}

// Points that no surface touches, before or during the step.
static void make_points(Setting *setting, uint64_t *random)
{
    static TrueContact contacts[BALLS_MAX + 6];
    for (uint32_t i = 0; i < POINTS;) {
        double p[3] = {(float)(fluid_test_random(random) * (double)tank_size.x),
                       (float)(fluid_test_random(random) * (double)tank_size.y),
                       (float)(fluid_test_random(random) * (double)tank_size.z)};
        list_contacts(setting, p, contacts);
        if (contacts[0].distance < 0.025) continue;
        setting->x[i] = setting->px[i] = (float)p[0];
        setting->y[i] = setting->py[i] = (float)p[1];
        setting->z[i] = setting->pz[i] = (float)p[2];
        i++;
    }
}

static void check_layer(const ContactLayer *layer, uint32_t i, const TrueContact *contact)
{
    uint32_t lane = i % CONTACT_LANES;
    const double found[8] = {(double)layer->normal_x[lane], (double)layer->normal_y[lane],
                             (double)layer->normal_z[lane], (double)layer->offset[lane],
                             (double)layer->friction[lane], (double)layer->motion_x[lane],
                             (double)layer->motion_y[lane], (double)layer->motion_z[lane]};
    const double expected[8] = {contact->normal[0], contact->normal[1], contact->normal[2],
                                contact->offset,    contact->friction,  contact->motion[0],
                                contact->motion[1], contact->motion[2]};
    for (int k = 0; k < 8; k++) {
        if (fabs(found[k] - expected[k]) > (k < 4 ? 2e-5 : 1e-6))
            fail_msg("point %u, %.4f m away, number %d: %g, should be %g", i, contact->distance, k, found[k],
                     expected[k]);
    }
    assert_true(layer->min_distance[lane] == CLEARANCE);
    assert_true(layer->thickness[lane] > 0.03f);
}

static void check_point(const Setting *setting, const ContactRows *rows, uint32_t i, uint32_t *full)
{
    static TrueContact contacts[BALLS_MAX + 6];
    const double p[3] = {(double)setting->x[i], (double)setting->y[i], (double)setting->z[i]};
    uint32_t count = list_contacts(setting, p, contacts), near = 0;
    while (near < count && near < CONTACTS_PER_PARTICLE && contacts[near].distance < (double)REACH) near++;
    *full += near == CONTACTS_PER_PARTICLE && contacts[near].distance < (double)REACH;
    uint32_t layers = rows->count[i / CONTACT_LANES];
    const ContactLayer *layer = rows->layers + rows->begin[i / CONTACT_LANES];
    assert_true(near <= layers && layers <= CONTACTS_PER_PARTICLE);
    for (uint32_t k = 0; k < near; k++) check_layer(&layer[k], i, &contacts[k]);
    for (uint32_t k = near; k < layers; k++) { // of others
        uint32_t lane = i % CONTACT_LANES;
        assert_true(layer[k].normal_x[lane] == 0.0f && layer[k].normal_y[lane] == 0.0f);
        assert_true(layer[k].normal_z[lane] == 0.0f && layer[k].offset[lane] < -1e12f);
    }
}

static ContactGather gather_of(Setting *setting)
{
    return (ContactGather){.obstacles = setting->obstacles,
                           .x = setting->x,
                           .y = setting->y,
                           .z = setting->z,
                           .px = setting->px,
                           .py = setting->py,
                           .pz = setting->pz,
                           .count = POINTS,
                           .reach = REACH,
                           .clearance = CLEARANCE,
                           .depenetration = 0.004f,
                           .dt = DT};
}

static void the_nearest_surfaces_are_the_contacts(void **state)
{
    (void)state;
    static const uint32_t counts[] = {0, 12, 80, BALLS_MAX}; // the last are more than a block keeps in mind
    Setting *setting = calloc(1, sizeof *setting);
    assert_non_null(setting);
    ContactRows rows = {0};
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        uint64_t random = 88172645463325252u + c;
        setting->balls = counts[c];
        make_balls(setting, &random);
        make_points(setting, &random);
        ContactGather gather = gather_of(setting);
        uint32_t full = 0;
        parallel_set_workers(c % 2 ? 3 : 1);
        ASSERT_OK(contacts_gather(&rows, &gather)); // the first has room for nothing
        for (uint32_t i = 0; i < POINTS; i++) {
            check_point(setting, &rows, i, &full);
            assert_true(setting->px[i] == setting->x[i] && setting->py[i] == setting->y[i] &&
                        setting->pz[i] == setting->z[i]);
        }
        if (counts[c] == BALLS_MAX) assert_in_range(full, POINTS / 4, POINTS); // have more than eight
        obstacles_destroy(setting->obstacles);
    }
    parallel_set_workers(0);
    contact_rows_free(&rows);
    assert_null(rows.begin);
    free(setting);
}

static void send_points(Setting *setting)
{
    uint64_t random = 4711;
    for (uint32_t i = 0; i < POINTS; i++) {
        setting->px[i] = setting->x[i] + (float)between(&random, -0.3, 0.3);
        setting->py[i] = setting->y[i] + (float)between(&random, -0.3, 0.3);
        setting->pz[i] = setting->z[i] + (float)between(&random, -0.3, 0.3);
    }
}

// Points that fly into balls and walls are stopped in the same places whether or not there is room for all
// contacts at first; what does not fit is gathered again.
static void ways_end_in_the_same_places_with_and_without_room(void **state)
{
    (void)state;
    Setting *setting = calloc(1, sizeof *setting);
    assert_non_null(setting);
    uint64_t random = 1234567;
    setting->balls = 80;
    make_balls(setting, &random);
    make_points(setting, &random);
    ContactRows rows = {0};
    static float ends[2][3][POINTS];
    uint32_t stopped = 0;
    for (int round = 0; round < 2; round++) {
        send_points(setting);
        ContactGather gather = gather_of(setting);
        static float sent[POINTS];
        memcpy(sent, setting->px, sizeof sent);
        ASSERT_OK(contacts_gather(&rows, &gather));
        memcpy(ends[round][0], setting->px, sizeof ends[0][0]);
        memcpy(ends[round][1], setting->py, sizeof ends[0][0]);
        memcpy(ends[round][2], setting->pz, sizeof ends[0][0]);
        for (uint32_t i = 0; i < POINTS; i++) stopped += sent[i] != setting->px[i];
    }
    assert_memory_equal(ends[0], ends[1], sizeof ends[0]);
    assert_true(stopped > 200);
    obstacles_destroy(setting->obstacles);
    contact_rows_free(&rows);
    free(setting);
}

// Rows for ghosts have no contacts; those behind them stay.
static void rows_are_added_up_to_the_last(void **state)
{
    (void)state;
    Setting *setting = calloc(1, sizeof *setting);
    assert_non_null(setting);
    uint64_t random = 7;
    setting->balls = BALLS_MAX;
    make_balls(setting, &random);
    make_points(setting, &random);
    ContactGather gather = gather_of(setting);
    ContactRows rows = {0};
    ASSERT_OK(contacts_gather(&rows, &gather));
    ASSERT_OK(contacts_extend(&rows, 10 * CONTACT_LANES, 19 * CONTACT_LANES + 1));
    for (uint32_t k = 0; k < POINTS / CONTACT_LANES; k++)
        assert_true(k >= 10 && k < 20 ? rows.count[k] == 0 && rows.begin[k] == 0 : rows.count[k] > 0);
    obstacles_destroy(setting->obstacles);
    contact_rows_free(&rows);
    free(setting);
}

// --- edges ---

#define EDGE_POINTS 40u

// A slab with edges and corners, a rod thinner than the reach, a disc, and a box that stands on the floor.
static Obstacles *bodies_with_edges(void)
{
    ObstacleDef body[4] = {
        {.shape = {.kind = SHAPE_BOX, .half_extent = {0.3f, 0.4f, 0.2f}},
         .position = {9, 9, 9},
         .rotation = {20, 30, 40}},
        {.shape = {.kind = SHAPE_BOX, .half_extent = {0.04f, 0.03f, 0.5f}}, .position = {4, 9, 9}},
        {.shape = {.kind = SHAPE_CYLINDER, .radius = 2.0f, .half_height = 0.05f}, .position = {9, 4, 9}},
        {.shape = {.kind = SHAPE_BOX, .half_extent = {0.5f, 0.5f, 0.3f}}, .position = {4, 4, 0.3f}}};
    Obstacles *obstacles;
    ASSERT_OK(obstacles_create((TankDef){.present = true, .size = {12, 12, 12}}, 0.0f, body, 4, &obstacles));
    ASSERT_OK(obstacles_move(obstacles, 0.0, 0.0));
    return obstacles;
}

// Points outside, most of them within reach of two or three sides.
static Vec3 point_at_edge(const Obstacles *obstacles, uint32_t k, uint64_t *random)
{
    static const Vec3 edge[5] = {{0.3f, 0.4f, 0.0f},
                                 {0.3f, 0.4f, 0.2f},
                                 {0.04f, 0.0f, 0.0f},
                                 {2.0f, 0.0f, 0.05f},
                                 {0.5f, 0.0f, -0.3f}};
    uint32_t body = k % 5 < 2 ? 0 : k % 5 - 1;
    Pose pose = obstacles_pose(obstacles, body);
    while (true) {
        Vec3 off = {(float)between(random, -0.15, 0.15), (float)between(random, -0.15, 0.15),
                    (float)between(random, -0.15, 0.15)};
        Vec3 at = vec3_add(pose.position, mat3_apply(pose.rotation, vec3_add(edge[k % 5], off)));
        float distance = obstacles_distance(obstacles, at);
        if (distance > 0.01f && distance < 0.9f * REACH) return at;
    }
}

// What of the kernel around a point is inside bodies, and how that changes with the point: midpoint rule.
static double solid_around(const Obstacles *obstacles, Vec3 p, double slope[3])
{
    enum { CELLS = 40 };
    double share = 0.0, h = (double)REACH, cell = 2.0 * h / CELLS;
    slope[0] = slope[1] = slope[2] = 0.0;
    for (int k = 0; k < CELLS * CELLS * CELLS; k++) {
        double u[3] = {(k % CELLS + 0.5) * cell - h, (k / CELLS % CELLS + 0.5) * cell - h,
                       (k / (CELLS * CELLS) + 0.5) * cell - h};
        double r = sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]), volume = cell * cell * cell;
        Vec3 at = vec3_add(p, vec3_make((float)u[0], (float)u[1], (float)u[2]));
        double inside = fmin(0.5 - (double)obstacles_distance(obstacles, at) / cell, 1.0);
        if (r >= h || inside <= 0.0) continue;
        volume *= inside; // of a cell that the surface cuts
        share += volume * kernel_value(r, h);
        for (int a = 0; a < 3; a++) slope[a] -= volume * kernel_gradient(r, h) * u[a] / r;
    }
    return share;
}

static void bodies_count_no_further_than_their_edges(void **state)
{
    (void)state;
    Setting *setting = calloc(1, sizeof *setting);
    assert_non_null(setting);
    setting->obstacles = bodies_with_edges();
    uint64_t random = 99;
    for (uint32_t i = 0; i < EDGE_POINTS; i++) {
        Vec3 at = point_at_edge(setting->obstacles, i, &random);
        setting->x[i] = setting->px[i] = at.x;
        setting->y[i] = setting->py[i] = at.y;
        setting->z[i] = setting->pz[i] = at.z;
    }
    ContactGather gather = gather_of(setting);
    gather.count = EDGE_POINTS;
    ContactRows rows = {0};
    ASSERT_OK(contacts_gather(&rows, &gather));
    double error = 0.0, slope_error = 0.0;
    for (uint32_t i = 0; i < EDGE_POINTS; i++) {
        double slope[3];
        double share =
            solid_around(setting->obstacles, vec3_make(setting->x[i], setting->y[i], setting->z[i]), slope);
        uint32_t first = i / LANES * LANES, k = i / CONTACT_LANES;
        Lanes3 p = lanes3_load(setting->x + first, setting->y + first, setting->z + first);
        Walls walls =
            walls_at(rows.layers + rows.begin[k], rows.count[k], first % CONTACT_LANES, 1.0f / REACH, p);
        float found[4][LANES];
        lanes_store(found[0], walls.gradient.x);
        lanes_store(found[1], walls.gradient.y);
        lanes_store(found[2], walls.gradient.z);
        lanes_store(found[3], walls.share);
        error = fmax(error, fabs((double)found[3][i - first] - share));
        for (int a = 0; a < 3; a++)
            slope_error = fmax(slope_error, (double)REACH * fabs((double)found[a][i - first] - slope[a]));
    }
    print_message("share of the kernel off by %.4f at most, its slope times h by %.3f\n", error, slope_error);
    assert_true(error < 0.008 && slope_error < 0.04);
    obstacles_destroy(setting->obstacles);
    contact_rows_free(&rows);
    free(setting);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_nearest_surfaces_are_the_contacts),
        cmocka_unit_test(ways_end_in_the_same_places_with_and_without_room),
        cmocka_unit_test(rows_are_added_up_to_the_last),
        cmocka_unit_test(bodies_count_no_further_than_their_edges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
