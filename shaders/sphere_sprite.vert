#version 330 core
#include "sphere_bounds.glsl"
#include "sphere_silhouette.glsl"

layout(location = 0) in vec4 particle; // position, value

void main()
{
    center = (view * vec4(particle.xyz, 1.0)).xyz;
    albedo = color_of(particle.w);
    vec2 bx = silhouette(center.x, -center.z, radius, tangent.x);
    vec2 by = silhouette(center.y, -center.z, radius, tangent.y);
    vec2 middle = 0.5 * vec2(bx.x + bx.y, by.x + by.y);
    vec2 half_size = 0.5 * vec2(bx.y - bx.x, by.y - by.x);
    if (any(greaterThan(abs(middle) - half_size, vec2(1.0)))) { // outside the picture: clipped
        gl_Position = vec4(0.0, 0.0, 2.0, 1.0);
        gl_PointSize = 1.0;
        return;
    }
    // A sprite whose middle lies outside the picture is dropped whole: pull the middle in and widen instead.
    vec2 pulled = clamp(middle, -1.0, 1.0);
    half_size += abs(middle - pulled);
    vec2 size = half_size * viewport;
    float front = center.z + 1.001 * radius; // nearer than all of the sphere
    float z = (depth_scale.x * front + depth_scale.y) / -front;
    gl_Position = vec4(pulled, z, 1.0);
    gl_PointSize = max(size.x, size.y) + 1.0;
}
