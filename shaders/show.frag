#version 330 core
// A picture over a part of the window.
uniform sampler2D picture;
uniform vec4 region; // px: lower left corner and size of that part

layout(location = 0) out vec4 color;

void main()
{
    vec2 at = gl_FragCoord.xy - region.xy;
    ivec2 size = textureSize(picture, 0);
    bool same = vec2(size) == region.zw;
    color = vec4((same ? texelFetch(picture, ivec2(at), 0) : texture(picture, at / region.zw)).rgb, 1.0);
}
