#version 330 core
// Water in front of the scene: what it mirrors, what is seen through it, what it swallows and what it scatters.
#include "studio.glsl"

uniform sampler2D scene_color;    // alpha 1: a solid
uniform sampler2D scene_distance; // m
uniform sampler2D front_normal;
uniform sampler2D front_depth;
uniform sampler2D back_normal;
uniform sampler2D back_depth;
uniform sampler2D thickness_map; // m along `forward`

out vec4 color;

// Water that stands against the glass is as flat as the glass.
void press_flat(vec3 point, inout vec3 normal)
{
    float reach = forward.w;
    vec3 to_lo = abs(point - tank_lo.xyz), to_hi = abs(tank_hi.xyz - point);
    vec3 lo = (1.0 - smoothstep(0.6 * reach, 1.5 * reach, to_lo)) * smoothstep(0.55, 0.85, -normal);
    vec3 hi = (1.0 - smoothstep(0.6 * reach, 1.5 * reach, to_hi)) * smoothstep(0.55, 0.85, normal);
    vec3 share = lo + hi;
    float most = max(share.x, max(share.y, share.z));
    if (most <= 0.0) return;
    vec3 wall = share.x == most ? vec3(1.0, 0.0, 0.0) : share.y == most ? vec3(0.0, 1.0, 0.0) : vec3(0.0, 0.0, 1.0);
    normal = normalize(mix(normal, sign(dot(normal, wall)) * wall, most));
}

vec3 normal_of(sampler2D map, ivec2 pixel)
{
    return normalize(texelFetch(map, pixel, 0).xyz * 2.0 - 1.0);
}

// Pixel of the buffers, and distance along `forward`.
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

vec3 swallow(vec3 light, float path)
{
    vec3 scattered = SCATTER_COLOR * (1.0 - exp(-absorption.w * path));
    return light * exp(-absorption.rgb * path) + scattered;
}

// What lies in the direction `ray` of a point in the air: from the picture where it shows it, else from what is
// known about the ground and the sky.
vec3 behind(vec3 from, vec3 ray, float nearest)
{
    float reach = toward_sun.w > 0.0 && ray.z < -1e-3 ? min(-from.z / ray.z, 4.0 * eye.w) : 4.0 * eye.w;
    vec3 at = project(from + ray * reach);
    if (on_screen(at)) {
        ivec2 pixel = ivec2(at.xy);
        if (texelFetch(scene_distance, pixel, 0).r > nearest) return texelFetch(scene_color, pixel, 0).rgb;
    }
    return backdrop(from, ray);
}

// The ground of the tank through water, from a point under the surface.
vec3 bottom(vec3 from, vec3 ray, float before, float nearest)
{
    float reach = from.z / max(-ray.z, 0.02);
    vec3 hit = from + ray * reach;
    vec3 at = project(hit);
    if (on_screen(at)) {
        vec4 seen = texelFetch(scene_color, ivec2(at.xy), 0);
        float distance = texelFetch(scene_distance, ivec2(at.xy), 0).r;
        if (seen.a > 0.5 && distance > nearest) {
            return swallow(seen.rgb, before + clamp(distance - project(from).z, 0.0, reach));
        }
    }
    hit.xy = clamp(hit.xy, tiled.xy, tiled.zw);
    float path = before + reach;
    return swallow(ground(hit, path + nearest, -ray.z), path);
}

// How much a surface there is the tank's floor or wall rather than the water's own.
vec3 held(vec3 point, vec3 normal)
{
    float reach = forward.w;
    vec3 lo = (1.0 - smoothstep(0.8 * reach, 1.6 * reach, abs(point - tank_lo.xyz))) * smoothstep(0.4, 0.7, -normal);
    vec3 hi = (1.0 - smoothstep(0.8 * reach, 1.6 * reach, abs(tank_hi.xyz - point))) * smoothstep(0.4, 0.7, normal);
    return lo + hi;
}

