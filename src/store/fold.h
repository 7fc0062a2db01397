/*
 * The state of a run: a pure fold over its events. Status line, report and resume all read this
 * struct; nobody keeps state elsewhere. All text lives in the state's arena. Zero means "none yet"
 * for every field.
 */
#ifndef FORGE_STORE_FOLD_H
#define FORGE_STORE_FOLD_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/mem.h"
#include "model/diagnosis.h"
#include "model/limits.h"
#include "model/usage.h"
#include "model/verdict.h"
#include "store/state_estimate.h"

struct err;
struct event;

enum stage {
	STAGE_NONE,
	STAGE_FREEZE,
	STAGE_JUDGE,
	STAGE_REFERENCE,
	STAGE_CURRICULUM,
	STAGE_STUDENT,
	STAGE_CONFIRM,
	STAGE_REPORT,
	STAGE_NR
};

const char *stage_name(enum stage s);
enum stage stage_parse(const char *name);

struct state_text {
	const char **items;
	size_t nr;
	size_t cap;
};

struct state_stage {
	bool is_started;
	bool is_done;
	double started_s; /* working time of the run when it began */
	double free_s;    /* state_free_s when it began */
	double seconds;   /* until its end, or until now while it is open */
};

enum round_outcome {
	ROUND_OPEN,
	ROUND_KEPT,        /* correct: base of the next row, even when slower */
	ROUND_ROLLED_BACK, /* wrong, against policy, tampering */
	ROUND_NO_CANDIDATE /* gave up, handed back, or the agent failed */
};

const char *round_outcome_name(enum round_outcome o);
enum round_outcome round_outcome_parse(const char *name);

struct state_round {
	unsigned number;      /* 1, 2, ... */
	const char *decision; /* "D1.2" */
	const char *milestone;
	const char *what;
	const char *value;  /* value or range asked for */
	long curriculum;    /* version */
	unsigned base;      /* round whose kernel the row was applied to; 0: the start */
	bool is_replay;     /* run again after a revision changed an earlier row */
	bool is_dispatch;   /* no row's: kernels of other rounds behind one entry */
	const char *source; /* digest of the candidate, NULL: none submitted */
	const char *note;   /* the student's words */
	const char *chosen; /* the value it chose inside the row's range, NULL: not told */
	const char *absent; /* why there is no candidate: "give_up", "handback", "error" */
	const char *absent_text;
	json_t *predicted; /* borrowed from the event, owned by the state; NULL: none */
	struct verdict verdict;
	const char *verdict_job;      /* that found it; NULL: none yet */
	struct state_estimate screen; /* against the reference, K=2 */
	struct state_estimate decide; /* against the reference, K=8 */
	enum round_outcome outcome;
	bool is_best;    /* became the best */
	bool is_settled; /* no decision is open about its kernel */
	double seconds;
	double started_s; /* working time of the run when it began */
	double free_s;    /* of its seconds, those that no budget counts; while it is open: of the
			   * run's when it began */
	uint64_t seq;     /* of round_started */
};

struct state_best {
	unsigned round;
	const char *decision;
	const char *source;
	struct state_estimate estimate; /* against the reference */
	const char *wall;
	uint64_t seq;
};

enum gate_result { GATE_NONE, GATE_PASS, GATE_FAIL, GATE_UNDECIDED, GATE_ERROR };

const char *gate_result_name(enum gate_result r);
enum gate_result gate_result_parse(const char *name);

struct state_mechanism {
	const char *decision;
	const char *metric;
	const char *direction;
	double before;
	double after;
	enum gate_result result;
	struct state_text jobs; /* that measured before and after; "" for the reference's profile */
};

/* What of M0 is frozen in which epoch. */
struct state_structure {
	long epoch; /* 0: nothing is frozen */
	long curriculum;
	unsigned round;     /* 0: the start */
	const char *source; /* digest of that round's kernel */
	const char *rows;   /* digest of the rows */
};

struct state_gate {
	const char *milestone;
	long curriculum;
	enum gate_result result;
	enum gate_result correctness;
	enum gate_result performance;
	enum gate_result mechanism;
	const char *text;
	struct state_mechanism *mechanisms;
	size_t nr_mechanisms;
	struct state_text evidence; /* job ids */
	struct state_text correctness_jobs;
	struct state_text performance_jobs;
	struct state_text mechanism_jobs;
	uint64_t seq;
};

