// How light flies between surfaces, and what it meets: shared by paths from the eye and photons from the sun.
#ifndef PBF_PHOTO_FLIGHT_H
#define PBF_PHOTO_FLIGHT_H

#include "photo/caustics.h"
#include "photo/ground.h"
#include "photo/light.h"
#include "photo/pane_water.h"
#include "photo/panes.h"
#include "photo/ray_scene.h"
#include "photo/sampler.h"

// Mist turns light in all directions alike, foam as a matte surface does: both of puffs.
typedef enum Matter { MATTER_WATER, MATTER_GLASS, MATTER_OPAQUE, MATTER_MIST, MATTER_FOAM } Matter;

typedef struct Material {
    Matter matter;
    Surface surface; // of what is opaque, and the albedo of mist and foam; its normal does not count
} Material;

// What a mesh of the ray scene is made of. Overlapping water and glass count as glass.
typedef struct PathMesh {
    const Material *material;
    const uint32_t *part; // for each triangle, the number of its material; NULL: the first
} PathMesh;

typedef struct Medium {
    float index;     // of refraction
    Vec3 absorption; // 1/m
    float scatter;   // 1/m: light that is turned aside, once, with the mean of the sky's
} Medium;

typedef struct PathScene {
    const RayScene *rays;
    const PathMesh *meshes; // as in the ray scene
    Panes panes;
    const PaneWater *pane_water; // NULL: rays look for it
    Ground ground;
    Lights lights;
    const Caustics *caustics; // NULL: bent sunlight is left out
    Medium water, glass;
    float epsilon;                    // m, that a path leaves a surface by
    uint32_t events_max, diffuse_max; // on a path; the latter of opaque surfaces
    uint32_t mist_max;                // times that mist turns a path; then comes the mean of the sky's light
    float direct_max, indirect_max;   // radiance that one sample adds at most, before and after an opaque
                                      // surface
} PathScene;

typedef enum EventKind { EVENT_NONE, EVENT_GROUND, EVENT_MESH, EVENT_PANE, EVENT_LAMP } EventKind;

// The nearest thing on a ray.
typedef struct Event {
    EventKind kind;
    float distance;           // m
    Vec3 point;               // m
    Vec3 outward, normal;     // of a mesh or pane: unit, out of it; normal is smooth
    const Material *material; // of a mesh
    PaneSide behind;          // of a pane that is left; PANE_UNSURE: the flight knows
    Vec3 light;               // of a lamp
    uint32_t lamp;
} Event;

// Where light is, and where it goes.
typedef struct Flight {
    Ray ray;
    bool in_water;
    int in_glass; // bodies of glass around it
} Flight;

// lamps: are they seen?
void flight_find(const PathScene *scene, const Flight *flight, bool lamps, Event *event);

// Share of light that is left after `length` m of the flight's medium; *added: light that was turned into the
// ray on the way, per light of the sky's mean.
Vec3 flight_fade(const PathScene *scene, const Flight *flight, float length, Vec3 *added);

typedef enum Passage { PASSED_STRAIGHT, PASSED_PANE, MIRRORED, BENT } Passage;

// Is it mist or foam?
bool event_is_mist(const Event *event);

// Takes the flight through a boundary of water or glass; the mirrored way is taken as often as light goes
// there.
Passage flight_cross(const PathScene *scene, const Event *event, PathSampler *sampler, Flight *flight);

// Is a point in the water? By the surfaces that rays from it meet.
bool scene_in_water(const PathScene *scene, Vec3 point);

#endif
