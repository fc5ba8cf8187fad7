// Pictures of water against optics and geometry that are known: chords of balls and boxes, what deep water
// swallows, what grazing light mirrors; and that a picture depends on what is drawn alone.
#include "case_helpers.h"
#include "core/memory.h"
#include "obstacle/obstacle.h"
#include "render/gl_program.h"
#include "render/mesh_draw.h"
#include "render/screen_water.h"
#include "render/water_layers.h"
#include "render_helpers.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SIDE = 96 }; // px, of the pictures and buffers here

// --- meshes ---

static void add_ball(SurfaceMesh *mesh, Vec3 center, float radius)
{
    enum { AROUND = 128, UP = 64 };
    uint32_t first = mesh->vertex_count;
    for (int j = 0; j <= UP; j++) {
        for (int i = 0; i < AROUND; i++) {
            float lift = 3.14159265f * (float)j / UP, turn = 6.28318531f * (float)i / AROUND;
            Vec3 n = {sinf(lift) * cosf(turn), sinf(lift) * sinf(turn), -cosf(lift)};
            mesh->normal[mesh->vertex_count] = n;
            mesh->vertex[mesh->vertex_count++] = vec3_add(center, vec3_scale(n, radius));
        }
    }
    for (uint32_t j = 0; j < UP; j++) {
        for (uint32_t i = 0; i < AROUND; i++) {
            uint32_t a = first + j * AROUND + i, b = first + j * AROUND + (i + 1) % AROUND;
            uint32_t two[2][3] = {{a, b, b + AROUND}, {a, b + AROUND, a + AROUND}};
            memcpy(mesh->triangle[mesh->triangle_count], two, sizeof two);
            mesh->triangle_count += 2;
        }
    }
}

static SurfaceMesh ball_mesh(int balls, const Vec3 *centers, float radius)
{
    SurfaceMesh mesh = test_mesh_with((uint32_t)balls * 128 * 65, (uint32_t)balls * 128 * 64 * 2);
    for (int k = 0; k < balls; k++) add_ball(&mesh, centers[k], radius);
    return mesh;
}

// --- thickness ---

static View view_from(Vec3 eye, Vec3 target)
{
    CameraDef camera = {.automatic = false, .eye = eye, .target = target, .fov = 40};
    Box3 around = {vec3_make(-3, -3, -3), vec3_make(3, 3, 3)};
    return view_of_camera(&camera, vec3_make(0, 0, 0), around, 1);
}

static Vec3 pixel_ray(const View *view, uint32_t x, uint32_t y)
{
    float sx = (((float)x + 0.5f) / SIDE * 2 - 1) * view->tan_x;
    float sy = (((float)y + 0.5f) / SIDE * 2 - 1) * view->tan_y;
    return vec3_add(view->forward, vec3_add(vec3_scale(view->right, sx), vec3_scale(view->up, sy)));
}

// How far the ray from the eye runs through a ball, in lengths of the ray.
static float ball_chord(const View *view, Vec3 ray, Vec3 center, float radius)
{
    Vec3 to = vec3_sub(center, view->eye);
    float square = vec3_dot(ray, ray), middle = vec3_dot(ray, to) / square;
    float inside = (radius * radius - vec3_dot(to, to)) / square + middle * middle;
    return inside > 0 ? 2 * sqrtf(inside) : 0;
}

static float box_chord(const View *view, Vec3 ray, Vec3 lo, Vec3 hi)
{
    const float e[3] = {view->eye.x, view->eye.y, view->eye.z}, r[3] = {ray.x, ray.y, ray.z};
    const float a[3] = {lo.x, lo.y, lo.z}, b[3] = {hi.x, hi.y, hi.z};
    float first = -INFINITY, last = INFINITY;
    for (int k = 0; k < 3; k++) {
        float s = (a[k] - e[k]) / r[k], t = (b[k] - e[k]) / r[k];
        first = fmaxf(first, fminf(s, t));
        last = fminf(last, fmaxf(s, t));
    }
    return fmaxf(last - first, 0);
}

