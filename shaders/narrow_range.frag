#version 330 core
// One direction of the narrow-range filter (Truong and Yuksel 2018): a Gaussian mean of distances in which samples far
// in front do not count, samples far behind count as if they were a little behind, and what is near grows with what
// has been met on the way outwards. Samples without water do not count either, and a sample that does not count takes
// its mirror image with it, so that rims do not bend.
uniform sampler2D distances; // m, 0: no water
uniform ivec2 direction;
uniform float radius;     // of a particle, m
uniform float px_per_tan; // pixels per unit of the projection plane, of a parallel view per metre
uniform float parallel;   // 1 for such a view, else 0
uniform float reach;      // of the filter, in particle radii
uniform int longest;      // px
uniform int stride;       // px between samples

out float distance_ahead;

void main()
{
    ivec2 pixel = ivec2(gl_FragCoord.xy), size = textureSize(distances, 0);
    float middle = texelFetch(distances, pixel, 0).r;
    distance_ahead = middle;
    if (middle <= 0.0) return;
    float wide = reach * radius / mix(middle, 1.0, parallel) * px_per_tan;
    int steps = int(clamp(ceil(wide), 1.0, float(longest)));
    float fall = -4.5 / (wide * wide), sum = middle, total = 1.0;
    float near = 3.0 * radius, low = middle - near, high = middle + near;
    for (int k = stride; k <= steps; k += stride) {
        ivec2 a = pixel + direction * k, b = pixel - direction * k;
        bool inside = all(greaterThanEqual(min(a, b), ivec2(0))) && all(lessThan(max(a, b), size));
        float da = inside ? texelFetch(distances, a, 0).r : 0.0, db = inside ? texelFetch(distances, b, 0).r : 0.0;
        float weight = exp(fall * float(k * k));
        if (da <= 0.0 || db <= 0.0 || da < low || db < low) weight = 0.0;
        float fa = da > high ? middle + radius : da, fb = db > high ? middle + radius : db;
        if (weight > 0.0) {
            if (da <= high) low = min(low, da - near), high = max(high, da + near);
            if (db <= high) low = min(low, db - near), high = max(high, db + near);
        }
        sum += weight * (fa + fb);
        total += 2.0 * weight;
    }
    distance_ahead = sum / total;
}
