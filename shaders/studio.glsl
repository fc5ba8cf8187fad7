// Shared by all passes of a water picture: camera, sun, tank and water; sky, ground and their light; tone mapping.
layout(std140) uniform Studio {
    mat4 view_projection;
    mat4 sun_view_projection;
    vec4 eye;        // w: the stage's diagonal, m
    vec4 right;      // w: tangent of half the field of view
    vec4 up;         // w: the same, upright
    vec4 forward;    // w: particle spacing, m
    vec4 toward_sun; // w: 1 if there is ground
    vec4 tank_lo;    // inner walls, m; far away for open faces and without a tank
    vec4 tank_hi;
    vec4 tank;       // size, m; 1 if there is a tank
    vec4 region;     // of the floor's light map: x, y, width, depth, m
    vec4 sun_eye;    // w: width of one texel of the sun's view, m
    vec4 sun_right;  // w: half its width, m
    vec4 sun_up;     // w: half its height, m
    vec4 sun_forward;
    vec4 depths;     // projection[2][2], projection[3][2], the sun's near and far
    vec4 buffer_size; // px; samples per pixel along each axis; the same of the picture's buffers
    vec4 absorption; // 1/m; w: scattering, 1/m
    vec4 tile;       // size, half width of the joint, m; a pixel's angle; 1 if back faces are known
};

uniform sampler2D sky_map;
uniform sampler2D floor_map;

const vec3 SUN_LIGHT = vec3(1.28, 1.21, 1.09);
const vec3 SKY_LIGHT = vec3(0.40, 0.46, 0.53);
const vec3 GROUND_LIGHT = vec3(0.20, 0.195, 0.19);
const vec3 GROUND_COLOR = vec3(0.036, 0.046, 0.060);
const vec3 HORIZON_COLOR = vec3(0.036, 0.047, 0.064);
const vec3 SCATTER_COLOR = vec3(0.008, 0.105, 0.180);
const float WATER_INDEX = 1.333;

float luminance(vec3 c)
{
    return dot(c, vec3(0.2126, 0.7152, 0.0722));
}

// Octahedral map of the upper half of all directions, with the horizon along its rim.
vec2 sky_place(vec3 d)
{
    d.z = max(d.z, 0.0);
    vec2 p = d.xy / (abs(d.x) + abs(d.y) + d.z);
    return vec2(p.x + p.y, p.x - p.y) * 0.5 + 0.5;
}

vec3 sky(vec3 d, float blur)
{
    return textureLod(sky_map, sky_place(d), blur).rgb;
}

// Reflectance of a smooth surface that meets the ray at this cosine (Schlick 1994).
float fresnel(float cosine)
{
    float grazing = clamp(1.0 - cosine, 0.0, 1.0), square = grazing * grazing;
    return 0.02 + 0.98 * square * square * grazing;
}

// The share of a joint at x (m, from the joint's middle) seen through a window this wide.
float joint_share(float x, float half_width, float window)
{
    float wide = max(half_width, 0.5 * window);
    return half_width / wide * (1.0 - smoothstep(wide - 0.5 * window, wide + 0.5 * window, abs(x)));
}

float hash(vec2 p)
{
    return fract(sin(dot(p, vec2(12.9898, 78.233))) * 43758.5453);
}

// Ground is tiled inside the tank and plain outside. window: width of it that one pixel sees, m.
vec3 ground_color(vec2 at, float window)
{
    if (any(lessThan(at, vec2(0.0))) || any(greaterThan(at, tank.xy))) return GROUND_COLOR;
    vec2 cell = at / tile.x, inside = (fract(cell) - 0.5) * tile.x;
    vec2 from_joint = 0.5 * tile.x - abs(inside);
    float joint = 1.0 - (1.0 - joint_share(from_joint.x, tile.y, window)) * (1.0 - joint_share(from_joint.y, tile.y, window));
    float seen = clamp(2.0 - 2.0 * window / tile.x, 0.0, 1.0);
    vec2 index = floor(cell);
    float checker = mod(index.x + index.y, 2.0) - 0.5;
    float shade = 1.0 + seen * (0.20 * checker + 0.10 * (hash(index) - 0.5));
    return mix(vec3(0.60, 0.65, 0.67) * shade, vec3(0.25, 0.29, 0.32), joint);
}

// Sunlight that reaches the ground, after water and caustics; 1 in the open.
vec3 floor_light(vec2 at, float blur)
{
    vec2 place = (at - region.xy) / region.zw;
    if (any(lessThan(place, vec2(0.0))) || any(greaterThan(place, vec2(1.0)))) return vec3(1.0);
    return textureLod(floor_map, place, blur).rgb;
}

// The ground as it looks from a distance (m) along the ray.
vec3 ground(vec3 at, float distance, float slope)
{
    float window = distance * tile.z / max(slope, 0.05);
    float texel = region.z / float(textureSize(floor_map, 0).x);
    vec3 light = floor_light(at.xy, max(log2(distance * tile.z / texel), 0.0));
    return ground_color(at.xy, window) * (SUN_LIGHT * toward_sun.z * light + SKY_LIGHT);
}

