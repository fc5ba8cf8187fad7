#version 330 core
// The picture: the scene, and the water in front of it: what it mirrors, what is seen through it, what it swallows
// and what it scatters. Where the samples of a pixel agree they are shaded as one; else each is, and turned into a
// display colour before the mean is taken, so that bright edges stay smooth.
#include "studio.glsl"

uniform sampler2D scene_color;    // of a pixel; alpha: share of solids
uniform sampler2D scene_distance; // of a pixel, m
uniform sampler2D solid_depth;    // of a sample, as are those below
uniform sampler2D front_normal;
uniform sampler2D front_depth;
uniform sampler2D back_normal;
uniform sampler2D back_depth;
uniform sampler2D thickness_map; // m along `forward`

out vec4 color;

// How much a surface is the tank's floor or wall, per axis, rather than the water's own.
vec3 held(vec3 point, vec3 normal)
{
    float reach = forward.w;
    vec3 lo = (1.0 - smoothstep(0.8 * reach, 1.6 * reach, abs(point - tank_lo.xyz))) * smoothstep(0.45, 0.8, -normal);
    vec3 hi = (1.0 - smoothstep(0.8 * reach, 1.6 * reach, abs(tank_hi.xyz - point))) * smoothstep(0.45, 0.8, normal);
    return lo + hi;
}

// Water that stands against the glass is as flat as the glass.
vec3 press_flat(vec3 point, vec3 normal)
{
    vec3 share = held(point, normal);
    float most = max(share.x, max(share.y, share.z));
    vec3 wall = vec3(share.x == most, share.y == most && share.x < most, share.z == most && max(share.x, share.y) < most);
    return normalize(mix(normal, sign(dot(normal, wall)) * wall, most));
}

// Place in the buffers (in samples), and distance along `forward`.
vec3 project(vec3 point)
{
    vec3 from = point - eye.xyz;
    float ahead = dot(from, forward.xyz);
    vec2 screen = vec2(dot(from, right.xyz) / right.w, dot(from, up.xyz) / up.w) / max(ahead, 1e-6);
    return vec3((screen * 0.5 + 0.5) * buffer_size.xy, ahead);
}

bool on_screen(vec3 at)
{
    return at.z > 0.0 && all(greaterThanEqual(at.xy, vec2(0.0))) && all(lessThan(at.xy, buffer_size.xy));
}

// A ray through water, and what comes of it.
struct Sight {
    vec3 from, ray; // where it starts its last straight piece
    float path;     // m through water, before that
    float wet;      // m of the last piece that may be in water too
};

// Into the tank's body of water: to its floor, or to a wall of glass and out, or thrown back to the floor.
Sight into_body(vec3 point, vec3 bent, float chord)
{
    vec2 walls = abs(mix(tank_lo.xy, tank_hi.xy, step(0.0, bent.xy)) - point.xy);
    vec2 reach = walls / max(abs(bent.xy), vec2(1e-5));
    float to_wall = min(reach.x, reach.y), to_floor = bent.z < -1e-3 ? max(point.z, 0.0) / -bent.z : 1e9;
    if (to_floor <= to_wall) return Sight(point, bent, 0.0, 1e9);
    vec3 wall = reach.x < reach.y ? vec3(sign(bent.x), 0.0, 0.0) : vec3(0.0, sign(bent.y), 0.0);
    vec3 on = refract(bent, -wall, WATER_INDEX);
    bool thrown = dot(on, on) == 0.0;
    return Sight(point + bent * to_wall, thrown ? reflect(bent, wall) : on, to_wall, thrown ? 3.0 * chord : 0.0);
}

