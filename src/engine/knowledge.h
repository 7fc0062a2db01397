/*
 * The lessons of the knowledge base that a run was given: those for its language that are certified
 * on its machine when its teacher is first asked, copied into the run directory. From then on the
 * run knows no other base, so that it goes on as it began whatever happens to the files. The
 * teacher sees all of them, the student those that its row cites.
 */
#ifndef FORGE_ENGINE_KNOWLEDGE_H
#define FORGE_ENGINE_KNOWLEDGE_H

#include <jansson.h>

#include "base/digest.h"

struct curriculum;
struct decision;
struct engine;
struct err;
struct findings;

/* Copy them, unless that is done already. A run whose agents take no lessons gets none. */
int knowledge_freeze(struct engine *g, struct err *e);
/* [{"id", "title", "topics", "claims", "applies_when", "negative", "digest", "text"}], maybe empty;
 * a new reference. NULL: the copy can not be read, or is not the one that a curriculum was written
 * by. */
json_t *knowledge_all(const struct engine *g, struct err *e);
/* Copy them and put all into the data of a teacher's turn ("knowledge"); nothing where there are
 * none. */
int knowledge_offer(struct engine *g, json_t *data, struct err *e);
/* Put those that the row cites, in its order, into the data of a turn ("knowledge"). */
int knowledge_cite(const struct engine *g, const struct decision *d, json_t *data, struct err *e);
/* Digest of the copy; "" where there is none. */
struct digest knowledge_digest(const struct engine *g);
/* Findings of rows that cite what the run was not given. */
int knowledge_lint(const struct engine *g, const struct curriculum *c, struct findings *f,
		   struct err *e);
/* [{"id", "digest"}] of what a row cites; yours. */
json_t *knowledge_cites(const json_t *all, const struct decision *d);
/* The cited lessons of a turn's data ("knowledge") as files in a folder of the run directory, for
 * the student's box. *dir is yours; NULL: the turn has none. */
int knowledge_lay_out(const struct engine *g, const json_t *data, char **dir, struct err *e);

#endif
