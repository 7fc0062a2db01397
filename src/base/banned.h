/*
 * Force-included into every file: calls that overflow, hide errors or start a shell do not compile.
 * It first includes the headers that declare what it poisons. dlopen is allowed in runner/, in the
 * tuner's lab, in sys/gpu.c and sys/nvml.c (which define FORGE_ALLOW_DLOPEN).
 */
#ifndef FORGE_BASE_BANNED_H
#define FORGE_BASE_BANNED_H

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Fortified libc headers define some of these as macros. */
#undef sprintf
#undef vsprintf
#undef gets

#pragma GCC poison strcpy strcat strncpy strncat sprintf vsprintf gets
#pragma GCC poison strtok atoi atol atoll atof system popen tmpnam mktemp
#pragma GCC poison ctime asctime localtime gmtime
#ifndef FORGE_ALLOW_DLOPEN
#pragma GCC poison dlopen dlmopen
#endif

#endif
