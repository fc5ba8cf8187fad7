#version 330 core
// One triangle over the whole picture, at the far end of the depth range; draw three vertices.
void main()
{
    gl_Position = vec4(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0, 1.0, 1.0);
}
