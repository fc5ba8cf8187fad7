#version 330 core
#include "studio.glsl"

layout(location = 0) in vec3 position;

out vec3 place;

void main()
{
    place = position;
    gl_Position = view_projection * vec4(position, 1.0);
}
