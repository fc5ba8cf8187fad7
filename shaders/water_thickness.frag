#version 330 core
// Thickness of water in front of solids, summed over all faces.
in vec3 layer_normal;
in float layer_distance;

uniform sampler2D solid_depth;
uniform int has_solids;
uniform vec2 depth_scale; // projection[2][2], projection[3][2]

out float thickness;

void main()
{
    float reach = layer_distance;
    if (has_solids == 1) {
        float depth = texelFetch(solid_depth, ivec2(gl_FragCoord.xy), 0).r;
        reach = min(reach, depth_scale.y / (2.0 * depth - 1.0 + depth_scale.x));
    }
    thickness = gl_FrontFacing ? -reach : reach;
}
