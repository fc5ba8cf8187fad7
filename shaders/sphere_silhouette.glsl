// Bounds of a sphere's silhouette in normalized device coordinates along one axis (Mara and McGuire 2013): the
// two tangent lines from the eye to a circle around (x, depth).
vec2 silhouette(float x, float depth, float radius, float tangent_half)
{
    float t = sqrt(max(x * x + depth * depth - radius * radius, 0.0));
    float lo = (x * t - radius * depth) / (depth * t + radius * x);
    float hi = (x * t + radius * depth) / (depth * t - radius * x);
    return vec2(lo, hi) / tangent_half;
}
