#version 330 core
// The picture: the scene, and the water in front of it. Samples of a pixel that agree are shaded as one; otherwise each
// is shaded and tone-mapped before they are averaged, so that bright edges stay smooth.
#include "studio.glsl"
#include "water.glsl"

uniform sampler2D solid_depth; // of a sample, as are those below
uniform sampler2D front_normal;
uniform sampler2D front_depth;
uniform sampler2D thickness_map; // m along `forward`

out vec4 color;

Surface surface_at(ivec2 at)
{
    Surface s;
    s.place = vec2(at) + 0.5;
    s.normal = texelFetch(front_normal, at, 0).xyz * 2.0 - 1.0;
    s.back_normal = texelFetch(back_normal, at, 0).xyz * 2.0 - 1.0;
    s.front = eye_depth(texelFetch(front_depth, at, 0).r);
    s.back = eye_depth(texelFetch(back_depth, at, 0).r);
    s.solid = eye_depth(texelFetch(solid_depth, at, 0).r);
    s.with_back = tile.w > 0.0;
    s.spread = 0.0;
    s.thickness = max(texelFetch(thickness_map, at, 0).r, 0.0);
    s.radius = 0.0;
    return s;
}

// Coverage of the sample by a drop. Drops are drawn larger by half a pixel, so that coverage ends at zero.
float make_ball(inout Surface s, float size)
{
    vec3 ray = pixel_ray(s.place);
    float stretch = length(ray), facing = max(-dot(normalize(s.normal), ray / stretch), 0.0);
    s.radius = size * 4.0 * forward.w; // DROP_RADII of src/render/drop_draw.h
    s.thickness = 2.0 * s.radius * facing / stretch;
    float pixels = s.radius / s.front * 0.5 * buffer_size.y / up.w;
    return clamp(pixels * (1.0 - sqrt(1.0 - facing * facing)), 0.0, 1.0);
}

Surface mean(Surface a, Surface b)
{
    return Surface(0.5 * (a.place + b.place), a.normal + b.normal, a.back_normal + b.back_normal,
                   0.5 * (a.front + b.front), 0.5 * (a.back + b.back), min(a.solid, b.solid),
                   0.5 * (a.thickness + b.thickness), a.with_back, 0.0, a.radius);
}

void main()
{
    int samples = int(buffer_size.z), count = samples * samples;
    ivec2 pixel = ivec2(gl_FragCoord.xy), base = pixel * samples;
    vec3 scene = texelFetch(scene_color, pixel, 0).rgb;
    vec3 ray = normalize(pixel_ray(gl_FragCoord.xy * buffer_size.z));
    vec3 behind = texelFetch(behind_color, pixel, 0).rgb;
    vec2 hit, leave;
    bool leaves, glass = enters(ray, hit, leave, leaves);
    // With drops in front, bodies of water are part of the scene.
    bool drops = tile.w == 0.0;
    if (drops) scene = behind;
    float body = drops ? texelFetch(behind_distance, pixel, 0).r : 1e30;
    vec4 front_pane = glass ? pane(ray, hit.x, hit.y) : vec4(0.0, 0.0, 0.0, 1.0);

    // Which samples show water, and whether they agree.
    float wet = 0.0, lowest = 1e30, highest = 0.0;
    vec3 normals = vec3(0.0);
    for (int k = 0; k < count; k++) {
        ivec2 at = base + ivec2(k & 1, k >> 1);
        float depth = texelFetch(front_depth, at, 0).r;
        float front = eye_depth(depth);
        bool here = depth < 1.0 && depth < texelFetch(solid_depth, at, 0).r && front < body;
        wet += here ? 1.0 : 0.0;
        lowest = min(lowest, front);
        highest = max(highest, front);
        normals += here ? texelFetch(front_normal, at, 0).xyz * 2.0 - 1.0 : vec3(0.0);
    }
    bool alike = wet == float(count) && length(normals) > 0.985 * wet && highest - lowest < 0.6 * forward.w;
    float spread = sqrt(max(2.0 - 2.0 * length(normals) / max(wet, 1.0), 0.0));
    int times = wet == 0.0 ? 0 : alike ? 1 : count;
    vec3 sum = vec3(0.0), dry = display(scene * front_pane.w + front_pane.rgb);
    for (int k = 0; k < times; k++) {
        ivec2 at = base + ivec2(k & 1, k >> 1);
        Surface s = surface_at(at);
        if (alike && samples == 2) {
            s = mean(mean(s, surface_at(at + ivec2(1, 0))), mean(surface_at(at + ivec2(0, 1)), surface_at(at + 1)));
        }
        s.spread = spread;
        float depth = texelFetch(front_depth, at, 0).r;
        bool here = depth < 1.0 && depth < texelFetch(solid_depth, at, 0).r && s.front < body;
        float share = drops ? make_ball(s, texelFetch(front_normal, at, 0).a) : 1.0;
        vec3 light = water(s, behind) * front_pane.w + front_pane.rgb;
        sum += here ? mix(dry, display(light), share) : dry;
    }
    sum = times == 0 ? dry : sum / float(times);
    float dither = (fract(52.9829189 * fract(dot(gl_FragCoord.xy, vec2(0.06711056, 0.00583715)))) - 0.5) / 255.0;
    color = vec4(sum + dither, 1.0);
}
