#include "export/export.h"

#include "export/usda_writer.h"

static void put_xml_text(FileWriter *file, const char *text)
{
    for (; *text; text++) {
        switch (*text) {
        case '&':
            file_writer_print(file, "&amp;");
            break;
        case '<':
            file_writer_print(file, "&lt;");
            break;
        case '>':
            file_writer_print(file, "&gt;");
            break;
        case '"':
            file_writer_print(file, "&quot;");
            break;
        default:
            file_writer_write(file, text, 1);
        }
    }
}

static void put_json_text(FileWriter *file, const char *text)
{
    for (; *text; text++) {
        if (*text == '"' || *text == '\\') file_writer_print(file, "\\");
        if ((unsigned char)*text < 0x20)
            file_writer_print(file, "\\u%04x", (unsigned)*text);
        else
            file_writer_write(file, text, 1);
    }
}

Result export_series_pvd(const char *path, FileSeries series)
{
    FileWriter file;
    TRY(file_writer_open(path, &file));
    file_writer_print(&file, "<?xml version=\"1.0\"?>\n"
                             "<VTKFile type=\"Collection\" version=\"0.1\" byte_order=\"LittleEndian\">\n"
                             "  <Collection>\n");
    for (uint32_t k = 0; k < series.count; k++) {
        file_writer_print(&file, "    <DataSet timestep=\"%.9g\" part=\"0\" file=\"", series.times[k]);
        put_xml_text(&file, series.files[k]);
        file_writer_print(&file, "\"/>\n");
    }
    file_writer_print(&file, "  </Collection>\n</VTKFile>\n");
    return file_writer_commit(&file);
}

Result export_series_vtk(const char *path, FileSeries series)
{
    FileWriter file;
    TRY(file_writer_open(path, &file));
    file_writer_print(&file, "{\n  \"file-series-version\": \"1.0\",\n  \"files\": [");
    for (uint32_t k = 0; k < series.count; k++) {
        file_writer_print(&file, "%s\n    {\"name\": \"", k > 0 ? "," : "");
        put_json_text(&file, series.files[k]);
        file_writer_print(&file, "\", \"time\": %.9g}", series.times[k]);
    }
    file_writer_print(&file, "\n  ]\n}\n");
    return file_writer_commit(&file);
}

// The number of triangles differs from frame to frame, which time samples of one mesh cannot show in every
// program: each frame is a prim of its own that is visible at its time.
static Result write_stage(const char *path, const char *root, FileSeries series)
{
    FileWriter file;
    TRY(file_writer_open(path, &file));
    uint32_t last = series.count > 0 ? series.count - 1 : 0;
    double length = series.count > 1 ? series.times[last] - series.times[0] : 0;
    double rate = length > 0 ? last / length : 24;
    usda_put_head(&file, root);
    file_writer_print(&file,
                      "    startTimeCode = 0\n    endTimeCode = %u\n"
                      "    timeCodesPerSecond = %.9g\n    framesPerSecond = %.9g\n)\n\n"
                      "def Xform \"%s\"\n{\n",
                      last, rate, rate, root);
    for (uint32_t k = 0; k < series.count; k++) {
        file_writer_print(&file,
                          "    def \"frame_%04u\" (\n        prepend payload = @./%s@\n    )\n    {\n"
                          "        token visibility.timeSamples = {",
                          k, series.files[k]);
        if (k > 0) file_writer_print(&file, "0: \"invisible\", ");
        file_writer_print(&file, "%u: \"inherited\"", k);
        if (k < last) file_writer_print(&file, ", %u: \"invisible\"", k + 1);
        file_writer_print(&file, "}\n    }\n");
    }
    file_writer_print(&file, "}\n");
    return file_writer_commit(&file);
}

Result export_series_usda(const char *path, FileSeries series)
{
    return write_stage(path, "water", series);
}

Result export_series_obstacles_usda(const char *path, FileSeries series)
{
    return write_stage(path, "obstacles", series);
}
