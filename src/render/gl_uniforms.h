// Table of all uniforms that shaders declare and drawing code sets, so that a misspelled name does not
// compile. A shader that declares another name fails when it is linked.
#ifndef PBF_RENDER_GL_UNIFORMS_H
#define PBF_RENDER_GL_UNIFORMS_H

// clang-format off
#define GL_UNIFORMS(X)                                                                                      \
    X(albedo_map) X(back) X(back_depth) X(back_normal) X(beams) X(behind_color) X(behind_distance)          \
    X(buffer_size) X(colormap) X(contact_map) X(density) X(depth_map) X(depth_scale) X(direction)           \
    X(distances) X(extent) X(eye) X(eye_in_water) X(floor_map) X(forward) X(front_depth) X(front_normal)    \
    X(gap) X(grain) X(ground_map) X(half_width) X(has_ground) X(has_solids) X(hi) X(ink) X(largest)         \
    X(layer_depth) X(layer_projection) X(light_map) X(linear_color) X(lo) X(longest) X(middle) X(model)     \
    X(near) X(normal_map) X(parallel) X(picture) X(picture_size) X(px_per_tan) X(radius) X(range)           \
    X(reach) X(region) X(right) X(samples) X(scale) X(scene_color) X(scene_distance) X(second_depth)        \
    X(second_normal) X(shadow_map) X(share) X(shutter) X(side) X(size) X(sky_map) X(solid_depth) X(sphere_depth)       \
    X(stride) X(sun_back) X(sun_back_normal) X(sun_box) X(sun_direction) X(sun_eye) X(sun_forward)          \
    X(sun_normal) X(sun_right) X(sun_solid) X(sun_thickness) X(sun_up) X(sun_water) X(tangent)              \
    X(thickness_map) X(thicknesses) X(toward_sun) X(up) X(view) X(view_projection) X(viewport)
// clang-format on

#define GL_UNIFORM_ID(name) U_##name,
typedef enum GlUniform { GL_UNIFORMS(GL_UNIFORM_ID) GL_UNIFORM_COUNT } GlUniform;
#undef GL_UNIFORM_ID

#endif
