/*
 * Reconnaissance (DESIGN.md 4, stage 4): before its first curriculum a teacher that is a model has
 * things measured in a session of its own and writes down what it found. The list is all that its
 * later turns know of it: the curriculum's, its repairs and the revisions
 * (docs/decision/0014-reconnaissance-is-a-session.md).
 */
#ifndef FORGE_ENGINE_RECON_H
#define FORGE_ENGINE_RECON_H

#include <jansson.h>

struct engine;
struct err;

/* Ask for findings, where that is due and was not done yet, with `data` (a teacher's turn); then
 * set "findings" in it. A teacher that has none is an outcome, told once. */
int recon_run(struct engine *g, json_t *data, struct err *e);
/* Set "findings" as they were reported in this run; nothing where they were not. */
int recon_recall(struct engine *g, json_t *data, struct err *e);
/* ["a finding", ...] of a text with one a line; yours. */
json_t *recon_findings(const char *text);

#endif
