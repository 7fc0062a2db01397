/*
 * A bundle as it was sent, also where a worker was at it before and ended early: killed, or with
 * the machine, or with the time that a queue gave it. Files that this worker left are removed.
 */
#ifndef FORGE_WORKER_PUT_BACK_H
#define FORGE_WORKER_PUT_BACK_H

#include <stdbool.h>

struct err;
struct str;

/* List the bundle of the delivery `dir` (base/digest.h: digest_list), whose digest is to be `want`
 * (hex), after putting it back where `begun` of an earlier worker says how. A bundle that was not
 * sent so stays as it is: the digest of the list tells. Nobody else is at it. */
int put_back(const char *dir, const char *want, struct str *list, struct err *e);

/* Was a worker at it before, and is all there that was sent? What it left beside that is no matter.
 */
bool put_back_can(const char *dir, const char *want);

#endif
