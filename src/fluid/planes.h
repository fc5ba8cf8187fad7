// What the planes near particles (contact.h) do to sixteen of them: fluid that they stand for, and contact.
// Include after core/lanes.h has been given its flavour.
#ifndef PBF_FLUID_PLANES_H
#define PBF_FLUID_PLANES_H

#include "core/lanes3.h"
#include "fluid/contact.h"

// The planes of one layer, from lane `lane` on.
static inline Lanes3 planes_normal(const ContactLayer *layer, uint32_t lane)
{
    return lanes3_load(layer->normal_x + lane, layer->normal_y + lane, layer->normal_z + lane);
}
// The slope of what it adds to the density, of that of a half-space: the normal, away from edges.
static inline Lanes3 planes_push(const ContactLayer *layer, uint32_t lane)
{
    return lanes3_load(layer->push_x + lane, layer->push_y + lane, layer->push_z + lane);
}
static inline Lanes planes_distance(const ContactLayer *layer, uint32_t lane, Lanes3 normal, Lanes3 p)
{
    return lanes_sub(lanes3_dot(normal, p), lanes_load(layer->offset + lane));
}

// A half-space of fluid at rest density whose surface is at distance q h of a particle, and what it adds:
//   volume(q) = integral of the kernel W over it, 1/2 at q = 0;  slope(q) = -d volume / dq >= 0.
// From w(q) of kernel.h, with t = max(1 - q, 0) and s = max(1/2 - q, 0):
//   slope = 2 pi h^3 int_q^1 W r dr = 8 t^4 - 32/5 t^5 - 16 s^4 + 128/5 s^5.
typedef struct HalfSpace {
    Lanes volume, slope;
} HalfSpace;

static inline HalfSpace half_space(Lanes q)
{
    Lanes zero = lanes_set(0.0f);
    Lanes t = lanes_max(lanes_sub(lanes_set(1.0f), lanes_max(q, zero)), zero);
    Lanes s = lanes_max(lanes_sub(t, lanes_set(0.5f)), zero);
    Lanes t2 = lanes_mul(t, t), s2 = lanes_mul(s, s), t4 = lanes_mul(t2, t2), s4 = lanes_mul(s2, s2);
    Lanes of_t = lanes_sub_mul(lanes_set(8.0f), lanes_set(32.0f / 5.0f), t);
    Lanes of_s = lanes_sub_mul(lanes_set(16.0f), lanes_set(128.0f / 5.0f), s);
    HalfSpace space = {.slope = lanes_sub_mul(lanes_mul(t4, of_t), s4, of_s)};
    of_t = lanes_sub_mul(lanes_set(8.0f / 5.0f), lanes_set(16.0f / 15.0f), t);
    of_s = lanes_sub_mul(lanes_set(16.0f / 5.0f), lanes_set(64.0f / 15.0f), s);
    space.volume = lanes_sub_mul(lanes_mul(lanes_mul(t4, t), of_t), lanes_mul(s4, s), of_s);
    return space;
}

// What is behind a plane that is at that distance (m) of a particle: a half-space, less another where a plate
// ends.
static inline HalfSpace space_behind(const ContactLayer *layer, uint32_t lane, float inv_h, Lanes distance)
{
    HalfSpace space = half_space(lanes_mul(distance, lanes_set(inv_h)));
    Lanes back = lanes_mul(lanes_add(distance, lanes_load(layer->thickness + lane)), lanes_set(inv_h));
    if (!lanes_any_less(back, lanes_set(1.0f))) return space;
    HalfSpace behind = half_space(back);
    return (HalfSpace){lanes_sub(space.volume, behind.volume), lanes_sub(space.slope, behind.slope)};
}

// What the half-spaces of rest fluid behind the planes add to the density and to grad C of particles at p.
typedef struct Walls {
    Lanes share;
    Lanes3 gradient; // 1/m
    Lanes3 wetted;   // 1/m, the same of walls each of which counts for its adhesion
    Lanes sweep;     // what the share gains by the planes' own motion in a step
} Walls;

