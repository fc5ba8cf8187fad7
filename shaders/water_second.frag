#version 330 core
// The first surface behind the place where the view's ray leaves the water it met first.
in vec3 layer_normal;
in float layer_distance;

uniform sampler2D back_depth;
uniform int samples; // of that map per pixel, along each axis

layout(location = 0) out vec4 out_normal;

void main()
{
    if (gl_FragCoord.z <= texelFetch(back_depth, ivec2(gl_FragCoord.xy) * samples, 0).r) discard;
    out_normal = vec4(normalize(layer_normal) * 0.5 + 0.5, 1.0);
}
