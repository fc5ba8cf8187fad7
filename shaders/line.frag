#version 330 core
flat in vec4 ends;
flat in vec2 inverse_depth;
flat in float line_opacity;

uniform sampler2D depth_map;
uniform vec2 depth_scale;
uniform float half_width;
uniform int samples;
uniform float grain; // m
uniform vec3 ink; // sRGB

out vec4 color;

void main()
{
    vec2 along = ends.zw - ends.xy, from = gl_FragCoord.xy - ends.xy;
    float t = clamp(dot(from, along) / max(dot(along, along), 1e-6), 0.0, 1.0);
    float coverage = clamp(half_width + 0.5 - length(from - t * along), 0.0, 1.0);
    // In front of it by more than a particle, so that what touches the wall does not hide the line.
    float z = 3.0 * grain - 0.998 / mix(inverse_depth.x, inverse_depth.y, t);
    z = min(z, -1e-6);
    float depth = 0.5 - 0.5 * (depth_scale.x + depth_scale.y / z);
    float shown = 0.0;
    ivec2 base = ivec2(gl_FragCoord.xy) * samples;
    for (int y = 0; y < samples; y++) {
        for (int x = 0; x < samples; x++) shown += step(depth, texelFetch(depth_map, base + ivec2(x, y), 0).r);
    }
    coverage *= shown / float(samples * samples);
    color = vec4(ink, line_opacity * coverage);
}
