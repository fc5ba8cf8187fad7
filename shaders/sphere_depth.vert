#version 330 core
// A particle in the light's shadow map.
layout(location = 0) in vec4 particle;

uniform mat4 view_projection;
uniform float size; // px

void main()
{
    gl_Position = view_projection * vec4(particle.xyz, 1.0);
    gl_PointSize = size;
}
