// The tags of an XML file that lies in memory, one after the other: as much of XML as VTK's files use.
#ifndef PBF_EXPORT_XML_TAGS_H
#define PBF_EXPORT_XML_TAGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// A piece of the file, without a NUL behind it.
typedef struct XmlText {
    const char *at;
    size_t length;
} XmlText;

#define XML_ATTRIBUTES_MAX 24 // of a tag; more are passed over

typedef struct XmlTag {
    XmlText name;
    enum { XML_OPEN, XML_CLOSE, XML_EMPTY } kind;                       // <name>, </name>, <name/>
    XmlText attributes[XML_ATTRIBUTES_MAX], values[XML_ATTRIBUTES_MAX]; // as they are written
    uint32_t attribute_count;
} XmlTag;

typedef struct XmlCursor {
    const char *at, *end;
} XmlCursor;

typedef enum XmlOutcome { XML_TAG, XML_END, XML_MALFORMED } XmlOutcome;

// The next tag; the cursor moves behind it. Text between tags, comments and declarations are skipped.
XmlOutcome xml_next(XmlCursor *cursor, XmlTag *out);

bool xml_is(XmlText text, const char *word);

// The value of an attribute; an empty text if the tag has none of that name.
XmlText xml_attribute(const XmlTag *tag, const char *name);

// Takes the value of an attribute as a whole number; `fallback` if there is none. False if it is not a
// number.
bool xml_number(const XmlTag *tag, const char *name, uint64_t fallback, uint64_t *out);

#endif
