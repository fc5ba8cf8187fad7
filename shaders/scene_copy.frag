#version 330 core
// Copies the scene before water is drawn over it.
uniform sampler2D scene_color;
uniform sampler2D scene_distance;

layout(location = 0) out vec4 color;
layout(location = 1) out float away;

void main()
{
    ivec2 pixel = ivec2(gl_FragCoord.xy);
    color = texelFetch(scene_color, pixel, 0);
    away = texelFetch(scene_distance, pixel, 0).r;
}