// The half-spaces of the planes, as far as they are solid; returns what they leave free. Overlaps in corners
// are taken as if the kernel were separable: what stays free is the product of what each wall leaves free.
static inline Lanes half_spaces(const ContactLayer *layers, uint32_t count, uint32_t lane, float inv_h,
                                Lanes3 p, HalfSpace space[CONTACTS_PER_PARTICLE])
{
    Lanes one = lanes_set(1.0f), open = one;
    for (uint32_t k = 0; k < count; k++) {
        Lanes distance = planes_distance(&layers[k], lane, planes_normal(&layers[k], lane), p);
        space[k] = space_behind(&layers[k], lane, inv_h, distance);
        space[k].volume = lanes_mul(space[k].volume, lanes_load(layers[k].solid + lane));
        open = lanes_mul(open, lanes_sub(one, space[k].volume));
    }
    return open;
}

// Derivative of what a plane of these adds to the density, of its push, 1/m.
static inline Lanes half_space_gradient(const HalfSpace *space, Lanes open, float inv_h)
{
    Lanes others = lanes_div(open, lanes_sub(lanes_set(1.0f), space->volume)); // volume <= 1/2
    return lanes_mul(lanes_mul(space->slope, lanes_set(-inv_h)), others);
}

static inline Walls walls_at(const ContactLayer *layers, uint32_t count, uint32_t lane, float inv_h, Lanes3 p)
{
    HalfSpace space[CONTACTS_PER_PARTICLE];
    Lanes open = half_spaces(layers, count, lane, inv_h, p, space);
    Walls walls = {lanes_sub(lanes_set(1.0f), open), lanes3_zero(), lanes3_zero(), lanes_set(0.0f)};
    for (uint32_t k = 0; k < count; k++) {
        Lanes scale = half_space_gradient(&space[k], open, inv_h);
        Lanes3 push = planes_push(&layers[k], lane);
        Lanes3 motion =
            lanes3_load(layers[k].motion_x + lane, layers[k].motion_y + lane, layers[k].motion_z + lane);
        walls.gradient = lanes3_add_scaled(walls.gradient, scale, push);
        Lanes wetted = lanes_mul(scale, lanes_load(layers[k].adhesion + lane));
        walls.wetted = lanes3_add_scaled(walls.wetted, wetted, push);
        walls.sweep = lanes_sub_mul(walls.sweep, scale, lanes3_dot(push, motion));
    }
    return walls;
}

// Adds a move (m) by the plane of one layer to what its particles have been moved.
static inline void load_add(ContactLoad *load, uint32_t lane, Lanes3 move)
{
    Lanes3 sum = lanes3_add(lanes3_load(load->x + lane, load->y + lane, load->z + lane), move);
    lanes3_store(load->x + lane, load->y + lane, load->z + lane, sum);
}

// Adds what the walls' share of the density has moved particles at p: `scale` (m^2) along its gradient.
static inline void walls_add_loads(const ContactLayer *layers, ContactLoad *loads, uint32_t count,
                                   uint32_t lane, float inv_h, Lanes3 p, Lanes scale)
{
    HalfSpace space[CONTACTS_PER_PARTICLE];
    Lanes open = half_spaces(layers, count, lane, inv_h, p, space);
    for (uint32_t k = 0; k < count; k++) {
        Lanes along = lanes_mul(scale, half_space_gradient(&space[k], open, inv_h));
        load_add(&loads[k], lane, lanes3_scale(planes_push(&layers[k], lane), along));
    }
}

