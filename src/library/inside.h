// What is behind a simulation, for the parts of the program that share it with the library: processes that
// have parts of the fluid, and the checkpoints of a run, which hold more than its state.
#ifndef PBF_LIBRARY_INSIDE_H
#define PBF_LIBRARY_INSIDE_H

#include "core/blocks.h"
#include "library/pbf.h"
#include "scene/scene.h"

// What a scene is to the program; good until it is destroyed.
const SceneDef *scene_inside(const pbf_scene *scene);

// Its fluid, for who shares it with other processes, and the scene that it was made of. Good until the
// simulation is destroyed or restored.
Fluid *sim_fluid(pbf_sim *sim);
const SceneDef *sim_scene(const pbf_sim *sim);

// Of the numbers of pbf_picture_memory: when the colors' range was looked at last (s; -1: there is none yet),
// and the field that they show.
enum { PICTURE_RANGE_TIME, PICTURE_COLOR_BY = PBF_PICTURE_NUMBERS - 1 };

// Adds the fluid and the means under way (pbf_sim_watch). The blocks refer to the simulation.
void sim_store(const pbf_sim *sim, StateBlocks *blocks);

#endif
