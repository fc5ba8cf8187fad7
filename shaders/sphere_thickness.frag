#version 330 core
// Length of this pixel's ray through the sphere, in front of solids. Spheres overlap: `share` turns the sum over all of
// them into the length through water.
flat in vec3 center;
flat in vec3 albedo;

uniform vec2 tangent;
uniform vec2 viewport;
uniform vec2 depth_scale;
uniform float radius;
uniform float share;
uniform sampler2D solid_depth;

out float thickness; // m along the view's forward direction

void main()
{
    vec3 ray = vec3((gl_FragCoord.xy / viewport * 2.0 - 1.0) * tangent, -1.0);
    float inverse = 1.0 / dot(ray, ray), middle = dot(ray, center) * inverse;
    vec3 offset = ray * middle - center;
    float inside = radius * radius - dot(offset, offset);
    if (inside < 0.0) discard;
    vec2 place = gl_FragCoord.xy / viewport * vec2(textureSize(solid_depth, 0));
    float reach = sqrt(inside * inverse), depth = texelFetch(solid_depth, ivec2(place), 0).r;
    float solid = depth_scale.y / (2.0 * depth - 1.0 + depth_scale.x);
    thickness = share * clamp(solid - (middle - reach), 0.0, 2.0 * reach);
}
