/*
 * Landlock: the calling thread gives up files, network and signals for good. Whatever this kernel's
 * version knows is handled. Async-signal-safe; all return 0 or a descriptor, or -1 with errno.
 */
#ifndef FORGE_SYS_LANDLOCK_H
#define FORGE_SYS_LANDLOCK_H

/* A ruleset that allows nothing. */
int landlock_new(void);
/* Reading and executing: of an open file, of one file, of all below a folder. */
int landlock_allow_file(int ruleset, int fd);
int landlock_allow_path(int ruleset, const char *path);
int landlock_allow_tree(int ruleset, const char *path);
/* Of a file or of all below a folder, whichever is there: reading and executing; reading, making,
 * changing and removing files and folders; a device's reading, writing and ioctl. */
int landlock_allow_reading(int ruleset, const char *path);
int landlock_allow_writing(int ruleset, const char *path);
int landlock_allow_device(int ruleset, const char *path);
/* Closes the ruleset. Needs no_new_privs. */
int landlock_enter(int ruleset);

#endif
