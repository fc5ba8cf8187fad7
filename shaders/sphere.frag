#version 330 core
#ifdef GL_ARB_conservative_depth
#extension GL_ARB_conservative_depth : enable
#endif
// The sphere seen along this pixel's ray: color, normal and depth into the geometry buffer.
flat in vec3 center;
flat in vec3 albedo;

uniform mat4 view;
uniform vec2 tangent;
uniform vec2 viewport;
uniform vec2 depth_scale;
uniform float radius;

layout(location = 0) out vec4 out_albedo;
layout(location = 1) out vec4 out_normal;
#ifdef GL_ARB_conservative_depth
layout(depth_greater) out float gl_FragDepth; // what hides the sphere's foremost point saves this shader
#endif

void main()
{
    vec3 ray = vec3((gl_FragCoord.xy / viewport * 2.0 - 1.0) * tangent, -1.0);
    float inverse = 1.0 / dot(ray, ray);
    // From the center to the ray's nearest point. Taken this way, and not from the difference of large squares,
    // small spheres far away stay round.
    vec3 offset = ray * (dot(ray, center) * inverse) - center;
    float inside = radius * radius - dot(offset, offset);
    if (inside < 0.0) discard;
    vec3 from_center = offset - ray * sqrt(inside * inverse);
    float z = center.z + from_center.z;
    out_albedo = vec4(albedo, 0.0);
    out_normal = vec4((from_center / radius * mat3(view)) * 0.5 + 0.5, 0.0);
    gl_FragDepth = 0.5 - 0.5 * (depth_scale.x + depth_scale.y / z);
}
