// Options that a run's checkpoints and its folder remember, so that it can go on as it began.
#ifndef PBF_COMMAND_OPTIONS_STORED_H
#define PBF_COMMAND_OPTIONS_STORED_H

#include "command/options.h"

// Packs the options that shape a run (not where it writes, how many threads it has, what is in the scene
// anyway) as texts "NAME\0VALUE\0..." in a new block, freed with memory_free. Error: RESULT_NO_MEMORY.
Result options_pack(const Options *options, char **bytes, size_t *size);

// Unpacks such texts; the names and values point into them. Returns how many options there are, or UINT32_MAX
// for bytes that options_pack did not make.
uint32_t options_unpack(const char *bytes, size_t size, OptionGiven given[OPTIONS_GIVEN_MAX]);

// Puts the options of `now` on top of stored ones: what the command line does not say is as stored. The
// stored texts have to outlive *out. Error: RESULT_USAGE for stored texts that are not options.
Result options_adopt(const Options *now, const OptionGiven *stored, uint32_t count, Options *out);

// As options_adopt, for commands that start from a stored state but do not go on with its run: `now` alone
// says which frames there are and which files of them.
Result options_adopt_scene(const Options *now, const OptionGiven *stored, uint32_t count, Options *out);

// As options_adopt, for `pbf frames`: takes only the stored options that say how pictures look.
Result options_adopt_pictures(const Options *now, const OptionGiven *stored, uint32_t count, Options *out);

// Calls `take` for each option that two lists do not both have with the same value, as scene_source_compare
// does for keys. Options that change no frame are passed over if only_frames is set.
Result options_compare(const OptionGiven *a, uint32_t a_count, const OptionGiven *b, uint32_t b_count,
                       bool only_frames, SceneDifference *take, void *context);

// The last value that a list has for an option, NULL for none. --export adds up; one entry stands for all.
const char *options_last_value(const OptionGiven *given, uint32_t count, const char *name);

#endif
