#define FIELD_LOOP field_loop_avx512
#include "diffuse/field_loop_body.h"
