#version 330 core
// Depth at which this pixel's ray leaves the sphere.
flat in vec3 center;
flat in vec3 albedo;

uniform vec2 tangent;
uniform vec2 viewport;
uniform vec2 depth_scale;
uniform float radius;

void main()
{
    vec3 ray = vec3((gl_FragCoord.xy / viewport * 2.0 - 1.0) * tangent, -1.0);
    float inverse = 1.0 / dot(ray, ray), middle = dot(ray, center) * inverse;
    vec3 offset = ray * middle - center;
    float inside = radius * radius - dot(offset, offset);
    if (inside < 0.0) discard;
    gl_FragDepth = 0.5 + 0.5 * (depth_scale.y / (middle + sqrt(inside * inverse)) - depth_scale.x);
}
