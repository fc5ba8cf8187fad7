#version 330 core
// Distance along the view's forward direction, m; 0 where there is no water.
uniform sampler2D sphere_depth;
uniform vec2 depth_scale; // projection[2][2], projection[3][2]

out float distance_ahead;

void main()
{
    float depth = texelFetch(sphere_depth, ivec2(gl_FragCoord.xy), 0).r;
    distance_ahead = depth < 1.0 ? depth_scale.y / (2.0 * depth - 1.0 + depth_scale.x) : 0.0;
}
