/*
 * The embedded agent's own measurement: it compiles variants in its workspace, checks them against
 * the reference it was granted and times them, as any agent with a sandbox can. Advisory: forge
 * believes only what its worker measures (docs/decision/0003). All durations count against the
 * seconds that the turn's data allows.
 */
#ifndef FORGE_TUNER_LAB_H
#define FORGE_TUNER_LAB_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

struct err;
struct lab;
struct tuner_task;

enum { LAB_SHAPES = 8, LAB_TEXT = 160 };
enum lab_outcome { LAB_OK, LAB_UNBUILT, LAB_WRONG, LAB_CRASHED, LAB_TOO_SLOW };

struct lab_result {
	enum lab_outcome outcome;
	double ns[LAB_SHAPES]; /* median of one call, by visible shape; 0: not timed */
	double ratio;          /* geometric mean over shapes of reference time / this time */
	double error;          /* worst relative error against the reference */
	char text[LAB_TEXT];   /* why not LAB_OK */
};

/* Time of a / time of b, geometric mean over shapes, with a rough interval. */
struct lab_duel {
	double ratio;
	double low;
	double high;
};

/* NULL and *e: nothing can be measured here (no compiler, no inputs, no seconds). `data` is the
 * data of a teacher's turn; `dir` is a writable folder for scratch, `task` outlives the lab. */
struct lab *lab_open(const struct tuner_task *task, const char *reference, const json_t *data,
		     const char *dir, struct err *e);
void lab_close(struct lab *lab);
double lab_seconds_left(const struct lab *lab);
bool lab_has_compiler(const struct lab *lab, const char *cc);
/* Compiles (two at a time), checks and times each source. Results are kept by source text, a known
 * one costs nothing. A source whose first call takes more than `give_up` times as long as the best
 * so far on any shape is LAB_TOO_SLOW (give_up 0: never); so is what no time was left for. */
void lab_try(struct lab *lab, const char *const *sources, size_t nr, double give_up,
	     struct lab_result *out);
/* Times a source that is LAB_OK once more: its ratio now, 0 where that failed. The better of its
 * figures is kept. */
double lab_again(struct lab *lab, const char *source);
/* Interleaved timing of two sources that are LAB_OK, a b a b ..., about `seconds` long. */
int lab_compare(struct lab *lab, const char *a, const char *b, double seconds, struct lab_duel *out,
		struct err *e);
/* Sources measured so far, the reference left out, and comparisons. */
size_t lab_evaluations(const struct lab *lab);

#endif
