/*
 * Line numbers in a JSON file that is known to be valid: jansson keeps none, and a message about
 * shapes.json without a line sends the user searching. Used on the way to an error only.
 */
#ifndef FORGE_MODEL_SHAPE_LINE_H
#define FORGE_MODEL_SHAPE_LINE_H

/* Line of what `pointer` names, as in "/shapes/1/dims/rows" (a member's line is its key's). What
 * is not there gives the line of the closest parent; an unreadable file gives 1. */
unsigned shape_line(const char *path, const char *pointer);
unsigned shape_line_in_text(const char *text, const char *pointer);

#endif