enum decision_fate {
	FATE_PENDING,
	FATE_NOT_APPLICABLE,
	FATE_KEPT,        /* correct; faster, or no difference called */
	FATE_KEPT_SLOWER, /* correct and slower: scaffolding */
	FATE_BEST,        /* made a new best */
	FATE_ROLLED_BACK, /* wrong */
	FATE_NO_CANDIDATE
};

const char *decision_fate_name(enum decision_fate f);
/* FATE_PENDING for a name that is none. */
enum decision_fate decision_fate_parse(const char *name);

struct state_decision {
	const char *id;
	const char *what;
	const char *value; /* value or range */
	const char *why;
	const char *wrong_when;
	struct state_text needs;
	struct state_text lessons; /* ids that it cites */
	bool is_not_applicable;
	enum decision_fate fate; /* by the newest round that tried this id and value */
	unsigned round;          /* that round; 0: none */
};

struct state_milestone {
	const char *id;
	const char *title;
	const char *gate;
	struct state_decision *decisions;
	size_t nr_decisions;
};

struct state_curriculum {
	long version;
	long epoch;
	const char *path; /* below the run directory */
	const char *digest;
	const char *reason;    /* "first", "stall", "exhausted", "gate" */
	const char *knowledge; /* digest of the lessons it was written by; NULL: none */
	unsigned after_round;
	unsigned nr_refused; /* drafts that the lint refused before */
	struct state_milestone *milestones;
	size_t nr_milestones;
	uint64_t seq;
};

struct state_finding {
	enum diagnosis class;
	const char *decision; /* NULL: the course as a whole */
	unsigned round;       /* 0: none */
	struct state_text jobs;
};

/* The newest diagnosis. */
struct state_diagnosed {
	bool has_any;
	unsigned number; /* of the teacher's entry it was made for; 0: the end of the loop */
	unsigned after_round;
	long curriculum;
	struct state_finding *findings;
	size_t nr_findings;
};

struct state_meta {
	unsigned number;
	const char *trigger; /* "stall", "exhausted", "gate" */
	const char *digest_path;
	const char *answer; /* "curriculum", "give_up", "error" */
	const char *text;
	unsigned after_round;
	long from_version;
	long to_version; /* 0: nothing new was published */
};

/* One call of a teacher's tool. */
struct state_tool {
	unsigned number;
	const char *request; /* digest: the same request is not measured again */
	const char *tool;    /* "ablate", "probe", "run" ... */
	const char *decision;
	const char *how;
	const char *purpose; /* of the teacher's turn that asked */
	const char *job;     /* NULL: it needed none */
	json_t *answer;      /* as it was sent, owned by the state; NULL: not answered yet */
};

struct state_lack {
	const char *mechanism;
	const char *cost;     /* what its lack costs */
	const char *accepted; /* "no-seccomp": by the user, by this name; NULL: needed no word */
};

struct state_job {
	const char *id;
	const char *kind;
	const char *dir; /* below the run directory */
	const char *purpose;
	bool is_done;
	bool has_failed;    /* its newest attempt */
	unsigned nr_failed; /* attempts, since it was last done */
	const char *error;
	const char *result;  /* digest of result.json */
	const char *samples; /* digest of samples.csv */
	json_t *profile;     /* the candidate's metrics, owned by the state; NULL: none */
	double seconds;
	double queue_s; /* of these, waiting for the machine */
	uint64_t seq;
};

struct state_usage {
	unsigned turns;
	double seconds;
	struct usage used; /* turns that were lost included */
};

/* Seconds by what they were spent on, over all turns and finished jobs. */
struct state_clocks {
	double agent_s;  /* turns of teacher and student */
	double build_s;  /* compilers */
	double queue_s;  /* jobs that waited for the machine; never taken off the time budget */
	double person_s; /* turns that waited for a person; neither is this */
	double kernel_s; /* inside kernels */
	double judge_s;  /* inputs, oracle, comparison */
	double other_s;  /* the rest of the jobs: starts of runners, operands */
};

/* Seconds that are not taken off the time budget. */
double state_free_s(const struct state_clocks *c);

