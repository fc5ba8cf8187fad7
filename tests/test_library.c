// The library as a program that uses it sees it: what its calls give, against what is known otherwise.
#include "case_helpers.h"
#include "library_helpers.h"

#include "diffuse/diffuse.h"
#include "fluid/fluid.h"
#include "library/handles.h"
#include "strand/strand.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

// --- scenes and steps ---

// The state that tests/golden/states.txt has for a scene, a spacing and lists; 0 without one.
static uint64_t golden_state(const char *scene, const char *spacing, unsigned *steps)
{
    char line[256], name[64], apart[32];
    unsigned long long state, found = 0;
    unsigned particles, taken;
    FILE *file = fopen("tests/golden/states.txt", "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        if (sscanf(line, "%63s %31s %u %u %llx", name, apart, &taken, &particles, &state) != 5) continue;
        if (strcmp(name, scene) != 0 || strcmp(apart, spacing) != 0) continue;
        found = state;
        *steps = taken;
    }
    fclose(file);
    return found;
}

static void a_scene_has_its_golden_state(void **state)
{
    (void)state;
    const pbf_setting settings[] = {{"spacing", "0.3125"}, {"solver.neighbor", "uniform_grid"}};
    unsigned steps = 0;
    uint64_t golden = golden_state("dam_break", "0.3125", &steps);
    assert_true(golden != 0);
    pbf_scene *scene;
    pbf_sim *sim;
    char duration[40];
    ASSERT_PBF(pbf_scene_load(NULL, "scenes/dam_break.yaml", settings, 2, &scene));
    ASSERT_PBF(pbf_scene_get(scene, "output.duration", duration, sizeof duration));
    ASSERT_PBF(pbf_sim_create(scene, &sim));
    pbf_scene_destroy(scene);
    for (unsigned k = 0; k < steps; k++) ASSERT_PBF(pbf_sim_step(sim, atof(duration), NULL));
    assert_true(pbf_sim_hash(sim) == golden);
    pbf_sim_destroy(sim);
}

static void keys_are_set_together_or_not_at_all(void **state)
{
    (void)state;
    pbf_scene *scene = library_scene(NULL, NULL, 0);
    const pbf_setting good[] = {{"solver.iterations", "5"}, {"fluid.gravity", "[0, 0, -1.6]"}};
    const pbf_setting bad[] = {{"solver.iterations", "6"}, {"solver.cfl", "17"}};
    char text[80];
    ASSERT_PBF(pbf_scene_set(scene, good, 2));
    ASSERT_REFUSED(pbf_scene_set(scene, bad, 2), PBF_USAGE);
    assert_string_equal(pbf_scene_set(scene, bad, 2).text,
                        "solver.cfl: 17 is out of range (above 0, up to 2)");
    ASSERT_PBF(pbf_scene_get(scene, "solver.iterations", text, sizeof text));
    assert_string_equal(text, "5");
    ASSERT_PBF(pbf_scene_get(scene, "fluid.gravity", text, sizeof text));
    assert_string_equal(text, "[0, 0, -1.6]");
    ASSERT_REFUSED(pbf_scene_get(scene, "water", text, sizeof text), PBF_USAGE);
    pbf_scene_destroy(scene);
}

static void every_key_of_the_table_is_one_that_scenes_take(void **state)
{
    (void)state;
    pbf_scene *scene = library_scene(NULL, NULL, 0);
    pbf_key_info key;
    uint32_t count = 0;
    char text[100];
    for (; pbf_key(count, &key); count++) {
        ASSERT_PBF(pbf_scene_get(scene, key.key, text, sizeof text));
        assert_true(*key.type);
    }
    assert_true(count > 50);
    pbf_scene_destroy(scene);
}

static void files_of_a_scene_may_lie_in_memory(void **state)
{
    (void)state;
    static const char obj[] =
        "v 0 0 0\nv 0.3 0 0\nv 0 0.3 0\nv 0 0 0.3\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
    static const char text[] = "spacing: 0.1\ntank: {size: [1, 1, 1]}\n"
                               "obstacles: [{mesh: {file: wedge.obj}, position: [0.2, 0.2, 0]}]\n";
    const pbf_file file = {"wedge.obj", obj, sizeof obj - 1};
    pbf_scene *scene;
    pbf_sim *sim;
    pbf_info info;
    ASSERT_REFUSED(pbf_scene_parse(NULL, "m", text, sizeof text - 1, NULL, 0, NULL, 0, &scene), PBF_USAGE);
    ASSERT_PBF(pbf_scene_parse(NULL, "m", text, sizeof text - 1, &file, 1, NULL, 0, &scene));
    ASSERT_PBF(pbf_sim_create(scene, &sim));
    ASSERT_PBF(pbf_sim_info(sim, &info));
    assert_int_equal(info.bodies, 1);
    assert_int_equal(info.particles, 0); // a scene without water, to be filled by hand
    pbf_sim_destroy(sim);
    pbf_scene_destroy(scene);
}

