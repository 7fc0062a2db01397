/*
 * PTX, the text that the GPU's assembler gets: everything that device code may do stands in it,
 * inline assembler included. Screens and facts read its instructions; comments are left out.
 */
#ifndef FORGE_BUILD_PTX_H
#define FORGE_BUILD_PTX_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

struct str;

/* Does it read a clock, a counter or a timer, or stop for a debugger? Then the instruction is
 * appended to `what`. */
bool ptx_is_forbidden(const char *text, struct str *what);
/* Counts of ptx_metrics.def as flat metrics; none of a text without an instruction. */
void ptx_facts(const char *text, json_t *facts);

#endif
