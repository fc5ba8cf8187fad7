uniform mat4 view;
uniform vec2 tangent;     // of half the fields of view
uniform vec2 viewport;    // px
uniform vec2 depth_scale; // projection[2][2], projection[3][2]
uniform vec2 range;       // lowest value, 1 / width of the range
uniform float radius;
uniform sampler2D colormap;

flat out vec3 center; // eye coordinates
flat out vec3 albedo; // square root of linear color

vec3 color_of(float value)
{
    float t = clamp((value - range.x) * range.y, 0.0, 1.0);
    vec3 srgb = textureLod(colormap, vec2((t * 255.0 + 0.5) / 256.0, 0.5), 0.0).rgb;
    vec3 linear = mix(srgb / 12.92, pow((srgb + 0.055) / 1.055, vec3(2.4)), step(0.04045, srgb));
    return sqrt(linear);
}