typedef struct Counter {
    unsigned steps, stop_after;
    bool destroys;
} Counter;

static int count_step(pbf_sim *sim, const pbf_report *report, void *user)
{
    Counter *counter = user;
    assert_int_equal(report->step, ++counter->steps);
    ASSERT_REFUSED(pbf_sim_step(sim, 100, NULL), PBF_USAGE);
    if (counter->destroys) pbf_sim_destroy(sim);
    return counter->steps == counter->stop_after;
}

static void a_callback_sees_every_step_and_may_stop(void **state)
{
    (void)state;
    pbf_sim *sim = library_sim(NULL, NULL, 0);
    Counter counter = {.stop_after = 3};
    ASSERT_REFUSED(pbf_sim_advance(sim, 1, count_step, &counter), PBF_STOPPED);
    pbf_info info;
    ASSERT_PBF(pbf_sim_info(sim, &info));
    assert_int_equal(info.steps, 3);
    counter.stop_after = 0;
    ASSERT_PBF(pbf_sim_advance(sim, info.time + 0.01, count_step, &counter));
    ASSERT_PBF(pbf_sim_info(sim, &info));
    assert_true(info.steps == counter.steps && counter.steps > 3);
    counter.destroys = true; // what leaks or is used after that, the sanitizers tell
    ASSERT_REFUSED(pbf_sim_advance(sim, 1, count_step, &counter), PBF_STOPPED);
}

static void settings_change_under_way(void **state)
{
    (void)state;
    const pbf_setting up[] = {{"fluid.gravity", "[0, 0, 5]"}}, body[] = {{"obstacles.0.friction", "1"}};
    pbf_sim *sim = library_sim(NULL, NULL, 0);
    ASSERT_REFUSED(pbf_sim_set(sim, body, 1), PBF_USAGE);
    ASSERT_PBF(pbf_sim_set(sim, up, 1));
    pbf_sim *other = library_sim(NULL, up, 1);
    ASSERT_PBF(pbf_sim_advance(sim, 0.1, NULL, NULL));
    ASSERT_PBF(pbf_sim_advance(other, 0.1, NULL, NULL));
    assert_true(pbf_sim_hash(sim) == pbf_sim_hash(other));
    pbf_sim_destroy(sim);
    pbf_sim_destroy(other);
}

// --- particles ---

static void fields_are_the_fluids_own_memory(void **state)
{
    (void)state;
    pbf_sim *sim = library_sim(NULL, NULL, 0);
    ASSERT_PBF(pbf_sim_advance(sim, 0.05, NULL, NULL));
    FrameView view = fluid_view(sim->fluid);
    pbf_field field;
    for (uint32_t k = 0; pbf_field_info(k, &field); k++) {
        float values[3 * 512];
        const char *name = field.name;
        assert_true(*field.stage && (field.components == 1 || field.components == 3));
        ASSERT_PBF(pbf_sim_field(sim, name, &field));
        ASSERT_PBF(pbf_sim_read(sim, name, values, sizeof values, 0));
        assert_true(field.count == (strchr(name, '.') || strcmp(name, "spin") == 0 ? 0 : 512));
        for (uint32_t c = 0; c < field.components && field.data[c]; c++) {
            bool ours = false;
            for (uint32_t s = 0; s < PARTICLE_STREAM_COUNT; s++) ours |= field.data[c] == view.stream[s];
            assert_true(ours);
            for (uint32_t i = 0; i < field.count; i += 37) {
                uint32_t a, b;
                memcpy(&a, &values[i * field.components + c], 4);
                memcpy(&b, (const float *)field.data[c] + i, 4);
                assert_true(a == b || strcmp(name, "position") == 0);
            }
        }
    }
    float at[3 * 512];
    ASSERT_PBF(pbf_sim_read(sim, "position", at, sizeof at, 0));
    assert_true(at[2] == 3 + view.z[0]); // the tank's corner is at z = 3
    ASSERT_REFUSED(pbf_sim_read(sim, "position", at, sizeof at - 1, 0), PBF_USAGE);
    pbf_sim_destroy(sim);
}

