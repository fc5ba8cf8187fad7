#version 330 core
// The depth of each pixel's nearest sample: later passes test against it and so skip pixels without a surface.
#include "surface.glsl"

void main()
{
    float depth;
    nearest_sample(ivec2(gl_FragCoord.xy), depth);
    gl_FragDepth = depth;
}
