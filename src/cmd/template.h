/* A small working task from share/template or template-cuda, for `forge init` and for the noise
 * floor of doctor. */
#ifndef FORGE_CMD_TEMPLATE_H
#define FORGE_CMD_TEMPLATE_H

struct err;

/* Make `dir` with the files of share/FOLDER; `name` is a C identifier. */
int template_make(const char *dir, const char *folder, const char *name, struct err *e);

#endif
