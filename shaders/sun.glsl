// Looking up the sun's shadow map.
uniform sampler2D shadow_map;
uniform vec3 sun_eye;
uniform vec3 sun_right;
uniform vec3 sun_up;
uniform vec3 sun_forward;
uniform vec4 sun_box; // half width, half height, near, far: m

const float GOLDEN_ANGLE = 2.39996323;

// Texture coordinates and distance along the light (m) of a point.
vec3 sun_place(vec3 point)
{
    vec3 from = point - sun_eye;
    vec2 at = vec2(dot(from, sun_right), dot(from, sun_up)) / sun_box.xy * 0.5 + 0.5;
    return vec3(at, dot(from, sun_forward));
}

// Distance along the light (m) of the first thing the sun hits; far away where there is nothing.
float sun_first(vec2 at)
{
    float depth = textureLod(shadow_map, at, 0.0).r;
    if (depth >= 1.0 || any(lessThan(at, vec2(0.0))) || any(greaterThan(at, vec2(1.0)))) return 1e30;
    return mix(sun_box.z, sun_box.w, depth);
}

// Point of an even distribution over the unit disc.
vec2 disc(int k, int count)
{
    float radius = sqrt((float(k) + 0.5) / float(count)), angle = float(k) * GOLDEN_ANGLE;
    return radius * vec2(cos(angle), sin(angle));
}

// One of sixteen rotations, in a pattern of four by four pixels.
mat2 turn_at(ivec2 pixel)
{
    float angle = float((pixel.x & 3) * 4 + (pixel.y & 3) * 9 & 15) * (6.2831853 / 16.0);
    return mat2(cos(angle), sin(angle), -sin(angle), cos(angle));
}
