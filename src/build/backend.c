#include "build/backend.h"

#include "base/mem.h"
#include "base/str.h"
#include "model/task.h"

static const struct backend_ops *const backends[] = { &backend_c, &backend_cuda, &backend_python };

const char *backend_language(const struct task *t, enum build_role role, const char *given)
{
	if (given)
		return given;
	if (role == BUILD_ORACLE)
		return "c";
	const bool is_other = role == BUILD_REFERENCE && t->reference_language;
	return is_other ? t->reference_language : t->language;
}

const struct backend_ops *backend_of(const struct task *t, enum build_role role, const char *given)
{
	const char *language = backend_language(t, role, given);
	for (size_t i = 0; i < ARRAY_LEN(backends); i++)
		if (str_equal(backends[i]->language, language))
			return backends[i];
	return &backend_c;
}

int backend_runs_here(const struct task *t, struct err *e)
{
	static const enum build_role roles[] = { BUILD_CANDIDATE, BUILD_REFERENCE };
	for (size_t i = 0; i < ARRAY_LEN(roles); i++) {
		const struct backend_ops *b = backend_of(t, roles[i], NULL);
		if (b->runs_here && b->runs_here(e) < 0)
			return -1;
	}
	return 0;
}
