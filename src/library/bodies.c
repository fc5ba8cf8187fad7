// Bodies that a host's physics leads, and what the water does to them.
#include "fluid/steer.h"
#include "library/sims.h"

#include <math.h>
#include <string.h>

// --- loads ---

void sim_clear_loads(pbf_sim *sim)
{
    sim->load_seconds = 0;
    if (sim->loads)
        memset(sim->loads, 0, (obstacles_count(fluid_view(sim->fluid).obstacles) + 1) * sizeof *sim->loads);
}

static void cross(const double a[3], const double b[3], double out[3])
{
    for (int i = 0; i < 3; i++) out[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

// from: what the turn is to be about, domain coordinates.
static void add_load(LoadSum *sum, const FluidLoad *load, Vec3 from)
{
    const double about[3] = {(double)from.x, (double)from.y, (double)from.z};
    double moved[3];
    cross(about, load->impulse, moved);
    for (int k = 0; k < 3; k++) {
        sum->impulse[k] += load->impulse[k];
        sum->turn[k] += load->turn[k] - moved[k];
    }
}

void sim_add_loads(pbf_sim *sim, double dt)
{
    if (!sim->measured) return;
    FrameView view = fluid_view(sim->fluid);
    uint32_t bodies = obstacles_count(view.obstacles);
    for (uint32_t k = 0; k <= bodies; k++) {
        FluidLoad load = fluid_load(sim->fluid, k < bodies ? k : FLUID_TANK);
        add_load(&sim->loads[k], &load,
                 k < bodies ? obstacles_pose(view.obstacles, k).position : vec3_scale(view.origin, -1));
    }
    sim->load_seconds += dt;
}

void sim_settle_loads(pbf_sim *sim)
{
    fluid_measure_loads(sim->fluid, sim->measured || (sim->watched && measure_needs_loads(sim->watch)));
}

static Result measure(pbf_sim *sim, bool measured)
{
    uint32_t bodies = obstacles_count(fluid_view(sim->fluid).obstacles);
    if (measured && !sim->loads) {
        sim->loads = memory_allocate_zeroed((bodies + 1) * sizeof *sim->loads);
        if (!sim->loads) return result_no_memory("loads", (bodies + 1) * sizeof *sim->loads);
    }
    sim->measured = measured;
    sim_settle_loads(sim);
    sim_clear_loads(sim);
    return result_ok();
}

pbf_result pbf_sim_measure(pbf_sim *sim, int measured)
{
    if (!sim) return call_refused(NULL, missing("sim"));
    RETURN_CALL(sim->context, measure(sim, measured != 0));
}

// --- poses ---

// Shepperd's method: divides by the largest of the four.
static void quaternion_of(Mat3 rotation, double q[4])
{
    double m[3][3];
    for (int i = 0; i < 3; i++) {
        const Vec3 *row = &rotation.row[i];
        m[i][0] = (double)row->x, m[i][1] = (double)row->y, m[i][2] = (double)row->z;
    }
    double trace = m[0][0] + m[1][1] + m[2][2], square[4] = {trace, m[0][0], m[1][1], m[2][2]};
    int best = 0;
    for (int k = 1; k < 4; k++) {
        if (square[k] > square[best]) best = k;
    }
    double largest = 0.5 * sqrt(best == 0 ? 1 + trace : 1 + 2 * square[best] - trace);
    const double odd[4] = {0, m[2][1] - m[1][2], m[0][2] - m[2][0], m[1][0] - m[0][1]};
    for (int k = 0; k < 4; k++) {
        double product = k == best   ? 4 * largest * largest
                         : best == 0 ? odd[k]
                         : k == 0    ? odd[best]
                                     : m[k - 1][best - 1] + m[best - 1][k - 1];
        q[k] = product / (4 * largest);
    }
}

static void rotation_of(const double q[4], double m[3][3])
{
    double w = q[0], x = q[1], y = q[2], z = q[3];
    const double rows[3][3] = {{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
                               {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
                               {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}};
    memcpy(m, rows, sizeof rows);
}

static void vector_to(Vec3 v, Vec3 origin, double out[3])
{
    out[0] = (double)v.x + (double)origin.x;
    out[1] = (double)v.y + (double)origin.y;
    out[2] = (double)v.z + (double)origin.z;
}

static void fill_shape(const FrameView *view, uint32_t body, pbf_body *out)
{
    Pose pose = obstacles_pose(view->obstacles, body);
    Box3 box = obstacles_box(view->obstacles, body);
    memcpy(out->name, obstacles_body(view->obstacles, body)->name, sizeof out->name);
    vector_to(pose.position, view->origin, out->position);
    vector_to(box.lo, view->origin, out->lo);
    vector_to(box.hi, view->origin, out->hi);
    quaternion_of(pose.rotation, out->rotation);
}

static void fill_tank(const FrameView *view, pbf_body *out)
{
    TankDef tank = obstacles_tank(view->obstacles);
    memcpy(out->name, "tank", sizeof "tank");
    vector_to(vec3_make(0, 0, 0), view->origin, out->lo);
    vector_to(tank.size, view->origin, out->hi);
    out->rotation[0] = 1;
}

static Result check_body(const FrameView *view, uint32_t body)
{
    uint32_t bodies = obstacles_count(view->obstacles);
    if (body < bodies) return result_ok();
    return bodies == 0 ? result_error(RESULT_USAGE, "body %u: the scene has no bodies", body)
                       : result_error(RESULT_USAGE, "body %u: there are 0 to %u", body, bodies - 1);
}

static Result show(const pbf_sim *sim, uint32_t body, pbf_body *out)
{
    FrameView view = fluid_view(sim->fluid);
    if (body != PBF_TANK) TRY(check_body(&view, body));
    if (body == PBF_TANK)
        fill_tank(&view, out);
    else
        fill_shape(&view, body, out);
    if (!sim->loads || sim->load_seconds <= 0) return result_ok();
    const LoadSum *sum = &sim->loads[body == PBF_TANK ? obstacles_count(view.obstacles) : body];
    for (int k = 0; k < 3; k++) {
        out->force[k] = sum->impulse[k] / sim->load_seconds;
        out->torque[k] = sum->turn[k] / sim->load_seconds;
    }
    return result_ok();
}

pbf_result pbf_sim_body(const pbf_sim *sim, uint32_t body, pbf_body *out)
{
    if (!out) return call_refused(sim ? sim->context : NULL, missing("out"));
    *out = (pbf_body){0};
    if (!sim) return call_refused(NULL, missing("sim"));
    return call_refused(sim->context, show(sim, body, out));
}

#define FAR 1e5 // m, as of coordinates in scenes

static Result take_pose(const pbf_sim *sim, const double position[3], const double rotation[4],
                        RigidPose *out)
{
    Vec3 corner = fluid_view(sim->fluid).origin;
    const double origin[3] = {(double)corner.x, (double)corner.y, (double)corner.z};
    for (int k = 0; k < 3; k++) {
        if (!(fabs(position[k]) <= FAR))
            return result_error(RESULT_USAGE, "the position is [%g, %g, %g] (finite, at most 1e5 m)",
                                position[0], position[1], position[2]);
        out->position[k] = position[k] - origin[k];
    }
    if (!rotation) return result_ok();
    double length = 0, unit[4];
    for (int k = 0; k < 4; k++) length += rotation[k] * rotation[k];
    if (!(length > 1e-20 && length < 1e20))
        return result_error(RESULT_USAGE, "the rotation [%g, %g, %g, %g] is not a quaternion", rotation[0],
                            rotation[1], rotation[2], rotation[3]);
    for (int k = 0; k < 4; k++) unit[k] = rotation[k] / sqrt(length);
    rotation_of(unit, out->rotation);
    return result_ok();
}

static Result lead(pbf_sim *sim, uint32_t body, const double position[3], const double rotation[4],
                   double arrival)
{
    FrameView view = fluid_view(sim->fluid);
    TRY(check_body(&view, body));
    RigidPose to = fluid_obstacle_pose(sim->fluid, body);
    TRY(take_pose(sim, position, rotation, &to));
    return fluid_lead_obstacle(sim->fluid, body, &to, arrival);
}

pbf_result pbf_sim_lead(pbf_sim *sim, uint32_t body, const double position[3], const double rotation[4],
                        double arrival)
{
    if (!sim) return call_refused(NULL, missing("sim"));
    if (!position) return call_refused(sim->context, missing("position"));
    RETURN_CALL(sim->context, lead(sim, body, position, rotation, arrival));
}
