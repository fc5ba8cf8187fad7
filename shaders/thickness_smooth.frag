#version 330 core
// One direction of a Gaussian blur about one particle wide.
uniform sampler2D thicknesses;
uniform sampler2D distances; // m, 0: no water
uniform ivec2 direction;
uniform float radius;
uniform float px_per_tan;

out float thickness;

void main()
{
    ivec2 pixel = ivec2(gl_FragCoord.xy), limit = textureSize(thicknesses, 0) - 1;
    vec2 place = gl_FragCoord.xy / vec2(limit + 1) * vec2(textureSize(distances, 0));
    float middle = texelFetch(distances, ivec2(place), 0).r;
    float wide = 1.2 * radius / max(middle, radius) * px_per_tan;
    int steps = middle > 0.0 ? int(clamp(ceil(wide), 1.0, 24.0)) : 0;
    float sum = 0.0, total = 0.0, fall = -2.0 / (wide * wide);
    for (int k = -steps; k <= steps; k++) {
        float weight = exp(fall * float(k * k));
        sum += weight * texelFetch(thicknesses, clamp(pixel + direction * k, ivec2(0), limit), 0).r;
        total += weight;
    }
    thickness = sum / total;
}
