// The only file that knows libfyaml. Its events, not its documents, are read: they come with marks, need no
// recursion, and let the limits act before anything large is built.
#include "scene/scene_yaml.h"

#include <libfyaml.h>
#include <string.h>

typedef struct Anchor {
    const char *name;
    YamlNode *node;
} Anchor;

typedef struct Builder {
    YamlDocument *document;
    const char *label, *set_key;
    YamlNode *root;
    YamlNode *open[YAML_MAX_DEPTH]; // the collections around the next node, outermost first
    uint32_t depth;
    const char *key; // waits for its value
    int key_line, key_column;
    Anchor anchors[YAML_MAX_ANCHORS];
    uint32_t anchor_count;
    int line, column; // of the event at hand, or of the last one that had a mark
    bool document_seen;
} Builder;

__attribute__((format(printf, 2, 3))) static Result builder_error(const Builder *builder, const char *format,
                                                                  ...)
{
    char text[240];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (builder->set_key) return result_error(RESULT_USAGE, "%s: %s", builder->label, text);
    return result_error(RESULT_USAGE, "%s:%d:%d: %s", builder->label, builder->line, builder->column, text);
}

// Tells why a node could not be made: the limit, or the memory.
static Result no_node(const Builder *builder)
{
    if (builder->document->nodes < YAML_MAX_NODES)
        return result_no_memory("the scene's text", sizeof(YamlNode));
    return builder_error(builder, "too much content (at most %d values, aliases resolved)", YAML_MAX_NODES);
}

static Result copy_token(Builder *builder, struct fy_token *token, const char **out)
{
    size_t length = 0;
    const char *text = token ? fy_token_get_text(token, &length) : "";
    if (!text) text = "", length = 0;
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)text[i];
        bool is_c1 = c == 0xc2 && i + 1 < length && (unsigned char)text[i + 1] < 0xa0;
        if (is_c1) c = (unsigned char)text[i + 1];
        if ((c < 0x20 && c != '\n' && c != '\t') || c == 0x7f || is_c1)
            return builder_error(builder, "control character 0x%02x in a text", c);
    }
    *out = yaml_new_text(builder->document, text, length);
    return *out ? result_ok() : result_no_memory("the scene's text", length);
}

// Is the next node a key? It is in a mapping without a key that waits for its value.
static bool expects_key(const Builder *builder)
{
    return builder->depth > 0 && builder->open[builder->depth - 1]->kind == YAML_MAPPING && !builder->key;
}

static void place(Builder *builder, YamlNode *node)
{
    node->set_key = builder->set_key;
    node->line = builder->line;
    node->column = builder->column;
    node->key = builder->key;
    node->key_line = builder->key ? builder->key_line : builder->line;
    node->key_column = builder->key ? builder->key_column : builder->column;
    builder->key = NULL;
    if (builder->depth == 0)
        builder->root = node;
    else
        yaml_append(builder->open[builder->depth - 1], node);
}

static Result remember_anchor(Builder *builder, struct fy_token *token, YamlNode *node)
{
    if (!token) return result_ok();
    if (builder->anchor_count == YAML_MAX_ANCHORS)
        return builder_error(builder, "too many anchors (at most %d)", YAML_MAX_ANCHORS);
    Anchor *anchor = &builder->anchors[builder->anchor_count];
    TRY(copy_token(builder, token, &anchor->name));
    anchor->node = node;
    builder->anchor_count++;
    return result_ok();
}

// A copy of a finished node; depth counts the collections around it.
static Result copy_node(Builder *builder, const YamlNode *source, uint32_t depth, YamlNode **out)
{
    if (depth >= YAML_MAX_DEPTH)
        return builder_error(builder, "nested too deeply (at most %d levels)", YAML_MAX_DEPTH);
    YamlNode *copy = yaml_new_node(builder->document, source->kind);
    if (!copy) return no_node(builder);
    *copy = *source;
    copy->first = copy->last = copy->next = NULL;
    for (const YamlNode *child = source->first; child; child = child->next) {
        YamlNode *child_copy;
        TRY(copy_node(builder, child, depth + 1, &child_copy));
        yaml_append(copy, child_copy);
    }
    *out = copy;
    return result_ok();
}

static Result add_alias(Builder *builder, struct fy_token *token)
{
    const char *name;
    TRY(copy_token(builder, token, &name));
    if (expects_key(builder)) return builder_error(builder, "an alias cannot be a key");
    const YamlNode *target = NULL;
    for (uint32_t k = 0; k < builder->anchor_count; k++) { // the last of that name counts
        if (strcmp(builder->anchors[k].name, name) == 0) target = builder->anchors[k].node;
    }
    if (!target) return builder_error(builder, "alias *%.40s has no anchor before it", name);
    for (uint32_t k = 0; k < builder->depth; k++) {
        if (builder->open[k] == target) return builder_error(builder, "alias *%.40s contains itself", name);
    }
    YamlNode *copy;
    TRY(copy_node(builder, target, builder->depth, &copy));
    place(builder, copy);
    return result_ok();
}

