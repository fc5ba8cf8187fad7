// Viscous forces: which viscosity acts.
#include "fluid/fluid_state.h"
#include "fluid/step_run.h"

#include <math.h>

// Explicit forces are stable while they take no more than about the whole of a particle's velocity relative
// to its neighbors.
#define EXPLICIT_SHARE 0.8

static double acting_viscosity(const FluidDef *def, RestLattice lattice)
{
    return fmax((double)def->viscosity, (double)def->xsph / lattice.drag);
}

double fluid_acting_viscosity(const FluidDef *def)
{
    return acting_viscosity(def, rest_lattice(def->spacing, def->radius_factor * def->spacing));
}

double step_explicit_viscosity(const Fluid *fluid, double dt)
{
    return fmin(acting_viscosity(&fluid->def, fluid->lattice), EXPLICIT_SHARE / (fluid->lattice.drag * dt));
}
