#version 330 core
// Summed over all faces: how much water lies before what is solid.
in vec3 layer_normal;
in float layer_distance;

uniform sampler2D solid_distance; // m, of what lies behind
uniform int has_solids;

out float thickness;

void main()
{
    float reach = layer_distance;
    if (has_solids == 1) reach = min(reach, texelFetch(solid_distance, ivec2(gl_FragCoord.xy), 0).r);
    thickness = gl_FrontFacing ? -reach : reach;
}
