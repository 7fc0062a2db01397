/*
 * Files. Whole-file reads with a bound, atomic writes (temporary file, fsync, rename, fsync of the
 * folder), path joining, recursive copy and removal. Paths are NUL-terminated; results that are
 * not const are yours.
 */
#ifndef FORGE_BASE_FILE_H
#define FORGE_BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>

struct err;
struct str;
struct strv;

/* A descriptor to read a plain file by; anything else (a folder, a FIFO, a device) is an error and
 * is not waited for. */
int file_open(const char *path, struct err *e);
/* Append the file to `out`. More than `max_len` bytes is an error. */
int file_read(const char *path, size_t max_len, struct str *out, struct err *e);
/* Replace the file atomically and durably; on error the old content stands. */
int file_write(const char *path, const void *bytes, size_t len, struct err *e);
int file_write_text(const char *path, const char *text, struct err *e);
bool file_exists(const char *path);
bool file_is_dir(const char *path);
/* Create the folder and its parents; an existing folder is fine. */
int dir_make(const char *path, struct err *e);
/* Make the folder `path` whole or not at all: `fill` makes and fills one of another name beside it,
 * which is renamed when it is done. On error `path` is as it was. */
typedef int (*dir_fill_fn)(const void *ctx, const char *dir, struct err *e);
int dir_make_whole(const char *path, dir_fill_fn fill, const void *ctx, struct err *e);
/* Names in a folder, sorted by bytes, without "." and "..". */
int dir_list(const char *path, struct strv *names, struct err *e);
/* Copy files and folders; links and special files are refused, so is a place inside of `from`. */
int tree_copy(const char *from, const char *to, struct err *e);
/* Remove a folder and all below it, however deep and whatever its mode bits, without following
 * links; a missing folder is fine. */
int tree_remove(const char *path, struct err *e);
int file_copy(const char *from, const char *to, struct err *e);
int dir_sync(const char *path, struct err *e);
/* Could a file of `bytes` be written into the folder now? Leaves nothing behind. */
int dir_check_room(const char *path, size_t bytes, struct err *e);
/* "a/b" from "a" and "b"; yours. An absolute second part stands alone. */
char *path_join(const char *dir, const char *name);
/* Last component, borrowed from `path`. */
const char *path_base(const char *path);
/* Everything before the last component ("." if none); yours. */
char *path_dir(const char *path);
/* Folder of the running program, for finding its sibling programs and share/; yours. */
char *path_of_program(void);

#endif
