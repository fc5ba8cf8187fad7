#version 330 core
// Adds what a splat of whitewater covers: light and optical depth. Solids hide it; water in front of it swallows.
#include "studio.glsl"

uniform sampler2D solid_depth; // of a sample, as are those below
uniform sampler2D front_depth;
uniform sampler2D back_depth;

flat in float ahead;
flat in float kind;
flat in float sunlight;
flat in float depth;
flat in float half_length;
in vec2 inside;

layout(location = 0) out vec4 covered; // light times optical depth; optical depth
layout(location = 1) out vec2 placed;  // distance times weight; weight: what lies in front counts

// m of water in front of it: foam lies on the surface, however the surface was made.
float path_through_water(ivec2 at)
{
    float front = eye_depth(texelFetch(front_depth, at, 0).r);
    float through = max(ahead - front - (kind == 1.0 ? 1.5 : 0.5) * forward.w, 0.0);
    float back = eye_depth(texelFetch(back_depth, at, 0).r);
    return tile.w > 0.0 && back > front ? min(through, back - front) : through;
}

void main()
{
    ivec2 at = ivec2(gl_FragCoord.xy) * int(buffer_size.z);
    vec2 from = vec2(max(abs(inside.x) - half_length, 0.0), inside.y);
    float fall = 1.0 - dot(from, from);
    if (fall <= 0.0 || ahead > eye_depth(texelFetch(solid_depth, at, 0).r) + 0.5 * forward.w) discard;
    float path = path_through_water(at), optical = depth * fall * fall;
    vec3 light = SUN_LIGHT * mix(0.18, 0.62, sunlight) + SKY_LIGHT * mix(0.65, 1.0, sunlight);
    light = light * exp(-absorption.rgb * path) + SCATTER_COLOR * (1.0 - exp(-absorption.w * path));
    // Water at a finer spacing gives birth to more of them, which cover as much together.
    optical *= (kind == 0.0 ? 0.35 : kind == 1.0 ? 0.6 : 0.12) * exp(-absorption.w * path) * min(60.0 * forward.w / eye.w, 1.0);
    covered = vec4(light * optical, optical);
    float weight = optical * exp2(-min(ahead / (2.0 * forward.w), 100.0));
    placed = vec2(ahead, 1.0) * weight;
}
