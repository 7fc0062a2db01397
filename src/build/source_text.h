/*
 * Is a source what it looks like? A file that reads one way in an editor, in a diff or to an agent
 * and another way to the compiler is refused before anything looks at it: control, bidirectional
 * and invisible characters, bytes that are no UTF-8, a NUL, a carriage return that ends no line, a
 * line that goes on behind a trigraph.
 */
#ifndef FORGE_BUILD_SOURCE_TEXT_H
#define FORGE_BUILD_SOURCE_TEXT_H

#include <stddef.h>

#include "base/str.h"
#include "model/verdict.h"

/* VERDICT_NONE, or forbidden_text with line, column and cure. */
struct verdict source_text_check(const char *text, size_t len);
/* Append the first `nr_lines` lines with lines joined that end in a backslash, as the compiler
 * joins them before it looks for comments. */
void source_text_joined(const char *text, unsigned nr_lines, struct str *out);

#endif
