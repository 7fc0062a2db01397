#include "agent/agent_ops.h"

#include "agent/agent.h"
#include "base/mem.h"
#include "base/str.h"

static const struct agent_ops *const drivers[] = {
#define AGENT(name) &agent_##name,
#include "agent/drivers.def"
#undef AGENT
};

const struct agent_ops *agent_driver(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(drivers); i++)
		if (str_equal(drivers[i]->name, name))
			return drivers[i];
	return NULL;
}

const struct agent_ops *agent_driver_at(size_t i)
{
	return i < ARRAY_LEN(drivers) ? drivers[i] : NULL;
}

void agent_driver_names(struct str *out)
{
	for (size_t i = 0; i < ARRAY_LEN(drivers); i++)
		str_addf(out, "%s%s", i ? ", " : "", drivers[i]->name);
}
