#include "engine/start.h"

#include "agent/agent_ops.h"
#include "model/task.h"

static bool is_granted(const struct task *t, const char *driver)
{
	const struct agent_ops *ops = agent_driver(driver);
	return t->reference_run && t->reference_is_source && ops && ops->is_granted_reference;
}

bool start_is_granted(const struct task *t)
{
	return is_granted(t, t->student);
}

bool start_is_open(const struct task *t)
{
	return task_is_generated(t) || start_is_granted(t);
}

bool start_is_granted_to_judge(const struct task *t)
{
	return is_granted(t, t->teacher);
}

const char *start_mode(const struct task *t)
{
	if (task_is_generated(t))
		return "generate";
	if (t->leaderboard)
		return "leaderboard";
	return t->reference_is_source ? "source" : "blackbox";
}