// Of the simulation's own memory, and as pbf_sim_read tells it with the origin added to places.
static void expect_vectors(const pbf_sim *sim, const char *name, uint32_t count, const float *const from[3],
                           size_t stride, const float origin[3])
{
    pbf_field field;
    ASSERT_PBF(pbf_sim_field(sim, name, &field));
    assert_true(field.count == count && field.stride == stride && field.components == 3);
    float *read = test_malloc(count * 3 * sizeof *read);
    ASSERT_PBF(pbf_sim_read(sim, name, read, count * 3 * sizeof *read, 0));
    for (uint32_t c = 0; c < 3; c++) {
        pbf_field part;
        assert_true(field.data[c] == (const void *)from[c]);
        ASSERT_PBF(pbf_sim_field(sim, field.parts[c], &part));
        assert_true(part.components == 1 && part.data[0] == field.data[c] && !part.data[1]);
        for (uint32_t i = 0; i < count; i++)
            assert_true(read[3 * i + c] ==
                        *(const float *)((const char *)from[c] + i * stride) + (origin ? origin[c] : 0));
    }
    test_free(read);
}

static void whitewater_and_strands_have_fields_of_their_own(void **state)
{
    (void)state;
    const pbf_setting settings[] = {{"whitewater.enabled", "true"},
                                    {"whitewater.trapped_air", "[0, 0.001]"},
                                    {"whitewater.wave_crest", "[0, 0.001]"},
                                    {"whitewater.energy", "[0, 0.001]"},
                                    {"whitewater.trapped_air_rate", "1e4"},
                                    {"strands.0", "{rope: {from: [1.2, 2.4, 3.9], to: [1.2, "
                                                  "2.4, 3.5]}, segments: 7}"}};
    pbf_sim *sim = library_sim(NULL, settings, sizeof settings / sizeof *settings);
    ASSERT_PBF(pbf_sim_advance(sim, 0.3, NULL, NULL));
    FrameView view = fluid_view(sim->fluid);
    const float origin[3] = {view.origin.x, view.origin.y, view.origin.z};
    const DiffuseParticles *water = view.diffuse;
    assert_true(water && water->count > 10);
    expect_vectors(sim, "whitewater.position", water->count,
                   (const float *const[]){water->x, water->y, water->z}, 4, origin);
    expect_vectors(sim, "whitewater.velocity", water->count,
                   (const float *const[]){water->vx, water->vy, water->vz}, 4, NULL);
    pbf_field kind;
    ASSERT_PBF(pbf_sim_field(sim, "whitewater.class", &kind));
    assert_true(kind.type == PBF_UINT32 && kind.data[0] == water->kind);
    StrandView strands = strands_view(view.strands);
    assert_int_equal(strands.particle_count, 8);
    const Vec3 *x = strands.position, *v = strands.velocity;
    expect_vectors(sim, "strands.position", 8, (const float *const[]){&x->x, &x->y, &x->z}, sizeof *x,
                   origin);
    expect_vectors(sim, "strands.velocity", 8, (const float *const[]){&v->x, &v->y, &v->z}, sizeof *v, NULL);
    pbf_sim_destroy(sim);
    sim = library_sim(NULL, NULL, 0); // which has neither
    ASSERT_PBF(pbf_sim_field(sim, "whitewater.class", &kind));
    assert_true(kind.count == 0 && !kind.data[0]);
    ASSERT_PBF(pbf_sim_read(sim, "strands.position", &kind, 0, 0));
    pbf_sim_destroy(sim);
}

