#version 330 core
// A segment as a screen-aligned rectangle, cut at the near plane.
layout(location = 0) in vec3 from;
layout(location = 1) in vec3 to;
layout(location = 2) in float opacity;

uniform mat4 view;
uniform vec2 tangent;
uniform vec2 viewport; // px
uniform float near;
uniform float half_width; // px

flat out vec4 ends; // px
flat out vec2 inverse_depth; // at the ends, 1/m; linear in pixels
flat out float line_opacity;

vec2 pixel_of(vec3 eye)
{
    return (eye.xy / (-eye.z * tangent) * 0.5 + 0.5) * viewport;
}

void main()
{
    vec3 a = (view * vec4(from, 1.0)).xyz, b = (view * vec4(to, 1.0)).xyz;
    line_opacity = opacity;
    if (-a.z < near && -b.z < near) {
        ends = vec4(0.0);
        inverse_depth = vec2(0.0);
        gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
        return;
    }
    if (-a.z < near) a = mix(a, b, (near + a.z) / (a.z - b.z));
    if (-b.z < near) b = mix(b, a, (near + b.z) / (b.z - a.z));
    ends = vec4(pixel_of(a), pixel_of(b));
    inverse_depth = vec2(-1.0 / a.z, -1.0 / b.z);
    vec2 along = ends.zw - ends.xy;
    along /= max(length(along), 1e-6);
    vec2 across = vec2(-along.y, along.x);
    float room = half_width + 1.0;
    vec2 at = (gl_VertexID & 1) == 0 ? ends.xy - along * room : ends.zw + along * room;
    at += across * ((gl_VertexID & 2) == 0 ? -room : room);
    gl_Position = vec4(at / viewport * 2.0 - 1.0, 0.0, 1.0);
}
