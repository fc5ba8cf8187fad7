#include "export/xml_tags.h"

#include <string.h>

static bool is_blank(char c)
{
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

static bool ends_name(char c)
{
    return is_blank(c) || c == '>' || c == '/' || c == '=' || c == '<' || c == '"' || c == '\'';
}

static void skip_blanks(XmlCursor *cursor)
{
    while (cursor->at < cursor->end && is_blank(*cursor->at)) cursor->at++;
}

static XmlText take_name(XmlCursor *cursor)
{
    const char *start = cursor->at;
    while (cursor->at < cursor->end && !ends_name(*cursor->at)) cursor->at++;
    return (XmlText){start, (size_t)(cursor->at - start)};
}

static bool take_char(XmlCursor *cursor, char c)
{
    if (cursor->at >= cursor->end || *cursor->at != c) return false;
    cursor->at++;
    return true;
}

static bool starts_with(const XmlCursor *cursor, const char *word)
{
    size_t length = strlen(word);
    return (size_t)(cursor->end - cursor->at) >= length && memcmp(cursor->at, word, length) == 0;
}

// Skips past the next `word`; false if there is none.
static bool skip_past(XmlCursor *cursor, const char *word)
{
    const char *found = memmem(cursor->at, (size_t)(cursor->end - cursor->at), word, strlen(word));
    if (found) cursor->at = found + strlen(word);
    return found;
}

// name="value" or name='value'
static bool take_attribute(XmlCursor *cursor, XmlTag *tag)
{
    XmlText name = take_name(cursor);
    skip_blanks(cursor);
    if (name.length == 0 || !take_char(cursor, '=')) return false;
    skip_blanks(cursor);
    char quote = cursor->at < cursor->end ? *cursor->at : '\0';
    if (quote != '"' && quote != '\'') return false;
    const char *start = ++cursor->at, *stop = memchr(start, quote, (size_t)(cursor->end - start));
    if (!stop) return false;
    cursor->at = stop + 1;
    if (tag->attribute_count < XML_ATTRIBUTES_MAX) {
        tag->attributes[tag->attribute_count] = name;
        tag->values[tag->attribute_count++] = (XmlText){start, (size_t)(stop - start)};
    }
    return true;
}

// Takes the tag behind its opening bracket.
static bool take_tag(XmlCursor *cursor, XmlTag *tag)
{
    tag->attribute_count = 0;
    tag->kind = take_char(cursor, '/') ? XML_CLOSE : XML_OPEN;
    tag->name = take_name(cursor);
    if (tag->name.length == 0) return false;
    for (;;) {
        skip_blanks(cursor);
        if (take_char(cursor, '>')) return true;
        if (tag->kind == XML_OPEN && take_char(cursor, '/')) {
            tag->kind = XML_EMPTY;
            return take_char(cursor, '>');
        }
        if (!take_attribute(cursor, tag)) return false;
    }
}

XmlOutcome xml_next(XmlCursor *cursor, XmlTag *out)
{
    while (cursor->at < cursor->end) {
        const char *bracket = memchr(cursor->at, '<', (size_t)(cursor->end - cursor->at));
        if (!bracket) break;
        cursor->at = bracket + 1;
        bool skipped;
        if (starts_with(cursor, "!--"))
            skipped = skip_past(cursor, "-->");
        else if (starts_with(cursor, "?"))
            skipped = skip_past(cursor, "?>");
        else if (starts_with(cursor, "!"))
            skipped = skip_past(cursor, ">");
        else
            return take_tag(cursor, out) ? XML_TAG : XML_MALFORMED;
        if (!skipped) return XML_MALFORMED;
    }
    cursor->at = cursor->end;
    return XML_END;
}

bool xml_is(XmlText text, const char *word)
{
    return text.length == strlen(word) && memcmp(text.at, word, text.length) == 0;
}

XmlText xml_attribute(const XmlTag *tag, const char *name)
{
    for (uint32_t k = 0; k < tag->attribute_count; k++) {
        if (xml_is(tag->attributes[k], name)) return tag->values[k];
    }
    return (XmlText){"", 0};
}

bool xml_number(const XmlTag *tag, const char *name, uint64_t fallback, uint64_t *out)
{
    XmlText text = xml_attribute(tag, name);
    *out = text.length == 0 ? fallback : 0;
    for (size_t k = 0; k < text.length; k++) {
        if (text.at[k] < '0' || text.at[k] > '9' || *out > (UINT64_MAX - 9) / 10) return false;
        *out = 10 * *out + (uint64_t)(text.at[k] - '0');
    }
    return true;
}
