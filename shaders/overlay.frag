#version 330 core
// Coverage from the distance to the shape's edge, in pixels.
flat in vec4 shape_ends;
flat in vec2 shape; // radius, form: 0 stroke, 1 box, 2 color bar
flat in vec4 shape_ink;

uniform sampler2D colormap;

out vec4 color;

float stroke_distance(vec2 at)
{
    vec2 along = shape_ends.zw - shape_ends.xy, from = at - shape_ends.xy;
    float t = clamp(dot(from, along) / max(dot(along, along), 1e-6), 0.0, 1.0);
    return length(from - t * along) - shape.x;
}

float box_distance(vec2 at)
{
    vec2 middle = 0.5 * (shape_ends.xy + shape_ends.zw), half_size = 0.5 * (shape_ends.zw - shape_ends.xy);
    vec2 out_by = abs(at - middle) - half_size + shape.x;
    return length(max(out_by, 0.0)) + min(max(out_by.x, out_by.y), 0.0) - shape.x;
}

void main()
{
    vec2 at = gl_FragCoord.xy;
    float distance = shape.y < 0.5 ? stroke_distance(at) : box_distance(at);
    float coverage = clamp(0.5 - distance, 0.0, 1.0);
    vec3 rgb = shape_ink.rgb;
    if (shape.y > 1.5) {
        float t = clamp((at.x - 0.5 - shape_ends.x) / max(shape_ends.z - shape_ends.x - 1.0, 1.0), 0.0, 1.0);
        rgb = textureLod(colormap, vec2((t * 255.0 + 0.5) / 256.0, 0.5), 0.0).rgb;
    }
    color = vec4(rgb, shape_ink.a * coverage);
}