// Draws the mesh's thickness, SIDE x SIDE floats, lowest row first (free with memory_free).
static float *draw_thickness(const SurfaceMesh *mesh, const View *view, GLuint solids)
{
    assert_non_null(render_test_context());
    WaterLayers layers;
    WaterPrograms programs;
    MeshDrawer *drawer;
    gl_begin();
    ASSERT_OK(water_layers_create(&layers, SIDE, SIDE, WATER_BACK | WATER_THICKNESS));
    ASSERT_OK(water_programs_create(&programs));
    ASSERT_OK(mesh_drawer_create(&drawer));
    ASSERT_OK(mesh_drawer_load(drawer, mesh, 0));
    water_layers_draw_mesh(&layers, &programs, drawer, view, solids);
    float *thickness = memory_allocate(SIDE * SIDE * sizeof *thickness);
    glBindFramebuffer(GL_FRAMEBUFFER, layers.thickness.name);
    glReadPixels(0, 0, SIDE, SIDE, GL_RED, GL_FLOAT, thickness);
    mesh_drawer_destroy(drawer);
    water_programs_destroy(&programs);
    water_layers_destroy(&layers);
    ASSERT_OK(gl_check("the test"));
    gl_end();
    return thickness;
}

static void the_thickness_of_balls_is_the_sum_of_their_chords(void **state)
{
    (void)state;
    const Vec3 centers[3] = {{-0.3f, 0, 0.1f}, {0.4f, 1.9f, -0.2f}, {0.2f, -2, 0.5f}};
    SurfaceMesh mesh = ball_mesh(3, centers, 0.8f);
    View view = view_from(vec3_make(0.5f, -7, 0.6f), vec3_make(0, 0, 0));
    float *thickness = draw_thickness(&mesh, &view, 0);
    int seen = 0;
    for (uint32_t p = 0; p < SIDE * SIDE; p++) {
        Vec3 ray = pixel_ray(&view, p % SIDE, p / SIDE);
        float truth = 0;
        bool rim = false;
        for (int k = 0; k < 3; k++) {
            float chord = ball_chord(&view, ray, centers[k], 0.8f);
            // Where the ray all but touches a ball its facets show.
            rim |= (chord > 0) != (ball_chord(&view, ray, centers[k], 0.78f) > 0);
            truth += chord;
        }
        if (rim) continue;
        assert_float_equal(thickness[p], truth, 0.012);
        seen += truth > 0;
    }
    assert_true(seen > SIDE * SIDE / 8);
    memory_free(thickness);
    surface_mesh_free(&mesh);
}

static void the_thickness_of_a_box_is_its_chord(void **state)
{
    (void)state;
    Vec3 lo = {-1, -1.5f, -0.5f}, hi = {1.2f, 1, 0.7f};
    SurfaceMesh mesh = test_box_mesh(lo, hi);
    View view = view_from(vec3_make(3, -5, 4), vec3_make(0, 0, 0));
    float *thickness = draw_thickness(&mesh, &view, 0);
    int off = 0, seen = 0;
    for (uint32_t p = 0; p < SIDE * SIDE; p++) {
        float truth = box_chord(&view, pixel_ray(&view, p % SIDE, p / SIDE), lo, hi);
        off += fabsf(thickness[p] - truth) > 1e-4f;
        seen += truth > 0;
    }
    assert_true(seen > SIDE * SIDE / 8);
    // A ray along an edge may pass on either side of it.
    assert_true(off <= 4);
    memory_free(thickness);
    surface_mesh_free(&mesh);
}

static void only_water_in_front_of_solids_counts(void **state)
{
    (void)state;
    assert_non_null(render_test_context());
    View view = view_from(vec3_make(0, -5, 0), vec3_make(0, 0, 0));
    SurfaceMesh mesh = test_box_mesh(vec3_make(-4, -1, -4), vec3_make(4, 2, 4));
    // A wall across the view 4.5 m ahead: half a metre of water stands before it.
    float depth = 0.5f - 0.5f * (view.projection[10] - view.projection[14] / 4.5f);
    float depths[SIDE * SIDE];
    for (int k = 0; k < SIDE * SIDE; k++) depths[k] = depth;
    GLuint wall =
        texture_create(GL_DEPTH_COMPONENT32F, SIDE, SIDE, GL_DEPTH_COMPONENT, GL_FLOAT, depths, GL_NEAREST);
    float *thickness = draw_thickness(&mesh, &view, wall);
    for (int k = 0; k < SIDE * SIDE; k++) assert_float_equal(thickness[k], 0.5, 1e-3);
    glDeleteTextures(1, &wall);
    memory_free(thickness);
    surface_mesh_free(&mesh);
}

