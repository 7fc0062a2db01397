/*
 * Files that come with the programs: $FORGE_SHARE where it is set, else share/ of the source tree,
 * or PREFIX/share/forge when installed. Also the sibling programs.
 */
#ifndef FORGE_BASE_SHARE_H
#define FORGE_BASE_SHARE_H

struct err;

/* Path of a file or folder below share/, which must exist; yours. NULL on error. */
char *share_path(const char *name, struct err *e);
/* Path of a program that stands beside this one; yours. */
char *sibling_path(const char *program);

#endif
