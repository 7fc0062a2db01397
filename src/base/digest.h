/*
 * SHA-256 digests as 64 lower-case hex characters. A tree digest covers names and contents of all
 * plain files below a folder, in byte order of their paths.
 */
#ifndef FORGE_BASE_DIGEST_H
#define FORGE_BASE_DIGEST_H

#include <stddef.h>

struct err;
struct str;

struct digest {
	char hex[65]; /* "" is "none" */
};

struct digest digest_bytes(const void *bytes, size_t len);
struct digest digest_text(const char *text);
int digest_file(const char *path, struct digest *out, struct err *e);
int digest_tree(const char *dir, struct digest *out, struct err *e);
/* What a tree digest is the digest of: a line "<hex>  <path>" for each file, as sha256sum -c reads
 * it. Appends. The path begins at this column. */
enum { DIGEST_LIST_PATH = 66 };
int digest_list(const char *dir, struct str *lines, struct err *e);

#endif
