// Measurements of a run: what quantities.h and probe.h list, as rows of numbers with one column each.
#ifndef PBF_MEASURE_MEASURE_H
#define PBF_MEASURE_MEASURE_H

#include "fluid/fluid.h"
#include "measure/probe.h"

#include <stdbool.h>

typedef struct Measure Measure;

// Starts to measure a fluid from its present state on. The fluid has to outlive it; the probes are copied,
// and force probes name bodies that the fluid has. gravity: m/s^2. Errors: RESULT_NO_MEMORY. Free with
// measure_free; NULL is allowed.
Result measure_create(Fluid *fluid, Vec3 gravity, const ProbeDef *probes, uint32_t probe_count,
                      Measure **out);
void measure_free(Measure *measure);

// Takes other gravity, m/s^2.
void measure_set_gravity(Measure *measure, Vec3 gravity);

// Tells whether it needs the loads of bodies (fluid_measure_loads, which measure_create calls).
bool measure_needs_loads(const Measure *measure);

// Takes notice of a step; to be called after every one, as means and crossings need all of them. Errors:
// RESULT_NO_MEMORY.
Result measure_step(Measure *measure);

// The columns: names ("kinetic_energy", "gauge_level"; good as long as the measure), units ("" for a pure
// number) and how many there are.
uint32_t measure_column_count(const Measure *measure);
const char *measure_column(const Measure *measure, uint32_t k);
const char *measure_unit(const Measure *measure, uint32_t k);

// Writes a row of measure_column_count numbers. Means start anew. Errors: RESULT_NO_MEMORY, RESULT_FAILED.
Result measure_row(Measure *measure, double *out);

// Stores the means under way, tells whether blocks have some, and puts them back into a measure of the same
// probes; blocks that lack them leave it as it is. The blocks refer to the measure.
void measure_store(const Measure *measure, StateBlocks *blocks);
bool measure_is_stored(const StateBlocks *blocks);
void measure_restore(Measure *measure, const StateBlocks *blocks);

#endif
