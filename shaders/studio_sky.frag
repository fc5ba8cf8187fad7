#version 330 core
// The sky that water reflects: a gradient, the glow around the sun, thin clouds. Drawn once.
uniform vec3 sun_direction;
uniform float side; // texels

out vec4 color;

float noise(vec2 p)
{
    vec2 cell = floor(p), f = fract(p);
    f = f * f * f * (f * (f * 6.0 - 15.0) + 10.0);
    vec4 h = fract(sin(vec4(0.0, 1.0, 57.0, 58.0) + dot(cell, vec2(1.0, 57.0))) * 43758.5453);
    return mix(mix(h.x, h.y, f.x), mix(h.z, h.w, f.x), f.y);
}

float clouds(vec2 p)
{
    float sum = 0.0, weight = 0.5;
    mat2 turn = mat2(1.6, 1.2, -1.2, 1.6);
    for (int k = 0; k < 5; k++) {
        sum += weight * noise(p);
        p = turn * p + 3.7;
        weight *= 0.5;
    }
    return sum;
}

void main()
{
    vec2 square = gl_FragCoord.xy / side * 2.0 - 1.0;
    vec2 p = vec2(square.x + square.y, square.x - square.y) * 0.5;
    vec3 d = normalize(vec3(p, max(1.0 - abs(p.x) - abs(p.y), 0.0)));
    vec3 horizon = vec3(0.80, 0.87, 0.95), zenith = vec3(0.15, 0.33, 0.64);
    vec3 sky = mix(horizon, zenith, pow(smoothstep(0.0, 0.9, d.z), 0.65));
    float toward = max(dot(d, sun_direction), 0.0);
    sky += vec3(1.0, 0.92, 0.78) * (0.30 * pow(toward, 6.0) + 1.2 * pow(toward, 60.0));
    float cover = smoothstep(0.42, 0.78, clouds(d.xy / (d.z + 0.22) * 1.5 + 11.0));
    vec3 cloud = vec3(1.15, 1.15, 1.13) + 0.8 * pow(toward, 8.0);
    sky = mix(sky, cloud, 0.85 * cover * smoothstep(0.02, 0.25, d.z));
    // Land far away, dark against the sky, gives grazing reflections an edge.
    sky = mix(vec3(0.30, 0.34, 0.36), sky, smoothstep(0.0, 0.05, d.z));
    color = vec4(sky, 1.0);
}
