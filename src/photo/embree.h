// Intel's Embree 3, loaded where the first photograph is made: the program starts without its 44 MB, also
// where it is not installed or addresses are short. With PBF_EMBREE only.
#ifndef PBF_PHOTO_EMBREE_H
#define PBF_PHOTO_EMBREE_H

#include "core/result.h"

#include <embree3/rtcore.h>

#define EMBREE_CALLS(CALL)                                                                                   \
    CALL(rtcNewDevice)                                                                                       \
    CALL(rtcReleaseDevice)                                                                                   \
    CALL(rtcGetDeviceError)                                                                                  \
    CALL(rtcNewScene)                                                                                        \
    CALL(rtcReleaseScene)                                                                                    \
    CALL(rtcSetSceneFlags)                                                                                   \
    CALL(rtcSetSceneProgressMonitorFunction)                                                                 \
    CALL(rtcCommitScene)                                                                                     \
    CALL(rtcGetSceneBounds)                                                                                  \
    CALL(rtcNewGeometry)                                                                                     \
    CALL(rtcReleaseGeometry)                                                                                 \
    CALL(rtcSetGeometryUserData)                                                                             \
    CALL(rtcSetGeometryIntersectFilterFunction)                                                              \
    CALL(rtcSetGeometryOccludedFilterFunction)                                                               \
    CALL(rtcSetSharedGeometryBuffer)                                                                         \
    CALL(rtcSetGeometryTimeStepCount)                                                                        \
    CALL(rtcCommitGeometry)                                                                                  \
    CALL(rtcAttachGeometryByID)                                                                              \
    CALL(rtcIntersect1)                                                                                      \
    CALL(rtcOccluded1)

typedef struct Embree {
#define EMBREE_MEMBER(name) __typeof__(name) *name;
    EMBREE_CALLS(EMBREE_MEMBER)
#undef EMBREE_MEMBER
} Embree;

// Embree's functions by their own names, once embree_load has succeeded.
extern Embree embree;

// Any thread may call it, again, too. Error: RESULT_FAILED where the library is not installed or has no room.
Result embree_load(void);

#endif
