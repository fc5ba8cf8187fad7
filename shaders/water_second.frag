#version 330 core
// The first surface behind the place where the view's ray leaves the first water.
in vec3 layer_normal;
in float layer_distance;

uniform sampler2D back_depth;
uniform int samples;      // of that map per pixel, along each axis
uniform vec2 depth_scale; // projection[2][2], projection[3][2]
uniform float gap;        // m; what is nearer to the back than that may be the same surface

layout(location = 0) out vec4 out_normal;

void main()
{
    float back = texelFetch(back_depth, ivec2(gl_FragCoord.xy) * samples, 0).r;
    if (layer_distance < depth_scale.y / (2.0 * back - 1.0 + depth_scale.x) + gap) discard;
    out_normal = vec4(normalize(layer_normal) * 0.5 + 0.5, 1.0);
}
