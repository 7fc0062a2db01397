#include "agent/agent_ops.h"

/* The embedded agent: forge-tuner, which stands beside forge, as a child that speaks lines. It sits
 * in a bwrap sandbox with a read-only system, no network and one writable mount, its workspace;
 * what it may see is decided by these mounts and not by its prompt. It may compile and run there. A
 * machine where bwrap makes no sandbox runs it bare; the engine records that lack. */

#include <stdlib.h>
#include <string.h>

#include "agent/agent.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "sys/proc.h"

#define WRITE_DEADLINE_NS (30 * NS_PER_S)
#define STOP_GRACE_NS (2 * NS_PER_S)
#define PROBE_DEADLINE_NS (10 * NS_PER_S)

enum { MAX_LINE_BYTES = 8 << 20, SHOWN_STDERR_LEN = 300 };

static const char workspace_inside[] = "/workspace";
static const char program_inside[] = "/agent/bin/forge-tuner";

struct tuner {
	struct agent_link link;
	struct child *child;
	char *workspace;
};

/* A root of its own: the system's programs and libraries to read, compilers among them (which may
 * be links by way of /etc/alternatives), nothing of the user's. */
static void add_sandbox(struct strv *argv)
{
	static const char *const fixed[] = {
		"bwrap",
		"--unshare-all",
		"--die-with-parent",
		"--new-session",
		"--cap-drop",
		"ALL",
		"--clearenv",
		"--setenv",
		"PATH",
		"/usr/bin:/bin",
		"--setenv",
		"LC_ALL",
		"C",
		"--ro-bind",
		"/usr",
		"/usr",
		"--ro-bind-try",
		"/lib",
		"/lib",
		"--ro-bind-try",
		"/lib64",
		"/lib64",
		"--ro-bind-try",
		"/bin",
		"/bin",
		"--ro-bind-try",
		"/etc/alternatives",
		"/etc/alternatives",
		"--proc",
		"/proc",
		"--dev",
		"/dev",
		"--tmpfs",
		"/tmp",
	};
	for (size_t i = 0; i < ARRAY_LEN(fixed); i++)
		strv_add(argv, fixed[i]);
}

static void add_bind(struct strv *argv, const char *how, const char *from, const char *to)
{
	strv_add(argv, how);
	strv_add(argv, from);
	strv_add(argv, to);
}

bool agent_sandbox_works(void)
{
	AUTO_STRV struct strv argv = { 0 };
	AUTO_PROC_RESULT struct proc_result r = { 0 };
	struct err why = { 0 };
	add_sandbox(&argv);
	strv_add(&argv, "/usr/bin/true");
	const struct proc_spec spec = { .argv = (const char *const *)argv.items,
					.deadline_ns = PROBE_DEADLINE_NS };
	return proc_run(&r, &spec, &why) == 0 && proc_result_is_ok(&r);
}

static char *find_program(const struct agent_spec *spec)
{
	if (spec->program)
		return xstrdup(spec->program);
	AUTO_FREE char *dir = path_of_program();
	return path_join(dir, "forge-tuner");
}

static void make_argv(struct strv *argv, const struct agent_spec *spec, const char *program,
		      bool is_boxed)
{
	if (is_boxed) {
		add_sandbox(argv);
		add_bind(argv, "--ro-bind", program, program_inside);
		add_bind(argv, "--bind", spec->workspace, workspace_inside);
		strv_add(argv, "--chdir");
		strv_add(argv, workspace_inside);
		strv_add(argv, program_inside);
		return;
	}
	strv_add(argv, program);
}

static int start_child(struct tuner *t, const struct agent_spec *spec, const char *program,
		       struct err *e)
{
	AUTO_STRV struct strv argv = { 0 };
	bool is_boxed = agent_sandbox_works();
	static const char *const bare_env[] = { "PATH=/usr/bin:/bin", "LC_ALL=C", NULL };
	make_argv(&argv, spec, program, is_boxed);
	t->workspace = xstrdup(is_boxed ? workspace_inside : spec->workspace);
	t->link.workspace = t->workspace;
	const struct proc_spec how = { .argv = (const char *const *)argv.items,
				       .env = bare_env,
				       .cwd = is_boxed ? NULL : spec->workspace,
				       .max_output = MAX_LINE_BYTES };
	return child_start(&t->child, &how, e);
}

static void tuner_stop(struct agent_link **link)
{
	struct tuner *t = (struct tuner *)*link;
	if (t->child) {
		child_stop(t->child, STOP_GRACE_NS, NULL);
		child_free(&t->child);
	}
	free(t->workspace);
	free(t);
	*link = NULL;
}

static int tuner_start(struct agent_link **out, const struct agent_spec *spec,
		       const struct agent_turn *turn, struct err *e)
{
	(void)turn;
	AUTO_FREE char *program = find_program(spec);
	if (!file_exists(program))
		return err_set(e, ERR_INPUT, "%s: not there; is forge installed whole?", program);
	struct tuner *t = xcalloc(1, sizeof(*t));
	*out = &t->link;
	if (start_child(t, spec, program, e) == 0)
		return 0;
	tuner_stop(out);
	return -1;
}

static int tuner_write_line(struct agent_link *link, const char *line, struct err *e)
{
	return child_write_line(((struct tuner *)link)->child, line, WRITE_DEADLINE_NS, e);
}

static int tuner_read_line(struct agent_link *link, struct str *line, uint64_t wait_ns,
			   struct err *e)
{
	int got = child_read_line(((struct tuner *)link)->child, line, wait_ns, e);
	if (got > 0)
		return LINK_LINE;
	if (got == 0)
		return LINK_END;
	return e->kind == ERR_TIMEOUT ? LINK_LATE : -1;
}

static void tuner_describe_end(struct agent_link *link, struct str *out)
{
	const char *text = child_stderr(((struct tuner *)link)->child);
	size_t len = strlen(text);
	if (len)
		str_addf(out, "; it said: %s",
			 len > SHOWN_STDERR_LEN ? text + len - SHOWN_STDERR_LEN : text);
}

const struct agent_ops agent_tuner = {
	.name = "tuner",
	.is_granted_reference = true,
	.takes_rows_only = true,
	.is_free = true,
	.start = tuner_start,
	.write_line = tuner_write_line,
	.read_line = tuner_read_line,
	.describe_end = tuner_describe_end,
	.stop = tuner_stop,
};