// --- water from particles ---

// A ball of particles on a lattice, its middle at the origin.
static TestFrame ball_of_particles(float radius, float spacing)
{
    int reach = (int)(radius / spacing) + 1;
    uint32_t room = (uint32_t)((2 * reach + 1) * (2 * reach + 1) * (2 * reach + 1)), count = 0;
    TestFrame frame = test_frame_make(room, spacing);
    for (int k = -reach; k <= reach; k++) {
        for (int j = -reach; j <= reach; j++) {
            for (int i = -reach; i <= reach; i++) {
                Vec3 p = vec3_scale(vec3_make((float)i, (float)j, (float)k), spacing);
                if (vec3_dot(p, p) > radius * radius) continue;
                frame.x[count] = p.x;
                frame.y[count] = p.y;
                frame.z[count++] = p.z;
            }
        }
    }
    frame.view.count = count;
    return frame;
}

static void a_ball_of_particles_has_the_depth_and_thickness_of_a_ball(void **state)
{
    (void)state;
    assert_non_null(render_test_context());
    const float radius = 1, spacing = 0.08f, far = 5;
    TestFrame frame = ball_of_particles(radius, spacing);
    View view = view_from(vec3_make(0, -far, 0), vec3_make(0, 0, 0));
    const float *values;
    ParticleDrawer *drawer;
    ScreenWater *water;
    WaterLayers layers;
    gl_begin();
    ASSERT_OK(particle_drawer_create(true, &drawer));
    ASSERT_OK(particle_drawer_load(drawer, &frame.view, FIELD_SPEED, PARTICLE_SCREEN_RADIUS, &values));
    ASSERT_OK(screen_water_create(&water));
    ASSERT_OK(water_layers_create(&layers, SIDE, SIDE, WATER_THICKNESS));
    GLuint nothing =
        texture_create(GL_DEPTH_COMPONENT32F, SIDE, SIDE, GL_DEPTH_COMPONENT, GL_FLOAT, NULL, GL_NEAREST);
    float depth[SIDE * SIDE], thickness[SIDE * SIDE], normal[SIDE * SIDE * 4];
    for (int k = 0; k < SIDE * SIDE; k++) depth[k] = 1;
    glBindTexture(GL_TEXTURE_2D, nothing);
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, SIDE, SIDE, GL_DEPTH_COMPONENT, GL_FLOAT, depth);
    Box3 room = {vec3_make(-1e6f, -1e6f, -1e6f), vec3_make(1e6f, 1e6f, 1e6f)};
    ASSERT_OK(screen_water_draw(water, &layers, drawer, &view, room, nothing));
    glBindFramebuffer(GL_FRAMEBUFFER, layers.thickness.name);
    glReadPixels(0, 0, SIDE, SIDE, GL_RED, GL_FLOAT, thickness);
    glBindFramebuffer(GL_FRAMEBUFFER, layers.front.name);
    glReadPixels(0, 0, SIDE, SIDE, GL_DEPTH_COMPONENT, GL_FLOAT, depth);
    glReadPixels(0, 0, SIDE, SIDE, GL_RGBA, GL_FLOAT, normal);

    double error = 0, offset = 0, tilt = 0;
    int inner = 0;
    for (uint32_t p = 0; p < SIDE * SIDE; p++) {
        Vec3 ray = pixel_ray(&view, p % SIDE, p / SIDE);
        float chord = ball_chord(&view, ray, vec3_make(0, 0, 0), radius);
        if (ball_chord(&view, ray, vec3_make(0, 0, 0), radius + spacing) == 0) assert_true(depth[p] == 1);
        if (ball_chord(&view, ray, vec3_make(0, 0, 0), 0.7f * radius) == 0) continue;
        float ahead = view.projection[14] / (2 * depth[p] - 1 + view.projection[10]);
        float middle = far / vec3_dot(ray, ray); // where the ray passes the ball's middle
        Vec3 truth = vec3_scale(vec3_add(view.eye, vec3_scale(ray, middle - chord / 2)), 1 / radius);
        Vec3 n = {normal[4 * p] * 2 - 1, normal[4 * p + 1] * 2 - 1, normal[4 * p + 2] * 2 - 1};
        error += fabs(thickness[p] / chord - 1.0);
        offset += ahead - (middle - chord / 2);
        tilt += acos(fmin(vec3_dot(n, truth) / vec3_length(n), 1.0)) * 57.3;
        inner++;
    }
    print_message("thickness %.1f %% off, depth %.2f spacings, normals %.1f degrees\n", 100 * error / inner,
                  offset / inner / spacing, tilt / inner);
    assert_true(inner > 500);
    assert_true(error / inner < 0.08);
    assert_true(fabs(offset / inner) < 0.75 * spacing);
    assert_true(tilt / inner < 12);
    glDeleteTextures(1, &nothing);
    water_layers_destroy(&layers);
    screen_water_destroy(water);
    particle_drawer_destroy(drawer);
    gl_end();
    test_frame_free(&frame);
}

