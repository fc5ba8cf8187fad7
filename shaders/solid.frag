#version 330 core
in vec3 world_normal;

uniform vec3 linear_color;

layout(location = 0) out vec4 out_albedo; // square root of linear color; alpha 1: matt
layout(location = 1) out vec4 out_normal;

void main()
{
    out_albedo = vec4(sqrt(linear_color), 1.0);
    out_normal = vec4(normalize(world_normal) * 0.5 + 0.5, 0.0);
}
