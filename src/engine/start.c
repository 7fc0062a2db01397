#include "engine/start.h"

#include "agent/agent_ops.h"
#include "model/task.h"

static bool is_granted(const struct task *t, const char *driver)
{
	const struct agent_ops *ops = agent_driver(driver);
	return t->reference_is_source && ops && ops->is_granted_reference;
}

bool start_is_granted(const struct task *t)
{
	return is_granted(t, t->student);
}

bool start_is_granted_to_judge(const struct task *t)
{
	return is_granted(t, t->teacher);
}