// The part of a step's viscous drag by a half-space at distance q h that sticks to its surface:
//   J(q) / q,  J = int_q^1 w(s) s (s^2 - q^2)^2 ds.
// The fluid behind the surface moves so that the velocity is linear across it (Morris et al. 1997, "Modeling
// Low Reynolds Number Incompressible Flows Using SPH").
static inline Lanes half_space_drag(Lanes q)
{
    // int_q^1 (1 - s)^3 s (s^2 - q^2)^2 ds in t = 1 - q, of both parts of w: at q and at 2 q.
    Lanes sum = lanes_set(0.0f), zero = sum, one = lanes_set(1.0f);
    q = lanes_max(q, lanes_set(0.05f));
    for (int part = 0; part < 2; part++) {
        Lanes t = lanes_max(lanes_sub(one, lanes_mul(q, lanes_set(part ? 2.0f : 1.0f))), zero);
        Lanes t2 = lanes_mul(t, t), t6 = lanes_mul(lanes_mul(t2, t2), t2);
        Lanes p = lanes_sub_mul(lanes_set(29.0f / 280.0f), lanes_set(8.0f / 315.0f), t);
        p = lanes_sub(lanes_mul(p, t), lanes_set(1.0f / 7.0f));
        p = lanes_mul_add(p, t, lanes_set(1.0f / 15.0f));
        sum = lanes_mul_add(lanes_mul(p, t6), lanes_set(part ? -1.0f / 64.0f : 2.0f), sum);
    }
    return lanes_div(sum, q);
}

// What the surfaces that fluid sticks to take of the velocities v of particles at p: half_space_drag times
// the velocity along each. speed: 1/s, of the planes' motion; 0 as if they were at rest. loads: NULL, or what
// notes each plane's part times `load` as a move.
static inline Lanes3 walls_drag(const ContactLayer *layers, ContactLoad *loads, uint32_t count, uint32_t lane,
                                float inv_h, Lanes3 p, Lanes3 v, float speed, float load)
{
    Lanes3 drag = lanes3_zero();
    for (uint32_t k = 0; k < count; k++) {
        Lanes no_slip = lanes_load(layers[k].no_slip + lane);
        if (!lanes_any_less(lanes_set(0.0f), no_slip)) continue;
        Lanes3 normal = planes_normal(&layers[k], lane);
        Lanes3 motion =
            lanes3_load(layers[k].motion_x + lane, layers[k].motion_y + lane, layers[k].motion_z + lane);
        Lanes3 u = lanes3_sub(v, lanes3_scale(motion, lanes_set(speed)));
        u = lanes3_sub(u, lanes3_scale(normal, lanes3_dot(normal, u)));
        Lanes distance = planes_distance(&layers[k], lane, normal, p);
        Lanes share = half_space_drag(lanes_mul(distance, lanes_set(inv_h)));
        share = lanes_mul(share, lanes_load(layers[k].solid + lane));
        u = lanes3_scale(u, lanes_mul(no_slip, share));
        drag = lanes3_add(drag, u);
        if (loads) load_add(&loads[k], lane, lanes3_scale(u, lanes_set(load)));
    }
    return drag;
}

// How a half-space at a distance of q h attracts through the cohesion's shape c of Akinci et al. 2013
// (passes):
//   pull(q) = int_q^1 c(u) (u^2 - q^2) du,
// of pi h^3 times the particles in a unit of volume; t and s as above.
static inline Lanes half_space_pull(Lanes q)
{
    Lanes zero = lanes_set(0.0f);
    Lanes t = lanes_max(lanes_sub(lanes_set(1.0f), lanes_max(q, zero)), zero);
    Lanes s = lanes_max(lanes_sub(t, lanes_set(0.5f)), zero);
    Lanes t2 = lanes_mul(t, t), s2 = lanes_mul(s, s);
    Lanes of_t = lanes_mul_add(t, lanes_set(2.0f / 63.0f), lanes_set(-9.0f / 56.0f));
    of_t = lanes_mul_add(t, of_t, lanes_set(11.0f / 35.0f));
    of_t = lanes_mul_add(t, of_t, lanes_set(-17.0f / 60.0f));
    of_t = lanes_mul_add(t, of_t, lanes_set(1.0f / 10.0f));
    Lanes of_s = lanes_mul_add(s, lanes_set(2.0f / 63.0f), lanes_set(-1.0f / 56.0f));
    of_s = lanes_mul_add(s, of_s, lanes_set(-3.0f / 70.0f));
    of_s = lanes_mul_add(s, of_s, lanes_set(1.0f / 40.0f));
    of_s = lanes_mul_add(s, of_s, lanes_set(1.0f / 40.0f));
    of_s = lanes_mul_add(s, of_s, lanes_set(-1.0f / 64.0f));
    return lanes_mul_add(lanes_mul(lanes_mul(t2, t2), t), of_t, lanes_mul(lanes_mul(s2, s2), of_s));
}

