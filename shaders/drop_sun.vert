#version 330 core
// A drop in the sun's parallel view, as a square across the light.
layout(location = 0) in vec4 drop; // position, radius; one per instance

uniform mat4 view_projection;
uniform vec2 extent; // half the view's width and height, m

out vec2 from_middle; // radii
flat out float radius;

void main()
{
    from_middle = vec2((gl_VertexID & 1) == 0 ? -1.0 : 1.0, (gl_VertexID & 2) == 0 ? -1.0 : 1.0);
    radius = drop.w;
    gl_Position = view_projection * vec4(drop.xyz, 1.0) + vec4(from_middle * radius / extent, 0.0, 0.0);
}
