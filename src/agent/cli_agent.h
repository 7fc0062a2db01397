/*
 * What the drivers of CLI agents share (claude, codex, acp, cmd): a program in its box that is
 * asked by a prompt, whose stream is read for people and for its usage, and whose tool calls and
 * answer come by the mailbox (`forge mcp`, `forge submit`). A driver adds how to ask and how to
 * read. Internal to the drivers.
 */
#ifndef FORGE_AGENT_CLI_AGENT_H
#define FORGE_AGENT_CLI_AGENT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "agent/agent_ops.h"
#include "agent/cli_box.h"
#include "agent/cli_event.h"
#include "agent/launch.h"
#include "agent/mailbox_link.h"
#include "agent/ndjson.h"
#include "agent/transcript.h"

struct child;
struct cli;

struct cli_ops {
	const char *driver;
	bool keeps_process; /* further prompts go to the process that runs */
	bool loads_session; /* resumes by its protocol, and not by arguments */
	bool is_text;       /* its output is no JSON lines: `take_text` gets it */
	/* A parser's state, whose events go to `sink`. */
	void *(*new_stream)(struct cli *c, struct cli_sink sink);
	void (*free_stream)(void *stream);
	/* The process runs: send it the prompt (cli_send). */
	void (*ask)(struct cli *c, const char *prompt);
	void (*take)(struct cli *c, const json_t *line);
	void (*take_text)(struct cli *c, const char *bytes, size_t len);
	/* The process ended without an end of its turn: close what is open. */
	void (*cut)(struct cli *c);
	/* Its output ended. True: that is the end of its turn, and the driver said so. Optional. */
	bool (*end)(struct cli *c, int exit_code);
	void (*interrupt)(struct cli *c); /* optional */
};

enum cli_state {
	CLI_IDLE,    /* nothing is asked */
	CLI_ASKED,   /* its turn's end will come */
	CLI_WAITING, /* until wake_ns, then it is asked again */
};

struct cli {
	struct mailbox_link mail; /* first */
	const struct cli_ops *ops;
	const struct agent_spec *spec;
	struct launch launch;
	struct cli_box box;
	struct agent_quota home_quota;
	void *stream;
	struct ndjson lines;
	struct child *child; /* NULL: none */
	enum cli_state state;
	struct str version;

	char *prompt; /* of the turn; NULL: none is open */
	struct cli_tokens used;
	bool is_usage_known;     /* every prompt of this turn told what it used */
	bool has_told_usage;     /* in lines before the turn's end */
	unsigned nr_ends;        /* of prompts */
	char *session;           /* its id, or one that it shall take */
	bool has_session;        /* it told the id */
	bool is_resuming;        /* it is asked for the session of an earlier process */
	struct cli_tokens spent; /* recorded of that session */
	char *model;
	struct str said; /* the text of its last message */
	unsigned nr_retries;
	unsigned nr_crashes;
	uint64_t answered_ns; /* 0: its answer was not accepted yet */
	uint64_t wake_ns;
	uint64_t deadline_ns;
	bool is_interrupted;
	bool is_eof;              /* of the program's output */
	bool is_broken;           /* the process is of no use any more */
	bool is_stopping;         /* whatever ends now is not asked again */
	struct transcript record; /* its own lines */
	size_t recorded_bytes;
};

/* The slots of agent_ops; each driver's `start` is a call of cli_start. */
int cli_check(const struct agent_ops *ops, const struct agent_settings *settings, struct err *e);
int cli_start(struct agent_link **out, const struct cli_ops *ops, const struct agent_spec *spec,
	      struct err *e);
int cli_write_line(struct agent_link *link, const char *line, struct err *e);
int cli_read_line(struct agent_link *link, struct str *line, uint64_t wait_ns, struct err *e);
void cli_describe_end(struct agent_link *link, struct str *out);
void cli_stop(struct agent_link **link);

/* For drivers. A line for its standard input. */
void cli_send(struct cli *c, const char *line);
/* No more input for it. */
void cli_close_input(struct cli *c);
/* A wire line for forge; takes `line`. */
void cli_push(struct cli *c, json_t *line);
void cli_log(struct cli *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The end of a prompt without a stream that would say so. */
void cli_end_turn(struct cli *c, const struct cli_event *end);

#endif
