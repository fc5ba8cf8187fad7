#version 330 core
// Light of the caustics: the number of beams per texel, from the area of the net that lands on it.
in vec2 source;
in vec3 flux;

uniform float density; // texels of the floor's map per unit square of the net, where beams go straight

out vec4 light;

void main()
{
    vec2 dx = dFdx(source), dy = dFdy(source);
    light = vec4(flux * min(abs(dx.x * dy.y - dx.y * dy.x) * density, 12.0), 1.0);
}
