// Reading the geometry buffer.

uniform sampler2D depth_map;
uniform vec2 depth_scale; // projection[2][2], projection[3][2]
uniform int samples;      // per pixel, along each axis

// Distance in front of the eye, m.
float eye_depth(float depth)
{
    return depth_scale.y / (2.0 * depth - 1.0 + depth_scale.x);
}

// The nearest of a pixel's samples: where it lies in the buffer, and its depth.
ivec2 nearest_sample(ivec2 pixel, out float depth)
{
    ivec2 base = pixel * samples, best = base;
    depth = 2.0;
    for (int y = 0; y < samples; y++) {
        for (int x = 0; x < samples; x++) {
            ivec2 at = base + ivec2(x, y);
            float d = texelFetch(depth_map, at, 0).r;
            best = d < depth ? at : best;
            depth = min(d, depth);
        }
    }
    return best;
}
