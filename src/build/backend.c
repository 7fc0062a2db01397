#include "build/backend.h"

#include "base/mem.h"
#include "base/str.h"
#include "model/task.h"

static const struct backend_ops *const backends[] = { &backend_c, &backend_cuda };

const struct backend_ops *backend_of(const struct task *t, enum build_role role)
{
	for (size_t i = 0; role != BUILD_ORACLE && i < ARRAY_LEN(backends); i++)
		if (str_equal(backends[i]->language, t->language))
			return backends[i];
	return &backend_c;
}

int backend_runs_here(const struct task *t, struct err *e)
{
	const struct backend_ops *b = backend_of(t, BUILD_CANDIDATE);
	return b->runs_here ? b->runs_here(e) : 0;
}
