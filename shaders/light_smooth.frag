#version 330 core
// The mean over the four by four pixels of light.frag's pattern, kept to the same surface.
uniform sampler2D light_map;
uniform float grain;

out vec4 light; // sun, sky

void main()
{
    ivec2 pixel = ivec2(gl_FragCoord.xy), limit = textureSize(light_map, 0) - 1;
    float depth = texelFetch(light_map, pixel, 0).z;
    vec3 sum = vec3(0.0);
    for (int y = -2; y < 2; y++) {
        for (int x = -2; x < 2; x++) {
            vec3 other = texelFetch(light_map, clamp(pixel + ivec2(x, y), ivec2(0), limit), 0).rgb;
            sum += abs(other.z - depth) < 3.0 * grain ? vec3(other.xy, 1.0) : vec3(0.0);
        }
    }
    light = vec4(sum.xy / sum.z, 0.0, 1.0);
}
