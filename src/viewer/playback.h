// The simulation as the window sees it: the state that is shown, and how time runs.
#ifndef PBF_VIEWER_PLAYBACK_H
#define PBF_VIEWER_PLAYBACK_H

#include "viewer/screen.h"
#include "viewer/simulation.h"

enum { HISTORY = 90 }; // steps whose times are remembered

// How steps went, for the numbers on the screen.
typedef struct StepHistory {
    float phase_ms[HISTORY][PHASE_COUNT]; // the newest last
    uint32_t count;
    uint32_t alike; // of them, those with the present settings, over which means are taken
    uint64_t step;  // of the last one
    uint64_t fluid; // SimSnapshot.fluid
} StepHistory;

typedef struct Playback {
    Screen *screen;
    Simulation *simulation;
    SceneFacts facts;
    const SimSnapshot *snapshot; // what is shown
    uint64_t snapshot_number;    // counts them
    Box3 bounds;                 // of tank or first water, domain coordinates
    StepHistory history;
    bool glimpses;        // a remembered state is shown that the water has still to return to
    bool was_playing;     // at the last look
    bool shows_loading;   // other water has been loading for a while
    double loading_since; // s of the clock
    double begun;         // s of the clock, when the fluid's first state was seen
    uint64_t errors_seen, notes_seen;
} Playback;

// Takes the newest snapshot and what the scene is now; true if it is another scene than before.
bool playback_take(Playback *playback);

// Reports errors and slow loading. True if the water has begun to move.
bool playback_follow(Playback *playback, const SimulationStatus *status);

// Both sides of a comparison?
bool playback_is_split(const Playback *playback);

// The side's obstacle of this number, NULL if there is none.
const ObstacleDef *playback_body(const Playback *playback, uint32_t body);
uint32_t playback_body_count(const Playback *playback);

// --- time ---

void playback_toggle(Playback *playback); // plays or pauses
void playback_reset(Playback *playback);
void playback_scrub(Playback *playback, double time);  // to the remembered state nearest to it, s
void playback_undo(Playback *playback, int direction); // the run before (-1) or after
void playback_change_speed(Playback *playback, bool faster);

// Readable text: "1/4 of real time".
void playback_speed_text(double speed, char *out, size_t size);

#endif
