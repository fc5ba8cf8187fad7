#version 330 core
// A drop's surface along this pixel's ray.
flat in vec3 center;
flat in float radius;

uniform mat4 view;
uniform vec2 tangent;
uniform vec2 viewport;
uniform vec2 depth_scale;
uniform float largest; // m, radius that is stored as 1

layout(location = 0) out vec4 out_normal;

void main()
{
    vec3 ray = vec3((gl_FragCoord.xy / viewport * 2.0 - 1.0) * tangent, -1.0);
    float inverse = 1.0 / dot(ray, ray);
    vec3 offset = ray * (dot(ray, center) * inverse) - center;
    float inside = radius * radius - dot(offset, offset);
    if (inside < 0.0) discard;
    vec3 from_center = offset - ray * sqrt(inside * inverse);
    out_normal = vec4((from_center / radius * mat3(view)) * 0.5 + 0.5, min(radius / largest, 1.0));
    gl_FragDepth = 0.5 - 0.5 * (depth_scale.x + depth_scale.y / (center.z + from_center.z));
}
