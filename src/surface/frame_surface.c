#include "surface/frame_surface.h"

static Box3 closed_walls(const TankDef *tank)
{
    const bool *open = tank->open;
    return (Box3){
        {open[TANK_X_LO] ? -INFINITY : 0, open[TANK_Y_LO] ? -INFINITY : 0, open[TANK_Z_LO] ? -INFINITY : 0},
        {open[TANK_X_HI] ? INFINITY : tank->size.x, open[TANK_Y_HI] ? INFINITY : tank->size.y,
         open[TANK_Z_HI] ? INFINITY : tank->size.z}};
}

Result frame_surface_make(const SurfaceDef *def, const FrameView *view, bool velocities, SurfaceMesh *out)
{
    SurfaceDef wanted = *def;
    SurfacePoints points = {.x = view->x, .y = view->y, .z = view->z, .count = view->count};
    wanted.spacing = view->spacing;
    if (velocities || def->shutter > 0) points.vx = view->vx, points.vy = view->vy, points.vz = view->vz;
    TRY(surface_reconstruct(&wanted, points, out));
    TankDef tank = view->obstacles ? obstacles_tank(view->obstacles) : (TankDef){.present = false};
    if (def->clip && tank.present) surface_mesh_clip(out, closed_walls(&tank), view->spacing);
    return result_ok();
}
