/*
 * Inside of the engine, for src/engine only: the open run that every stage works on. State changes
 * in one way: engine_event appends to the log, and the fold sees it. Pointers into `state` are good
 * until the next event.
 */
#ifndef FORGE_ENGINE_ENGINE_IN_H
#define FORGE_ENGINE_ENGINE_IN_H

#include <jansson.h>
#include <stdbool.h>

#include "engine/engine.h"
#include "model/curriculum.h"
#include "model/task.h"
#include "store/eventlog.h"
#include "store/fold.h"
#include "store/rundir.h"

struct engine {
	const char *run_dir;
	struct engine_host host;
	struct engine_hooks hooks;
	struct eventlog *log;
	struct run_state state;
	struct task task;         /* the frozen copy */
	struct curriculum course; /* the version in force; loaded when course_version is not 0 */
	long course_version;
	double waiting_s; /* so far for a person, in the turn that is open */
	double waited_s;  /* for a person, in turns that a signal cut short */
	double queued_s;  /* at a host, in jobs that a signal cut short */
	bool is_stopped;  /* a signal came: every call returns -1 and nothing is wrong */
};

/* Append an event built by json_pack and show it to the hooks. */
#define engine_event(g, type, e, ...)                                                              \
	engine_event_at((g), (type), json_pack(__VA_ARGS__), __FILE__ ":" EVENTLOG_TEXT(__LINE__), \
			(e))
/* `body` is taken. */
int engine_event_at(struct engine *g, enum event_type type, json_t *body, const char *where,
		    struct err *e);
/* A warning event; one that was recorded before is not repeated. */
int engine_warn_once(struct engine *g, struct err *e, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void engine_say(struct engine *g, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Has the caller's signal come? Then marks the engine stopped; call before anything long. */
bool engine_is_stopped(struct engine *g);
/* -1 with the engine marked as stopped. */
int engine_stop(struct engine *g, struct err *e);
char *engine_path(const struct engine *g, enum rundir_part part);

/* Resumed elsewhere? Then a warning says so: speed-ups are paired within a job, but bests of two
 * machines do not rank. */
int freeze_check_machine(struct engine *g, struct err *e);

/* The seven stages; each may be entered again at any point of its work. */
int stage_freeze(struct engine *g, struct err *e);
int stage_judge(struct engine *g, struct err *e);
int stage_reference(struct engine *g, struct err *e);
int stage_curriculum(struct engine *g, struct err *e);
int stage_student(struct engine *g, struct err *e);
int stage_confirm(struct engine *g, struct err *e);
int stage_report(struct engine *g, struct err *e);

#endif
