// The narrow-range filter (Truong and Yuksel 2018): a Gaussian mean of distances in which samples far in front do not
// count, samples far behind count as if they were a little behind, and the range grows with the samples met on the way
// outward. Samples without water do not count either, and a sample that does not count excludes its mirror image, so
// that rims do not bend.
uniform sampler2D distances; // m, 0: no water
uniform float radius;        // of a particle, m

float middle, sum, total, low, high;

void start(ivec2 pixel)
{
    middle = texelFetch(distances, pixel, 0).r;
    sum = middle;
    total = 1.0;
    low = middle - 3.0 * radius;
    high = middle + 3.0 * radius;
}

// Two samples on either side.
void take(ivec2 a, ivec2 b, float weight)
{
    ivec2 size = textureSize(distances, 0);
    bool inside = all(greaterThanEqual(min(a, b), ivec2(0))) && all(lessThan(max(a, b), size));
    float da = inside ? texelFetch(distances, a, 0).r : 0.0, db = inside ? texelFetch(distances, b, 0).r : 0.0;
    if (da <= 0.0 || db <= 0.0 || da < low || db < low) weight = 0.0;
    float fa = da > high ? middle + radius : da, fb = db > high ? middle + radius : db, near = 3.0 * radius;
    if (weight > 0.0) {
        if (da <= high) low = min(low, da - near), high = max(high, da + near);
        if (db <= high) low = min(low, db - near), high = max(high, db + near);
    }
    sum += weight * (fa + fb);
    total += 2.0 * weight;
}
