// The water's velocity and density at any place, as weighted sums over the particles around it.
#ifndef PBF_DIFFUSE_VELOCITY_FIELD_H
#define PBF_DIFFUSE_VELOCITY_FIELD_H

#include "core/cpu.h"
#include "fluid/frame_view.h"
#include "neighbor/shape/shape_index.h"

// All zero before the first use; free with velocity_field_free.
typedef struct VelocityField {
    ShapeIndex index;
    float *vx, *vy, *vz; // m/s, in the order of the index
    size_t vx_capacity, vy_capacity, vz_capacity;
    float radius; // m
    float full;   // sum of the weights inside water at rest
} VelocityField;

// Room for so many particles: no build of as many needs more. Errors: RESULT_NO_MEMORY.
Result velocity_field_reserve(VelocityField *field, uint32_t particles);
void velocity_field_free(VelocityField *field);

// Takes over the particles of a finished step, which are finite.
void velocity_field_build(VelocityField *field, const FrameView *view);

// Sums over the particles nearer than the view's influence radius h, with weights 1 - r / h.
typedef struct FieldSums {
    float weight, x, y, z; // weights; weights times velocities, m/s
} FieldSums;
FieldSums velocity_field_at(const VelocityField *field, Vec3 at);

// The sums over ranges of places in streams of positions and velocities; compiled for each instruction set.
typedef struct FieldStreams {
    const float *x, *y, *z, *vx, *vy, *vz;
} FieldStreams;
typedef FieldSums FieldLoop(const FieldStreams *streams, const PlaceRange *ranges, uint32_t count, Vec3 at,
                            float radius);
extern FieldLoop field_loop_plain, field_loop_avx2, field_loop_avx512;

#endif
