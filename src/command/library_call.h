// Calls of the library (library/pbf.h) on behalf of a command line.
#ifndef PBF_COMMAND_LIBRARY_CALL_H
#define PBF_COMMAND_LIBRARY_CALL_H

#include "command/options.h"
#include "library/pbf.h"

// The outcome of a call as the program's; what it says of a key of --set names that option.
Result library_result(const Options *options, pbf_result outcome);

// Reads the scene that the options name, or that of a checkpoint (NULL: none), with --set, --spacing and
// --fps on top. Errors name the option or the scene's place. Free with pbf_scene_destroy.
Result library_read_scene(const Options *options, const char *checkpoint, pbf_scene **out);

// The scene that options_read_scene read, with all that options make of it; what the library notes is shown
// unless they say --quiet. Free with pbf_scene_destroy.
Result library_make_scene(const Options *options, const SceneDef *def, pbf_scene **out);

// Makes the simulation of a scene that options_read_scene read; it begins with a checkpoint (NULL: with the
// scene's water). Free with pbf_sim_destroy.
Result library_make_sim(const Options *options, const SceneDef *def, const char *checkpoint, pbf_sim **out);

// From now on every simulation that library_make_sim makes is handed on to this function, which shares it
// with other processes; its errors are those of library_make_sim.
typedef Result ShareSim(pbf_sim *sim, const Options *options);
void library_share_sims(ShareSim *share);

// The value of a key of a scene, which is a number.
Result library_number(const Options *options, const pbf_scene *scene, const char *key, double *out);

// Finds the files that the command's inputs name. Free with pbf_sequence_destroy.
Result library_find_sequence(const Options *options, pbf_sequence **out, pbf_sequence_data *files);

// Reads a file of particles. Free *out with pbf_cloud_destroy, after an error too.
Result library_load_cloud(const Options *options, const char *path, pbf_cloud **out, pbf_cloud_data *data);

// Time of a file of a sequence, s: what its index says, or it itself; else its number at the rate of the
// options.
double library_file_time(const Options *options, const pbf_sequence_file *input, const pbf_cloud_data *file);

// The axis that points up in files, as calls take it: that of --up, or NULL.
const char *library_axis(const Options *options);

// Lists the settings of --set; valid as long as the options. Returns how many.
uint32_t library_settings(const Options *options, pbf_setting out[OPTIONS_OVERRIDES_MAX]);

#endif
