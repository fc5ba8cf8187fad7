#version 330 core
in vec3 layer_normal;
in float layer_distance;

layout(location = 0) out vec4 out_normal;

void main()
{
    out_normal = vec4(normalize(layer_normal) * 0.5 + 0.5, 1.0);
}