/* The last share of each budget that was warned of. */
struct state_warned {
	const char *scope; /* "run", "teacher", "student", or a milestone's id */
	unsigned pct[RESOURCE_NR];
};

struct state_turn {
	const char *role;
	const char *purpose; /* "round-0007", "curriculum-1": what the answer is for */
	const char *answer;  /* "submit", "error", ... */
	const char *file;    /* the answer itself, below the run directory */
	const char *digest;  /* of that file */
};

/* What was used to have one turn answered, once or until forge died: the ledger of a run. */
struct state_attempt {
	const char *role;
	const char *purpose;
	const char *milestone; /* a round's; "" for what no milestone asked for */
	struct usage used;     /* while it is open: so far */
	double seconds;
	double waited_s; /* of these, for a person */
	bool is_open;
	bool is_lost;    /* the session ended before its answer: asked again */
	bool is_resumed; /* it went on where the attempt before it was lost */
};

/* Who played a role last. */
struct state_agent {
	const char *name; /* NULL: it had no turn yet */
	const char *version;
	const char *model; /* "": not told */
};

struct state_judge {
	const char *author; /* "task" or "teacher" */
	bool is_independent;
	const char *source; /* digest */
	unsigned nr_misaligned;
	const char *misaligned_text; /* the last one */
	const char *told;            /* of it to the judge's author; NULL: it has none in the run */
	const char *fault;           /* "build" or "run": the judge gave no answer; NULL: it did */
	unsigned nr_faults;          /* of nr_misaligned: those with a fault */
	bool is_calibrated;
	int64_t nr_cases;
	const char *tolerances; /* digest */
	bool is_frozen;
	const char *task_digest;
	const char *check_digest;
	const char *reference_digest;
};

struct state_reference {
	const char *mode;           /* "source", "blackbox" or "generate" */
	const char *written;        /* digest, where the run wrote it; NULL: it did not */
	unsigned nr_written;        /* attempts */
	struct state_estimate self; /* R against R: shapes carry its times */
	double geomean_ns;
	json_t *profile;  /* metric -> number, owned by the state */
	double ratio;     /* goal */
	double target_ns; /* geomean_ns / ratio */
	bool has_goal;
};

/* A kernel of a dispatch kernel. */
struct state_part {
	unsigned round;
	struct state_text shapes; /* that it serves; none: all other sizes */
};

struct state_dispatch {
	bool is_considered;
	bool is_offered;
	const char *text;         /* in words: what it is made of, or why there is none */
	double expected;          /* speed-up that the parts promise; 0: they promise no gain */
	unsigned round;           /* that was made of it; 0: none yet */
	struct state_part *parts; /* the first serves all other sizes */
	size_t nr_parts;
};

struct state_confirm {
	bool is_done;
	bool has_best; /* there was something to confirm */
	bool is_confirmed;
	bool is_goal_met;
	unsigned round;
	struct verdict verdict;
	struct state_estimate estimate;
	json_t *monitor; /* recorded, not judging; owned by the state; NULL: none */
	json_t *origin;  /* of a leaderboard: both sides by its timing rule; owned likewise */
	const char *wall;
	const char *job;
	const char *text;       /* in words */
	struct state_text lost; /* shapes that lose more than the task allows */
};

