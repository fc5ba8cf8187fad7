#version 330 core
// The background of the whole picture: ground and sky.
#include "surroundings.glsl"

out vec4 color;

void main()
{
    vec2 screen = (gl_FragCoord.xy / picture_size * 2.0 - 1.0) * tangent;
    color = vec4(display(surroundings(normalize(forward + right * screen.x + up * screen.y))) + dither(), 1.0);
}
