/*
 * Where a CLI agent runs: the box of agent_box.h with the agent's own program to read, a folder for
 * its configuration, forge itself for `forge mcp` and `forge submit`, and the network. Its
 * environment is what share/agents/NAME.toml lists. Internal to the drivers of CLI agents.
 */
#ifndef FORGE_AGENT_CLI_BOX_H
#define FORGE_AGENT_CLI_BOX_H

#include <stdbool.h>
#include <stddef.h>

#include "agent/agent_box.h"
#include "base/mask.h"
#include "base/mem.h"
#include "base/str.h"

struct agent_spec;
struct child;
struct err;
struct launch;

enum { CLI_BOX_MOUNTS = 24 };

struct cli_box {
	struct arena arena;
	const struct agent_spec *spec;
	const struct launch *launch;
	bool is_boxed;
	struct agent_mount mounts[CLI_BOX_MOUNTS];
	size_t nr_mounts;
	const char *program_outside;
	/* As the agent sees them. */
	const char *program;
	const char *workspace;
	const char *config;
	const char *forge;
	const char *mailbox;
	const char *prompt; /* a file with the prompt, in the workspace */
	const char *config_outside;
	const char *mailbox_outside;
	const char *prompt_outside;
	struct strv env;
	struct mask mask; /* of values that may stand in no record */
};

/* Find the program, make the folders, write the files of its configuration. */
int cli_box_open(struct cli_box *b, const struct agent_spec *spec, const struct launch *launch,
		 struct err *e);
void cli_box_release(struct cli_box *b);
/* Start its program with these arguments; {session} is `session`. */
int cli_box_start(struct cli_box *b, const char *const *arguments, size_t nr, const char *session,
		  struct child **out, struct err *e);
/* The first line that it prints with its version arguments, "?" where it has none; -1: it does not
 * start, or is older than its file wants. */
int cli_box_version(struct cli_box *b, struct str *out, struct err *e);
/* Put *** in the place of every secret. */
void cli_box_mask(const struct cli_box *b, struct str *text);

#endif
