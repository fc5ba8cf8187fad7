#version 330 core
in vec2 at;
in float depth_of_eye;

uniform sampler2D picture;
uniform sampler2D depth_map;
uniform vec2 depth_scale;
uniform int samples;
uniform float grain; // m

out vec4 color;

void main()
{
    // As for lines: hidden by what is in front of it by more than a particle.
    float z = min(3.0 * grain - 0.998 * depth_of_eye, -1e-6);
    float depth = 0.5 - 0.5 * (depth_scale.x + depth_scale.y / z);
    float shown = 0.0;
    ivec2 base = ivec2(gl_FragCoord.xy) * samples;
    for (int y = 0; y < samples; y++) {
        for (int x = 0; x < samples; x++) shown += step(depth, texelFetch(depth_map, base + ivec2(x, y), 0).r);
    }
    color = texture(picture, at);
    color.a *= shown / float(samples * samples);
}
