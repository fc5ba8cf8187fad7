#version 330 core
// The picture: samples are turned into display colours one by one, so that bright edges stay smooth, then averaged.
#include "studio.glsl"

uniform sampler2D light_map;
uniform int samples; // per pixel, along each axis

out vec4 color;

void main()
{
    ivec2 base = ivec2(gl_FragCoord.xy) * samples;
    vec3 sum = vec3(0.0);
    for (int y = 0; y < samples; y++) {
        for (int x = 0; x < samples; x++) sum += display(texelFetch(light_map, base + ivec2(x, y), 0).rgb);
    }
    float dither = (fract(52.9829189 * fract(dot(gl_FragCoord.xy, vec2(0.06711056, 0.00583715)))) - 0.5) / 255.0;
    color = vec4(sum / float(samples * samples) + dither, 1.0);
}
