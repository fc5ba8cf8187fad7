#version 330 core
// A rectangle around each shape, with room for its soft edge.
layout(location = 0) in vec4 ends;
layout(location = 1) in vec2 radius_form;
layout(location = 2) in vec4 ink;

uniform vec2 viewport; // px

flat out vec4 shape_ends;
flat out vec2 shape;
flat out vec4 shape_ink;

void main()
{
    shape_ends = ends;
    shape = radius_form;
    shape_ink = ink;
    float room = (radius_form.y < 0.5 ? radius_form.x : 0.0) + 1.0;
    vec2 lo = min(ends.xy, ends.zw) - room, hi = max(ends.xy, ends.zw) + room;
    vec2 at = vec2((gl_VertexID & 1) == 0 ? lo.x : hi.x, (gl_VertexID & 2) == 0 ? lo.y : hi.y);
    gl_Position = vec4(at / viewport * 2.0 - 1.0, 0.0, 1.0);
}
