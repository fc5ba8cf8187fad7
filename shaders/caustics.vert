#version 330 core
// A net of sunbeams: each is refracted by the first water surface it meets and lands on the ground (caustic maps, Shah,
// Konttinen and Pattanaik 2007). Drawn as instanced strips, one row of the net each.
#include "studio.glsl"

uniform sampler2D sun_solid;
uniform sampler2D sun_water;
uniform sampler2D sun_normal;
uniform sampler2D sun_back;
uniform sampler2D sun_back_normal;
uniform sampler2D sun_thickness;
uniform float side; // cells of the net along each axis

out vec2 source; // where in the net the beam comes from
out vec3 flux;

// Where a beam in the water reaches the ground: through water all the way, reflected by the tank's walls, or refracted
// again where it leaves the water. thickness: of the water on the straight beam. wet: m through water.
vec2 land(vec3 from, vec3 beam, float thickness, out float wet)
{
    float down = from.z / max(-beam.z, 0.02), straight = from.z / toward_sun.z;
    if (thickness > 0.85 * straight) {
        wet = down;
        vec2 at = from.xy + beam.xy * down;
        at = mix(at, 2.0 * tank_lo.xy - at, lessThan(at, tank_lo.xy));
        return mix(at, 2.0 * tank_hi.xy - at, greaterThan(at, tank_hi.xy));
    }
    wet = min(thickness, down);
    vec3 on = sun_forward.xyz, out_at = from + beam * wet;
    if (tile.w > 0.0) {
        vec3 normal = normalize(textureLod(sun_back_normal, sun_place(out_at).xy, 0.0).xyz * 2.0 - 1.0);
        vec3 bent = refract(beam, -normal, WATER_INDEX);
        on = dot(bent, bent) > 0.0 && bent.z < -0.1 ? bent : sun_forward.xyz;
    }
    return out_at.xy - on.xy * (out_at.z / on.z);
}

void main()
{
    vec2 cell = vec2(float(gl_VertexID >> 1), float(gl_InstanceID + (gl_VertexID & 1)));
    vec2 place = cell / side;
    source = place;
    float water = textureLod(sun_water, place, 0.0).r;
    vec2 shift = (place * 2.0 - 1.0) * vec2(sun_right.w, sun_up.w);
    vec3 start = sun_eye.xyz + sun_right.xyz * shift.x + sun_up.xyz * shift.y;
    vec3 beam = sun_forward.xyz;
    flux = vec3(textureLod(sun_solid, place, 0.0).r < 1.0 ? 0.0 : 1.0);
    vec2 straight = start.xy + beam.xy * (start.z / toward_sun.z), at = straight;
    if (water < 1.0) {
        vec3 from = start + beam * sun_distance(water);
        vec3 normal = normalize(textureLod(sun_normal, place, 0.0).xyz * 2.0 - 1.0);
        float cosine = max(-dot(normal, beam), 0.05), wet;
        vec3 bent = refract(beam, normal, 1.0 / WATER_INDEX);
        float thickness = textureLod(sun_thickness, place, 0.0).r;
        if (tile.w > 0.0) thickness = sun_distance(textureLod(sun_back, place, 0.0).r) - sun_distance(water);
        at = land(max(from, vec3(-1e9, -1e9, 0.0)), bent, max(thickness, 0.0), wet);
        flux *= (1.0 - fresnel(cosine)) * exp(-absorption.rgb * wet);
        // Beams that spray scatters far away are dropped: neighbors land anywhere.
        if (length(at - straight) > 0.05 * eye.w && wet < 0.85 * from.z / toward_sun.z) {
            at = straight;
            flux = vec3(0.0);
        }
    }
    gl_Position = vec4((at - region.xy) / region.zw * 2.0 - 1.0, 0.0, 1.0);
}