// The ground's color in the open, seen from afar, and how it fades into the horizon.
vec3 plain(vec3 ray)
{
    vec3 lit = GROUND_COLOR * (SUN_LIGHT * toward_sun.z + SKY_LIGHT);
    return mix(HORIZON_COLOR, lit, smoothstep(0.0, 0.25, -ray.z));
}

// What lies behind everything that is drawn: ground that fades into the horizon, or sky.
vec3 backdrop(vec3 from, vec3 ray)
{
    bool down = toward_sun.w > 0.0 && ray.z < -1e-4;
    float reach = down ? -from.z / ray.z : 0.0;
    vec3 at = from + ray * reach;
    float away = length(at.xy - 0.5 * tank.xy) / eye.w;
    float pool = 1.35 - 0.35 * smoothstep(0.1, 0.9, away);
    vec3 far = HORIZON_COLOR * (1.0 - 0.6 * smoothstep(-0.05, 0.45, ray.z));
    return mix(far, pool * ground(at, reach, -ray.z), down ? 1.0 - smoothstep(0.55, 2.6, away) : 0.0);
}

// What a reflected ray sees; ground without detail.
vec3 surroundings(vec3 ray, float blur)
{
    float above = toward_sun.w == 0.0 ? 1.0 : smoothstep(0.0, 0.04, ray.z);
    return mix(plain(ray), sky(ray, blur), above);
}

// A pane of the tank's glass: its reflection, and in w the share of light it transmits. Both of its faces reflect, and
// light bounces between them.
vec4 pane(vec3 ray, float hit_x, float hit_y)
{
    float single = fresnel(abs(hit_x > hit_y ? ray.x : ray.y)), both = 2.0 * single / (1.0 + single);
    vec3 thrown = hit_x > hit_y ? vec3(-ray.x, ray.yz) : vec3(ray.x, -ray.y, ray.z);
    // The far surroundings of a studio are dark, except for the light above.
    vec3 around = plain(thrown);
    // A possibly empty loop instead of an if, of which some drivers run both sides.
    for (int k = 0; k < (thrown.z > 0.05 ? 1 : 0); k++) {
        around = mix(around, sky(thrown, 3.0), smoothstep(0.05, 0.6, thrown.z));
    }
    return vec4(around * both, 0.985 * (1.0 - both));
}

// Where a ray enters the tank through glass (m along it, per axis x and y), the larger counts; negative if it does not.
bool enters(vec3 ray, out vec2 hit, out vec2 leave, out bool leaves)
{
    vec3 inverse = 1.0 / mix(ray, vec3(1e-7), lessThan(abs(ray), vec3(1e-7)));
    vec3 a = -eye.xyz * inverse, b = (tank.xyz - eye.xyz) * inverse;
    vec3 first = min(a, b), last = max(a, b);
    hit = first.xy;
    leave = last.xy;
    float near = max(max(first.x, first.y), first.z), far = min(min(last.x, last.y), last.z);
    bool meets = tank.w > 0.0 && near < far;
    // Open faces have no glass.
    vec2 shut_lo = step(vec2(-1e5), tank_lo.xy), shut_hi = step(tank_hi.xy, vec2(1e5)), along = step(vec2(0.0), ray.xy);
    vec2 shut_in = mix(shut_hi, shut_lo, along), shut_out = mix(shut_lo, shut_hi, along);
    leaves = meets && far > 0.0 && last.z > far && (last.x < last.y ? shut_out.x : shut_out.y) > 0.5;
    return meets && near > 0.0 && first.z < near && (first.x > first.y ? shut_in.x : shut_in.y) > 0.5;
}

// Distance in front of the eye, m, of a depth.
float eye_depth(float depth)
{
    return depths.y / (2.0 * depth - 1.0 + depths.x);
}

// Ray through a place of the buffers (in samples), with length 1 m along `forward`.
vec3 pixel_ray(vec2 place)
{
    vec2 screen = place / buffer_size.xy * 2.0 - 1.0;
    return forward.xyz + right.xyz * (screen.x * right.w) + up.xyz * (screen.y * up.w);
}

// Texture coordinates and distance along the light (m) of a point.
vec3 sun_place(vec3 point)
{
    vec3 from = point - sun_eye.xyz;
    vec2 at = vec2(dot(from, sun_right.xyz) / sun_right.w, dot(from, sun_up.xyz) / sun_up.w) * 0.5 + 0.5;
    return vec3(at, dot(from, sun_forward.xyz));
}

float sun_distance(float depth)
{
    return mix(depths.z, depths.w, depth);
}

// Tone mapping: linear light to a display by a filmic curve (Narkowicz 2015, a fit of ACES), then sRGB.
vec3 display(vec3 c)
{
    c *= 0.8;
    c = clamp(c * (2.51 * c + 0.03) / (c * (2.43 * c + 0.59) + 0.14), 0.0, 1.0);
    return mix(12.92 * c, 1.055 * pow(c, vec3(1.0 / 2.4)) - 0.055, step(0.0031308, c));
}
