/*
 * How a CLI agent is started: share/agents/NAME.toml (docs/agents.md), which a user may copy and
 * change. It names the program, its arguments with slots such as {workspace}, files of its
 * configuration, and by name which variables of our environment it may have - never their values.
 */
#ifndef FORGE_AGENT_LAUNCH_H
#define FORGE_AGENT_LAUNCH_H

#include <stdbool.h>
#include <stddef.h>

#include "base/mem.h"
#include "base/str.h"

struct agent_settings;
struct err;

/* A file of its configuration, written before each start. */
struct launch_file {
	const char *path; /* below its own folder */
	const char *text; /* with slots */
};

struct launch {
	struct arena arena;
	const char *path;    /* of the file that was read */
	const char *name;    /* the agent's; its file's without .toml */
	const char *driver;  /* which driver it is for */
	const char *program; /* looked up on PATH, or a path */
	const char **arguments;
	size_t nr_arguments;
	const char *
		*more_arguments; /* of a further prompt in the same session; none: as the first */
	size_t nr_more_arguments;
	const char **version_arguments; /* print the version */
	size_t nr_version_arguments;
	const char *min_version; /* or NULL */
	const char **env;        /* names that are passed on */
	size_t nr_env;
	const char **set; /* "NAME=value", with slots */
	size_t nr_set;
	const char **folders; /* further ones that it reads, at the same place inside */
	size_t nr_folders;
	const char **allow; /* acp: kinds of tools that are allowed (acp_permission.h) */
	size_t nr_allow;
	const char **model_arguments; /* behind the first argument, where a model is named */
	size_t nr_model_arguments;
	const char **effort_arguments; /* likewise */
	size_t nr_effort_arguments;
	const char *model; /* or NULL: the agent's own choice */
	const char *effort;
	const char *auth;     /* acp: method to log in by; or NULL */
	const char *provider; /* whose prices hold, as in the table of prices; or NULL */
	struct launch_file *files;
	size_t nr_files;
	bool is_of_task; /* the program and its arguments are those that the task names */
};

/* Where the file of an agent is: $FORGE_AGENTS, ~/.config/forge/agents, then share/agents; yours.
 * NULL: nowhere, `e` names the places. */
char *launch_find(const char *name, struct err *e);
/* Names of all agents that have a file in one of these places. */
int launch_names(struct strv *names, struct err *e);
/* Read and check it. `driver`: the one that it must be for. */
int launch_load(struct launch *l, const char *name, const char *driver, struct err *e);
int launch_read(struct launch *l, const char *path, struct err *e);
/* What the task says for this agent goes before its file; NULL says nothing. */
int launch_adapt(struct launch *l, const struct agent_settings *task, struct err *e);
void launch_release(struct launch *l);
#define AUTO_LAUNCH __attribute__((cleanup(launch_release)))

/* Full path of its program with all links followed; yours. NULL: not there, with the cure. */
char *launch_program(const struct launch *l, struct err *e);
/* Is version `text` ("2.1.328 (Claude Code)") at least `least`? An unreadable one is. */
bool launch_version_fits(const char *text, const char *least);

/* What stands in a slot {name}. */
struct launch_slot {
	const char *name;
	const char *value;
};
/* Append the text with its slots filled; what is no slot of ours stays. A value that would not
 * stand for itself inside of quotes is ERR_INPUT. */
int launch_fill(struct str *out, const char *text, const struct launch_slot *slots, size_t nr_slots,
		struct err *e);

#endif
