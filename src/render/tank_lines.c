#include "render/tank_lines.h"

enum { EDGES = 12 };

static const float INK[3] = {0.16f, 0.21f, 0.27f};

// Does the tank's wall on `side` of the axis face the eye with its outside?
static bool faces_eye(float eye, float size, int side)
{
    return side ? eye > size : eye < 0;
}

// The edges along `axis`; the corner bits a and b say on which sides of the next two axes an edge lies.
static Line edge(const float size[3], const float eye[3], int axis, int a, int b)
{
    int u = (axis + 1) % 3, v = (axis + 2) % 3;
    float from[3], to[3];
    from[axis] = 0;
    to[axis] = size[axis];
    from[u] = to[u] = a ? size[u] : 0;
    from[v] = to[v] = b ? size[v] : 0;
    int facing = faces_eye(eye[u], size[u], a) + faces_eye(eye[v], size[v], b);
    static const float opacity[3] = {0.42f, 0.55f, 0.30f}; // behind, outline, in front
    return (Line){vec3_make(from[0], from[1], from[2]), vec3_make(to[0], to[1], to[2]), opacity[facing]};
}

Result tank_lines_draw(LineSet *lines, const TankDef *tank, const LineScene *scene)
{
    Vec3 from = scene->view->eye;
    const float size[3] = {tank->size.x, tank->size.y, tank->size.z}, eye[3] = {from.x, from.y, from.z};
    Line all[EDGES];
    for (int k = 0; k < EDGES; k++) all[k] = edge(size, eye, k / 4, k & 1, k >> 1 & 1);
    TRY(line_set_load(lines, all, EDGES));
    return line_set_draw(lines, scene, INK);
}
