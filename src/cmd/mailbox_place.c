#include "cmd/mailbox_place.h"

#include <stdlib.h>

#include "agent/mailbox.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/str.h"
#include "cmd/need_run.h"
#include "store/rundir.h"

/* The folder of a mailbox in an agent's workspace (docs/format/mailbox.md). */
static const char box_name[] = ".forge";
#define BOX_WAIT_NS (10 * NS_PER_S)
#define LOOK_NS (20 * NS_PER_MS)

static int parse_role(const char *name, enum agent_role *role, struct err *e)
{
	for (int r = AGENT_TEACHER; r <= AGENT_STUDENT; r++) {
		*role = (enum agent_role)r;
		if (str_equal(agent_role_name(*role), name))
			return 0;
	}
	return err_set(e, ERR_USAGE, "--role is student or teacher, not '%s'", name);
}

/* In a box the agent is started while forge writes the turn. */
static json_t *state_soon(const struct mailbox_place *p)
{
	struct err ignored = { 0 };
	json_t *state = NULL;
	uint64_t until_ns = clock_mono_ns() + (p->is_one_turn ? BOX_WAIT_NS : 0);
	while (mailbox_state(p->dir, &state, &ignored) < 0 && clock_mono_ns() < until_ns)
		clock_sleep_ns(LOOK_NS);
	return state;
}

/* As its state says, or else the folder's name: RUN/turn/teacher. */
static void guess_role(struct mailbox_place *p)
{
	struct err ignored = { 0 };
	AUTO_JSON json_t *state = state_soon(p);
	const char *name = json_text_or(state, "role", path_base(p->dir));
	if (parse_role(name, &p->role, &ignored) < 0)
		p->role = AGENT_STUDENT;
}

static int find_role(struct mailbox_place *p, struct err *e)
{
	guess_role(p);
	return p->role_name ? parse_role(p->role_name, &p->role, e) : 0;
}

/* The role that is played by hand, as far as it shows: each has a folder since its first turn. */
static enum agent_role role_of_run(const char *run_dir)
{
	AUTO_FREE char *student = rundir_mailbox(run_dir, "student");
	AUTO_FREE char *teacher = rundir_mailbox(run_dir, "teacher");
	return file_is_dir(teacher) && !file_is_dir(student) ? AGENT_TEACHER : AGENT_STUDENT;
}

static int place_of_run(struct mailbox_place *p, struct err *e)
{
	if (p->role_name && parse_role(p->role_name, &p->role, e) < 0)
		return -1;
	if (need_run(p->run_dir, e) < 0)
		return -1;
	if (!p->role_name)
		p->role = role_of_run(p->run_dir);
	p->dir = rundir_mailbox(p->run_dir, agent_role_name(p->role));
	return 0;
}

int mailbox_place_find(struct mailbox_place *p, struct err *e)
{
	const char *env = getenv("FORGE_MAILBOX");
	env = env && *env ? env : NULL;
	if (p->given && p->run_dir)
		return err_set(e, ERR_USAGE, "--run and --mailbox both name a mailbox; give one");
	if (p->run_dir)
		return place_of_run(p, e);
	if (!p->given && !env && !file_is_dir(box_name))
		return err_set(e, ERR_USAGE,
			       "which mailbox? --run DIR --role ROLE names that of a run; only in "
			       "an agent's box it is found by itself");
	p->dir = xstrdup(p->given ? p->given : env ? env : box_name);
	p->is_one_turn = str_equal(path_base(p->dir), box_name);
	return find_role(p, e);
}

void mailbox_place_release(struct mailbox_place *p)
{
	free(p->dir);
	p->dir = NULL;
}
