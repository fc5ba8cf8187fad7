// Strands for paths of light: tubes of triangles with smooth normals, each group of its own color.
#ifndef PBF_PHOTO_STAGE_STRANDS_H
#define PBF_PHOTO_STAGE_STRANDS_H

#include "photo/flight.h"
#include "strand/strand.h"

typedef struct StageStrands {
    RayMesh mesh; // without triangles where there are no strands
    PathMesh made_of;
    Vec3 *vertex, *normal, *velocity;
    uint32_t (*triangle)[3], *group;
    Material *material; // of each group
} StageStrands;

// strands may be NULL. Errors: RESULT_NO_MEMORY, RESULT_FAILED for too many triangles. Free with
// stage_strands_free, also after an error.
Result stage_strands_make(const Strands *strands, StageStrands *out);
void stage_strands_free(StageStrands *strands); // zeroed is allowed

#endif
