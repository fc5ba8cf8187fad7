#version 330 core
// The scene with the water behind other water, seen as if the front water were not there.
#include "studio.glsl"
#include "water.glsl"

uniform sampler2D second_normal; // of a pixel
uniform sampler2D second_depth;  // of a pixel
uniform sampler2D solid_depth;   // of a sample, as are those below
uniform sampler2D front_depth;
uniform sampler2D thickness_map; // m along `forward`
uniform float eye_in_water;      // 1 if rays may start in water

layout(location = 0) out vec4 color;
layout(location = 1) out float away;

void main()
{
    ivec2 pixel = ivec2(gl_FragCoord.xy), at = pixel * int(buffer_size.z);
    color = texelFetch(scene_color, pixel, 0);
    away = texelFetch(scene_distance, pixel, 0).r;
    float depth = texelFetch(second_depth, pixel, 0).r;
    // A possibly empty loop instead of an if, of which some drivers run both sides.
    int times = depth < min(texelFetch(solid_depth, at, 0).r, 1.0) ? int(buffer_size.z) : 0;
    for (int k = 0; k < times; k += int(buffer_size.z)) {
        float back = eye_depth(texelFetch(back_depth, at, 0).r), front = eye_depth(texelFetch(front_depth, at, 0).r);
        float first = eye_in_water > 0.0 && back < front ? back : back - front;
        Surface s;
        s.place = (vec2(pixel) + 0.5) * buffer_size.z;
        s.normal = texelFetch(second_normal, pixel, 0).xyz * 2.0 - 1.0;
        s.back_normal = vec3(0.0);
        s.front = eye_depth(depth);
        s.back = s.front;
        s.solid = eye_depth(texelFetch(solid_depth, at, 0).r);
        s.thickness = max(texelFetch(thickness_map, at, 0).r - max(first, 0.0), 0.0);
        s.with_back = false;
        s.radius = 0.0;
        s.spread = 0.25; // it is seen through other water
        color.rgb = water(s, color.rgb);
        away = s.front;
    }
}