// Into the tank's body of water: to its floor, or out through a wall of glass.
vec3 into_body(vec3 point, vec3 bent, float nearest)
{
    vec2 walls = abs(mix(tank_lo.xy, tank_hi.xy, step(0.0, bent.xy)) - point.xy);
    vec2 reach = walls / max(abs(bent.xy), vec2(1e-5));
    float to_wall = min(reach.x, reach.y), to_floor = bent.z < -1e-3 ? max(point.z, 0.0) / -bent.z : 1e9;
    if (to_floor <= to_wall) return bottom(point, bent, 0.0, nearest);
    vec3 hit = point + bent * to_wall;
    vec3 wall = reach.x < reach.y ? vec3(sign(bent.x), 0.0, 0.0) : vec3(0.0, sign(bent.y), 0.0);
    vec3 out_of = refract(bent, -wall, WATER_INDEX), back = reflect(bent, wall);
    float share = dot(out_of, out_of) > 0.0 ? fresnel(dot(out_of, wall)) : 1.0;
    vec3 light = vec3(0.0);
    if (share > 0.03) {
        vec3 thrown = back.z < -0.02 ? bottom(hit, back, to_wall, nearest) : swallow(sky(back, 3.0), 2.0 * to_wall);
        light += share * thrown;
    }
    if (share < 1.0) light += (1.0 - share) * swallow(behind(hit, out_of, nearest), to_wall);
    return light;
}

vec3 seen_through(vec3 point, vec3 normal, vec3 ray, float chord, float total, ivec2 pixel, float nearest, bool on_solid)
{
    vec3 bent = refract(ray, normal, 1.0 / WATER_INDEX), end = point + ray * chord;
    if (on_solid) {
        vec3 at = project(point + bent * chord);
        ivec2 there = on_screen(at) && texelFetch(scene_distance, ivec2(at.xy), 0).r > nearest ? ivec2(at.xy) : pixel;
        return swallow(texelFetch(scene_color, there, 0).rgb, chord);
    }
    vec3 out_at = point + bent * chord, on = ray;
    if (tile.w > 0.0) {
        vec3 straight = held(end, normal_of(back_normal, pixel));
        if (max(max(straight.x, straight.y), straight.z) > 0.5) return into_body(point, bent, nearest);
        vec3 at = project(out_at);
        vec3 out_normal = normal_of(back_normal, on_screen(at) ? ivec2(at.xy) : pixel);
        on = refract(bent, -out_normal, WATER_INDEX);
        if (dot(bent, out_normal) < 0.05) on = bent;
        if (dot(on, on) == 0.0) on = reflect(bent, out_normal);
    } else if (toward_sun.w > 0.0 && end.z < 1.3 * forward.w) {
        return into_body(point, bent, nearest);
    }
    return swallow(behind(out_at, on, nearest), total);
}

vec3 mirrored(vec3 point, vec3 ray)
{
    if (ray.z > 0.0) return sky(ray, 0.5);
    return backdrop(point, ray);
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

void main()
{
    ivec2 pixel = ivec2(gl_FragCoord.xy);
    vec4 scene = texelFetch(scene_color, pixel, 0);
    float solid = texelFetch(scene_distance, pixel, 0).r;
    float depth = texelFetch(front_depth, pixel, 0).r;
    float nearest = eye_depth(depth);
    color = vec4(scene.rgb, 1.0);
    if (depth >= 1.0 || nearest > solid) return;

    vec3 along = pixel_ray(gl_FragCoord.xy), ray = normalize(along), point = eye.xyz + along * nearest;
    float stretch = length(along), total = max(texelFetch(thickness_map, pixel, 0).r, 0.0);
    float chord = total;
    bool on_solid = scene.a > 0.5 && total > 0.999 * (solid - nearest);
    if (tile.w > 0.0) {
        float back = eye_depth(texelFetch(back_depth, pixel, 0).r);
        chord = clamp(min(back, solid) - nearest, 0.0, total);
        on_solid = scene.a > 0.5 && back > solid;
    }
    vec3 normal = normal_of(front_normal, pixel);
    press_flat(point, normal);
    float facing = -dot(normal, ray);
    if (facing < 0.02) normal = normalize(normal + ray * (facing - 0.02));
    facing = max(facing, 0.02);
    float mirror = fresnel(facing);
    vec3 through = seen_through(point, normal, ray, chord * stretch, total * stretch, pixel, nearest, on_solid);
    // Very thin water bends nothing.
    through = mix(scene.rgb, through, smoothstep(0.0, 0.12 * forward.w, total * stretch));
    color.rgb = mix(through, mirrored(point, reflect(ray, normal)), mirror) + glint(normal, ray);
}