// Colours and depths of particles from a point of view, as bytes.
static uint8_t *drawn_particles(bool selective, const FrameView *frame, const View *view)
{
    const float *values;
    const size_t pixels = (size_t)SIDE * SIDE;
    ParticleDrawer *drawer;
    Framebuffer buffer;
    uint8_t map[256 * 3], *out = memory_allocate(pixels * 8);
    assert_non_null(out);
    for (int k = 0; k < 256 * 3; k++) map[k] = (uint8_t)(k / 3);
    gl_begin();
    GLuint colors = texture_create(GL_RGB8, 256, 1, GL_RGB, GL_UNSIGNED_BYTE, map, GL_LINEAR);
    ASSERT_OK(framebuffer_create(&buffer, SIDE, SIDE, GL_RGBA8, GL_RGB10_A2, true));
    ASSERT_OK(particle_drawer_create(selective, &drawer));
    ASSERT_OK(particle_drawer_load(drawer, frame, FIELD_SPEED, PARTICLE_DRAWN_RADIUS, &values));
    framebuffer_bind(&buffer);
    for (int k = 0; k < 2; k++) { // a second view of the same particles
        glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
        ASSERT_OK(particle_drawer_draw(drawer, view, SIDE, SIDE, colors, 0, 1));
    }
    glReadPixels(0, 0, SIDE, SIDE, GL_RGBA, GL_UNSIGNED_BYTE, out);
    glReadPixels(0, 0, SIDE, SIDE, GL_DEPTH_COMPONENT, GL_FLOAT, out + 4 * pixels);
    particle_drawer_destroy(drawer);
    framebuffer_destroy(&buffer);
    glDeleteTextures(1, &colors);
    gl_end();
    return out;
}

static void leaving_out_hidden_particles_does_not_change_the_picture(void **state)
{
    (void)state;
    assert_non_null(render_test_context());
    TestFrame frame = ball_of_particles(1, 0.08f);
    for (uint32_t k = 0; k < frame.view.count; k++) frame.speed[k] = (float)(k % 97) / 97;
    // From outside, with most of them beside the picture, among them, and with all of them behind.
    const Vec3 eyes[] = {{0, -5, 0}, {0.9f, -1.4f, 0.3f}, {0.2f, 0.1f, 0}, {0, -5, 0}};
    const Vec3 targets[] = {{0, 0, 0}, {1.2f, 0, 0.8f}, {1, 0.3f, 0}, {0, -9, 0}};
    for (int k = 0; k < 4; k++) {
        View view = view_from(eyes[k], targets[k]);
        uint8_t *some = drawn_particles(true, &frame.view, &view),
                *all = drawn_particles(false, &frame.view, &view);
        assert_memory_equal(some, all, (size_t)SIDE * SIDE * 8);
        bool empty = true;
        for (int p = 0; p < SIDE * SIDE; p++)
            empty &= ((const float *)(const void *)(all + 4 * SIDE * SIDE))[p] == 1;
        assert_int_equal(empty, k == 3);
        memory_free(some);
        memory_free(all);
    }
    test_frame_free(&frame);
}

// --- pictures ---

typedef struct Pool {
    TestFrame frame;
    SurfaceMesh mesh;
    Obstacles *obstacles;
    RenderDef def;
} Pool;

