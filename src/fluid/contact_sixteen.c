#include "fluid/contact_sixteen.h"

#include <math.h>
#include <string.h>

#define FAR 1e15f // m

_Static_assert(LANES == CONTACT_LANES, "a layer is a whole vector");

void sixteen_start(Sixteen *rows, ContactLayer *layer, ContactLoad *load)
{
    rows->layer = layer;
    rows->load = load;
    rows->layers = 0;
    memset(rows->count, 0, sizeof rows->count);
}

static Contact layer_get(const ContactLayer *layer, const ContactLoad *load, uint32_t lane)
{
    return (Contact){
        .normal = {layer->normal_x[lane], layer->normal_y[lane], layer->normal_z[lane]},
        .offset = layer->offset[lane],
        .min_distance = layer->min_distance[lane],
        .thickness = layer->thickness[lane],
        .friction = layer->friction[lane],
        .no_slip = layer->no_slip[lane],
        .adhesion = layer->adhesion[lane],
        .solid = layer->solid[lane],
        .push = {layer->push_x[lane], layer->push_y[lane], layer->push_z[lane]},
        .motion = {layer->motion_x[lane], layer->motion_y[lane], layer->motion_z[lane]},
        .body = load->body[lane],
        .moved = {load->x[lane], load->y[lane], load->z[lane]},
    };
}

static void layer_set(ContactLayer *layer, ContactLoad *load, uint32_t lane, const Contact *contact)
{
    layer->normal_x[lane] = contact->normal.x;
    layer->normal_y[lane] = contact->normal.y;
    layer->normal_z[lane] = contact->normal.z;
    layer->offset[lane] = contact->offset;
    layer->min_distance[lane] = contact->min_distance;
    layer->thickness[lane] = contact->thickness;
    layer->friction[lane] = contact->friction;
    layer->no_slip[lane] = contact->no_slip;
    layer->adhesion[lane] = contact->adhesion;
    layer->solid[lane] = contact->solid;
    layer->push_x[lane] = contact->push.x;
    layer->push_y[lane] = contact->push.y;
    layer->push_z[lane] = contact->push.z;
    layer->motion_x[lane] = contact->motion.x;
    layer->motion_y[lane] = contact->motion.y;
    layer->motion_z[lane] = contact->motion.z;
    load->body[lane] = contact->body;
    load->x[lane] = contact->moved.x;
    load->y[lane] = contact->moved.y;
    load->z[lane] = contact->moved.z;
}

static void layer_clear(ContactLayer *layer, ContactLoad *load)
{
    *layer = (ContactLayer){0};
    *load = (ContactLoad){0};
    for (uint32_t lane = 0; lane < CONTACT_LANES; lane++) {
        layer->offset[lane] = -FAR;
        layer->thickness[lane] = INFINITY;
    }
}

void sixteen_insert(Sixteen *rows, uint32_t lane, const Contact *contact, float distance)
{
    uint32_t at = rows->count[lane];
    if (at == CONTACTS_PER_PARTICLE) {
        if (distance >= rows->distance[at - 1][lane]) return;
        at--;
    } else {
        rows->count[lane]++;
        if (at == rows->layers) {
            layer_clear(&rows->layer[at], &rows->load[at]);
            rows->layers++;
        }
    }
    for (; at > 0 && rows->distance[at - 1][lane] > distance; at--) {
        Contact nearer = layer_get(&rows->layer[at - 1], &rows->load[at - 1], lane);
        layer_set(&rows->layer[at], &rows->load[at], lane, &nearer);
        rows->distance[at][lane] = rows->distance[at - 1][lane];
    }
    layer_set(&rows->layer[at], &rows->load[at], lane, contact);
    rows->distance[at][lane] = distance;
}

// Cosine of the angle between planes that are taken for one.
#define ONE_PLANE 0.999f

// Leaves at most so much of what is solid behind a plane, and of its slope.
static void leave_solid(Contact *contact, float most)
{
    if (contact->solid <= most) return;
    contact->push = vec3_scale(contact->push, most / contact->solid);
    contact->solid = most;
}

void sixteen_share_plane(Sixteen *rows, uint32_t lane, Contact *contact, float distance, float apart)
{
    for (uint32_t k = 0; k < rows->count[lane]; k++) {
        Contact other = layer_get(&rows->layer[k], &rows->load[k], lane);
        bool one = vec3_dot(other.normal, contact->normal) > ONE_PLANE &&
                   fabsf(rows->distance[k][lane] - distance) < apart;
        if (!one) continue;
        bool less = contact->solid < other.solid ||
                    (contact->solid == other.solid && contact->thickness <= other.thickness);
        if (less) {
            leave_solid(contact, 1.0f - other.solid);
        } else {
            leave_solid(&other, 1.0f - contact->solid);
            layer_set(&rows->layer[k], &rows->load[k], lane, &other);
        }
    }
}

static void set_all(float stream[CONTACT_LANES], LaneMask far, float without, float with)
{
    lanes_store(stream, lanes_select(far, lanes_set(without), lanes_set(with)));
}

void sixteen_insert_all(Sixteen *rows, LaneMask far, const Contact *contact, Lanes least, Lanes distances)
{
    ContactLayer *layer = rows->layer;
    ContactLoad *load = rows->load;
    *load = (ContactLoad){0};
    set_all(layer->normal_x, far, 0.0f, contact->normal.x);
    set_all(layer->normal_y, far, 0.0f, contact->normal.y);
    set_all(layer->normal_z, far, 0.0f, contact->normal.z);
    set_all(layer->offset, far, -FAR, contact->offset);
    lanes_store(layer->min_distance, lanes_select(far, lanes_set(0.0f), least));
    set_all(layer->friction, far, 0.0f, contact->friction);
    set_all(layer->no_slip, far, 0.0f, contact->no_slip);
    set_all(layer->adhesion, far, 0.0f, contact->adhesion);
    set_all(layer->solid, far, 0.0f, contact->solid);
    set_all(layer->push_x, far, 0.0f, contact->push.x);
    set_all(layer->push_y, far, 0.0f, contact->push.y);
    set_all(layer->push_z, far, 0.0f, contact->push.z);
    lanes_store(layer->thickness, lanes_set(INFINITY));
    memset(layer->motion_x, 0, sizeof layer->motion_x);
    memset(layer->motion_y, 0, sizeof layer->motion_y);
    memset(layer->motion_z, 0, sizeof layer->motion_z);
    lanes_store(rows->distance[0], distances);
    float near[CONTACT_LANES];
    set_all(near, far, 0.0f, 1.0f);
    for (uint32_t lane = 0; lane < CONTACT_LANES; lane++) {
        rows->count[lane] = near[lane] > 0.0f;
        load->body[lane] = near[lane] > 0.0f ? contact->body : 0;
    }
    rows->layers = 1;
}
