#version 330 core
// The scene through the tank's glass, on a display.
#include "studio.glsl"

uniform sampler2D behind_color;

out vec4 color;

void main()
{
    vec3 ray = normalize(pixel_ray(gl_FragCoord.xy)), scene = texelFetch(behind_color, ivec2(gl_FragCoord.xy), 0).rgb;
    vec2 hit, leave;
    bool leaves, glass = enters(ray, hit, leave, leaves);
    vec4 front_pane = glass ? pane(ray, hit.x, hit.y) : vec4(0.0, 0.0, 0.0, 1.0);
    float dither = (fract(52.9829189 * fract(dot(gl_FragCoord.xy, vec2(0.06711056, 0.00583715)))) - 0.5) / 255.0;
    color = vec4(display(scene * front_pane.w + front_pane.rgb) + dither, 1.0);
}