static const Vec3 TANK = {8, 8, 6};

// A tank with water up to `depth`, looked at from above and in front.
static Pool pool_in(Vec3 size, float depth)
{
    Pool pool = {.frame = test_frame_make(1, 0.1f)};
    pool.frame.view.count = 0;
    TankDef tank = {.present = true, .size = size};
    ASSERT_OK(obstacles_create(tank, 0, NULL, 0, &pool.obstacles));
    pool.frame.view.obstacles = pool.obstacles;
    if (depth > 0)
        pool.mesh =
            test_box_mesh(vec3_make(0.02f, 0.02f, 0), vec3_make(size.x - 0.02f, size.y - 0.02f, depth));
    pool.def = test_def(SIDE, SIDE, vec3_make(4, -5, 14), vec3_make(4, 4, depth), 12);
    pool.def.style = STYLE_SURFACE;
    return pool;
}

static Pool pool_make(float depth)
{
    return pool_in(TANK, depth);
}

static void pool_free(Pool *pool)
{
    obstacles_destroy(pool->obstacles);
    surface_mesh_free(&pool->mesh);
    test_frame_free(&pool->frame);
}

static Renderer *renderer_for(const RenderDef *def)
{
    Renderer *renderer;
    assert_non_null(render_test_context());
    ASSERT_OK(renderer_create(def, &renderer));
    return renderer;
}

static void draw_with(Renderer *renderer, const Pool *pool, uint8_t *rgb)
{
    ASSERT_OK(renderer_set(renderer, &pool->def));
    ASSERT_OK(renderer_draw(renderer, &pool->frame.view, &pool->mesh));
    ASSERT_OK(renderer_read(renderer, rgb));
}

// Mean of a channel (0 to 255).
static double mean(const uint8_t *rgb, int channel)
{
    double sum = 0;
    for (int k = 0; k < SIDE * SIDE; k++) sum += rgb[3 * k + channel];
    return sum / (SIDE * SIDE);
}

static void deeper_water_swallows_more_and_red_first(void **state)
{
    (void)state;
    static const float depths[4] = {0, 0.5f, 2, 5};
    double red[4], green[4], blue[4];
    Renderer *renderer = NULL;
    for (int k = 0; k < 4; k++) {
        uint8_t rgb[SIDE * SIDE * 3];
        Pool pool = pool_make(depths[k]);
        if (!renderer) renderer = renderer_for(&pool.def);
        draw_with(renderer, &pool, rgb);
        red[k] = mean(rgb, 0), green[k] = mean(rgb, 1), blue[k] = mean(rgb, 2);
        pool_free(&pool);
    }
    for (int k = 1; k < 4; k++) {
        assert_true(red[k] < red[k - 1] - 5);
        assert_true(red[k] / green[k] < red[k - 1] / green[k - 1]);
        assert_true(green[k] / blue[k] < green[k - 1] / blue[k - 1]);
    }
    renderer_destroy(renderer);
}

// An eye in the water of a pool: what tells so is a particle near it.
static void put_eye_into(Pool *pool, Vec3 eye, Vec3 target, float fov)
{
    pool->frame.view.count = 1;
    pool->frame.x[0] = eye.x, pool->frame.y[0] = eye.y, pool->frame.z[0] = eye.z;
    pool->def.camera.eye = eye;
    pool->def.camera.target = target;
    pool->def.camera.fov = fov;
}

static void an_eye_in_water_sees_the_sky_in_a_window_that_ends_at_the_critical_angle(void **state)
{
    (void)state;
    const float fov = 120, truth = tanf(asinf(1 / 1.333f)) / tanf(fov / 2 * 0.0174533f) * SIDE / 2;
    uint8_t rgb[SIDE * SIDE * 3];
    Pool pool = pool_in(vec3_make(20, 20, 6), 5); // so wide that no rim of the tank lies across the window
    put_eye_into(&pool, vec3_make(10, 10, 2.5f), vec3_make(10, 10, 5), fov);
    Renderer *renderer = renderer_for(&pool.def);
    draw_with(renderer, &pool, rgb);
    for (int k = 0; k < 8; k++) {
        static const int ways[8][2] = {{1, 0}, {1, 1}, {0, 1}, {-1, 1}, {-1, 0}, {-1, -1}, {0, -1}, {1, -1}};
        float rim = test_window_rim(rgb, SIDE, 1, ways[k][0], ways[k][1]);
        assert_true(fabs((double)rim - (double)truth) < 1.5);
    }
    renderer_destroy(renderer);
    pool_free(&pool);
}

