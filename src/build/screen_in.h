/*
 * Screens that hold for the host code of every language: those of screens.def that screens_cuda.def
 * names, too.
 */
#ifndef FORGE_BUILD_SCREEN_IN_H
#define FORGE_BUILD_SCREEN_IN_H

#include "build/screen.h"

/* A part of the screen `sections`: data among instructions would not be disassembled. */
struct verdict screen_data_in_code(const struct leaf *o);
struct verdict screen_indirect(const struct screen_input *in);
struct verdict screen_thread_storage(const struct screen_input *in);
struct verdict screen_relocations(const struct screen_input *in);
struct verdict screen_entry(const struct screen_input *in);
struct verdict screen_instructions(const struct screen_input *in);

#endif