// Light from the end of a sight line: from the picture of the scene where it shows the place, else from what is known
// about ground and sky. nearest: m along `forward`, of the water's surface; what lies before it cannot be seen in it.
vec3 look(Sight sight, float nearest)
{
    bool down = toward_sun.w > 0.0 && sight.ray.z < -1e-3;
    float reach = down ? min(max(sight.from.z, 0.0) / -sight.ray.z, 4.0 * eye.w) : 4.0 * eye.w;
    vec3 hit = sight.from + sight.ray * reach, at = project(hit);
    bool wet = sight.wet > 0.0;
    float path = wet ? min(min(reach, sight.wet), eye.w) : 0.0, shown = 0.0;
    vec3 seen = vec3(0.0);
    if (on_screen(at)) {
        float distance = texelFetch(scene_distance, ivec2(at.xy / buffer_size.z), 0).r;
        vec4 there = textureLod(scene_color, at.xy / buffer_size.xy, 0.0);
        seen = there.rgb;
        // Through water only solids come from the picture: the ground's detail is finer than a pixel's place is known.
        shown = distance > nearest ? (wet ? there.a : 1.0) : 0.0;
        if (wet) path = mix(path, min(clamp(distance - project(sight.from).z, 0.0, reach), path), shown);
    }
    path += sight.path;
    vec3 light = seen;
    for (int k = 0; k < (shown < 1.0 ? 1 : 0); k++) {
        if (wet) hit.xy = clamp(hit.xy, vec2(0.0), tank.xy);
        light = mix(down ? ground(hit, path + nearest, -sight.ray.z) : sky(sight.ray, 3.0), seen, shown);
    }
    // Light comes from above: the deeper, the less is left to scatter.
    float height = clamp(0.5 * (sight.from.z + hit.z) / (0.45 * tank.z), 0.0, 1.0);
    vec3 scattered = SCATTER_COLOR * (1.0 - exp(-absorption.w * path)) * mix(0.55, 1.35, tank.w > 0.0 ? height : 0.5);
    return light * exp(-absorption.rgb * path) + scattered;
}

// The surface at one sample, or the mean of a pixel's.
struct Surface {
    vec2 place;
    vec3 normal, back_normal;
    float front, back, solid, thickness; // m along `forward`
};

Surface surface_at(ivec2 at)
{
    Surface s;
    s.place = vec2(at) + 0.5;
    s.normal = texelFetch(front_normal, at, 0).xyz * 2.0 - 1.0;
    s.back_normal = texelFetch(back_normal, at, 0).xyz * 2.0 - 1.0;
    s.front = eye_depth(texelFetch(front_depth, at, 0).r);
    s.back = eye_depth(texelFetch(back_depth, at, 0).r);
    s.solid = eye_depth(texelFetch(solid_depth, at, 0).r);
    s.thickness = max(texelFetch(thickness_map, at, 0).r, 0.0);
    return s;
}

Surface mean(Surface a, Surface b)
{
    return Surface(0.5 * (a.place + b.place), a.normal + b.normal, a.back_normal + b.back_normal,
                   0.5 * (a.front + b.front), 0.5 * (a.back + b.back), min(a.solid, b.solid),
                   0.5 * (a.thickness + b.thickness));
}

Sight sight_through(Surface s, vec3 point, vec3 normal, vec3 ray, float stretch)
{
    vec3 bent = refract(ray, normal, 1.0 / WATER_INDEX);
    float total = s.thickness * stretch, chord = total;
    if (tile.w > 0.0) chord = clamp((min(s.back, s.solid) - s.front) * stretch, 0.0, total);
    vec3 end = point + ray * chord, out_at = point + bent * chord;
    bool on_solid = s.solid < s.back && s.solid < 1e3 * eye.w;
    if (tile.w == 0.0) {
        if (toward_sun.w > 0.0 && end.z < 1.3 * forward.w) return into_body(point, bent, chord);
        return Sight(out_at, bent, total, 0.0);
    }
    vec3 straight = held(end, normalize(s.back_normal));
    if (!on_solid && max(max(straight.x, straight.y), straight.z) > 0.5) return into_body(point, bent, chord);
    if (on_solid) return Sight(point, bent, 0.0, 1e9);
    vec3 at = project(out_at);
    ivec2 there = ivec2(on_screen(at) ? at.xy : s.place);
    vec3 out_normal = normalize(texelFetch(back_normal, there, 0).xyz * 2.0 - 1.0);
    vec3 on = refract(bent, -out_normal, WATER_INDEX);
    if (dot(bent, out_normal) < 0.05) on = bent;
    if (dot(on, on) == 0.0) on = reflect(bent, out_normal);
    return Sight(out_at, on, total, 0.0);
}

