#version 330 core
// Length of a sunbeam through a drop.
in vec2 from_middle;
flat in float radius;

out float thickness; // m

void main()
{
    float inside = 1.0 - dot(from_middle, from_middle);
    if (inside < 0.0) discard;
    thickness = 2.0 * radius * sqrt(inside);
}
