#version 330 core
// Camera under water: pixels whose rays start in water; alpha is the share of samples that do.
#include "studio.glsl"
#include "water.glsl"

uniform sampler2D solid_depth; // of a sample, as are those below
uniform sampler2D front_depth;

out vec4 color;

// Light along a ray that starts in water: it meets a back of the surface, where it leaves, or a solid first.
vec3 inside_water(Surface s)
{
    vec3 along = pixel_ray(s.place), normal = normalize(s.back_normal);
    float stretch = length(along), chord = min(s.back, s.solid) * stretch, spread = 0.33 * s.spread;
    vec3 ray = along / stretch, end = eye.xyz + ray * chord, straight = held(end, normal);
    bool on_solid = s.solid < s.back + 0.7 * forward.w, on_ground = toward_sun.w > 0.0 && end.z < 1.3 * forward.w;
    bool on_tank = on_ground || max(max(straight.x, straight.y), straight.z) > 0.5;
    float facing = dot(ray, normal);
    if (facing < 0.02) normal = normalize(normal + ray * (0.02 - facing));
    // Straight on, or reflected by the surface into the same body of water (total reflection).
    bool free = !on_solid && !on_tank;
    vec3 start = free ? end : eye.xyz, thrown = free ? reflect(ray, normal) : ray;
    Sight sight = Sight(start, thrown, 0.5 * chord, 0.0, 1e9, spread, false);
    if (tank.w > 0.0 || on_ground) sight = into_body(start, thrown, chord, spread);
    if (on_solid) sight = Sight(eye.xyz, ray, 0.0, 1e9, chord, 0.0, false);
    sight.path += free ? chord : 0.0;
    vec3 light = look(sight, 0.0), on = refract(ray, -normal, WATER_INDEX);
    // A possibly empty loop instead of an if, of which some drivers run both sides.
    for (int k = 0; k < (free && dot(on, on) > 0.0 ? 1 : 0); k++) {
        vec3 at = project(end + on * (4.0 * eye.w));
        bool seen = on_screen(at) && texelFetch(behind_distance, ivec2(at.xy / buffer_size.z), 0).r < 0.9 * at.z;
        vec3 above = swallow(sky(on, 1.0), end, end, chord);
        vec3 scene = look(Sight(end, on, chord, 0.0, 1e9, 0.66 * s.spread, false), s.back);
        light = mix(seen || on.z < 0.0 ? scene : above, light, fresnel(dot(on, normal)));
    }
    return light;
}

void main()
{
    int samples = int(buffer_size.z), count = samples * samples, inside = 0;
    ivec2 base = ivec2(gl_FragCoord.xy) * samples;
    Surface s;
    s.place = vec2(0.0);
    s.back_normal = vec3(0.0);
    s.back = 0.0;
    s.solid = 1e30;
    for (int k = 0; k < count; k++) {
        ivec2 at = base + ivec2(k & 1, k >> 1);
        float back = texelFetch(back_depth, at, 0).r;
        bool here = back < 1.0 && back < texelFetch(front_depth, at, 0).r;
        inside += here ? 1 : 0;
        s.place += here ? vec2(at) + 0.5 : vec2(0.0);
        s.back_normal += here ? texelFetch(back_normal, at, 0).xyz * 2.0 - 1.0 : vec3(0.0);
        s.back += here ? eye_depth(back) : 0.0;
        s.solid = here ? min(s.solid, eye_depth(texelFetch(solid_depth, at, 0).r)) : s.solid;
    }
    if (inside == 0) discard;
    float share = 1.0 / float(inside);
    s.place *= share;
    s.back *= share;
    s.spread = sqrt(max(2.0 - 2.0 * length(s.back_normal) * share, 0.0));
    color = vec4(display(inside_water(s)), float(inside) / float(count));
}
