#include "measure/probe.h"

#include "core/result.h"

static const ProbeKindRow kinds[PROBE_KIND_COUNT] = {
    [PROBE_LEVEL] = {"level",
                     {{"level", "m"}},
                     "height of the free surface above (x, y): the highest place where water fills half of "
                     "the kernel; nan without water there"},
    [PROBE_PRESSURE] = {"pressure",
                        {{"pressure", "Pa"}},
                        "at a point, mean over the time since the row before; 0 outside of the water"},
    [PROBE_VELOCITY] = {"velocity",
                        {{"vx", "m/s"}, {"vy", "m/s"}, {"vz", "m/s"}},
                        "of the water at a point; nan outside of it"},
    [PROBE_FLUX] = {"flux",
                    {{"flux", "m^3/s"}},
                    "volume rate through a rectangle, positive along its normal, mean since the row before: "
                    "particles that crossed it times spacing^3"},
    [PROBE_FORCE] = {"force",
                     {{"fx", "N"}, {"fy", "N"}, {"fz", "N"}, {"tx", "N m"}, {"ty", "N m"}, {"tz", "N m"}},
                     "of the water on an obstacle and its torque about the obstacle's position (the tank: "
                     "its lower corner), mean since the row before: the momentum that its surface gave to "
                     "the particles, by their density constraint and by contact with friction, and "
                     "by the pressure of solver.global_pressure on the faces of coarse cells that it closes"},
};

const ProbeKindRow *probe_kind(ProbeKind kind)
{
    CHECK((unsigned)kind < PROBE_KIND_COUNT);
    return &kinds[kind];
}

uint32_t probe_column_count(ProbeKind kind)
{
    uint32_t count = 0;
    while (probe_kind(kind)->columns[count].suffix) count++;
    return count;
}
