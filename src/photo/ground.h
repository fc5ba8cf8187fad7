// The floor that everything stands on: a horizontal plane without end, seen from above.
#ifndef PBF_PHOTO_GROUND_H
#define PBF_PHOTO_GROUND_H

#include "core/vec3.h"

#include <stdbool.h>

typedef enum GroundKind { GROUND_SMOOTH, GROUND_SLABS, GROUND_TILES } GroundKind;

typedef struct Ground {
    bool present;
    GroundKind kind;
    float height; // m
    Vec3 color;   // albedo
    float scale;  // m, edge of a slab
    float gloss;  // reflectance of its polish, seen from above; 0: none
    float haze;   // 1/m: how fast it fades into the sky with distance
    float hazed;  // z of the direction whose sky it fades into
} Ground;

// A place of an opaque surface.
typedef struct Surface {
    Vec3 albedo, normal; // unit, toward the ray
    float gloss;         // reflectance of a clear coat, seen from above; 1: metal, in the color of albedo
    float roughness;     // of its reflections, 0: a mirror
} Surface;

// point: m, on the plane. fine: with all details; without, it is about as bright. Its gloss is the most that
// the place may have.
Surface ground_surface(const Ground *ground, Vec3 point, bool fine);

// The gloss of a place whose surface has at most this; few rays need to know, and it takes a while.
float ground_gloss(const Ground *ground, Vec3 point, float most);

#endif
