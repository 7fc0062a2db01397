/*
 * Which files a program of ours needs from the system to run: the loader and the parts of the C
 * library. Internal to src/sys.
 */
#ifndef FORGE_SYS_LIBRARIES_H
#define FORGE_SYS_LIBRARIES_H

struct strv;

/* Absolute paths as the loader will look for them. */
void libraries_list(struct strv *out);

#endif
