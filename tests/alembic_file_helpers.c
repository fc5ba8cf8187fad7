#include "alembic_file_helpers.h"
#include "case_helpers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define DATA (UINT64_C(1) << 63)

static uint64_t word(const AlembicFile *file, uint64_t at, unsigned bytes)
{
    uint64_t value = 0;
    if (at + bytes > file->size) fail_msg("%llu is outside of the file", (unsigned long long)at);
    memcpy(&value, file->bytes + at, bytes);
    return value;
}

AlembicFile alembic_open(const char *path)
{
    long size;
    AlembicFile file = {(uint8_t *)test_read_file(path, &size), 0};
    assert_non_null(file.bytes);
    file.size = (uint64_t)size;
    assert_memory_equal(file.bytes, "Ogawa\xff\0\1", 8);
    assert_int_equal(word(&file, word(&file, 8, 8), 8), 6); // children of the root
    return file;
}

static uint64_t child_count(const AlembicFile *file, uint64_t group)
{
    return group == 0 ? 0 : word(file, group, 8);
}

static uint64_t child(const AlembicFile *file, uint64_t group, uint64_t k, bool data)
{
    assert_true(k < child_count(file, group));
    uint64_t place = word(file, group + 8 + 8 * k, 8);
    assert_int_equal((place & DATA) != 0, data);
    return place & ~DATA;
}

static const uint8_t *data_of(const AlembicFile *file, uint64_t place, uint64_t *bytes)
{
    *bytes = place == 0 ? 0 : word(file, place, 8);
    if (*bytes > 0) word(file, place + 8 + *bytes - 1, 1);
    return file->bytes + place + 8;
}

static uint32_t take(const uint8_t **at, unsigned bytes)
{
    uint32_t value = 0;
    memcpy(&value, *at, bytes);
    *at += bytes;
    return value;
}

static bool is(const uint8_t *text, uint32_t length, const char *name, size_t name_length)
{
    return length == name_length && memcmp(text, name, length) == 0;
}

// The child object of that name; its number among the children of the group is one more than its place.
static uint64_t find_object(const AlembicFile *file, uint64_t object, const char *name, size_t length)
{
    uint64_t bytes, count = child_count(file, object);
    const uint8_t *at = data_of(file, child(file, object, count - 1, true), &bytes), *end = at + bytes - 32;
    for (uint64_t k = 1; at < end; k++) {
        uint32_t size = take(&at, 4);
        bool found = is(at, size, name, length);
        at += size;
        uint32_t meta = take(&at, 1);
        assert_int_equal(meta, 255);
        size = take(&at, 4);
        at += size;
        if (found) return child(file, object, k, false);
    }
    fail_msg("no object %s", name);
    return 0;
}

typedef struct Found {
    uint64_t group;
    uint32_t info, samples;
} Found;

static Found find_property(const AlembicFile *file, uint64_t compound, const char *name, size_t length)
{
    uint64_t bytes, count = child_count(file, compound);
    const uint8_t *at = data_of(file, child(file, compound, count - 1, true), &bytes), *end = at + bytes;
    for (uint64_t k = 0; at < end; k++) {
        Found found = {child(file, compound, k, false), take(&at, 4), 0};
        assert_int_equal(found.info >> 2 & 3, 2);         // counts of four bytes
        assert_int_equal(found.info >> 20 & 255, 255);    // metadata in place
        if (found.info & 3) found.samples = take(&at, 4); // not a compound
        if ((found.info & 3) && (found.info & 1u << 8)) take(&at, 4);
        uint32_t size = take(&at, 4);
        bool same = is(at, size, name, length);
        at += size;
        size = take(&at, 4);
        at += size;
        if (same) return found;
    }
    fail_msg("no property %s", name);
    return (Found){0};
}

// A copy at a place for numbers of any size, which data in the file are not.
static const void *aligned(const void *data, uint64_t bytes)
{
    static void *copies[ALEMBIC_SAMPLES_KEPT];
    static uint32_t next;
    void **copy = &copies[next++ % ALEMBIC_SAMPLES_KEPT];
    free(*copy);
    *copy = malloc(bytes + 1);
    return memcpy(*copy, data, bytes);
}

AlembicSample alembic_sample(const AlembicFile *file, const char *object, const char *property,
                             uint32_t sample)
{
    uint64_t place = child(file, word(file, 8, 8), 2, false);
    for (const char *part = object; part;) {
        size_t length = strcspn(part, "/");
        place = find_object(file, place, part, length);
        part = part[length] ? part + length + 1 : NULL;
    }
    Found found = {child(file, place, 0, false), 0, 0};
    for (const char *part = property; part;) {
        size_t length = strcspn(part, "/");
        found = find_property(file, found.group, part, length);
        part = part[length] ? part + length + 1 : NULL;
    }
    assert_true(sample < found.samples);
    bool array = found.info & 2, constant = found.info & 1u << 11;
    uint64_t bytes, k = constant ? 0 : sample;
    const uint8_t *data = data_of(file, child(file, found.group, array ? 2 * k : k, true), &bytes);
    if (bytes == 0) return (AlembicSample){NULL, 0, found.samples};
    assert_true(bytes >= 16); // the digest
    return (AlembicSample){aligned(data + 16, bytes - 16), bytes - 16, found.samples};
}

double alembic_time(const AlembicFile *file, uint32_t sample)
{
    uint64_t bytes;
    const uint8_t *at = data_of(file, child(file, word(file, 8, 8), 4, true), &bytes);
    double step, start;
    assert_int_equal(bytes, 2 * 24);
    memcpy(&step, at + 24 + 4, 8);
    memcpy(&start, at + 24 + 16, 8);
    return start + sample * step;
}
