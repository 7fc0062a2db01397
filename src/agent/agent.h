/*
 * One turn with an agent (docs/format/agent-wire.md): start the driver's process, ask, take exactly
 * one answer, stop it. Turns are self-contained, so nothing outlives agent_ask. What an agent does
 * wrong (malformed twice, too slow, crashed) is an answer of kind ANSWER_ERROR; err is for our own
 * failures, such as an agent program that can not be started.
 */
#ifndef FORGE_AGENT_AGENT_H
#define FORGE_AGENT_AGENT_H

#include <jansson.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/mem.h"
#include "model/usage.h"

struct agent_ops;
struct agent_settings;
struct err;
struct prices;
struct str;

enum agent_role { AGENT_TEACHER, AGENT_STUDENT };
enum turn_kind {
	TURN_JUDGE,
	TURN_RECONNAISSANCE,
	TURN_CURRICULUM,
	TURN_REVISION,
	TURN_ROUND,
	TURN_ABLATION,
	TURN_GOAL,
	TURN_GENERATE
};

enum answer_kind {
	ANSWER_NONE,
	ANSWER_JUDGE,
	ANSWER_FINDINGS,
	ANSWER_CURRICULUM,
	ANSWER_SUBMIT,
	ANSWER_GIVE_UP,
	ANSWER_HANDBACK,
	ANSWER_ERROR,
	ANSWER_STOPPED /* by spec.stop: the turn does not count */
};

const char *agent_role_name(enum agent_role role);
const char *turn_kind_name(enum turn_kind kind);
bool turn_kind_parse(const char *name, enum turn_kind *kind);
const char *answer_kind_name(enum answer_kind kind);

struct agent_spec {
	const struct agent_ops *ops;
	enum agent_role role;
	const char *workspace;  /* the one folder it may write; emptied by the caller */
	const char *knowledge;  /* folder that it may read as /knowledge in its box, or NULL */
	const char *run_name;   /* for a mailbox; or NULL */
	const char *mailbox;    /* manual: folder of its mailbox (mailbox.h) */
	const char *record_dir; /* replay: folder of teacher.jsonl and student.jsonl */
	const char *program;    /* NULL: the driver's own, beside this program */
	const struct agent_settings *settings; /* of the task for this driver and role; or NULL */
	const char *home;                  /* CLI agents: their configuration; kept between turns */
	const char *forge;                 /* CLI agents: NULL is forge beside this program */
	const char *transcript;            /* file, or NULL */
	const char *memory;                /* file for what it tells to go on from, or NULL */
	const json_t *resume;              /* what it told before forge died (memory.h); or NULL */
	const struct usage *spent;         /* with it: what was recorded of its session */
	double deadline_s;                 /* for the whole turn; 0: agent_deadline_s */
	uint64_t memory_bytes;             /* of all its processes; 0: see agent_box.c, so below */
	unsigned max_tasks;                /* processes and threads */
	uint64_t workspace_bytes;          /* a turn that fills more ends as an error */
	const volatile sig_atomic_t *stop; /* or NULL */
	void (*see_log)(void *ctx, const char *text); /* or NULL */
	/* Answers a tool call of the agent: members of its tool_result, taken by the caller; NULL:
	 * it could not be answered, and the turn ends as ANSWER_STOPPED. The time it takes is not
	 * the agent's. NULL here: every call is refused. */
	json_t *(*call_tool)(void *ctx, const json_t *call);
	const struct prices *prices; /* for usage that tells no dollars; NULL: it stays unknown */
	/* The turn used `more`: one line of usage, or the tool call that is about to be made. True:
	 * a budget is used up, `why` says which, and the turn ends at this call. NULL: no budget.
	 */
	bool (*spend)(void *ctx, const struct usage *more, struct str *why);
	/* What is left of what limits this turn, for the model to know: members that go with each
	 * answer to a call, taken by the caller; NULL: nothing is limited. NULL here: likewise. */
	json_t *(*tell_left)(void *ctx);
	void *ctx;
};

/* Of a turn. A model that thinks between many calls needs longer than a program that computes. */
enum { AGENT_DEADLINE_S = 600, AGENT_MODEL_DEADLINE_S = 3600 };
double agent_deadline_s(const struct agent_ops *ops);

struct agent_turn {
	unsigned id; /* turns of this role, from 1 */
	enum turn_kind kind;
	const char *purpose; /* "round-0007"; NULL: it has none */
	const char *prompt;
	const json_t *data;
};

struct agent_answer {
	struct arena arena;
	enum answer_kind kind;
	const char *text;  /* source, toml, findings or reason */
	const char *note;  /* submit; NULL: none */
	const char *value; /* submit; NULL: none */
	json_t *predicted; /* submit; owned; NULL: none */
	/* error: why the agent could not be asked ("auth"; "resume": it can not go on and is to be
	 * asked afresh), and when it can be again (seconds since
	 * 1970; 0: not known). NULL: it was asked. */
	const char *failure;
	int64_t retry_at_s;
	const char *name; /* of the agent, as it said in ready; "" before */
	const char *version;
	const char *model;    /* as it told in ready or with its usage; "": not told */
	const char *provider; /* likewise */
	unsigned nr_repairs;
	double seconds;
	double waited_s; /* of these: for the agent, not in tools */
	struct usage usage;
};

int agent_ask(const struct agent_spec *spec, const struct agent_turn *turn,
	      struct agent_answer *answer, struct err *e);
void agent_answer_release(struct agent_answer *answer);
/* Is this no answer at all: a key that is not taken, no money, no connection? Asking again without
 * a change, or at once, is no use. */
bool agent_answer_is_out_of_reach(const struct agent_answer *answer);
/* Could it not go on from what it had told? Then nothing was done, and the turn begins anew. */
bool agent_answer_is_no_resume(const struct agent_answer *answer);
#define AUTO_AGENT_ANSWER __attribute__((cleanup(agent_answer_release)))

#endif
