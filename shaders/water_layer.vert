#version 330 core
// The water's surface as seen by the camera or by the sun.
layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;

uniform mat4 layer_projection;
uniform vec4 layer_depth; // distance in front of the eye: dot(layer_depth, (position, 1))

out vec3 layer_normal;
out float layer_distance; // m

void main()
{
    layer_normal = normal;
    layer_distance = dot(layer_depth, vec4(position, 1.0));
    gl_Position = layer_projection * vec4(position, 1.0);
}
