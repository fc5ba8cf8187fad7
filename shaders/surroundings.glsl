// Colors of light, sky and ground, and the shading of a surface in them: in linear light, then on a display.
uniform sampler2D ground_map;
uniform sampler2D contact_map;
uniform vec3 eye;
uniform vec4 region; // of the ground's maps: x, y, width, depth, m
uniform vec3 toward_sun;
uniform vec3 middle; // of the scene
uniform float size;  // of the scene, m
uniform int has_ground;
uniform vec3 right;
uniform vec3 up;
uniform vec3 forward;
uniform vec2 tangent;
uniform vec2 picture_size; // px

const vec3 SUN_COLOR = vec3(0.86, 0.82, 0.75);
const vec3 SKY_COLOR = vec3(0.49, 0.55, 0.62);
const vec3 BOUNCE_COLOR = vec3(0.22, 0.215, 0.21);
const vec3 GROUND_COLOR = vec3(0.66, 0.67, 0.68);
const vec3 HORIZON_COLOR = vec3(0.80, 0.84, 0.88);
const vec3 ZENITH_COLOR = vec3(0.34, 0.50, 0.68);

// Straight up to 0.7, then a shoulder that reaches 1 far above it, so colors of the map stay what they are; then sRGB,
// to half of one of its 255 steps (roots are cheaper than a power).
vec3 display(vec3 c)
{
    vec3 over = max(c - 0.7, 0.0);
    c = min(c, 0.7) + 0.3 * over / (over + 0.3);
    vec3 a = sqrt(c), b = sqrt(a), d = sqrt(b);
    return max(0.662002687 * a + 0.684122060 * b - 0.323583601 * d - 0.0225411470 * c, 0.0);
}

// Half a step of ordered noise hides the steps of eight bits in wide gradients.
float dither()
{
    return (fract(52.9829189 * fract(dot(gl_FragCoord.xy, vec2(0.06711056, 0.00583715)))) - 0.5) / 255.0;
}

vec3 sky(vec3 ray)
{
    return mix(HORIZON_COLOR, ZENITH_COLOR, smoothstep(0.0, 0.7, max(ray.z, 0.0)));
}

// The background: the ground, which fades into the horizon with distance, or the sky.
vec3 surroundings(vec3 ray)
{
    if (has_ground == 0 || ray.z > -1e-4) return sky(ray);
    vec3 at = eye - ray * (eye.z / ray.z);
    vec2 place = (at.xy - region.xy) / region.zw;
    float sun = 1.0, contact = 0.0;
    if (all(greaterThan(place, vec2(0.0))) && all(lessThan(place, vec2(1.0)))) {
        // Four places around: the mean over the four by four texels of ground.frag's pattern.
        vec2 step_x = vec2(1.0 / 256.0, 0.0), step_y = step_x.yx;
        sun = textureLod(ground_map, place - step_x - step_y, 0.0).r + textureLod(ground_map, place + step_x - step_y, 0.0).r;
        sun += textureLod(ground_map, place - step_x + step_y, 0.0).r + textureLod(ground_map, place + step_x + step_y, 0.0).r;
        sun *= 0.25;
        contact = textureLod(contact_map, place, 0.0).r;
    }
    vec3 lit = GROUND_COLOR * (SUN_COLOR * (sun * toward_sun.z) + SKY_COLOR * (1.0 - 0.75 * contact));
    float away = length(at.xy - middle.xy) / size;
    return mix(lit, HORIZON_COLOR, smoothstep(0.6, 3.2, away));
}

vec3 shade(vec3 albedo, float matt, vec3 normal, vec3 ray, vec2 light)
{
    float facing = clamp(-dot(normal, ray), 0.0, 1.0);
    float diffuse = max(dot(normal, toward_sun), 0.0);
    vec3 ambient = mix(BOUNCE_COLOR, SKY_COLOR, normal.z * 0.5 + 0.5) * light.y;
    vec3 result = albedo * (SUN_COLOR * (diffuse * light.x) + ambient * 1.25);
    // A darker limb sets each sphere off from the next.
    result *= mix(0.70 + 0.30 * facing, 1.0, matt);
    vec3 half_way = normalize(toward_sun - ray);
    float shine = max(dot(normal, half_way), 0.0);
    for (int k = 0; k < 5; k++) shine *= shine; // to the 32nd power
    float grazing = 1.0 - facing;
    grazing *= grazing * grazing;
    vec3 mirrored = sky(reflect(ray, normal)) * ((0.02 + 0.09 * grazing) * light.y * light.y);
    return result + SUN_COLOR * (shine * light.x * mix(0.20, 0.06, matt)) + mirrored * (1.0 - 0.6 * matt);
}
