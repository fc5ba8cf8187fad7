#include "core/memory.h"
#include "export/slice_file.h"
#include "export/vtp_arrays.h"

#define UNUSED UINT32_MAX

// What the file holds: grid nodes first, then the points of all lines.
typedef struct Piece {
    const SliceDrawing *drawing;
    uint32_t *number; // of each grid node among the points, UNUSED outside the water
    uint32_t nodes, squares, lines, points;
} Piece;

static const Isolines *lines_of(const SliceDrawing *drawing, uint32_t k)
{
    return k == 0 ? &drawing->border : &drawing->contours[k - 1].lines;
}

// Does the square above and to the right of a node touch water?
static bool has_square(const Slice *slice, uint32_t column, uint32_t row)
{
    if (column + 1 >= slice->columns || row + 1 >= slice->rows) return false;
    const float *at = slice->fraction + (size_t)row * slice->columns + column;
    return at[0] >= 0.5f || at[1] >= 0.5f || at[slice->columns] >= 0.5f || at[slice->columns + 1] >= 0.5f;
}

static void count(Piece *piece)
{
    const Slice *slice = piece->drawing->slice;
    size_t all = (size_t)slice->columns * slice->rows;
    for (size_t k = 0; k < all; k++) piece->number[k] = UNUSED;
    for (uint32_t row = 0; row < slice->rows; row++) {
        for (uint32_t column = 0; column < slice->columns; column++) {
            if (!has_square(slice, column, row)) continue;
            size_t k = (size_t)row * slice->columns + column;
            piece->number[k] = piece->number[k + 1] = 0;
            piece->number[k + slice->columns] = piece->number[k + slice->columns + 1] = 0;
            piece->squares++;
        }
    }
    for (size_t k = 0; k < all; k++) {
        if (piece->number[k] != UNUSED) piece->number[k] = piece->nodes++;
    }
    piece->points = piece->nodes;
    for (uint32_t k = 0; k <= piece->drawing->contour_count; k++) {
        piece->lines += lines_of(piece->drawing, k)->count;
        piece->points += lines_of(piece->drawing, k)->point_count;
    }
}

// Calls `put` with the place (column, row) of every point.
typedef void PutPoint(FileWriter *file, const Slice *slice, float column, float row);

static void for_points(FileWriter *file, const Piece *piece, PutPoint *put)
{
    const Slice *slice = piece->drawing->slice;
    for (uint32_t row = 0; row < slice->rows; row++) {
        for (uint32_t column = 0; column < slice->columns; column++) {
            if (piece->number[(size_t)row * slice->columns + column] != UNUSED)
                put(file, slice, (float)column, (float)row);
        }
    }
    for (uint32_t k = 0; k <= piece->drawing->contour_count; k++) {
        const Isolines *lines = lines_of(piece->drawing, k);
        for (uint32_t i = 0; i < lines->point_count; i++)
            put(file, slice, lines->point[i][0], lines->point[i][1]);
    }
}

static void put_place(FileWriter *file, const Slice *slice, float column, float row)
{
    Vec3 place = slice_place(slice, column, row);
    file_writer_write(file, &place, sizeof place);
}

static void put_fraction(FileWriter *file, const Slice *slice, float column, float row)
{
    float value = slice_sample(slice, slice->fraction, column, row);
    file_writer_write(file, &value, sizeof value);
}

static void put_value(FileWriter *file, const Slice *slice, float column, float row)
{
    float value = slice_sample(slice, slice->value, column, row);
    file_writer_write(file, &value, sizeof value);
}

static void put_number(FileWriter *file, uint32_t number)
{
    file_writer_write(file, &number, sizeof number);
}

