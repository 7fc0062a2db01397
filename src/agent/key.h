/*
 * Keys of providers: NAME=value in the environment, or a line of local.env in the current
 * directory. A value is handed to one process and never printed, logged or stored.
 */
#ifndef FORGE_AGENT_KEY_H
#define FORGE_AGENT_KEY_H

struct err;

/* The key, yours; NULL when there is none (ERR_INPUT names the variable and the cure) or local.env
 * can not be read. */
char *key_find(const char *name, struct err *e);
/* The same without a word: NULL, or an empty text, is nothing. */
char *key_peek(const char *name);

#endif