static void the_further_an_eye_in_water_is_from_the_floor_the_less_red_it_sees(void **state)
{
    (void)state;
    static const float heights[3] = {0.5f, 2, 4};
    double share = 1e9;
    Renderer *renderer = NULL;
    for (int k = 0; k < 3; k++) {
        uint8_t rgb[SIDE * SIDE * 3];
        Pool pool = pool_make(5);
        put_eye_into(&pool, vec3_make(4, 4, heights[k]), vec3_make(4, 4, 0), 20);
        if (!renderer) renderer = renderer_for(&pool.def);
        draw_with(renderer, &pool, rgb);
        assert_true(mean(rgb, 0) / mean(rgb, 1) < 0.97 * share);
        share = mean(rgb, 0) / mean(rgb, 1);
        pool_free(&pool);
    }
    renderer_destroy(renderer);
}

// A bright ball on its own.
static uint8_t *draw_body(uint32_t side)
{
    Pool pool = {.frame = test_frame_make(1, 0.1f)};
    pool.frame.view.count = 0;
    ObstacleDef ball = {.shape = {.kind = SHAPE_SPHERE, .radius = 1}, .color = {0.9f, 0.9f, 0.9f}};
    ASSERT_OK(obstacles_create((TankDef){.present = false}, 0, &ball, 1, &pool.obstacles));
    pool.frame.view.obstacles = pool.obstacles;
    pool.def = test_def(side, side, vec3_make(0, -5, 2), vec3_make(0, 0, 0), 30);
    pool.def.style = STYLE_SCREEN_SPACE;
    uint8_t *rgb = memory_allocate(3ull * side * side);
    assert_non_null(rgb);
    Renderer *renderer = renderer_for(&pool.def);
    draw_with(renderer, &pool, rgb);
    renderer_destroy(renderer);
    pool_free(&pool);
    return rgb;
}

// Mean of a channel over a square of pixels.
static double mean_of_square(const uint8_t *rgb, uint32_t side, uint32_t x, uint32_t y, uint32_t size)
{
    double sum = 0;
    for (uint32_t k = 0; k < size * size; k++)
        sum += rgb[3 * ((y * size + k / size) * side + x * size + k % size) + 1];
    return sum / (size * size);
}

// Against a picture with 64 samples a pixel.
static void edges_have_no_stairs_where_a_pixel_has_one_sample(void **state)
{
    (void)state;
    enum { LARGE = 128, FINER = 8 };
    uint8_t *plain = draw_body(LARGE), *fine = draw_body(LARGE * FINER);
    double sum = 0;
    int edges = 0;
    for (uint32_t y = 1; y + 1 < LARGE; y++) {
        for (uint32_t x = 1; x + 1 < LARGE; x++) {
            double truth = mean_of_square(fine, LARGE * FINER, x, y, FINER);
            double beside = mean_of_square(fine, LARGE * FINER, x + 1, y, FINER);
            double below = mean_of_square(fine, LARGE * FINER, x, y + 1, FINER);
            if (fabs(truth - beside) + fabs(truth - below) < 30) continue;
            sum += fabs(mean_of_square(plain, LARGE, x, y, 1) - truth);
            edges++;
        }
    }
    print_message("edges: %d pixels, %.1f of 255 off\n", edges, sum / edges);
    assert_true(edges > 150);
    assert_true(sum / edges < 16);
    memory_free(plain);
    memory_free(fine);
}

static void water_mirrors_the_sky_at_grazing_angles(void **state)
{
    (void)state;
    Pool pool = pool_make(5);
    uint8_t steep[SIDE * SIDE * 3], grazing[SIDE * SIDE * 3];
    pool.def.hide_tank = true;
    Renderer *renderer = renderer_for(&pool.def);
    pool.def.camera.eye = vec3_make(4, -3, 16);
    pool.def.camera.fov = 6;
    draw_with(renderer, &pool, steep);
    pool.def.camera.eye = vec3_make(4, -20, 6.2f);
    pool.def.camera.fov = 1;
    draw_with(renderer, &pool, grazing);
    // Red is what deep water itself has none of.
    assert_true(mean(grazing, 0) > mean(steep, 0) + 30);
    renderer_destroy(renderer);
    pool_free(&pool);
}

