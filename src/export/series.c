#include "export/export.h"

#include "export/file_writer.h"

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
