#include "surface/block_rows.h"
#include "surface/block_vertices.h"
#include "surface/field_sum.h"
#include "surface/near_points.h"
#include "surface/shape_loops.h"

#define FIELD_SUM field_sum_avx512
#include "surface/field_sum_body.h"

#define BLOCK_ROWS block_rows_avx512
#include "surface/block_rows_body.h"

#define BLOCK_VERTICES block_vertices_avx512
#include "surface/block_vertices_body.h"

#define NEAR_POINTS near_points_avx512
#include "surface/near_points_body.h"

#define SHAPE_LOOPS shape_loops_avx512
#include "surface/shape_loops_body.h"