static void without_water_the_scene_is_drawn_alone(void **state)
{
    (void)state;
    Pool pool = pool_make(2), dry = pool_make(0);
    uint8_t empty[SIDE * SIDE * 3], none[SIDE * SIDE * 3], wet[SIDE * SIDE * 3];
    Renderer *renderer = renderer_for(&pool.def);
    dry.def = pool.def;
    draw_with(renderer, &pool, wet);
    draw_with(renderer, &dry, empty);
    ASSERT_OK(renderer_draw(renderer, &dry.frame.view, NULL));
    ASSERT_OK(renderer_read(renderer, none));
    assert_memory_equal(empty, none, sizeof none);
    assert_true(memcmp(empty, wet, sizeof wet) != 0);
    renderer_destroy(renderer);
    pool_free(&pool);
    pool_free(&dry);
}

// What another user of the context may leave behind.
static void make_a_mess(void)
{
    glEnable(GL_BLEND);
    glBlendEquation(GL_FUNC_REVERSE_SUBTRACT);
    glEnable(GL_SCISSOR_TEST);
    glScissor(0, 0, 3, 3);
    glEnable(GL_CULL_FACE);
    glCullFace(GL_FRONT_AND_BACK);
    glFrontFace(GL_CW);
    glDepthMask(GL_FALSE);
    glDepthFunc(GL_NEVER);
    glColorMask(GL_FALSE, GL_TRUE, GL_FALSE, GL_TRUE);
    glPolygonMode(GL_FRONT_AND_BACK, GL_LINE);
    glPixelStorei(GL_PACK_ROW_LENGTH, 7);
    glClearColor(1, 0, 1, 1);
    glClearDepth(0);
}

static const Vec3 BALL = {4, 4, 1.5f};

// A pool with a ball of particles in it.
static Pool pool_with_ball(float depth, float spacing)
{
    Pool pool = pool_make(depth);
    test_frame_free(&pool.frame);
    pool.frame = ball_of_particles(0.9f, spacing);
    pool.frame.view.obstacles = pool.obstacles;
    for (uint32_t k = 0; k < pool.frame.view.count; k++) {
        pool.frame.x[k] += BALL.x;
        pool.frame.y[k] += BALL.y;
        pool.frame.z[k] += BALL.z;
    }
    return pool;
}

static void a_picture_depends_on_nothing_that_was_drawn_before(void **state)
{
    (void)state;
    for (RenderStyle style = 0; style < STYLE_LIVE_COUNT; style++) {
        uint8_t first[SIDE * SIDE * 3], again[SIDE * SIDE * 3], fresh[SIDE * SIDE * 3];
        Pool pool = pool_with_ball(2, 0.15f);
        pool.def.style = style;
        Renderer *renderer = renderer_for(&pool.def);
        draw_with(renderer, &pool, first);
        Pool other = pool;
        other.def.style = (RenderStyle)((style + 1) % STYLE_LIVE_COUNT);
        other.def.width = 50;
        other.def.height = 30;
        other.def.camera.eye.x += 3;
        ASSERT_OK(renderer_set(renderer, &other.def));
        ASSERT_OK(renderer_draw(renderer, &other.frame.view, &other.mesh));
        make_a_mess();
        draw_with(renderer, &pool, again);
        renderer_destroy(renderer);
        renderer = renderer_for(&pool.def);
        draw_with(renderer, &pool, fresh);
        renderer_destroy(renderer);
        assert_memory_equal(first, again, sizeof again);
        assert_memory_equal(first, fresh, sizeof fresh);
        pool_free(&pool);
    }
}

