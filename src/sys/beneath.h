/*
 * Files below a folder that a stranger writes to: a name, whatever it says, leads nowhere else. No
 * "..", no absolute path, no link, no other file system; the kernel checks it while it opens
 * (openat2), so nothing can be swapped in between.
 */
#ifndef FORGE_SYS_BENEATH_H
#define FORGE_SYS_BENEATH_H

struct err;

/* As openat, confined; close-on-exec. -1 with `e`: ERR_INPUT when the name is at fault. */
int beneath_open(int dir, const char *path, int flags, unsigned mode, struct err *e);
/* Make the folders that lead to `path`, not the last part of it. */
int beneath_make_parents(int dir, const char *path, struct err *e);

#endif
