/*
 * Signatures of evidence: best/evidence.sig signs the head of the chain, and with it everything
 * that the chain covers (docs/format/evidence.md).
 */
#ifndef FORGE_ENGINE_SIGNATURE_H
#define FORGE_ENGINE_SIGNATURE_H

#include <stdbool.h>

struct err;
struct str;

/* Sign `head` by the secret key in a file; replaces DIR/evidence.sig. */
int signature_write(const char *dir, const char *head, const char *key_path, struct err *e);
/* 1: signed, and the signature holds; `key` gets the public key as hex. 0: there is none.
 * -1: ERR_CONFLICT says what does not hold. With `public_key_path` it must be that key's. */
int signature_check(const char *dir, const char *head, const char *public_key_path, struct str *key,
		    struct err *e);

#endif
