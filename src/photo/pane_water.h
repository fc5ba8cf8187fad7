// Where water touches a tank's glass from within, known before rays ask: what light in a pane finds behind it
// then needs no search among the triangles.
#ifndef PBF_PHOTO_PANE_WATER_H
#define PBF_PHOTO_PANE_WATER_H

#include "core/result.h"
#include "photo/panes.h"
#include "photo/ray_scene.h"

#include <stdint.h>

struct PathScene;
typedef struct PaneWater PaneWater;

typedef enum PaneSide { PANE_UNSURE, PANE_DRY, PANE_WET } PaneSide;

// Looks at the panes of the scene, whose rays and meshes it asks; the first of `count` meshes is the water.
// *out: NULL without panes, or where something else is in the glass. cell: m, of the grid on each face; cells
// that the water's edge crosses while the shutter is open are not sure. Error: RESULT_NO_MEMORY. Free with
// pane_water_destroy.
Result pane_water_make(const struct PathScene *scene, const RayMesh *meshes, uint32_t count, float shutter,
                       float cell, PaneWater **out);
void pane_water_destroy(PaneWater *water); // NULL is allowed

// What is behind a face that a ray inside the glass leaves it by, at the point of the hit. If it is sure,
// nothing but water is in the glass.
PaneSide pane_water_behind(const PaneWater *water, const PaneHit *hit, Vec3 point);

#endif
