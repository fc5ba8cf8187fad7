#define FIELD_LOOP field_loop_plain
#include "diffuse/field_loop_body.h"
