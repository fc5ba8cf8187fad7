#define FIELD_LOOP field_loop_avx2
#include "diffuse/field_loop_body.h"