static void spins_stay_with_their_particles(void **state)
{
    (void)state;
    const pbf_setting settings[] = {{"solver.micropolar", "0.1"}, {"fluid.gravity", "[3, 1, -9.81]"}};
    pbf_sim *sim = library_sim(NULL, settings, 2);
    static float before[512][3], after[512][3];
    static uint32_t ids[512], left[512];
    ASSERT_PBF(pbf_sim_advance(sim, 0.2, NULL, NULL));
    ASSERT_PBF(pbf_sim_read(sim, "spin", before, sizeof before, 0));
    ASSERT_PBF(pbf_sim_read(sim, "id", ids, sizeof ids, 0));
    double most = 0;
    for (int i = 0; i < 512; i++) most = fmax(most, fabs((double)before[i][1]));
    assert_true(most > 0.01);
    ASSERT_PBF(pbf_sim_remove(sim, (const uint32_t[]){ids[3], ids[200], ids[201]}, 3));
    ASSERT_PBF(pbf_sim_read(sim, "spin", after, sizeof after, 0));
    ASSERT_PBF(pbf_sim_read(sim, "id", left, sizeof left, 0));
    for (int i = 0, j = 0; i < 512; i++) {
        if (i == 3 || i == 200 || i == 201) continue;
        assert_true(left[j] == ids[i]);
        assert_memory_equal(after[j++], before[i], sizeof after[0]);
    }
    ASSERT_PBF(pbf_sim_step(sim, 1, NULL));
    pbf_sim_destroy(sim);
}

// Particles that come do not spin yet, and their state can be saved before they step.
static void particles_that_come_have_spins_too(void **state)
{
    (void)state;
    const pbf_setting settings[] = {{"solver.micropolar", "0.1"}, {"fluid.gravity", "[3, 1, -9.81]"}};
    pbf_sim *sim = library_sim(NULL, settings, 2);
    static float before[512][3], after[513][3];
    float place[3] = {2, 2.2f, 3.9f};
    ASSERT_PBF(pbf_sim_advance(sim, 0.2, NULL, NULL));
    ASSERT_PBF(pbf_sim_read(sim, "spin", before, sizeof before, 0));
    pbf_points points = pbf_points_of(place, 1);
    ASSERT_PBF(pbf_sim_add(sim, &points, NULL, NULL));
    void *saved;
    size_t bytes;
    ASSERT_PBF(pbf_sim_save(sim, &saved, &bytes));
    ASSERT_PBF(pbf_sim_restore(sim, saved, bytes));
    ASSERT_PBF(pbf_sim_read(sim, "spin", after, sizeof after, 0));
    assert_memory_equal(after, before, sizeof before);
    assert_true(after[512][0] == 0 && after[512][1] == 0 && after[512][2] == 0);
    ASSERT_PBF(pbf_sim_step(sim, 1, NULL));
    pbf_free(saved);
    pbf_sim_destroy(sim);
}

static void particles_come_change_and_go_by_their_ids(void **state)
{
    (void)state;
    pbf_sim *sim = library_sim(NULL, NULL, 0);
    const double places[2][4] = {{2, 2.2, 3.9, 0}, {2.3, 2.5, 4, 0}};
    const float speeds[2][3] = {{1, 0, 0}, {0, 2, 0}};
    pbf_points at = {&places[0][0], &places[0][1], &places[0][2], sizeof places[0], 2, PBF_DOUBLE};
    pbf_points moving = pbf_points_of(&speeds[0][0], 2);
    uint32_t first, ids[3];
    ASSERT_PBF(pbf_sim_add(sim, &at, &moving, &first));
    assert_int_equal(first, 512);
    ASSERT_PBF(pbf_sim_step(sim, 0.001, NULL));
    pbf_field id, vy;
    ASSERT_PBF(pbf_sim_field(sim, "id", &id));
    ASSERT_PBF(pbf_sim_field(sim, "vy", &vy));
    assert_int_equal(id.count, 514);
    for (uint32_t i = 0; i < id.count; i++) {
        if (((const uint32_t *)id.data[0])[i] == 513)
            assert_true(fabsf(((const float *)vy.data[0])[i] - 2) < 0.02f);
    }
    ids[0] = 513, ids[1] = 7, ids[2] = 7;
    const float still[3][3] = {{0}};
    pbf_points none = pbf_points_of(&still[0][0], 3);
    ASSERT_PBF(pbf_sim_change(sim, ids, NULL, &none));
    ASSERT_PBF(pbf_sim_remove(sim, ids, 3));
    ASSERT_REFUSED(pbf_sim_remove(sim, ids, 1), PBF_USAGE);
    ASSERT_PBF(pbf_sim_field(sim, "id", &id));
    assert_int_equal(id.count, 512);
    ASSERT_PBF(pbf_sim_advance(sim, 0.1, NULL, NULL));
    pbf_sim_destroy(sim);
}