// The sum of the planes' pulls on particles at p, each times its adhesion. What several planes have behind
// them in common counts once, as in walls_at. loads: NULL, or what is pulled is added to, `move` m by a pull
// of 1.
static inline Lanes3 planes_pull(const ContactLayer *layers, ContactLoad *loads, uint32_t count,
                                 uint32_t lane, float inv_h, Lanes3 p, float move)
{
    HalfSpace space[CONTACTS_PER_PARTICLE];
    Lanes open = half_spaces(layers, count, lane, inv_h, p, space);
    Lanes3 sum = lanes3_zero();
    for (uint32_t k = 0; k < count; k++) {
        Lanes distance = planes_distance(&layers[k], lane, planes_normal(&layers[k], lane), p);
        Lanes back = lanes_add(distance, lanes_load(layers[k].thickness + lane));
        Lanes pull = lanes_sub(half_space_pull(lanes_mul(distance, lanes_set(inv_h))),
                               half_space_pull(lanes_mul(back, lanes_set(inv_h))));
        Lanes others = lanes_div(open, lanes_sub(lanes_set(1.0f), space[k].volume));
        pull = lanes_mul(lanes_mul(pull, others), lanes_load(layers[k].adhesion + lane));
        Lanes3 push = planes_push(&layers[k], lane);
        sum = lanes3_add_scaled(sum, pull, push);
        if (loads) load_add(&loads[k], lane, lanes3_scale(push, lanes_mul(pull, lanes_set(move))));
    }
    return sum;
}

// Moves particles at p out of the planes that they are too deep in and takes Coulomb friction from their way
// since `from`. loads: of the planes, added to; NULL: not measured.
static inline Lanes3 planes_resolve(const ContactLayer *layers, ContactLoad *loads, uint32_t count,
                                    uint32_t lane, Lanes3 from, Lanes3 p)
{
    Lanes zero = lanes_set(0.0f);
    // Twice: in a corner one plane's push may lead into the other.
    for (int sweep = 0; sweep < 2; sweep++) {
        bool touched = false;
        for (uint32_t k = 0; k < count; k++) {
            const ContactLayer *layer = &layers[k];
            Lanes3 normal = planes_normal(layer, lane);
            Lanes distance = planes_distance(layer, lane, normal, p);
            Lanes depth = lanes_sub(lanes_load(layer->min_distance + lane), distance);
            depth = lanes_max(depth, zero);
            if (!lanes_any_less(zero, depth)) continue;
            touched = true;
            Lanes3 before = p;
            p = lanes3_add_scaled(p, depth, normal);
            Lanes3 motion =
                lanes3_load(layer->motion_x + lane, layer->motion_y + lane, layer->motion_z + lane);
            Lanes3 way = lanes3_sub(lanes3_sub(p, from), motion);
            Lanes3 slide = lanes3_sub(way, lanes3_scale(normal, lanes3_dot(normal, way)));
            Lanes length = lanes_max(lanes_sqrt(lanes3_dot(slide, slide)), lanes_set(1e-30f));
            Lanes share = lanes_div(lanes_mul(lanes_load(layer->friction + lane), depth), length);
            share = lanes_min(share, lanes_set(1.0f));
            p = lanes3_sub(p, lanes3_scale(slide, share));
            if (loads) load_add(&loads[k], lane, lanes3_sub(p, before));
        }
        if (!touched) break;
    }
    return p;
}

#endif
