#version 330 core
// Deferred shading from the geometry buffer and the light map. The samples of a pixel are lit and tone-mapped one by
// one, then averaged, so that bright edges stay smooth; alpha is the share left to the background.
#include "surface.glsl"
#include "surroundings.glsl"

uniform sampler2D albedo_map;
uniform sampler2D normal_map;
uniform sampler2D light_map;

out vec4 color;

void main()
{
    ivec2 pixel = ivec2(gl_FragCoord.xy);
    vec2 light = texelFetch(light_map, pixel, 0).rg;
    vec2 screen = (gl_FragCoord.xy / picture_size * 2.0 - 1.0) * tangent;
    vec3 ray = normalize(forward + right * screen.x + up * screen.y);
    vec3 sum = vec3(0.0);
    float solid = 0.0;
    for (int y = 0; y < samples; y++) {
        for (int x = 0; x < samples; x++) {
            ivec2 at = pixel * samples + ivec2(x, y);
            float here = texelFetch(depth_map, at, 0).r < 1.0 ? 1.0 : 0.0;
            vec4 albedo = texelFetch(albedo_map, at, 0);
            vec3 normal = texelFetch(normal_map, at, 0).xyz * 2.0 - 1.0;
            sum += here * display(shade(albedo.rgb * albedo.rgb, albedo.a, normal, ray, light));
            solid += here;
        }
    }
    float count = float(samples * samples);
    color = vec4(sum / count + dither() * solid / count, 1.0 - solid / count);
}
