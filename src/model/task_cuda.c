#include "model/task_cuda.h"

/* The target goes into a command line, so its form is checked here to the last character. */

#include <string.h>

#include "base/str.h"
#include "base/toml.h"
#include "base/toml_fields.h"
#include "model/task.h"

struct raw_cuda {
	const char *arch;
};

static const struct toml_field fields[] = {
	TOML_OPTION("arch", TEXT, raw_cuda, arch),
};
static const struct toml_section section = TOML_SECTION("[cuda]", fields);

/* "sm_86", "sm_90a", "sm_100f" */
static bool is_arch(const char *text)
{
	if (!str_starts(text, "sm_"))
		return false;
	size_t digits = strspn(text + 3, "0123456789");
	const char *rest = text + 3 + digits;
	return digits >= 2 && digits <= 3 && (!*rest || (strchr("af", *rest) && !rest[1]));
}

int task_cuda_load(struct toml_loader *l, const struct toml *table, struct task *t)
{
	struct raw_cuda raw = { .arch = NULL };
	if (toml_read_fields(l, &section, table, &raw) < 0)
		return -1;
	if (table && !str_equal(t->language, "cuda") && !str_equal(t->reference_language, "cuda"))
		return toml_fail_at(l, table, "[cuda] in a task of language \"%s\"; remove it",
				    t->language);
	if (raw.arch && !is_arch(raw.arch))
		return toml_fail_at(l, toml_get(table, "arch"),
				    "arch = \"%s\" is no target of nvcc; write it as sm_90a",
				    raw.arch);
	t->arch = raw.arch;
	return 0;
}
