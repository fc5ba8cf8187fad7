#version 330 core
// Distance of the water's surface along the view's forward direction, m; 0 where there is no water. Spheres that reach
// through the tank's walls are cut off there.
uniform sampler2D sphere_depth;
uniform vec2 depth_scale; // projection[2][2], projection[3][2]; of a parallel view near and far, m
uniform float parallel;   // 1 for such a view, else 0
uniform vec3 eye;
uniform vec3 right;
uniform vec3 up;
uniform vec3 forward;
uniform vec2 tangent;
uniform vec3 lo; // the tank's walls, m; far away where a face is open
uniform vec3 hi;
uniform float radius; // of a ball, m
uniform float back;   // 1 if depths are of where rays leave the water, 0 for where they enter it

out float distance_ahead;

void main()
{
    ivec2 pixel = ivec2(gl_FragCoord.xy);
    float depth = texelFetch(sphere_depth, pixel, 0).r;
    float ahead = depth_scale.y / (2.0 * depth - 1.0 + depth_scale.x);
    if (parallel > 0.0) ahead = mix(depth_scale.x, depth_scale.y, depth);
    if (depth >= 1.0 || depth <= 0.0) ahead = 0.0;
    vec2 screen = (gl_FragCoord.xy / vec2(textureSize(sphere_depth, 0)) * 2.0 - 1.0) * tangent;
    vec3 aside = right * screen.x + up * screen.y, from = eye + parallel * aside;
    vec3 ray = forward + (1.0 - parallel) * aside;
    vec3 inverse = 1.0 / mix(ray, vec3(1e-7), lessThan(abs(ray), vec3(1e-7)));
    vec3 a = (lo - from) * inverse, b = (hi - from) * inverse, first = min(a, b), last = max(a, b);
    float enters = max(max(first.x, first.y), first.z), leaves = min(min(last.x, last.y), last.z);
    if (back > 0.0) {
        distance_ahead = min(ahead, leaves);
        return;
    }
    vec3 place = from + ray * ahead, beyond = max(lo - place, place - hi);
    float outside = max(max(beyond.x, beyond.y), beyond.z);
    bool cut = ahead > 0.0 && outside > 0.0 && outside < radius;
    distance_ahead = !cut ? ahead : ahead < enters && enters < leaves ? enters : 0.0;
}
