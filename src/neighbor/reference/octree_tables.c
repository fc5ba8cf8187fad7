#include "neighbor/reference/octree_tables.h"

// Where a direction's eight entries start; the directions run through -1, 0, 1 with x outermost and z
// innermost.
static int direction_start(int dx, int dy, int dz)
{
    int number = (dx + 1) * 9 + (dy + 1) * 3 + dz + 1;
    return 8 * (number > 13 ? number - 1 : number); // 13 is not a direction
}

void octree_tables_make(OctreeTables *tables)
{
    for (int dx = -1; dx <= 1; dx++) {
        for (int dy = -1; dy <= 1; dy++) {
            for (int dz = -1; dz <= 1; dz++) {
                if (dx == 0 && dy == 0 && dz == 0) continue;
                int start = direction_start(dx, dy, dz);
                const int step[3] = {dx, dy, dz};
                for (int place = 0; place < 8; place++) {
                    int pos = 0, carry[3];
                    for (int axis = 0; axis < 3; axis++) {
                        int to = (place >> axis & 1) + step[axis]; // -1 and 2 are in the parent's neighbor
                        carry[axis] = to < 0 ? -1 : to > 1 ? 1 : 0;
                        pos |= (to & 1) << axis;
                    }
                    int inside = carry[0] == 0 && carry[1] == 0 && carry[2] == 0;
                    tables->pos[start + place] = (uint8_t)pos;
                    tables->upper[start + place] =
                        (int16_t)(inside ? -1 : direction_start(carry[0], carry[1], carry[2]));
                }
                for (int axis = 0; axis < 3; axis++) tables->step[start / 8][axis] = (int8_t)step[axis];
            }
        }
    }
}
