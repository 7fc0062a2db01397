/*
 * A driver: how lines travel to one kind of agent. The conversation itself (agent.c) is the same
 * for all. Adding a driver is one file that exports its ops and one row of drivers.def.
 */
#ifndef FORGE_AGENT_AGENT_OPS_H
#define FORGE_AGENT_AGENT_OPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct agent_settings;
struct agent_spec;
struct agent_turn;
struct err;
struct str;

/* A started agent; each driver embeds it first in its own struct. */
struct agent_link {
	const char *workspace; /* as the agent sees it; owned by the driver */
};

enum link_read { LINK_LINE, LINK_LATE, LINK_END };

struct agent_ops {
	const char *name;
	/* In source mode this agent may see the reference (docs/decision/0001). */
	bool is_granted_reference;
	bool takes_rows_only;   /* answers rounds by a decision row, never by a goal alone */
	bool is_free;           /* costs no money and no tokens */
	bool is_paid_elsewhere; /* a record: only what it tells counts */
	bool runs_in_box;       /* as a process of its own, in the box of agent_box.h */
	bool needs_network;     /* its box shares the machine's network (agent_box.h) */
	bool needs_file_tools;  /* it has no hands of its own: forge reads and writes its workspace
				 */
	bool thinks;            /* a model: its turns may take AGENT_MODEL_DEADLINE_S */
	bool is_patient;        /* a person: no deadline, and any number of bad calls */
	/* Is what it is started with there: program, profile, key? Asked before a run begins;
	 * optional. */
	int (*check)(const struct agent_ops *ops, const struct agent_settings *settings,
		     struct err *e);
	int (*start)(struct agent_link **out, const struct agent_spec *spec,
		     const struct agent_turn *turn, struct err *e);
	int (*write_line)(struct agent_link *link, const char *line, struct err *e);
	/* LINK_LATE: nothing came within wait_ns, ask again. -1: the line can not be taken. */
	int (*read_line)(struct agent_link *link, struct str *line, uint64_t wait_ns,
			 struct err *e);
	/* The end of what it said on stderr and how it ended, for messages. Optional. */
	void (*describe_end)(struct agent_link *link, struct str *out);
	void (*stop)(struct agent_link **link);
};

/* The driver of a name from task.toml, or NULL. */
const struct agent_ops *agent_driver(const char *name);
/* Number i of all drivers, from 0; NULL after the last. */
const struct agent_ops *agent_driver_at(size_t i);
/* "replay, tuner": for messages. */
void agent_driver_names(struct str *out);

#define AGENT(name) extern const struct agent_ops agent_##name;
#include "agent/drivers.def"
#undef AGENT

/* Limits of an agent's box that are the same for all: its folders in memory. */
enum { AGENT_TMP_BYTES = 64 << 20, AGENT_SHM_BYTES = 16 << 20 };
/* Does bwrap make the box of agent_box.h here? */
bool agent_sandbox_works(void);

#endif
