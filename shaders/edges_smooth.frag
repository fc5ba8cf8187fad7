#version 330 core
// Antialiasing of a picture with one sample a pixel: averages along edges of brightness, never across them (after
// Lottes 2009, "FXAA").
uniform sampler2D picture;

out vec4 color;

float brightness(vec3 c)
{
    return dot(c, vec3(0.299, 0.587, 0.114));
}

vec3 at(vec2 place)
{
    return textureLod(picture, place, 0.0).rgb;
}

void main()
{
    vec2 pixel = 1.0 / vec2(textureSize(picture, 0)), place = gl_FragCoord.xy * pixel;
    vec3 middle = at(place);
    float here = brightness(middle);
    // The four corners of the pixel, each the mean of four pixels.
    float a = brightness(at(place + vec2(-0.5, -0.5) * pixel)), b = brightness(at(place + vec2(0.5, -0.5) * pixel));
    float c = brightness(at(place + vec2(-0.5, 0.5) * pixel)), d = brightness(at(place + vec2(0.5, 0.5) * pixel));
    vec2 slope = vec2(b + d - a - c, c + d - a - b);
    float steep = max(abs(slope.x), abs(slope.y));
    float lo = min(min(a, b), min(c, d)), hi = max(max(a, b), max(c, d));
    vec2 along = vec2(-slope.y, slope.x) / max(min(abs(slope.x), abs(slope.y)), max(0.125 * steep, 1e-6));
    along = clamp(along, vec2(-8.0), vec2(8.0)) * pixel;
    vec3 near = 0.5 * (at(place - along / 6.0) + at(place + along / 6.0));
    vec3 wide = 0.5 * near + 0.25 * (at(place - 0.5 * along) + at(place + 0.5 * along));
    float far = brightness(wide);
    // Farther along there may be another edge.
    vec3 smooth_color = far < min(lo, here) || far > max(hi, here) ? near : wide;
    color = vec4(max(hi, here) - min(lo, here) > 0.04 ? smooth_color : middle, 1.0);
}
