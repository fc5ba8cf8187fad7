#include "export/ogawa.h"

#include "core/memory.h"

#define ROOT_OFFSET 8

static void put(OgawaWriter *writer, const void *data, size_t bytes)
{
    file_writer_write(&writer->file, data, bytes);
    writer->at += bytes;
}

Result ogawa_open(const char *path, OgawaWriter *out)
{
    *out = (OgawaWriter){0};
    TRY(file_writer_open(path, &out->file));
    const uint64_t root = 0;
    put(out, "Ogawa\xff\0\1", 8);
    put(out, &root, sizeof root);
    return result_ok();
}

uint64_t ogawa_data(OgawaWriter *writer, const void *head, size_t head_bytes, const void *data, size_t bytes)
{
    uint64_t place = writer->at, size = head_bytes + bytes;
    if (size == 0) return OGAWA_NO_DATA;
    put(writer, &size, sizeof size);
    put(writer, head, head_bytes);
    put(writer, data, bytes);
    return place | OGAWA_NO_DATA;
}

void ogawa_add(OgawaWriter *writer, OgawaGroup *group, uint64_t place)
{
    Result result = MEMORY_RESERVE(group->child, group->capacity, group->count, group->count + 1u,
                                   "a group of the Alembic file");
    if (result_is_ok(&result))
        group->child[group->count++] = place;
    else
        writer->short_of_memory = true;
}

uint64_t ogawa_group(OgawaWriter *writer, OgawaGroup *group)
{
    uint64_t place = group->count > 0 ? writer->at : 0, count = group->count;
    if (count > 0) {
        put(writer, &count, sizeof count);
        put(writer, group->child, count * sizeof *group->child);
    }
    ogawa_group_free(group);
    return place;
}

void ogawa_group_free(OgawaGroup *group)
{
    memory_free(group->child);
    *group = (OgawaGroup){0};
}

Result ogawa_commit(OgawaWriter *writer, uint64_t root)
{
    if (writer->short_of_memory) {
        ogawa_discard(writer);
        return result_no_memory("the Alembic file", 0);
    }
    file_writer_rewrite(&writer->file, ROOT_OFFSET, &root, sizeof root);
    return file_writer_commit(&writer->file);
}

void ogawa_discard(OgawaWriter *writer)
{
    file_writer_discard(&writer->file);
}
