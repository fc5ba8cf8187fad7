// Shading of water: reflection, refraction, absorption and scattering.
uniform sampler2D scene_color;     // of a pixel, without water; alpha: share of solids
uniform sampler2D scene_distance;  // of a pixel, m
uniform sampler2D behind_color;    // the same with the water that lies behind other water
uniform sampler2D behind_distance;
uniform sampler2D back_normal;     // of a sample
uniform sampler2D back_depth;      // of a sample

// Degree, per axis, to which a surface is the tank's floor or wall rather than the water's own.
vec3 held(vec3 point, vec3 normal)
{
    float reach = forward.w;
    vec3 lo = (1.0 - smoothstep(0.8 * reach, 1.6 * reach, abs(point - tank_lo.xyz))) * smoothstep(0.45, 0.8, -normal);
    vec3 hi = (1.0 - smoothstep(0.8 * reach, 1.6 * reach, abs(tank_hi.xyz - point))) * smoothstep(0.45, 0.8, normal);
    return lo + hi;
}

// Water that stands against the glass is as flat as the glass: against a side that the ray comes in by, not one that
// meets it in an edge.
vec3 press_flat(vec3 point, vec3 normal, vec3 ray)
{
    vec3 share = held(point, normal) * step(ray * sign(normal), vec3(0.0));
    float most = max(share.x, max(share.y, share.z));
    vec3 wall = vec3(share.x == most, share.y == most && share.x < most, share.z == most && max(share.x, share.y) < most);
    return normalize(mix(normal, sign(dot(normal, wall)) * wall, most));
}

