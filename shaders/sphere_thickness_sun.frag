#version 330 core
// Thickness for a parallel view.
uniform float radius;
uniform float share;

out float thickness;

void main()
{
    vec2 q = gl_PointCoord * 2.0 - 1.0;
    float inside = 1.0 - dot(q, q);
    if (inside < 0.0) discard;
    thickness = share * 2.0 * radius * sqrt(inside);
}
