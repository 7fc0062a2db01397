/*
 * Sealed text: what a blackbox reference is on disk, so that nobody who reads the run directory
 * reads the source. The key is the user's own and lies outside of every run directory and of every
 * agent's sandbox: seal.key in $FORGE_KEYS, else $XDG_DATA_HOME/forge, else ~/.local/share/forge. A
 * sealed file is text that says so in its first line (docs/format/run-dir.md); libsodium's
 * secretbox also finds every changed byte.
 */
#ifndef FORGE_STORE_SEAL_H
#define FORGE_STORE_SEAL_H

#include <stdbool.h>
#include <stddef.h>

struct err;
struct str;

bool seal_is_sealed(const char *text, size_t len);
/* Append the sealed form. The key is made on first use, readable by its owner only. */
int seal_text(const char *text, size_t len, struct str *out, struct err *e);
/* Append what was sealed. `name` stands in messages. Another key, or a changed byte: ERR_CONFLICT.
 */
int seal_open(const char *text, size_t len, const char *name, struct str *out, struct err *e);

/* Replace the file by its sealed form; a sealed one stays. */
int seal_file(const char *path, struct err *e);
/* Append the file, opened when it is sealed. */
int seal_read(const char *path, size_t max_len, struct str *out, struct err *e);
/* Copy; a sealed file arrives opened, readable by its owner only. */
int seal_copy(const char *from, const char *to, struct err *e);
/* "DIR/seal.key"; yours. NULL: the environment names no place for it. */
char *seal_key_path(struct err *e);

#endif