static void all_velocities_change_in_the_order_of_fields(void **state)
{
    (void)state;
    pbf_sim *sim = library_sim(NULL, NULL, 0);
    ASSERT_PBF(pbf_sim_advance(sim, 0.02, NULL, NULL));
    float v[512][3], now[512][3];
    for (int i = 0; i < 512; i++) v[i][0] = (float)i / 512, v[i][1] = 0, v[i][2] = -1;
    pbf_points all = pbf_points_of(&v[0][0], 512);
    ASSERT_PBF(pbf_sim_change(sim, NULL, NULL, &all));
    ASSERT_PBF(pbf_sim_read(sim, "velocity", now, sizeof now, 0));
    assert_memory_equal(v, now, sizeof v);
    all.count = 511;
    ASSERT_REFUSED(pbf_sim_change(sim, NULL, NULL, &all), PBF_USAGE);
    pbf_sim_destroy(sim);
}

// --- bodies ---

static void a_body_is_led_to_its_pose_and_feels_the_water(void **state)
{
    (void)state;
    pbf_sim *sim = library_sim(NULL, NULL, 0);
    pbf_body body;
    const double there[3] = {1.5, 2.4, 3.3}, half[4] = {2, 0, 0, 2}; // a quarter turn about z
    ASSERT_PBF(pbf_sim_measure(sim, 1));
    ASSERT_PBF(pbf_sim_lead(sim, 0, there, half, 1.0));
    ASSERT_PBF(pbf_sim_advance(sim, 0.5, NULL, NULL));
    ASSERT_PBF(pbf_sim_body(sim, 0, &body));
    assert_true(fabs(body.position[0] - 1.85) < 1e-5 && fabs(body.position[2] - 3.25) < 1e-5);
    for (int k = 0; k < 3; k++) { // the ball's, without the way of the last step
        assert_true(fabs(body.lo[k] + 0.2 - body.position[k]) < 1e-5);
        assert_true(fabs(body.hi[k] - 0.2 - body.position[k]) < 1e-5);
    }
    assert_true(fabs(body.rotation[0] - cos(atan(1) / 2)) < 1e-6); // an eighth
    ASSERT_PBF(pbf_sim_advance(sim, 2.5, NULL, NULL));
    ASSERT_PBF(pbf_sim_body(sim, 0, &body));
    for (int k = 0; k < 3; k++) assert_true(fabs(body.position[k] - there[k]) < 1e-6);
    assert_true(fabs(body.rotation[0] - sqrt(0.5)) < 1e-6 && fabs(body.rotation[3] - sqrt(0.5)) < 1e-6);
    assert_string_equal(body.name, "ball");
    // At rest under water: buoyancy, within what 40 particles' worth of a ball tell.
    ASSERT_PBF(pbf_sim_advance(sim, 3.0, NULL, NULL));
    ASSERT_PBF(pbf_sim_body(sim, 0, &body));
    double buoyancy = 998 * 9.81 * 4.18879 * 0.008;
    assert_true(body.force[2] > 0.5 * buoyancy && body.force[2] < 1.5 * buoyancy);
    ASSERT_PBF(pbf_sim_body(sim, PBF_TANK, &body));
    assert_true(body.force[2] < -3000); // the water's weight is 5 kN
    pbf_sim_destroy(sim);
}

// --- stored states ---

static void a_stored_state_goes_on_bit_for_bit(void **state)
{
    (void)state;
    pbf_sim *sim = library_sim(NULL, NULL, 0), *other = library_sim(NULL, NULL, 0);
    const double there[3] = {1.5, 2.4, 3.4};
    void *data;
    size_t bytes;
    ASSERT_PBF(pbf_sim_lead(sim, 0, there, NULL, 0.2));
    ASSERT_PBF(pbf_sim_advance(sim, 0.1, NULL, NULL));
    ASSERT_PBF(pbf_sim_save(sim, &data, &bytes));
    ASSERT_PBF(pbf_sim_restore(other, data, bytes));
    ASSERT_PBF(pbf_sim_advance(sim, 0.25, NULL, NULL));
    ASSERT_PBF(pbf_sim_advance(other, 0.25, NULL, NULL));
    assert_true(pbf_sim_hash(sim) == pbf_sim_hash(other));
    const char *path = test_write_file("state.pbf", data, bytes); // the scene is in it, too
    pbf_scene *scene;
    pbf_sim *loaded;
    ASSERT_PBF(pbf_scene_load(NULL, path, NULL, 0, &scene));
    ASSERT_PBF(pbf_sim_create(scene, &loaded));
    ASSERT_PBF(pbf_sim_load(loaded, path));
    ASSERT_PBF(pbf_sim_advance(loaded, 0.25, NULL, NULL));
    assert_true(pbf_sim_hash(sim) == pbf_sim_hash(loaded));
    pbf_sim_destroy(loaded);
    pbf_scene_destroy(scene);
    ((char *)data)[bytes / 2] ^= 1;
    ASSERT_REFUSED(pbf_sim_restore(other, data, bytes), PBF_USAGE);
    ASSERT_REFUSED(pbf_sim_restore(other, data, 10), PBF_USAGE);
    assert_true(pbf_sim_hash(sim) == pbf_sim_hash(other));
    pbf_free(data);
    pbf_sim_destroy(sim);
    pbf_sim_destroy(other);
}

