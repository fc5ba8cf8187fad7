#version 330 core
// A picture on a rectangle in space.
layout(location = 0) in vec3 place;
layout(location = 1) in vec2 texel;

uniform mat4 view;
uniform mat4 view_projection;

out vec2 at;
out float depth_of_eye; // m

void main()
{
    at = texel;
    depth_of_eye = -(view * vec4(place, 1.0)).z;
    gl_Position = view_projection * vec4(place, 1.0);
}