// The sun's image on a slightly rough surface (Walter et al. 2007).
vec3 glint(vec3 normal, vec3 ray)
{
    vec3 half_way = normalize(toward_sun.xyz - ray);
    float roughness = 0.0018, n_h = max(dot(normal, half_way), 0.0);
    float d = n_h * n_h * (roughness - 1.0) + 1.0;
    float n_l = max(dot(normal, toward_sun.xyz), 0.0);
    float shine = roughness / (3.14159265 * d * d) * fresnel(dot(half_way, toward_sun.xyz)) * n_l * 0.35;
    return SUN_LIGHT * min(shine, 12.0);
}

vec3 water(Surface s, vec3 scene)
{
    vec3 along = pixel_ray(s.place), point = eye.xyz + along * s.front;
    float stretch = length(along);
    vec3 ray = along / stretch, normal = press_flat(point, normalize(s.normal));
    float facing = -dot(normal, ray);
    if (facing < 0.02) normal = normalize(normal + ray * (facing - 0.02));
    vec3 through = look(sight_through(s, point, normal, ray, stretch), s.front);
    // Very thin water bends nothing.
    through = mix(scene, through, smoothstep(0.0, 0.12 * forward.w, s.thickness * stretch));
    vec3 thrown = surroundings(reflect(ray, normal), 0.0);
    return mix(through, thrown, fresnel(max(facing, 0.02))) + glint(normal, ray);
}

void main()
{
    int samples = int(buffer_size.z), count = samples * samples;
    ivec2 pixel = ivec2(gl_FragCoord.xy), base = pixel * samples;
    vec3 scene = texelFetch(scene_color, pixel, 0).rgb;
    vec3 ray = normalize(pixel_ray(gl_FragCoord.xy * buffer_size.z));
    vec2 hit, leave;
    bool leaves, glass = enters(ray, hit, leave, leaves);
    vec3 behind_glass = glass ? pane(scene, ray, hit.x, hit.y) : scene;

    // Which samples show water, and whether they agree.
    float wet = 0.0, lowest = 1e30, highest = 0.0;
    vec3 normals = vec3(0.0);
    for (int k = 0; k < count; k++) {
        ivec2 at = base + ivec2(k & 1, k >> 1);
        float depth = texelFetch(front_depth, at, 0).r;
        bool here = depth < 1.0 && depth < texelFetch(solid_depth, at, 0).r;
        float front = eye_depth(depth);
        wet += here ? 1.0 : 0.0;
        lowest = min(lowest, front);
        highest = max(highest, front);
        normals += texelFetch(front_normal, at, 0).xyz * 2.0 - 1.0;
    }
    bool alike = wet == float(count) && length(normals) > 0.985 * wet && highest - lowest < 0.6 * forward.w;
    int times = wet == 0.0 ? 0 : alike ? 1 : count;
    vec3 sum = vec3(0.0), dry = display(behind_glass);
    for (int k = 0; k < times; k++) {
        ivec2 at = base + ivec2(k & 1, k >> 1);
        Surface s = surface_at(at);
        if (alike && samples == 2) {
            s = mean(mean(s, surface_at(at + ivec2(1, 0))), mean(surface_at(at + ivec2(0, 1)), surface_at(at + 1)));
        }
        float depth = texelFetch(front_depth, at, 0).r;
        bool here = depth < 1.0 && depth < texelFetch(solid_depth, at, 0).r;
        vec3 light = water(s, scene);
        if (glass) light = pane(light, ray, hit.x, hit.y);
        sum += here ? display(light) : dry;
    }
    sum = times == 0 ? dry : sum / float(times);
    float dither = (fract(52.9829189 * fract(dot(gl_FragCoord.xy, vec2(0.06711056, 0.00583715)))) - 0.5) / 255.0;
    color = vec4(sum + dither, 1.0);
}