// --- surfaces and searches ---

// Random points in a cube of 1 m, as floats one after the other and as doubles far apart.
typedef struct Sample {
    float packed[600][3];
    struct Wide {
        char other[20];
        double z, y, x;
    } wide[600];
} Sample;

static Sample *sample(void)
{
    Sample *out = test_calloc(1, sizeof *out);
    uint64_t seed = 1;
    for (int i = 0; i < 600; i++) {
        for (int k = 0; k < 3; k++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            out->packed[i][k] = (float)(seed >> 40) / (float)(1 << 24);
        }
        out->wide[i].x = (double)out->packed[i][0];
        out->wide[i].y = (double)out->packed[i][1];
        out->wide[i].z = (double)out->packed[i][2];
    }
    return out;
}

static pbf_points wide_points(const Sample *from)
{
    return (pbf_points){&from->wide[0].x, &from->wide[0].y, &from->wide[0].z, sizeof from->wide[0], 600,
                        PBF_DOUBLE};
}

static void neighbors_of_any_array_are_those_of_brute_force(void **state)
{
    (void)state;
    Sample *from = sample();
    pbf_points packed = pbf_points_of(&from->packed[0][0], 600), wide = wide_points(from);
    const float radius = 0.15f;
    for (uint32_t m = 0; m < 2; m++) {
        pbf_search *search;
        pbf_rows rows;
        ASSERT_PBF(pbf_search_create(NULL, m ? "kd_tree" : NULL, (double)radius, &search));
        ASSERT_PBF(pbf_search_run(search, m ? &packed : &wide, &rows));
        assert_int_equal(rows.rows, 600);
        for (uint32_t i = 0; i < 600; i++) {
            uint32_t found = 0;
            for (uint32_t j = 0; j < 600; j++) {
                float d[3];
                for (int k = 0; k < 3; k++) d[k] = from->packed[i][k] - from->packed[j][k];
                if (i == j || d[0] * d[0] + d[1] * d[1] + d[2] * d[2] > radius * radius) continue;
                bool listed = false;
                for (uint32_t n = 0; n < rows.length[i]; n++) listed |= rows.index[rows.begin[i] + n] == j;
                assert_true(listed);
                found++;
            }
            assert_int_equal(found, rows.length[i]);
        }
        pbf_search_destroy(search);
    }
    test_free(from);
}

static void a_radius_out_of_range_is_named_as_it_was_given(void **state)
{
    (void)state;
    static const struct {
        double radius;
        const char *named;
    } cases[] = {{-1, "a radius of -1 m"},
                 {1e30, "a radius of 1e+30 m"},
                 {1e308, "a radius of 1e+308 m"},
                 {INFINITY, "a radius of inf m"},
                 {0.99e-18, "a radius of 9.9e-19 m is out of range (1e-18 to 1e+18 m)"},
                 {1.01e18, "a radius of 1.01e+18 m"}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        pbf_search *search;
        pbf_result result = pbf_search_create(NULL, NULL, cases[k].radius, &search);
        assert_int_equal(result.code, PBF_USAGE);
        if (!strstr(result.text, cases[k].named)) fail_msg("%s", result.text);
    }
    static const double limits[] = {1e-18, 1e18};
    for (size_t k = 0; k < 2; k++) {
        pbf_search *search;
        ASSERT_PBF(pbf_search_create(NULL, NULL, limits[k], &search));
        pbf_search_destroy(search);
    }
}

