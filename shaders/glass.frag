#version 330 core
// A thin pane: both of its faces mirror, and between them light runs back and forth.
#include "studio.glsl"

in vec3 place;

uniform vec3 pane_normal;
uniform sampler2D solid_distance;

out vec4 color; // premultiplied

void main()
{
    vec3 from_eye = place - eye.xyz, ray = normalize(from_eye);
    if (dot(from_eye, forward.xyz) > texelFetch(solid_distance, ivec2(gl_FragCoord.xy), 0).r) discard;
    float single = fresnel(abs(dot(ray, pane_normal))), both = 2.0 * single / (1.0 + single);
    vec3 mirrored = reflect(ray, pane_normal);
    vec3 around = mirrored.z > 0.0 ? sky(mirrored, 2.0) : backdrop(place, mirrored);
    color = vec4(around * both, both + 0.012);
}