bool is_held(vec3 point, vec3 normal)
{
    vec3 share = held(point, normal);
    return max(share.x, max(share.y, share.z)) > 0.5;
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

// A ray through water, and its course.
struct Sight {
    vec3 from, ray; // where it starts its last straight piece
    float path;     // m through water, before that
    float wet;      // m of the last piece that may be in water too
    float reach;    // m to the solid at its end; huge if none is known
    float spread;   // angle over which the surface has spread the pixel's rays, rad
    bool outside;   // it has left the tank: the tank's rims and bodies are not on its way
};

// Follows a ray in the tank's body of water: to its floor, or to a glass wall and out, or reflected to the floor.
Sight into_body(vec3 point, vec3 bent, float chord, float spread)
{
    vec2 walls = abs(mix(tank_lo.xy, tank_hi.xy, step(0.0, bent.xy)) - point.xy);
    vec2 reach = walls / max(abs(bent.xy), vec2(1e-5));
    float to_wall = min(reach.x, reach.y), to_floor = bent.z < -1e-3 ? max(point.z, 0.0) / -bent.z : 1e9;
    if (to_floor <= to_wall) return Sight(point, bent, 0.0, 1e9, 1e9, spread, false);
    vec3 wall = reach.x < reach.y ? vec3(sign(bent.x), 0.0, 0.0) : vec3(0.0, sign(bent.y), 0.0);
    vec3 on = refract(bent, -wall, WATER_INDEX);
    bool thrown = dot(on, on) == 0.0;
    return Sight(point + bent * to_wall, thrown ? reflect(bent, wall) : on, to_wall, thrown ? 3.0 * chord : 0.0, 1e9, spread, !thrown);
}

// Light after a path (m) through water from one place to another: what is left of it, and what the water scatters in.
vec3 swallow(vec3 light, vec3 from, vec3 to, float path)
{
    // Light comes from above: the deeper, the less is left to scatter.
    float height = clamp(0.5 * (from.z + to.z) / (0.45 * tank.z), 0.0, 1.0);
    vec3 scattered = SCATTER_COLOR * (1.0 - exp(-absorption.w * path)) * mix(0.55, 1.35, tank.w > 0.0 ? height : 0.5);
    return light * exp(-absorption.rgb * path) + scattered;
}

// Is a place at an edge of the tank, where its rims are?
bool at_rim(vec3 point)
{
    vec3 near = step(min(abs(point - tank_lo.xyz), abs(tank_hi.xyz - point)), vec3(0.006 * eye.w));
    return near.x + near.y + near.z > 1.5;
}

// Light from the end of a sight line: from the picture of the scene where it shows the place, else from what is known
// about ground and sky. nearest: m along `forward`, of the water's surface; what lies in front of it cannot be seen in
// it.
vec3 look(Sight sight, float nearest)
{
    bool down = toward_sun.w > 0.0 && sight.ray.z < -1e-3;
    float reach = down ? min(max(sight.from.z, 0.0) / -sight.ray.z, 4.0 * eye.w) : 4.0 * eye.w;
    reach = min(reach, sight.reach);
    vec3 hit = sight.from + sight.ray * reach, at = project(hit);
    bool wet = sight.wet > 0.0;
    float path = wet ? min(min(reach, sight.wet), eye.w) : 0.0, shown = 0.0;
    vec3 seen = vec3(0.0);
    // A pixel's rays spread over more than a pixel of what they meet.
    float px_per_tan = 0.5 * buffer_size.y / (buffer_size.z * up.w);
    float blur = clamp(log2(1.0 + 0.25 * sight.spread * px_per_tan), 0.0, 5.0);
    if (on_screen(at)) {
        ivec2 pixel = ivec2(at.xy / buffer_size.z);
        vec2 place = at.xy / buffer_size.xy;
        float distance = wet ? texelFetch(scene_distance, pixel, 0).r : texelFetch(behind_distance, pixel, 0).r;
        vec4 there = wet ? textureLod(scene_color, place, 0.0) : textureLod(behind_color, place, blur);
        seen = there.rgb;
        // Through water only solids are taken from the picture: the ground has finer detail than the precision of a
        // pixel's place. What lies in front of the ray's start is not on its way.
        float before = sight.outside ? at.z - forward.w : wet ? nearest : max(nearest, project(sight.from).z - forward.w);
        // A rim of the tank is thin: the ray meets it only if it passes it.
        vec3 place_there = eye.xyz + pixel_ray(at.xy) * distance;
        float past = length(cross(place_there - sight.from, sight.ray));
        bool stray = past > 3.0 * forward.w + 0.006 * eye.w && at_rim(place_there);
        shown = distance > before && !stray ? (wet ? there.a : 1.0) : 0.0;
        if (wet) path = mix(path, min(clamp(distance - project(sight.from).z, 0.0, reach), path), shown);
    }
    path += sight.path;
    vec3 light = seen;
    for (int k = 0; k < (shown < 1.0 ? 1 : 0); k++) {
        if (wet) hit.xy = clamp(hit.xy, vec2(0.0), tank.xy);
        light = mix(down ? ground(hit, path + nearest + sight.spread * reach / tile.z, -sight.ray.z) : sky(sight.ray, 4.0), seen, shown);
    }
    return swallow(light, sight.from, hit, path);
}

// The surface at one sample, or the mean of a pixel's.
struct Surface {
    vec2 place; // in the buffers, in samples
    vec3 normal, back_normal;
    float front, back, solid, thickness; // m along `forward`
    bool with_back; // else where it ends is known by its thickness alone, and back_normal roughly or, if 0, not at all
    float spread;                        // of the normals within a pixel, rad
    float radius;                        // m, of a spherical drop; 0: not a drop
};

// Follows the ray to a solid that is s.solid away. Where the refracted ray misses it in the picture, the straight one
// hits it.
Sight onto_solid(Surface s, vec3 point, vec3 ray, vec3 bent, float chord)
{
    vec3 at = project(point + bent * chord);
    bool there = on_screen(at) && texelFetch(scene_color, ivec2(at.xy / buffer_size.z), 0).a > 0.5;
    if (there) there = abs(texelFetch(scene_distance, ivec2(at.xy / buffer_size.z), 0).r - s.solid) < 0.5 * chord + forward.w;
    return Sight(point, there ? bent : ray, 0.0, 1e9, chord, 0.33 * s.spread, false);
}

// Follows the ray through a drop, which it leaves at the angle at which it entered.
Sight through_ball(Surface s, vec3 point, vec3 normal, vec3 ray, float stretch)
{
    vec3 bent = refract(ray, normal, 1.0 / WATER_INDEX);
    float cosine = -dot(normal, bent), chord = 2.0 * s.radius * cosine;
    if (s.solid < s.front + chord / stretch) return onto_solid(s, point, ray, bent, max(s.solid - s.front, 0.0) * stretch);
    vec3 on = refract(bent, -(normal + 2.0 * cosine * bent), WATER_INDEX);
    if (dot(on, on) == 0.0) on = ray; // it only touches the drop
    return Sight(point + bent * chord, on, chord, 0.0, 1e9, s.spread, false);
}

// Does this much water (m) reach from here to the tank's floor or walls?
bool fills(vec3 point, vec3 ray, float total)
{
    vec3 reach = abs(mix(tank_lo.xyz, tank_hi.xyz, step(0.0, ray)) - point) / max(abs(ray), vec3(1e-5));
    float to_wall = min(reach.x, min(reach.y, ray.z < 0.0 ? reach.z : 1e9));
    return tank.w > 0.0 && total > 0.8 * to_wall - forward.w;
}

// Direction of a ray that leaves water by a roughly known back: good for a thin sheet, poor for deep water.
vec3 out_of_thin(Surface s, vec3 bent, float total)
{
    vec3 on = refract(bent, -normalize(s.back_normal), WATER_INDEX);
    float thin = dot(on, on) > 0.0 ? 1.0 - smoothstep(4.0 * forward.w, 12.0 * forward.w, total) : 0.0;
    return normalize(mix(bent, on, thin));
}

Sight sight_through(Surface s, vec3 point, vec3 normal, vec3 ray, float stretch)
{
    vec3 bent = refract(ray, normal, 1.0 / WATER_INDEX);
    float total = s.thickness * stretch, chord = total;
    if (s.with_back) chord = clamp((min(s.back, s.solid) - s.front) * stretch, 0.0, total);
    vec3 end = point + ray * chord, out_at = point + bent * chord;
    // Thickness from particles is rough: water that may reach the solid is assumed to.
    float deep = s.with_back ? s.back + 0.7 * forward.w : s.front + 2.0 * s.thickness + 1.5 * forward.w;
    bool on_solid = s.solid < min(deep, 1e3 * eye.w) && !at_rim(point + ray * ((s.solid - s.front) * stretch));
    if (on_solid) return onto_solid(s, point, ray, bent, max(s.solid - s.front, 0.0) * stretch);
    if (!s.with_back) {
        bool to_floor = toward_sun.w > 0.0 && end.z < 1.3 * forward.w;
        bool rough = dot(s.back_normal, s.back_normal) > 0.0;
        if (to_floor || (rough && fills(point, ray, total))) return into_body(point, bent, chord, 0.33 * s.spread);
        vec3 on = rough ? out_of_thin(s, bent, total) : bent;
        return Sight(out_at, on, total, 0.0, 1e9, 0.33 * s.spread, false);
    }
    if (is_held(end, normalize(s.back_normal))) return into_body(point, bent, chord, 0.33 * s.spread);
    vec3 at = project(out_at);
    ivec2 there = ivec2(on_screen(at) ? at.xy : s.place);
    vec3 out_normal = normalize(texelFetch(back_normal, there, 0).xyz * 2.0 - 1.0);
    vec3 out_place = eye.xyz + pixel_ray(vec2(there) + 0.5) * eye_depth(texelFetch(back_depth, there, 0).r);
    if (is_held(out_place, out_normal)) return into_body(point, bent, chord, 0.33 * s.spread);
    vec3 on = refract(bent, -out_normal, WATER_INDEX);
    if (dot(bent, out_normal) < 0.05) on = bent;
    if (dot(on, on) == 0.0) on = reflect(bent, out_normal);
    // Part of the water farther behind is added, because reading one place of the picture misses some.
    return Sight(out_at, on, mix(chord, total, 0.35), 0.0, 1e9, 0.66 * s.spread, false);
}

// The sun's image on a slightly rough surface (Walter et al. 2007).
vec3 glint(vec3 normal, vec3 ray, float spread)
{
    vec3 half_way = normalize(toward_sun.xyz - ray);
    float roughness = min(0.0018 + 0.5 * spread * spread, 0.5), n_h = max(dot(normal, half_way), 0.0);
    float d = n_h * n_h * (roughness - 1.0) + 1.0;
    float n_l = max(dot(normal, toward_sun.xyz), 0.0);
    float shine = roughness / (3.14159265 * d * d) * fresnel(dot(half_way, toward_sun.xyz)) * n_l * 0.35;
    return SUN_LIGHT * min(shine, 12.0);
}

// The light that comes from a surface; `behind` is what would be seen without it.
vec3 water(Surface s, vec3 behind)
{
    vec3 along = pixel_ray(s.place), point = eye.xyz + along * s.front;
    float stretch = length(along);
    vec3 ray = along / stretch, normal = normalize(s.normal);
    bool ball = s.radius > 0.0;
    if (!ball) normal = press_flat(point, normal, ray);
    float facing = -dot(normal, ray);
    if (facing < 0.02) normal = normalize(normal + ray * (facing - 0.02));
    Sight sight;
    if (ball) sight = through_ball(s, point, normal, ray, stretch);
    else sight = sight_through(s, point, normal, ray, stretch);
    vec3 through = look(sight, s.front);
    // Very thin water does not refract.
    through = mix(behind, through, smoothstep(0.0, 0.12 * forward.w, s.thickness * stretch));
    vec3 thrown = surroundings(reflect(ray, normal), clamp(log2(1.0 + 250.0 * s.spread), 0.0, 6.0));
    return mix(through, thrown, fresnel(max(facing, 0.02))) + glint(normal, ray, s.spread);
}