static void the_surface_of_any_array_encloses_its_volume(void **state)
{
    (void)state;
    float grid[1000][3], wide[1000][7];
    for (int i = 0; i < 1000; i++) {
        for (int k = 0; k < 3; k++) {
            int place = k == 0 ? i % 10 : k == 1 ? i / 10 % 10 : i / 100;
            grid[i][k] = wide[i][2 * k + 1] = 0.1f * (float)place;
        }
    }
    pbf_points packed = pbf_points_of(&grid[0][0], 1000);
    pbf_points apart = {&wide[0][1], &wide[0][3], &wide[0][5], sizeof wide[0], 1000, PBF_FLOAT};
    const pbf_setting cell[] = {{"surface.cell", "0.5"}}, none[] = {{"solver.cfl", "0.3"}};
    pbf_mesh *mesh[2];
    pbf_mesh_data data[2];
    ASSERT_PBF(pbf_surface(NULL, &packed, NULL, 0.1, cell, 1, &mesh[0]));
    ASSERT_PBF(pbf_surface(NULL, &apart, &apart, 0, cell, 1, &mesh[1])); // the spacing is estimated
    for (int m = 0; m < 2; m++) {
        ASSERT_PBF(pbf_mesh_get(mesh[m], &data[m]));
        assert_true(fabs(data[m].volume - 1) < 0.05); // 1000 particles of a liter
        pbf_mesh_destroy(mesh[m]);
    }
    assert_true(data[0].velocities == NULL && data[1].velocities != NULL);
    ASSERT_REFUSED(pbf_surface(NULL, &packed, NULL, 0.1, none, 1, &mesh[0]), PBF_USAGE);
    grid[7][1] = NAN;
    ASSERT_REFUSED(pbf_surface(NULL, &packed, NULL, 0.1, NULL, 0, &mesh[0]), PBF_USAGE);
    assert_null(mesh[0]);
}

static void water_ends_at_the_walls_as_in_the_programs_meshes(void **state)
{
    (void)state;
    pbf_sim *sim = library_sim(NULL, NULL, 0);
    pbf_mesh *mesh;
    pbf_mesh_data data;
    ASSERT_PBF(pbf_sim_advance(sim, 0.3, NULL, NULL));
    ASSERT_PBF(pbf_sim_surface(sim, &mesh));
    ASSERT_PBF(pbf_mesh_get(mesh, &data));
    assert_true(data.spacing == (double)0.1f && data.cell > 0 && data.pieces > 0);
    float lowest = INFINITY;
    for (uint32_t k = 0; k < data.vertex_count; k++) lowest = fminf(lowest, data.vertices[3 * k + 2]);
    assert_true(lowest == 3); // the tank's floor
    pbf_mesh_destroy(mesh);
    pbf_sim_destroy(sim);
}

static void the_spacing_of_points_is_estimated(void **state)
{
    (void)state;
    float grid[1000][3];
    double spacing;
    int certain;
    for (int i = 0; i < 1000; i++)
        grid[i][0] = 0.1f * (float)(i % 10), grid[i][1] = 0.1f * (float)(i / 10 % 10),
        grid[i][2] = 0.1f * (float)(i / 100);
    pbf_points points = pbf_points_of(&grid[0][0], 1000);
    ASSERT_PBF(pbf_spacing(NULL, &points, &spacing, &certain));
    assert_true(fabs(spacing - 0.1) < 0.002 && certain == 1);
    points.count = 4;
    ASSERT_PBF(pbf_spacing(NULL, &points, &spacing, &certain));
    assert_true(spacing > 0.05 && spacing < 0.2 && certain == 0);
}

// --- files ---

