#version 330 core
// Sun light on a piece of ground, with shadows that grow softer away from what casts them: the mean distance of the
// casters around the ray sets the width over which the shadow is averaged (Fernando 2005).
#include "sun.glsl"

uniform vec4 region; // x, y, width, depth: m
uniform float side;  // texels
uniform float grain; // m
uniform float size;  // m

out vec4 sun_light;

void main()
{
    vec3 at = sun_place(vec3(region.xy + gl_FragCoord.xy / side * region.zw, 0.0));
    float bias = 0.5 * grain;
    mat2 turn = turn_at(ivec2(gl_FragCoord.xy));
    vec2 search = 0.045 * size / sun_box.xy;
    float casters = 0.0, gap = 0.0;
    for (int k = 0; k < 24; k++) {
        float first = sun_first(at.xy + turn * disc(k, 24) * 0.5 * search);
        if (first < at.z - bias) {
            casters += 1.0;
            gap += at.z - first;
        }
    }
    if (casters == 0.0) {
        sun_light = vec4(1.0);
        return;
    }
    float width = clamp(0.11 * gap / casters, 0.008 * size, 0.045 * size);
    float lit = 0.0;
    for (int k = 0; k < 48; k++) {
        float first = sun_first(at.xy + turn * disc(k, 48) * 0.5 * width / sun_box.xy);
        lit += step(at.z - bias, first);
    }
    sun_light = vec4(lit / 48.0);
}
