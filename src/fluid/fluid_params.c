#include "fluid/fluid_params.h"

#include "fluid/fluid.h"
#include "neighbor/neighbor.h"

const char *fluid_method_names(uint32_t k, const void *context)
{
    (void)context;
    return neighbor_method_name(k);
}

static const char *boundary_names(uint32_t k, const void *context)
{
    (void)context;
    static const char *const names[] = {[BOUNDARY_DENSITY] = "density", [BOUNDARY_PENALTY] = "penalty"};
    return k < sizeof names / sizeof names[0] ? names[k] : NULL;
}

static const char *broad_phase_names(uint32_t k, const void *context)
{
    (void)context;
    return broad_phase_name(k);
}

#define AT(member) PARAM_AT(FluidDef, member)
#define FROM PARAM_FROM
#define ABOVE PARAM_ABOVE
#define SLIDER PARAM_SLIDER

const ParamRow FLUID_ROWS[] = {
    {"fluid", PARAM_SECTION, .help = "What the liquid is."},
    {"fluid.rest_density", PARAM_FLOAT, AT(rest_density), FROM(1, 1e6), .unit = "kg/m^3",
     .help = "density at rest"},
    {"fluid.viscosity", PARAM_FLOAT, AT(viscosity), FROM(0, 1), .unit = "m^2/s", .label = "viscosity",
     .formerly = "a rate in 1/s is solver.xsph",
     .help =
         "kinematic viscosity, the same at every spacing: 1e-6 is water, 0.006 honey. What is less than "
         "`solver.xsph` amounts to is too little to be seen at the spacing; `pbf check` tells how much acts",
     SLIDER(1e-6f, 1, 1.25f, .least = 1e-9f, .decimals = 3, .logarithmic = true)},
    {"fluid.surface_tension", PARAM_FLOAT, AT(surface_tension), FROM(0, 1000), .unit = "N/m",
     .label = "surface tension",
     .help =
         "surface tension, the same at every spacing: 0.0728 is water, which shapes films and drops of a few "
         "millimeters. It needs steps of at most 0.1 sqrt(`rest_density` x `spacing`^3 / "
         "`surface_tension`) and is weakened where `solver.max_substeps` allows none as short; `pbf check` "
         "and runs tell",
     SLIDER(0, 0.2f, 0.005f, .decimals = 4)},
    {"fluid.contact_angle", PARAM_FLOAT, AT(contact_angle), ABOVE(0, 180), .unit = "degrees",
     .label = "contact angle",
     .help =
         "at which the surface meets the tank's walls, inside the liquid: small angles wet, large ones bead. "
         "Drops have 55 to 140 degrees within 8; below 50 they spread, above 160 they let go. Obstacles may "
         "have their own. Needs `solver.boundary: density`",
     SLIDER(5, 180, 5, .least = 1, .decimals = 0, .further = true)},
    {"fluid.gravity", PARAM_FLOAT, AT(gravity), FROM(-1000, 1000), .length = 3, .unit = "m/s^2",
     .label = "gravity", .help = "acceleration. Sliders show the component along z; negative is down",
     SLIDER(-25, 25, 0.5f, .decimals = 2, .component = 2)},

    {"solver", PARAM_SECTION,
     .help = "How it is simulated. The defaults are what the examples use; see Macklin and Mueller 2013, "
             "\"Position Based Fluids\"."},
    {"solver.iterations", PARAM_COUNT, AT(iterations), FROM(1, 64), .label = "iterations",
     .help = "constraint iterations in a step: more are stiffer and slower", SLIDER(1, 20, 1, .decimals = 0)},
    {"solver.divergence_iterations", PARAM_COUNT, AT(divergence_iterations), FROM(0, 64),
     .label = "divergence iterations",
     .help =
         "iterations of the velocities' projection in a step: what would compress water, or thin it out "
         "inside, is taken from its motion. Films lie closer to their plate; sheets in free fall tear sooner",
     SLIDER(0, 8, 1, .further = true)},
    {"solver.global_pressure", PARAM_FLAG, AT(global_pressure),
     .help =
         "a coarse grid carries pressure through the whole depth before the iterations: deep water needs no "
         "shorter steps, is hardly compressed, and waves last longer. Not in tanks with periodic sides. "
         "`warm_start` and `wave_cfl` are for iterations alone"},
    {"solver.pressure_flow", PARAM_FLAG, AT(pressure_flow),
     .help =
         "with `global_pressure`: what a step compresses is mended in full, what was there before over some "
         "steps. Waves keep more of their swing, water comes to rest calmer and at less than half the "
         "density error, and tears into sheets rather than beads. The flow of water in the air is not "
         "mended"},
    {"solver.neighbor", PARAM_TEXT, AT(neighbor), .size = sizeof((FluidDef *)0)->neighbor,
     .names = fluid_method_names, .label = "neighbor search",
     .help = "method of the neighbor search; the water is the same with each. States are equal bit for bit "
             "with all methods that make lists, and equal to rounding over a step with `cluster_grid`, the "
             "fastest. `pbf help bench` tells what they are",
     SLIDER(.further = false)},
    {"solver.time_step", PARAM_DOUBLE, AT(time_step), FROM(1e-9, 1), .unit = "s", .label = "longest step",
     .help = "the longest step. None is longer than 0.12 sqrt(`spacing` / g): 12 ms at 0.1 m",
     SLIDER(0.0005f, 0.02f, 1.1f, .least = 1e-6f, .decimals = 4, .logarithmic = true, .further = true)},
    {"solver.cfl", PARAM_DOUBLE, AT(cfl), ABOVE(0, 2), .label = "cfl",
     .help = "part of the influence radius that particles move in a step at most; faster fluid makes "
             "smaller steps. One in a hundred may move 1.5 times as far",
     SLIDER(0.05f, 1, 0.05f, .least = 0.01f, .decimals = 2, .further = true)},
    {"solver.wave_cfl", PARAM_DOUBLE, AT(wave_cfl), ABOVE(0, 10), .label = "wave cfl",
     .help = "part of the influence radius that a gravity wave on the deep water moves in a step at most; "
             "bounds how far water is compressed by its own weight",
     SLIDER(0.02f, 1, 0.02f, .least = 0.01f, .decimals = 2, .further = true)},
    {"solver.max_substeps", PARAM_COUNT, AT(max_substeps), FROM(1, 1000), .label = "sub-steps",
     .help = "the most steps that one `time_step` is cut into, for fast, deep or fine water. In scenes of a "
             "few centimeters set `time_step` smaller: `pbf check` tells what is asked for",
     SLIDER(1, 32, 1, .further = true)},
    {"solver.relaxation", PARAM_FLOAT, AT(relaxation), FROM(0, 1000), .label = "relaxation",
     .help = "softens the constraint, in units of the lattice at rest: more is calmer and more compressible",
     SLIDER(0, 10, 0.25f, .decimals = 2, .further = true)},
    {"solver.warm_start", PARAM_FLOAT, AT(warm_start), FROM(0, 0.9), .label = "warm start",
     .help = "share of the last step's pressure that the iterations start from where water is compressed. "
             "Water under load is compressed by 1 - `warm_start` of what it would be. Half does for three "
             "iterations what two more would and keeps still water still, which 0.8 does not; where a body "
             "stands in water at the start it lets water burst out",
     SLIDER(0, 0.9f, 0.05f, .decimals = 2, .further = true)},
    {"solver.xsph", PARAM_FLOAT, AT(xsph), FROM(0, 1000), .unit = "1/s", .label = "smoothing",
     .help =
         "rate at which a particle takes on the velocity of its neighbors, so that water at rest is calm. "
         "It acts as a viscosity of about 0.2 `xsph` x `spacing`^2 where `fluid.viscosity` is less",
     SLIDER(0, 50, 0.5f, .decimals = 1, .further = true)},
    {"solver.viscosity_error", PARAM_DOUBLE, AT(viscosity_error), FROM(1e-7, 0.1),
     .help = "where the viscosity is strong it is solved for, until the residual is this part of the first"},
    {"solver.viscosity_iterations", PARAM_COUNT, AT(viscosity_iterations), FROM(1, 10000),
     .help = "or after so many iterations in each of the two solves of a step"},
    {"solver.vorticity_confinement", PARAM_FLOAT, AT(vorticity_confinement), FROM(0, 1000), .unit = "m/s",
     .label = "swirls",
     .help = "strength of vorticity confinement, which gives swirls back what smoothing takes of the energy",
     SLIDER(0, 0.2f, 0.005f, .decimals = 3, .further = true)},
    {"solver.micropolar", PARAM_FLOAT, AT(micropolar), FROM(0, 1), .unit = "m^2/s", .label = "spins",
     .help = "particles spin with the swirls around them and drive them on: a transfer viscosity. They give "
             "swirls no more energy than smoothing and viscosity take",
     SLIDER(0, 0.1f, 0.0025f, .decimals = 4, .further = true)},
    {"solver.micropolar_inertia", PARAM_FLOAT, AT(micropolar_inertia), FROM(0.001, 1000),
     .help = "of a particle's spin, in squared influence radii: heavy spins answer late and last long"},
    {"solver.angular_momentum", PARAM_FLOAT, AT(angular_momentum), FROM(0, 1000), .unit = "1/s",
     .label = "turbulence",
     .help = "rate at which particles spin up by the torque of the forces around them, and drive those on. "
             "10 is the paper's (Kim and Lee 2025). They give swirls no more energy than smoothing and "
             "viscosity take. Not with `micropolar`: a particle has one spin",
     SLIDER(0, 50, 1, .decimals = 1, .further = true)},
    {"solver.velocity_kernels", PARAM_FLOAT, AT(velocity_kernels), FROM(0, 1), .unit = "s",
     .label = "long kernels",
     .help =
         "kernels of viscosity and vorticity are ellipsoids along the velocity, their focal points as far "
         "apart as the particle moves in this time. They look further ahead and behind than to the "
         "sides. Water streams more easily past other water; a step takes about twice as long. 0: balls",
     SLIDER(0, 0.1f, 0.005f, .decimals = 3, .further = true)},
    {"solver.velocity_kernels_limit", PARAM_FLOAT, AT(velocity_kernels_limit), FROM(1, 1.5),
     .help = "longest half axis of such a kernel, in influence radii; the other two are 1 / sqrt of it. "
             "Neighbors are looked for that far"},
    {"solver.scorr", PARAM_SECTION,
     .help = "artificial pressure that keeps particles from clumping (s_corr)"},
    {"solver.scorr.strength", PARAM_FLOAT, AT(scorr_strength), FROM(0, 10), .label = "clumping",
     .help = "k of the artificial pressure, which acts between particles nearer than 0.7 spacings. Above 1 "
             "water that has splashed goes on boiling, unless steps are shorter than by default",
     SLIDER(0, 1, 0.05f, .decimals = 2, .further = true)},
    {"solver.scorr.distance", PARAM_FLOAT, AT(scorr_distance), FROM(0, 0.9),
     .help = "distance of reference, in influence radii"},
    {"solver.scorr.power", PARAM_COUNT, AT(scorr_power), FROM(1, 8), .help = "n"},
    {"solver.radius_factor", PARAM_FLOAT, AT(radius_factor), FROM(1.5, 4),
     .help = "influence radius, in spacings"},
    {"solver.boundary", PARAM_CHOICE, AT(boundary), .names = boundary_names, .label = "boundary",
     .help = "`density`: walls count as fluid behind them, so that water neither thins out nor sticks there; "
             "`penalty`: walls only push",
     SLIDER(.further = true)},
    {"solver.broad_phase", PARAM_CHOICE, AT(broad_phase), .names = broad_phase_names, .label = "broad phase",
     .help =
         "how obstacles near a particle are found; the result is the same. `bvh` asks a tree of boxes for "
         "a block of particles at once and is the fastest; the hashes (Pouchol et al. 2009; Eitz and "
         "Lixu 2007) are asked for the swept box of every particle, as in the paper, to compare them",
     SLIDER(.further = true)},
    {"spacing", PARAM_FLOAT, AT(spacing), FROM(1e-5, 1000), .unit = "m", .label = "spacing",
     .help = "distance of particles at rest. Everything else follows from it: a particle is `rest_density` x "
             "`spacing`^3 heavy, and half the spacing means eight times the particles. `--spacing` on the "
             "command line wins",
     SLIDER(0.02f, 1, 1.1f, .least = 1e-4f, .decimals = 4, .logarithmic = true)},
    {.key = NULL},
};
