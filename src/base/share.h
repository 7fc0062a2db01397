/*
 * Files that come with the programs: $FORGE_SHARE where it is set, else share/ of the source tree,
 * or PREFIX/share/forge when installed. Also the sibling programs.
 */
#ifndef FORGE_BASE_SHARE_H
#define FORGE_BASE_SHARE_H

struct err;

/* Path of a file or folder below share/, which must exist; yours. NULL on error. */
char *share_path(const char *name, struct err *e);
/* A file of the user's own: the one that the variable names, whether it is there or not, else NAME
 * in forge/ of the user's configuration where it is there; yours. NULL: the user has none. */
char *share_own_path(const char *variable, const char *name);
/* Path of a program that stands beside this one; yours. */
char *sibling_path(const char *program);

#endif
