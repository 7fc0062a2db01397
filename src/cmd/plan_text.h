/*
 * A plan on stdout, as forge new --dry-run and forge evolve --dry-run show it.
 */
#ifndef FORGE_CMD_PLAN_TEXT_H
#define FORGE_CMD_PLAN_TEXT_H

struct plan;

void plan_print(const struct plan *p);

#endif
