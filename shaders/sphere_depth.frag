#version 330 core
// A disc through the sphere's center; leaving depth alone lets the driver test it early.
void main()
{
    vec2 q = gl_PointCoord * 2.0 - 1.0;
    if (dot(q, q) > 1.0) discard;
}
