/*
 * The price table of the commands that ask agents: share/prices.tsv, and before it the user's own
 * rows, from the file that FORGE_PRICES names or ~/.config/forge/prices.tsv where there is one.
 */
#ifndef FORGE_CMD_PRICE_TABLE_H
#define FORGE_CMD_PRICE_TABLE_H

struct err;
struct prices;

/* A table that can not be read is an error: a cost is never guessed. */
int price_table_load(struct prices *p, struct err *e);

#endif
