#version 330 core
#include "sphere_bounds.glsl"
#include "sphere_silhouette.glsl"

layout(location = 0) in vec4 particle; // position, value; one per instance

void main()
{
    center = (view * vec4(particle.xyz, 1.0)).xyz;
    albedo = color_of(particle.w);
    vec2 bx = silhouette(center.x, -center.z, radius, tangent.x);
    vec2 by = silhouette(center.y, -center.z, radius, tangent.y);
    vec2 at = vec2((gl_VertexID & 1) == 0 ? bx.x : bx.y, (gl_VertexID & 2) == 0 ? by.x : by.y);
    float front = center.z + 1.001 * radius; // nearer than all of the sphere
    float z = (depth_scale.x * front + depth_scale.y) / -front;
    gl_Position = vec4(at, z, 1.0);
}
