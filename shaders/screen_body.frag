#version 330 core
// The scene with its bodies of water, in linear light: the background of drops.
#include "studio.glsl"
#include "water.glsl"

uniform sampler2D second_normal; // of the bodies
uniform sampler2D second_depth;
uniform sampler2D solid_depth;
uniform sampler2D thickness_map; // m along `forward`; coarser than the picture

layout(location = 0) out vec4 color;
layout(location = 1) out float away;

float thickness_at(ivec2 pixel)
{
    return max(textureLod(thickness_map, (vec2(pixel) + 0.5) / buffer_size.xy, 0.0).r, 0.0);
}

// The place behind the first surface by all the water that there is; w: of the first surface, m, 0 without water.
vec4 back_at(ivec2 pixel)
{
    pixel = clamp(pixel, ivec2(0), ivec2(buffer_size.xy) - 1);
    float depth = texelFetch(second_depth, pixel, 0).r, front = depth < 1.0 ? eye_depth(depth) : 0.0;
    return vec4(pixel_ray(vec2(pixel) + 0.5) * (front + thickness_at(pixel)), front);
}

// The normal of the back, from places half a particle away; where there is no water, as if it were a sheet.
vec3 back_normal_at(ivec2 pixel, float front, vec3 normal)
{
    int far = int(clamp(0.25 * forward.w / front * buffer_size.y / up.w, 1.0, 12.0));
    vec4 l = back_at(pixel - ivec2(far, 0)), r = back_at(pixel + ivec2(far, 0));
    vec4 d = back_at(pixel - ivec2(0, far)), u = back_at(pixel + ivec2(0, far));
    float apart = max(max(abs(l.w - front), abs(r.w - front)), max(abs(d.w - front), abs(u.w - front)));
    vec3 back = cross(r.xyz - l.xyz, u.xyz - d.xyz);
    return apart > 2.0 * forward.w ? -normal : normalize(back * sign(dot(back, forward.xyz)));
}

void main()
{
    ivec2 pixel = ivec2(gl_FragCoord.xy);
    color = texelFetch(scene_color, pixel, 0);
    away = texelFetch(scene_distance, pixel, 0).r;
    float depth = texelFetch(second_depth, pixel, 0).r, solid = texelFetch(solid_depth, pixel, 0).r;
    // A possibly empty loop instead of an if, of which some drivers run both sides.
    int times = depth < min(solid, 1.0) ? 1 : 0;
    for (int k = 0; k < times; k++) {
        Surface s;
        s.place = gl_FragCoord.xy;
        s.normal = texelFetch(second_normal, pixel, 0).xyz * 2.0 - 1.0;
        s.back_normal = back_normal_at(pixel, eye_depth(depth), s.normal);
        s.front = eye_depth(depth);
        s.back = s.front;
        s.solid = eye_depth(solid);
        s.thickness = thickness_at(pixel);
        s.with_back = false;
        s.radius = 0.0;
        s.spread = 0.0;
        // Spheres end in scallops; the smoothed thickness ends in a line.
        float share = smoothstep(0.12 * forward.w, 0.4 * forward.w, s.thickness);
        color.rgb = mix(color.rgb, water(s, color.rgb), share);
        away = share > 0.5 ? s.front : away;
    }
}
