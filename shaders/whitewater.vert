#version 330 core
// One of the whitewater as a soft splat in the picture, drawn out along its way while the shutter is open.
#include "studio.glsl"

layout(location = 0) in vec4 place;  // position, radius; one per instance
layout(location = 1) in vec4 motion; // velocity, class (DiffuseClass)
layout(location = 2) in float light;  // share of the sun's

uniform float shutter; // s

flat out float ahead; // m along `forward`
flat out float kind;
flat out float sunlight;
flat out float depth;      // optical, in the middle of the splat
flat out float half_length; // of the way, in splat radii
out vec2 inside;            // along and across the way, in splat radii from the middle

void main()
{
    vec3 from = place.xyz - eye.xyz;
    vec2 picture = buffer_size.xy / buffer_size.z;
    ahead = dot(from, forward.xyz);
    kind = motion.w;
    sunlight = light;
    float px_per_m = 0.5 * picture.y / (up.w * max(ahead, 1e-3));
    // Mist is softer than a drop, and nothing is smaller than a pixel: what it covers stays the same.
    float radius = place.w * px_per_m, wide = max(radius * (kind == 0.0 ? 2.5 : kind == 1.0 ? 2.0 : 1.3), 1.1);
    vec2 way = 0.5 * shutter * px_per_m * vec2(dot(motion.xyz, right.xyz), dot(motion.xyz, up.xyz));
    float way_length = length(way);
    vec2 along = way_length > 1e-3 ? way / way_length : vec2(1.0, 0.0);
    half_length = way_length / wide;
    // Areas of the splat's falloff (1 - d^2)^2: of its round ends and of the piece between them.
    float area = wide * wide * (1.0472 + 2.1333 * half_length);
    depth = 3.1416 * radius * radius / area;
    inside = vec2((gl_VertexID & 1) == 0 ? -1.0 : 1.0, (gl_VertexID & 2) == 0 ? -1.0 : 1.0);
    inside.x *= 1.0 + half_length;
    vec2 offset = wide * (inside.x * along + inside.y * vec2(-along.y, along.x));
    vec4 at = view_projection * vec4(place.xyz, 1.0);
    gl_Position = ahead > 0.0 ? at + vec4(2.0 * offset / picture * at.w, 0.0, 0.0) : vec4(0.0, 0.0, 2.0, 1.0);
}