static void put_line_cells(FileWriter *file, const Piece *piece)
{
    uint32_t points = piece->points - piece->nodes, offset = 0;
    file_writer_print(file, "<Lines>\n");
    vtp_begin_array(file, TYPE_INT32, "connectivity", 1, points);
    for (uint32_t k = 0; k < points; k++) put_number(file, piece->nodes + k);
    vtp_end_array(file);
    vtp_begin_array(file, TYPE_INT32, "offsets", 1, piece->lines);
    for (uint32_t k = 0; k <= piece->drawing->contour_count; k++) {
        const Isolines *lines = lines_of(piece->drawing, k);
        for (uint32_t i = 0; i < lines->count; i++)
            put_number(file, offset += lines->first[i + 1] - lines->first[i]);
    }
    vtp_end_array(file);
    file_writer_print(file, "</Lines>\n");
}

static void put_square_cells(FileWriter *file, const Piece *piece)
{
    const Slice *slice = piece->drawing->slice;
    file_writer_print(file, "<Polys>\n");
    vtp_begin_array(file, TYPE_INT32, "connectivity", 1, 4ull * piece->squares);
    for (uint32_t row = 0; row < slice->rows; row++) {
        for (uint32_t column = 0; column < slice->columns; column++) {
            if (!has_square(slice, column, row)) continue;
            const uint32_t *low = piece->number + (size_t)row * slice->columns + column,
                           *high = low + slice->columns;
            const uint32_t square[4] = {low[0], low[1], high[1], high[0]};
            file_writer_write(file, square, sizeof square);
        }
    }
    vtp_end_array(file);
    vtp_begin_array(file, TYPE_INT32, "offsets", 1, piece->squares);
    for (uint32_t k = 1; k <= piece->squares; k++) put_number(file, 4 * k);
    vtp_end_array(file);
    file_writer_print(file, "</Polys>\n");
}

static void put_point_data(FileWriter *file, const Piece *piece)
{
    file_writer_print(file, "<PointData Scalars=\"value\">\n");
    vtp_begin_array(file, TYPE_FLOAT, "value", 1, piece->points);
    for_points(file, piece, put_value);
    vtp_end_array(file);
    vtp_begin_array(file, TYPE_FLOAT, "fraction", 1, piece->points);
    for_points(file, piece, put_fraction);
    vtp_end_array(file);
    file_writer_print(file, "</PointData>\n");
}

static void put_cell_data(FileWriter *file, const Piece *piece)
{
    file_writer_print(file, "<CellData Scalars=\"kind\">\n");
    vtp_begin_array(file, TYPE_INT32, "kind", 1, (uint64_t)piece->lines + piece->squares);
    for (uint32_t k = 0; k < piece->lines; k++) put_number(file, k < piece->drawing->border.count ? 1 : 2);
    for (uint32_t k = 0; k < piece->squares; k++) put_number(file, 0);
    vtp_end_array(file);
    file_writer_print(file, "</CellData>\n");
}

static Result write_piece(const char *path, const Piece *piece)
{
    FileWriter file;
    TRY(file_writer_open(path, &file));
    file_writer_print(
        &file,
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\""
        "LittleEndian\" header_type=\"UInt64\">\n<PolyData>\n<Piece NumberOfPoints=\"%u\" "
        "NumberOfVerts=\"0\" NumberOfLines=\"%u\" NumberOfStrips=\"0\" NumberOfPolys=\"%u\">\n<Points>\n",
        piece->points, piece->lines, piece->squares);
    vtp_begin_array(&file, TYPE_FLOAT, "Points", 3, piece->points);
    for_points(&file, piece, put_place);
    vtp_end_array(&file);
    file_writer_print(&file, "</Points>\n");
    put_line_cells(&file, piece);
    put_square_cells(&file, piece);
    put_point_data(&file, piece);
    put_cell_data(&file, piece);
    file_writer_print(&file, "</Piece>\n</PolyData>\n</VTKFile>\n");
    return file_writer_commit(&file);
}

Result export_slice_vtp(const char *path, const SliceDrawing *drawing)
{
    size_t bytes = (size_t)drawing->slice->columns * drawing->slice->rows * sizeof(uint32_t);
    Piece piece = {.drawing = drawing, .number = memory_allocate(bytes)};
    if (!piece.number) return result_no_memory("slice", bytes);
    count(&piece);
    Result result = write_piece(path, &piece);
    memory_free(piece.number);
    return result;
}
