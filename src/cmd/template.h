/* A small working task from share/template, for `forge init` and for the noise floor of doctor. */
#ifndef FORGE_CMD_TEMPLATE_H
#define FORGE_CMD_TEMPLATE_H

struct err;

/* Make `dir` with the template's files; `name` is a C identifier. */
int template_make(const char *dir, const char *name, struct err *e);

#endif
