/*
 * The event log of a run (events.jsonl) or of a chain of generations (chain.jsonl), one JSON line
 * per thing that happened, hash-chained and append-only (docs/format/event-log.md). It is the only
 * truth: state, report and resume are the fold over it (store/fold.h). An event is durable before
 * anyone acts on it.
 */
#ifndef FORGE_STORE_EVENTLOG_H
#define FORGE_STORE_EVENTLOG_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/digest.h"

struct err;

enum event_type {
	EVENT_UNKNOWN, /* written by a later forge: readers pass over it */
#define EVENT(name, version, text) EVENT_##name,
#include "store/chain_events.def"
#include "store/events.def"
#undef EVENT
	EVENT_NR
};

struct event {
	uint64_t seq;     /* 1, 2, 3 ... */
	const char *wall; /* "2026-11-29T15:04:05.123Z" */
	uint64_t mono_ns; /* comparable within one run_started only */
	enum event_type type;
	const char *type_name;
	int64_t version;
	const json_t *body;   /* an object, borrowed */
	const char *where;    /* "src/engine/inner.c:120": the code that wrote it */
	struct digest prev;   /* of the line before, without its newline */
	struct digest digest; /* of this line */
};

const char *event_type_name(enum event_type t);
const char *event_type_text(enum event_type t);
/* EVENT_UNKNOWN for a name that is not in events.def. */
enum event_type event_type_parse(const char *name);

/* Called for each event in order; -1 with `e` filled ends the walk. */
typedef int (*event_see_fn)(void *ctx, const struct event *event, struct err *e);

struct eventlog;

/* Open for appending, creating the file when it is missing. Every line is verified and shown to
 * `see` (may be NULL). A torn last line is cut, and a log_repaired event says so. A line that does
 * not fit the chain is an error that names it and the cure. */
struct eventlog *eventlog_open(const char *path, event_see_fn see, void *ctx, struct err *e);
void eventlog_close(struct eventlog **log);
#define AUTO_EVENTLOG __attribute__((cleanup(eventlog_close)))

/* Append one event and make it durable, then show it to `see`. `body` is taken. On error nothing
 * counts as written: the next open repairs what stands there. */
int eventlog_add_at(struct eventlog *log, enum event_type type, json_t *body, const char *where,
		    struct err *e);
#define EVENTLOG_TEXT_(x) #x
#define EVENTLOG_TEXT(x) EVENTLOG_TEXT_(x)
#define eventlog_add(log, type, body, e)                                                           \
	eventlog_add_at(log, type, body, __FILE__ ":" EVENTLOG_TEXT(__LINE__), e)

/* Read only, for status, report and log: verifies the chain, passes over a torn last line (the
 * writer may be busy) and changes nothing. */
int eventlog_read(const char *path, event_see_fn see, void *ctx, struct err *e);

#endif
