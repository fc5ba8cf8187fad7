// The contacts of sixteen particles that lie side by side, while they are gathered.
#ifndef PBF_FLUID_CONTACT_SIXTEEN_H
#define PBF_FLUID_CONTACT_SIXTEEN_H

#include "core/lanes.h"
#include "fluid/contact.h"

// A plane near one particle, as in ContactLayer.
typedef struct Contact {
    Vec3 normal;
    float offset, min_distance, thickness, friction, no_slip, adhesion, solid;
    Vec3 push, motion;
    uint32_t body; // or CONTACT_TANK
    Vec3 moved;    // m, as in ContactLoad
} Contact;

// Each of the sixteen keeps its own sorted by distance, so that the nearest stay when there are too many.
typedef struct Sixteen {
    ContactLayer *layer; // room for CONTACTS_PER_PARTICLE
    ContactLoad *load;
    float distance[CONTACTS_PER_PARTICLE][CONTACT_LANES];
    uint32_t count[CONTACT_LANES], layers;
} Sixteen;

// Begins with no contacts; the layers are the caller's.
void sixteen_start(Sixteen *rows, ContactLayer *layer, ContactLoad *load);

// Adds a contact of the particle in a lane, at a distance (m).
void sixteen_insert(Sixteen *rows, uint32_t lane, const Contact *contact, float distance);

// Adds the same half-space, at rest, to the particles that are not `far`; none of the sixteen has a contact
// yet. least: its min_distance for each; distances: m.
void sixteen_insert_all(Sixteen *rows, LaneMask far, const Contact *contact, Lanes least, Lanes distances);

// Of planes that lie in one, within `apart` (m), what is solid counts once: floors are put together from
// boxes that overlap. Takes from the contact, which is at a distance (m) and not yet added, or from those of
// the particle in a lane that are less solid.
void sixteen_share_plane(Sixteen *rows, uint32_t lane, Contact *contact, float distance, float apart);

#endif