static Result add_scalar(Builder *builder, struct fy_event *event)
{
    if (event->scalar.tag) return builder_error(builder, "tags are not understood (plain YAML values)");
    const char *text;
    TRY(copy_token(builder, event->scalar.value, &text));
    if (expects_key(builder)) {
        builder->key = text;
        builder->key_line = builder->line;
        builder->key_column = builder->column;
        return result_ok();
    }
    YamlNode *node = yaml_new_node(builder->document, YAML_SCALAR);
    if (!node) return no_node(builder);
    node->text = text;
    node->quoted = event->scalar.value && fy_scalar_token_get_style(event->scalar.value) != FYSS_PLAIN;
    place(builder, node);
    return remember_anchor(builder, event->scalar.anchor, node);
}

static Result open_collection(Builder *builder, struct fy_event *event, YamlKind kind)
{
    if (fy_event_get_tag_token(event))
        return builder_error(builder, "tags are not understood (plain YAML values)");
    if (expects_key(builder)) return builder_error(builder, "a key must be plain text");
    if (builder->depth == YAML_MAX_DEPTH)
        return builder_error(builder, "nested too deeply (at most %d levels)", YAML_MAX_DEPTH);
    YamlNode *node = yaml_new_node(builder->document, kind);
    if (!node) return no_node(builder);
    place(builder, node);
    builder->open[builder->depth++] = node;
    return remember_anchor(builder, fy_event_get_anchor_token(event), node);
}

static Result handle_event(Builder *builder, struct fy_event *event)
{
    const struct fy_mark *mark = fy_event_start_mark(event);
    if (mark && mark->line >= 0) {
        builder->line = mark->line + 1;
        builder->column = mark->column + 1;
    }
    switch (event->type) {
    case FYET_DOCUMENT_START:
        if (builder->document_seen)
            return builder_error(builder, "a second document starts (only one is read)");
        builder->document_seen = true;
        return result_ok();
    case FYET_ALIAS:
        return add_alias(builder, event->alias.anchor);
    case FYET_SCALAR:
        return add_scalar(builder, event);
    case FYET_MAPPING_START:
        return open_collection(builder, event, YAML_MAPPING);
    case FYET_SEQUENCE_START:
        return open_collection(builder, event, YAML_LIST);
    case FYET_MAPPING_END:
    case FYET_SEQUENCE_END:
        if (builder->depth > 0) builder->depth--;
        return result_ok();
    default:
        return result_ok();
    }
}

// Reports the first of the parser's own errors.
static Result syntax_error(Builder *builder, struct fy_diag *diag)
{
    void *state = NULL;
    struct fy_diag_error *error = fy_diag_errors_iterate(diag, &state);
    if (error && error->line > 0) {
        builder->line = error->line;
        builder->column = error->column > 0 ? error->column : 1;
    }
    return builder_error(builder, "not valid YAML: %s",
                         error && error->msg ? error->msg : "it cannot be read");
}

static Result read_events(Builder *builder, struct fy_parser *parser, struct fy_diag *diag)
{
    struct fy_event *event;
    while ((event = fy_parser_parse(parser))) {
        Result result = handle_event(builder, event);
        fy_parser_event_free(parser, event);
        if (!result_is_ok(&result)) return result;
    }
    if (fy_parser_get_stream_error(parser)) return syntax_error(builder, diag);
    CHECK(builder->depth == 0);
    return result_ok();
}

// libfyaml writes to standard error unless its output goes elsewhere.
static void drop_output(struct fy_diag *diag, void *user, const char *text, size_t length)
{
    (void)diag, (void)user, (void)text, (void)length;
}

Result yaml_parse(YamlDocument *document, const char *label, const char *set_key, const char *text,
                  size_t bytes, YamlNode **root)
{
    Builder builder = {.document = document, .label = label, .set_key = set_key, .line = 1, .column = 1};
    *root = NULL;
    if (bytes == 0) return result_ok();
    struct fy_diag_cfg diag_setting;
    fy_diag_cfg_default(&diag_setting);
    diag_setting.fp = NULL;
    diag_setting.output_fn = drop_output;
    struct fy_diag *diag = fy_diag_create(&diag_setting);
    if (!diag) return result_no_memory("the YAML parser", sizeof diag_setting);
    fy_diag_set_collect_errors(diag, true);
    struct fy_parse_cfg setting = {.flags = FYPCF_QUIET | FYPCF_COLLECT_DIAG | FYPCF_DEFAULT_VERSION_1_2 |
                                            FYPCF_JSON_NONE,
                                   .diag = diag};
    struct fy_parser *parser = fy_parser_create(&setting);
    Result result;
    if (!parser || fy_parser_set_string(parser, text, bytes) != 0)
        result = result_no_memory("the YAML parser", bytes);
    else
        result = read_events(&builder, parser, diag);
    if (parser) fy_parser_destroy(parser);
    fy_diag_destroy(diag);
    if (result_is_ok(&result)) *root = builder.root;
    return result;
}
