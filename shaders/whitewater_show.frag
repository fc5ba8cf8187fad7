#version 330 core
// Whitewater over the picture. Where it is dense it has a surface, whose slopes and hollows are shaded; mist has none.
#include "studio.glsl"

uniform sampler2D picture;     // whitewater.frag's sums
uniform sampler2D front_depth; // and where it is

out vec4 color;

// Where the whitewater of a pixel is, m along `forward`; `otherwise` where there is none.
float distance_at(ivec2 at, float otherwise)
{
    ivec2 last = textureSize(front_depth, 0) - 1;
    vec2 sum = texelFetch(front_depth, clamp(at, ivec2(0), last), 0).rg;
    return sum.y > 0.0 ? sum.x / sum.y : otherwise;
}

// How much farther away it gets over `reach` pixels along one of the picture's axes: on the smoother side.
float rise(ivec2 at, ivec2 way, int reach, float here)
{
    float before = here - distance_at(at - way * reach, here), after = distance_at(at + way * reach, here) - here;
    return abs(before) < abs(after) ? before : after;
}

// The share of light that its surface turns to the eye, and in y what hollows leave of that.
vec2 shading(ivec2 at, float here)
{
    float m_per_px = here * tile.z;
    int fine = max(int(0.35 * forward.w / m_per_px), 2);
    vec2 slope = vec2(0.0);
    float hollow = 0.0;
    for (int k = 1; k <= 3; k++) {
        int reach = k * fine;
        slope += vec2(rise(at, ivec2(1, 0), reach, here), rise(at, ivec2(0, 1), reach, here)) / (3.0 * float(reach) * m_per_px);
        ivec2 ways[4] = ivec2[4](ivec2(reach, 0), ivec2(-reach, 0), ivec2(0, reach), ivec2(0, -reach));
        for (int w = 0; w < 4; w++) {
            float before = here - distance_at(at + 2 * ways[w], here);
            hollow += clamp(before / (4.0 * float(reach) * m_per_px), 0.0, 1.0) * (1.0 - smoothstep(8.0, 16.0, before / forward.w));
        }
    }
    vec3 normal = normalize(slope.x * right.xyz + slope.y * up.xyz - forward.xyz);
    float sun = max(0.75 * dot(normal, toward_sun.xyz) + 0.25, 0.0);
    return vec2(0.46 + 0.74 * sun + 0.14 * normal.z, 1.0 - 0.05 * hollow);
}

void main()
{
    ivec2 at = ivec2(gl_FragCoord.xy);
    vec4 sum = texelFetch(picture, at, 0);
    if (sum.a < 1e-3) discard;
    vec2 shade = shading(at, distance_at(at, 1.0));
    vec3 light = sum.rgb / sum.a * mix(1.0, shade.x * shade.y, smoothstep(0.2, 2.5, sum.a));
    color = vec4(display(light), 1.0 - exp(-sum.a));
}
