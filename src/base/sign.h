/*
 * Ed25519 signatures of short texts. Keys are files of one line, "forge-secret-key HEX" (0600) and
 * "forge-public-key HEX"; signatures are hex. Used for evidence (docs/format/evidence.md).
 */
#ifndef FORGE_BASE_SIGN_H
#define FORGE_BASE_SIGN_H

#include <stdbool.h>

struct err;
struct str;

/* Writes PATH (secret) and PATH.pub. An existing file is ERR_CONFLICT: a key is never replaced. */
int sign_make_key(const char *path, struct err *e);
/* Sign `text` by the secret key in a file; appends the signature and the public key as hex. */
int sign_text(const char *text, const char *key_path, struct str *signature, struct str *public_key,
	      struct err *e);
/* The public key in a file, as hex. */
int sign_load_public(const char *path, struct str *public_key, struct err *e);
/* Does the signature fit text and public key? Malformed hex does not. */
bool sign_holds(const char *text, const char *signature, const char *public_key);

#endif
