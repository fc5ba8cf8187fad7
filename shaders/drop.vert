#version 330 core
// A drop as a quad around its silhouette.
#include "sphere_silhouette.glsl"

layout(location = 0) in vec4 drop; // position, radius; one per instance

uniform mat4 view;
uniform vec2 tangent;     // of half the fields of view
uniform vec2 viewport;    // px
uniform vec2 depth_scale; // projection[2][2], projection[3][2]
uniform float near;       // m

flat out vec3 center; // eye coordinates
flat out float radius;

void main()
{
    center = (view * vec4(drop.xyz, 1.0)).xyz;
    radius = drop.w - center.z * tangent.y / viewport.y; // half a pixel more
    vec2 bx = silhouette(center.x, -center.z, radius, tangent.x);
    vec2 by = silhouette(center.y, -center.z, radius, tangent.y);
    vec2 at = vec2((gl_VertexID & 1) == 0 ? bx.x : bx.y, (gl_VertexID & 2) == 0 ? by.x : by.y);
    float z = center.z + radius;
    bool ahead = -z > near;
    gl_Position = ahead ? vec4(at, -(depth_scale.x * z + depth_scale.y) / z, 1.0) : vec4(0.0, 0.0, 2.0, 1.0);
}