struct run_state {
	struct arena arena;
	json_t *keep; /* array that owns every json_t above */
	/* run_created */
	const char *task_name;
	const char *language;
	const char *forge_version;
	const char *created; /* wall time, text */
	const char
		*started_from; /* "reference" (the embedded student is granted it) or "nothing" */
	const char *teacher;
	const char *student;
	double hours;
	int64_t max_meta;
	int64_t stall;
	struct limits limits[LIMITS_NR]; /* LIMITS_MILESTONE: of each */
	bool is_control; /* `forge goal`: the goal only, or the rows in random order */
	uint64_t seed;   /* every job seed follows from it */
	json_t *prompts; /* {"prompts/judge.md": {"version", "digest"}}, or NULL; owned by `keep` */
	/* progress */
	enum stage stage; /* the one that is open or was last open */
	struct state_stage stages[STAGE_NR];
	struct state_text machine; /* lines in words */
	const char *machine_name;
	json_t *machine_doc;
	struct state_lack *lacks;
	size_t nr_lacks;
	size_t cap_lacks;
	struct state_text warnings;
	struct state_judge judge;
	struct state_reference reference;
	struct state_curriculum *curricula;
	size_t nr_curricula;
	size_t cap_curricula;
	unsigned nr_refused; /* since the last published version */
	struct state_round *rounds;
	size_t nr_rounds;
	size_t cap_rounds;
	struct state_best *bests; /* history; the last one stands */
	size_t nr_bests;
	size_t cap_bests;
	struct state_gate *gates;
	size_t nr_gates;
	size_t cap_gates;
	struct state_structure structure;
	struct state_diagnosed diagnosed;
	struct state_meta *metas;
	size_t nr_metas;
	size_t cap_metas;
	struct state_tool *tools;
	size_t nr_tools;
	size_t cap_tools;
	struct state_job *jobs;
	size_t nr_jobs;
	size_t cap_jobs;
	struct state_turn *turns;
	size_t nr_turns;
	size_t cap_turns;
	struct state_attempt *attempts;
	size_t nr_attempts;
	size_t cap_attempts;
	struct state_usage teacher_usage;
	struct state_usage student_usage;
	struct state_agent teacher_agent;
	struct state_agent student_agent;
	const char *prices; /* the price table that was used last; NULL: none was */
	struct state_clocks clocks;
	struct state_warned *warned;
	size_t nr_warned;
	size_t cap_warned;
	const char *loop_end; /* why the student's loop ended, NULL: it has not */
	struct state_dispatch dispatch;
	struct state_confirm confirm;
	bool has_report;
	struct state_text report_paths;
	/* end */
	bool is_ended;
	bool is_goal_met;
	const char *end_reason; /* in words */
	bool is_interrupted;    /* the last session was stopped by a signal */
	/* clocks and log */
	double elapsed_s; /* working time over all sessions, by their monotonic clocks */
	unsigned nr_sessions;
	uint64_t session_mono_ns; /* start of the newest session */
	double session_base_s;    /* elapsed_s when it started */
	const char *last_wall;
	uint64_t nr_events;
	uint64_t nr_unknown;
	unsigned nr_repairs;
};

void run_state_init(struct run_state *s);
void run_state_release(struct run_state *s);
#define AUTO_RUN_STATE __attribute__((cleanup(run_state_release)))
/* Fold one more event in. A body that lacks what its type promises is ERR_INPUT. */
int run_state_fold(struct run_state *s, const struct event *event, struct err *e);
/* Read and fold the whole log of a run directory, changing nothing. */
int run_state_load(struct run_state *s, const char *run_dir, struct err *e);

/* Of both roles. */
struct usage run_state_used(const struct run_state *s);
/* What the agents used for "run", "teacher", "student" or a milestone, and its working seconds: of
 * a role those of its turns, of a milestone those of its closed rounds, of the run none (its clock
 * is the loop's). Waits for the machine and for a person are in neither. */
struct spending run_state_spending(const struct run_state *s, const char *scope);
/* The limits of such a scope. */
const struct limits *run_state_limits(const struct run_state *s, const char *scope);
/* The last share that was warned of, in percent; 0: none was. */
unsigned run_state_warned(const struct run_state *s, const char *scope, enum resource r);
/* Is a budget of this milestone used up, so that it gets no further round? */
bool run_state_is_milestone_spent(const struct run_state *s, const char *id);
/* The best so far, the newest curriculum, a round by number, a job by id, a turn by
 * purpose; NULL: none. */
const struct state_best *run_state_best(const struct run_state *s);
const struct state_curriculum *run_state_curriculum(const struct run_state *s);
const struct state_round *run_state_round(const struct run_state *s, unsigned number);
const struct state_job *run_state_job(const struct run_state *s, const char *id);
const struct state_turn *run_state_turn(const struct run_state *s, const char *purpose);
/* Was the newest attempt at this turn lost, so that its agent may go on? `spent` (or NULL) becomes
 * what is recorded of it, and of the attempts that it went on from. */
bool run_state_is_lost(const struct run_state *s, const char *role, const char *purpose,
		       struct usage *spent);
/* The estimate that stands for a round: K=8 where there is one, else the screen. */
const struct state_estimate *state_round_estimate(const struct state_round *r);
/* Decisions of the newest curriculum that have had their round, and all that get one. */
void run_state_progress(const struct run_state *s, size_t *done, size_t *all);

#endif
