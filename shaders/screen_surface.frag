#version 330 core
// Normals from distances: per axis the smaller of the two one-sided steps, so that rims keep their own normals.
uniform sampler2D distances; // m, 0: no water
uniform vec3 right;
uniform vec3 up;
uniform vec3 forward;
uniform vec2 tangent;
uniform vec2 depth_scale; // projection[2][2], projection[3][2]; of a parallel view near and far, m
uniform float parallel;   // 1 for such a view, else 0
uniform float back; // 1 if the surface faces away

layout(location = 0) out vec4 out_normal;

vec3 place(ivec2 pixel, vec2 size)
{
    float ahead = texelFetch(distances, clamp(pixel, ivec2(0), ivec2(size) - 1), 0).r;
    return vec3(((vec2(pixel) + 0.5) / size * 2.0 - 1.0) * tangent * mix(ahead, 1.0, parallel), ahead);
}

vec3 step_along(ivec2 pixel, ivec2 direction, vec3 middle, vec2 size)
{
    vec3 a = place(pixel + direction, size), b = place(pixel - direction, size);
    float da = a.z > 0.0 ? abs(a.z - middle.z) : 1e30, db = b.z > 0.0 ? abs(b.z - middle.z) : 1e30;
    return da < db ? a - middle : middle - b;
}

void main()
{
    ivec2 pixel = ivec2(gl_FragCoord.xy);
    vec2 size = vec2(textureSize(distances, 0));
    vec3 middle = place(pixel, size);
    if (middle.z <= 0.0) discard;
    vec3 dx = step_along(pixel, ivec2(1, 0), middle, size), dy = step_along(pixel, ivec2(0, 1), middle, size);
    vec3 normal = normalize(cross(dy, dx));
    vec3 ray = vec3(middle.xy * (1.0 - parallel), middle.z);
    if ((dot(normal, ray) > 0.0) != (back > 0.0)) normal = -normal;
    out_normal = vec4(normalize(right * normal.x + up * normal.y + forward * normal.z) * 0.5 + 0.5, 1.0);
    gl_FragDepth = 0.5 + 0.5 * (depth_scale.y / middle.z - depth_scale.x);
    if (parallel > 0.0) gl_FragDepth = (middle.z - depth_scale.x) / (depth_scale.y - depth_scale.x);
}
