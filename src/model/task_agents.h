/*
 * What a task says about an agent driver beyond its name: [agents.DRIVER] of task.toml, with
 * [agents.DRIVER.teacher] and [agents.DRIVER.student] for what one role has differently
 * (docs/format/task.md). A driver takes the keys that mean something to it.
 */
#ifndef FORGE_MODEL_TASK_AGENTS_H
#define FORGE_MODEL_TASK_AGENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct task;
struct toml;
struct toml_loader;

/* NULL and 0: not said. Texts are borrowed from the task. */
struct agent_settings {
	const char *profile; /* of share/providers.toml or share/agents */
	const char *model;
	const char *effort;
	const char *base_url;
	int64_t context_window; /* tokens */
	int64_t max_output_tokens;
	const char **command; /* program and arguments of an agent that is a command */
	size_t nr_command;
};

/* One driver's tables: what is said for the teacher and for the student. */
struct task_agent {
	const char *driver;
	struct agent_settings teacher;
	struct agent_settings student;
};

/* Read `agents`, the [agents] table or NULL, into the task: both drivers and all their tables. */
int task_agents_load(struct toml_loader *l, const struct toml *agents, struct task *t);
/* What the task says for that driver in that role; all unsaid where it says nothing. */
struct agent_settings task_agent_settings(const struct task *t, const char *driver,
					  bool is_teacher);

#endif
