#version 330 core
// The filter over a small square, which removes the streaks that separable passes leave along edges.
#include "narrow_range.glsl"

const int SIDE = 2; // px

out float distance_ahead;

void main()
{
    ivec2 pixel = ivec2(gl_FragCoord.xy);
    start(pixel);
    distance_ahead = middle;
    if (middle <= 0.0) return;
    for (int y = 0; y <= SIDE; y++) {
        for (int x = y == 0 ? 1 : -SIDE; x <= SIDE; x++) {
            take(pixel + ivec2(x, y), pixel - ivec2(x, y), exp(-0.2 * float(x * x + y * y)));
        }
    }
    distance_ahead = sum / total;
}
