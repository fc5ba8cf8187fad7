// The tree itself: blocks of memory, children, lookups. Nothing here knows YAML's syntax.
#include "core/memory.h"
#include "scene/scene_yaml.h"

#include <string.h>

#define BLOCK_BYTES 65536
#define TEXT_ALIGNMENT 16

typedef struct YamlBlock {
    struct YamlBlock *next;
    size_t capacity;
} YamlBlock;

// The block's data starts here: a multiple of every alignment that the tree needs.
#define BLOCK_HEADER ((sizeof(YamlBlock) + TEXT_ALIGNMENT - 1) / TEXT_ALIGNMENT * TEXT_ALIGNMENT)

static void *tree_allocate(YamlDocument *document, size_t bytes)
{
    bytes = (bytes + TEXT_ALIGNMENT - 1) / TEXT_ALIGNMENT * TEXT_ALIGNMENT;
    YamlBlock *block = document->blocks;
    if (!block || block->capacity - document->block_used < bytes) {
        size_t capacity = bytes > BLOCK_BYTES ? bytes : BLOCK_BYTES;
        block = memory_allocate(BLOCK_HEADER + capacity);
        if (!block) return NULL;
        *block = (YamlBlock){.next = document->blocks, .capacity = capacity};
        document->blocks = block;
        document->block_used = 0;
    }
    unsigned char *at = (unsigned char *)block + BLOCK_HEADER + document->block_used;
    document->block_used += bytes;
    return at;
}

void yaml_free(YamlDocument *document)
{
    for (YamlBlock *block = document->blocks; block;) {
        YamlBlock *next = block->next;
        memory_free(block);
        block = next;
    }
    *document = (YamlDocument){0};
}

YamlNode *yaml_new_node(YamlDocument *document, YamlKind kind)
{
    if (document->nodes >= YAML_MAX_NODES) return NULL;
    YamlNode *node = tree_allocate(document, sizeof *node);
    if (!node) return NULL;
    *node = (YamlNode){.kind = kind};
    document->nodes++;
    return node;
}

char *yaml_new_text(YamlDocument *document, const char *text, size_t length)
{
    char *copy = tree_allocate(document, length + 1);
    if (!copy) return NULL;
    if (length > 0) memcpy(copy, text, length);
    copy[length] = 0;
    return copy;
}

void yaml_append(YamlNode *parent, YamlNode *child)
{
    child->parent = parent;
    child->next = NULL;
    if (parent->last)
        parent->last->next = child;
    else
        parent->first = child;
    parent->last = child;
}

void yaml_replace(YamlNode *parent, YamlNode *old, YamlNode *child)
{
    YamlNode **link = &parent->first;
    while (*link != old) link = &(*link)->next;
    child->parent = parent;
    child->next = old->next;
    *link = child;
    if (parent->last == old) parent->last = child;
}

void yaml_remove(YamlNode *parent, const YamlNode *child)
{
    YamlNode *before = NULL;
    for (YamlNode *node = parent->first; node != child; node = node->next) before = node;
    if (before)
        before->next = child->next;
    else
        parent->first = child->next;
    if (parent->last == child) parent->last = before;
}

YamlNode *yaml_child(const YamlNode *node, const char *key)
{
    if (!node || node->kind != YAML_MAPPING) return NULL;
    for (YamlNode *child = node->first; child; child = child->next) {
        if (strcmp(child->key, key) == 0) return child;
    }
    return NULL;
}

YamlNode *yaml_item(const YamlNode *node, uint32_t index)
{
    if (!node || node->kind != YAML_LIST) return NULL;
    YamlNode *child = node->first;
    while (child && index > 0) {
        child = child->next;
        index--;
    }
    return child;
}

uint32_t yaml_count(const YamlNode *node)
{
    uint32_t count = 0;
    for (const YamlNode *child = node->first; child; child = child->next) count++;
    return count;
}
