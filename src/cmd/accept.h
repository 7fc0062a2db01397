/*
 * --accept NAME[,NAME...]: grave lacks of the machine that the user takes on for a run, by the
 * names that forge doctor shows. One place for the commands that drive runs.
 */
#ifndef FORGE_CMD_ACCEPT_H
#define FORGE_CMD_ACCEPT_H

struct err;

#define ACCEPT_HELP "go on without these mechanisms; names as in forge doctor"

/* ERR_USAGE for a name that means nothing; NULL is fine. */
int accept_check(const char *list, struct err *e);

#endif
