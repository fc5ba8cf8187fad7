#version 330 core
// One direction of the filter.
#include "narrow_range.glsl"

uniform ivec2 direction;
uniform float px_per_tan; // pixels per unit of the projection plane, of a parallel view per meter
uniform float parallel;   // 1 for such a view, else 0
uniform float reach;      // of the filter, in particle radii
uniform int longest;      // px
uniform int stride;       // px between samples

out float distance_ahead;

void main()
{
    ivec2 pixel = ivec2(gl_FragCoord.xy);
    start(pixel);
    distance_ahead = middle;
    if (middle <= 0.0) return;
    float wide = reach * radius / mix(middle, 1.0, parallel) * px_per_tan, fall = -4.5 / (wide * wide);
    int steps = int(clamp(ceil(wide), 1.0, float(longest)));
    // Each weight follows from the last: exp(fall k^2) without calling exp.
    float square = float(stride * stride), weight = exp(fall * square);
    float ratio = exp(3.0 * fall * square), growth = exp(2.0 * fall * square);
    for (int k = stride; k <= steps; k += stride) {
        take(pixel + direction * k, pixel - direction * k, weight);
        weight *= ratio;
        ratio *= growth;
    }
    distance_ahead = sum / total;
}
