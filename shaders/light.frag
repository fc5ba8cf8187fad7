#version 330 core
// For every pixel, how much of the sun and of the sky its nearest surface sees (shadow, ambient occlusion). Noisy on
// purpose: the pattern repeats every four pixels, and light_smooth.frag averages it out.
#include "sun.glsl"
#include "surface.glsl"

uniform sampler2D normal_map;
uniform vec3 eye;
uniform vec3 right;
uniform vec3 up;
uniform vec3 forward;
uniform vec2 tangent;
uniform vec2 buffer_size; // of the geometry buffer, px
uniform float grain;      // m
uniform float size;       // m

out vec4 light; // sun, sky, depth (m)

vec3 point_at(vec2 pixel, float depth)
{
    vec2 ray = (pixel / buffer_size * 2.0 - 1.0) * tangent;
    return vec3(ray * depth, depth); // right, up, forward
}

// Share of the sky over a point that a surface there covers, from its depth alone (after McGuire et al. 2011).
float cover(vec2 pixel, vec3 point, vec3 normal, float reach)
{
    ivec2 texel = clamp(ivec2(pixel), ivec2(0), ivec2(buffer_size) - 1);
    float depth = texelFetch(depth_map, texel, 0).r;
    vec3 toward = point_at(vec2(texel) + 0.5, eye_depth(depth)) - point;
    float square = dot(toward, toward);
    float near = max(1.0 - square / (reach * reach), 0.0);
    return near * max(dot(toward, normal) * inversesqrt(square + 1e-12) - 0.12, 0.0);
}

// The reach on the picture, px of the geometry buffer.
float reach_px(float reach, float depth)
{
    float px = reach / depth / tangent.y * 0.5 * buffer_size.y;
    return clamp(px, 3.0 * float(samples), 0.12 * buffer_size.y);
}

float sky_light(vec2 pixel, vec3 point, vec3 normal, mat2 turn)
{
    float near = 4.5 * grain, wide = 18.0 * grain, near_cover = 0.0, wide_cover = 0.0;
    float near_px = reach_px(near, point.z), wide_px = reach_px(wide, point.z);
    for (int k = 0; k < 6; k++) near_cover += cover(pixel + turn * disc(k, 6) * near_px, point, normal, near);
    for (int k = 0; k < 8; k++) wide_cover += cover(pixel + turn * disc(k, 8) * wide_px, point, normal, wide);
    return max(1.0 - 0.34 * near_cover, 0.0) * max(1.0 - 0.23 * wide_cover, 0.0);
}

float sun_light(vec3 point, mat2 turn)
{
    vec3 at = sun_place(point);
    float bias = 1.3 * grain;
    vec2 width = max(3.0 * grain, 0.006 * size) / sun_box.xy * 0.5;
    float lit = 0.0;
    for (int k = 0; k < 10; k++) lit += step(at.z - bias, sun_first(at.xy + turn * disc(k, 10) * width));
    return lit / 10.0;
}

void main()
{
    ivec2 pixel = ivec2(gl_FragCoord.xy);
    float depth;
    ivec2 at = nearest_sample(pixel, depth);
    vec3 normal = texelFetch(normal_map, at, 0).xyz * 2.0 - 1.0;
    vec3 point = point_at(vec2(at) + 0.5, eye_depth(depth));
    mat2 turn = turn_at(pixel);
    vec3 facing = vec3(dot(normal, right), dot(normal, up), dot(normal, forward));
    vec3 world = eye + right * point.x + up * point.y + forward * point.z;
    light = vec4(sun_light(world, turn), sky_light(vec2(at) + 0.5, point, facing, turn), point.z, 1.0);
}
