#version 330 core
// Everything but the water: solids from the geometry buffer, ground and sky.
#include "studio.glsl"

uniform sampler2D albedo_map;
uniform sampler2D normal_map;
uniform sampler2D depth_map;
uniform sampler2D sun_solid;
uniform sampler2D sun_water;     // depth of the water's first surface
uniform sampler2D sun_back;      // where the light leaves it
uniform sampler2D sun_thickness; // m, where there is no back

layout(location = 0) out vec4 color; // alpha: share of solids
layout(location = 1) out float away; // m along `forward`, of the nearest

// Sunlight at a point of a solid, softened over a few texels, colored by the water above.
vec3 sunlight(vec3 point)
{
    vec3 at = sun_place(point);
    vec2 texel = 1.0 / vec2(textureSize(sun_solid, 0));
    float bias = 3.0 * sun_eye.w, lit = 0.0;
    for (int y = -1; y <= 1; y++) {
        for (int x = -1; x <= 1; x++) {
            float first = sun_distance(textureLod(sun_solid, at.xy + 1.3 * vec2(x, y) * texel, 0.0).r);
            lit += step(at.z - bias, first) / 9.0;
        }
    }
    float water = sun_distance(textureLod(sun_water, at.xy, 0.0).r);
    float whole = tile.w > 0.0 ? sun_distance(textureLod(sun_back, at.xy, 0.0).r) - water : textureLod(sun_thickness, at.xy, 0.0).r;
    float path = clamp(at.z - water, 0.0, max(whole, 0.0));
    return lit * exp(-absorption.rgb * path);
}

vec3 solid(vec3 albedo, vec3 normal, vec3 point, vec3 ray)
{
    float diffuse = max(dot(normal, toward_sun.xyz), 0.0), facing = abs(dot(normal, ray));
    vec3 sun = diffuse > 0.0 ? sunlight(point + normal * sun_eye.w) : vec3(0.0);
    vec3 result = albedo * (SUN_LIGHT * diffuse * sun + mix(GROUND_LIGHT, SKY_LIGHT, normal.z * 0.5 + 0.5));
    vec3 mirrored = reflect(ray, normal);
    float shine = pow(max(dot(mirrored, toward_sun.xyz), 0.0), 60.0);
    return mix(result, surroundings(mirrored, 4.0), 0.4 * fresnel(facing)) + SUN_LIGHT * sun * (0.35 * shine);
}

void main()
{
    int samples = int(buffer_size.z);
    ivec2 base = ivec2(gl_FragCoord.xy) * samples;
    vec3 along = pixel_ray(gl_FragCoord.xy * buffer_size.z), ray = normalize(along);
    bool down = toward_sun.w > 0.0 && ray.z < -1e-4;
    float open = down ? min(-eye.z / along.z, 1e4 * eye.w) : 1e4 * eye.w, solids = 0.0;
    vec3 sum = vec3(0.0);
    away = open;
    float first = 1.0;
    for (int k = 0; k < samples * samples; k++) {
        first = min(first, texelFetch(depth_map, base + ivec2(k & 1, k >> 1), 0).r);
    }
    // A possibly empty loop instead of an if, of which some drivers run both sides.
    int times = first < 1.0 ? samples * samples : 0;
    for (int k = 0; k < times; k++) {
        ivec2 at = base + ivec2(k & 1, k >> 1);
        float depth = texelFetch(depth_map, at, 0).r;
        vec3 toward = pixel_ray(vec2(at) + 0.5);
        float reach = eye_depth(depth), here = depth < 1.0 ? 1.0 : 0.0;
        vec4 albedo = texelFetch(albedo_map, at, 0);
        vec3 normal = normalize(texelFetch(normal_map, at, 0).xyz * 2.0 - 1.0);
        vec3 light = solid(albedo.rgb * albedo.rgb, normal, eye.xyz + toward * reach, normalize(toward));
        sum += here > 0.0 ? light : vec3(0.0);
        away = here > 0.0 ? min(away, reach) : away;
        solids += here;
    }
    float share = solids / float(samples * samples);
    sum /= float(samples * samples);
    sum += (1.0 - share) * backdrop(eye.xyz, ray);
    vec2 hit, leave;
    bool leaves;
    enters(ray, hit, leave, leaves);
    // The pane at the back, where it is in front of what was drawn.
    if (leaves && min(leave.x, leave.y) < away * length(along)) {
        vec4 back_pane = pane(ray, -leave.x, -leave.y);
        sum = sum * back_pane.w + back_pane.rgb;
    }
    color = vec4(sum, share);
}
