/*
 * One JSON file of a mailbox, by the descriptor of its folder. Both sides use it; neither trusts
 * what the other one put there.
 */
#ifndef FORGE_AGENT_MAILBOX_FILE_H
#define FORGE_AGENT_MAILBOX_FILE_H

#include <jansson.h>

struct err;

/* 1: a plain file with a JSON object; 0: there is none (or a link, a folder, a device, a pipe);
 * -1: too large, or no JSON object. */
int mailbox_file_read(int dir, const char *name, json_t **out, struct err *e);
/* By a temporary file and rename; replaces whatever has the name. */
int mailbox_file_write(int dir, const char *name, const json_t *json, struct err *e);

#endif