static void every_style_draws_its_own_picture_of_the_same_water(void **state)
{
    (void)state;
    static uint8_t rgb[STYLE_LIVE_COUNT][SIDE * SIDE * 3];
    Pool pool = pool_with_ball(0, 0.1f);
    pool.mesh = ball_mesh(1, &BALL, 0.9f);
    pool.def.camera.target = BALL;
    Renderer *renderer = renderer_for(&pool.def);
    for (RenderStyle style = 0; style < STYLE_LIVE_COUNT; style++) {
        assert_int_equal(render_style_needs_mesh(style), style == STYLE_SURFACE);
        pool.def.style = style;
        draw_with(renderer, &pool, rgb[style]);
        for (RenderStyle other = 0; other < style; other++) {
            int differ = 0;
            for (uint32_t p = 0; p < SIDE * SIDE; p++)
                differ += test_pixel_difference(rgb[style], rgb[other], SIDE, p % SIDE, p / SIDE) > 8;
            assert_true(differ > SIDE * SIDE / 50);
        }
    }
    renderer_destroy(renderer);
    pool_free(&pool);
}

// Light that a ball of water gathers: somewhere the floor is brighter than where nothing is, elsewhere it is
// darker.
static void water_throws_caustics_and_shadow_on_the_floor(void **state)
{
    (void)state;
    const Vec3 center = {4, 4, 1.8f};
    uint8_t dry[SIDE * SIDE * 3], wet[SIDE * SIDE * 3];
    Pool pool = pool_make(0);
    pool.def = test_def(SIDE, SIDE, vec3_make(5.1f, 2.95f, 30), vec3_make(5.1f, 3, 0), 12);
    pool.def.style = STYLE_SURFACE;
    Renderer *renderer = renderer_for(&pool.def);
    draw_with(renderer, &pool, dry);
    pool.mesh = ball_mesh(1, &center, 0.8f);
    draw_with(renderer, &pool, wet);
    int brighter = 0, darker = 0;
    for (uint32_t p = 0; p < SIDE * SIDE; p++) {
        int x = (int)(p % SIDE) - SIDE / 2 + 17, y = (int)(p / SIDE) - SIDE / 2 + 15;
        if (x * x + y * y < 16 * 16) continue; // the ball itself
        brighter += wet[3 * p + 1] > dry[3 * p + 1] + 15;
        darker += wet[3 * p + 1] + 15 < dry[3 * p + 1];
    }
    assert_true(brighter > 5);
    assert_true(darker > 50);
    renderer_destroy(renderer);
    pool_free(&pool);
}

static void a_program_knows_which_uniforms_its_shaders_declare(void **state)
{
    (void)state;
    GlProgram program;
    assert_non_null(render_test_context());
    gl_begin();
    ASSERT_OK(gl_program_create("solid.vert", "depth_only.frag", &program));
    assert_true(gl_program_declares(&program, U_model));
    assert_true(gl_program_declares(&program, U_view_projection));
    assert_false(gl_program_declares(&program, U_linear_color)); // solid.frag's
    gl_program_destroy(&program);
    gl_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_program_knows_which_uniforms_its_shaders_declare),
        cmocka_unit_test(the_thickness_of_balls_is_the_sum_of_their_chords),
        cmocka_unit_test(the_thickness_of_a_box_is_its_chord),
        cmocka_unit_test(only_water_in_front_of_solids_counts),
        cmocka_unit_test(a_ball_of_particles_has_the_depth_and_thickness_of_a_ball),
        cmocka_unit_test(leaving_out_hidden_particles_does_not_change_the_picture),
        cmocka_unit_test(deeper_water_swallows_more_and_red_first),
        cmocka_unit_test(an_eye_in_water_sees_the_sky_in_a_window_that_ends_at_the_critical_angle),
        cmocka_unit_test(the_further_an_eye_in_water_is_from_the_floor_the_less_red_it_sees),
        cmocka_unit_test(edges_have_no_stairs_where_a_pixel_has_one_sample),
        cmocka_unit_test(water_mirrors_the_sky_at_grazing_angles),
        cmocka_unit_test(without_water_the_scene_is_drawn_alone),
        cmocka_unit_test(a_picture_depends_on_nothing_that_was_drawn_before),
        cmocka_unit_test(every_style_draws_its_own_picture_of_the_same_water),
        cmocka_unit_test(water_throws_caustics_and_shadow_on_the_floor),
    };
    return cmocka_run_group_tests(tests, NULL, render_test_close);
}
