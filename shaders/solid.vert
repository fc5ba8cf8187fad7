#version 330 core
layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;

uniform mat4 model; // a rotation and a shift
uniform mat4 view_projection;
uniform vec3 scale; // along the solid's own axes

out vec3 world_normal;

void main()
{
    world_normal = mat3(model) * normal;
    gl_Position = view_projection * (model * vec4(position * scale, 1.0));
}
