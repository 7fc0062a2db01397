/*
 * The judged outcome of a candidate: a state and a reason, never a bare boolean. Only src/judge
 * makes a PASS. A verdict is a value; `detail` is written for the student and never holds an
 * expected value.
 */
#ifndef FORGE_MODEL_VERDICT_H
#define FORGE_MODEL_VERDICT_H

#include <jansson.h>
#include <stdbool.h>

struct err;

enum verdict_state { VERDICT_NONE, VERDICT_PASS, VERDICT_FAIL, VERDICT_POLICY, VERDICT_TAMPER };

enum reason {
	REASON_NONE,
#define VERDICT(name, state, text) REASON_##name,
#include "model/verdicts.def"
#undef VERDICT
	REASON_NR
};

struct verdict {
	enum verdict_state state;
	enum reason reason;
	char shape[48]; /* case that decided, "" if none */
	char group[48];
	char output[32];
	char detail[256]; /* where and how much, for people and the student */
};

/* A verdict of a reason; state follows from the table. `detail` as printf. */
struct verdict verdict_make(enum reason reason, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
const char *verdict_state_name(enum verdict_state s);
const char *reason_name(enum reason r);
const char *reason_text(enum reason r);
enum verdict_state reason_state(enum reason r);
int reason_parse(const char *name, enum reason *out);
/* One line: "fail wrong_slice: odd/normal: output y: ...". */
void verdict_print(const struct verdict *v, char *out, size_t len);
json_t *verdict_to_json(const struct verdict *v);
int verdict_from_json(const json_t *obj, const char *doc, struct verdict *v, struct err *e);

#endif
