#version 330 core
// The sun has a size, so its light is blurred a little. Ground that no beam of the net can reach is in the open.
#include "studio.glsl"

uniform sampler2D beams;
uniform vec2 direction; // texels

out vec4 light;

void main()
{
    vec2 texel = 1.0 / vec2(textureSize(beams, 0)), at = gl_FragCoord.xy * texel;
    vec3 sum = vec3(0.0);
    float total = 0.0;
    for (int k = -3; k <= 3; k++) {
        float weight = exp(-0.28 * float(k * k));
        sum += weight * textureLod(beams, at + direction * texel * float(k), 0.0).rgb;
        total += weight;
    }
    light = vec4(sum / total, 1.0);
    vec3 place = sun_place(vec3(region.xy + at * region.zw, 0.0));
    vec2 rim = min(place.xy, 1.0 - place.xy);
    light.rgb = mix(vec3(1.0), light.rgb, smoothstep(0.004, 0.02, min(rim.x, rim.y)));
}