static void what_is_written_is_read_back(void **state)
{
    (void)state;
    pbf_sim *sim = library_sim(NULL, NULL, 0);
    const char *path = test_path(folder, "particles.vtp"), *mesh_path = test_path(folder, "mesh.obj");
    static float at[512][3], speed[512][3];
    pbf_cloud *cloud;
    pbf_cloud_data data;
    pbf_info info;
    ASSERT_PBF(pbf_sim_advance(sim, 0.1, NULL, NULL));
    ASSERT_PBF(pbf_sim_info(sim, &info));
    ASSERT_PBF(pbf_sim_read(sim, "position", at, sizeof at, 0));
    ASSERT_PBF(pbf_sim_read(sim, "velocity", speed, sizeof speed, 0));
    ASSERT_PBF(pbf_sim_write(sim, "vtp", path, "z"));
    ASSERT_PBF(pbf_cloud_load(NULL, path, &cloud));
    ASSERT_PBF(pbf_cloud_get(cloud, &data));
    assert_true(data.positions.count == 512 && data.velocities.count == 512 && data.faces == 0);
    assert_true(fabs(data.time - info.time) < 1e-6 && fabs(data.spacing - 0.1) < 1e-6);
    assert_string_equal(data.velocity_name, "velocity");
    for (int i = 0; i < 512; i++) {
        assert_true(((const float *)data.positions.z)[i] == at[i][2]);
        assert_true(((const float *)data.velocities.x)[i] == speed[i][0]);
    }
    pbf_mesh *mesh;
    ASSERT_PBF(pbf_surface(NULL, &data.positions, &data.velocities, data.spacing, NULL, 0, &mesh));
    ASSERT_PBF(pbf_mesh_write(mesh, mesh_path, NULL, NAN));
    pbf_cloud_destroy(cloud);
    ASSERT_PBF(pbf_cloud_load(NULL, test_path(folder, "particles.vtp"), &cloud)); // again
    pbf_cloud_destroy(cloud);
    pbf_mesh_data made;
    ASSERT_PBF(pbf_mesh_get(mesh, &made));
    char line[100];
    uint32_t vertices = 0, faces = 0;
    FILE *file = fopen(mesh_path, "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file))
        vertices += line[0] == 'v' && line[1] == ' ', faces += line[0] == 'f';
    fclose(file);
    assert_true(vertices == made.vertex_count && faces == made.triangle_count && faces > 100);
    pbf_mesh_destroy(mesh);
    for (uint32_t k = 0; pbf_format(k); k++) {
        if (strncmp(pbf_format(k), "diffuse", 7) == 0 || strncmp(pbf_format(k), "strands", 7) == 0)
            continue; // there is none
        ASSERT_PBF(pbf_sim_write(sim, pbf_format(k), test_path(folder, pbf_format(k)), "y"));
    }
    pbf_sim_destroy(sim);
}

// --- processes ---

static void a_forked_process_goes_on_alone(void **state)
{
    (void)state;
    pbf_context_def def = {.size = sizeof def, .threads = 2};
    pbf_context *context;
    ASSERT_PBF(pbf_context_create(&def, &context));
    pbf_sim *sim = library_sim(context, NULL, 0);
    ASSERT_PBF(pbf_sim_advance(sim, 0.05, NULL, NULL));
    pid_t child = fork();
    if (child == 0) {
        alarm(60);
        _exit(pbf_sim_advance(sim, 0.1, NULL, NULL).code == PBF_OK ? (int)(pbf_sim_hash(sim) & 127) : 128);
    }
    ASSERT_PBF(pbf_sim_advance(sim, 0.1, NULL, NULL));
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), (int)(pbf_sim_hash(sim) & 127));
    pbf_sim_destroy(sim);
    pbf_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_scene_has_its_golden_state),
        cmocka_unit_test(keys_are_set_together_or_not_at_all),
        cmocka_unit_test(every_key_of_the_table_is_one_that_scenes_take),
        cmocka_unit_test(files_of_a_scene_may_lie_in_memory),
        cmocka_unit_test(a_callback_sees_every_step_and_may_stop),
        cmocka_unit_test(settings_change_under_way),
        cmocka_unit_test(fields_are_the_fluids_own_memory),
        cmocka_unit_test(whitewater_and_strands_have_fields_of_their_own),
        cmocka_unit_test(spins_stay_with_their_particles),
        cmocka_unit_test(particles_that_come_have_spins_too),
        cmocka_unit_test(particles_come_change_and_go_by_their_ids),
        cmocka_unit_test(all_velocities_change_in_the_order_of_fields),
        cmocka_unit_test(a_body_is_led_to_its_pose_and_feels_the_water),
        cmocka_unit_test_setup_teardown(a_stored_state_goes_on_bit_for_bit, make_folder, remove_folder),
        cmocka_unit_test(neighbors_of_any_array_are_those_of_brute_force),
        cmocka_unit_test(a_radius_out_of_range_is_named_as_it_was_given),
        cmocka_unit_test(the_surface_of_any_array_encloses_its_volume),
        cmocka_unit_test(water_ends_at_the_walls_as_in_the_programs_meshes),
        cmocka_unit_test(the_spacing_of_points_is_estimated),
        cmocka_unit_test_setup_teardown(what_is_written_is_read_back, make_folder, remove_folder),
        cmocka_unit_test(a_forked_process_goes_on_alone),
    };
    return cmocka_run_group_tests_name("library", tests, NULL, NULL);
}
