#include "model/task_judge.h"

/* Only how many cores: where the judge stands and what it may do is the same for every task. */

#include "base/toml.h"
#include "base/toml_fields.h"
#include "model/task.h"

struct raw_judge {
	int64_t threads;
};

static const struct toml_field fields[] = {
	TOML_OPTION("threads", INT, raw_judge, threads),
};
static const struct toml_section section = TOML_SECTION("[judge]", fields);

int task_judge_load(struct toml_loader *l, const struct toml *table, struct task *t)
{
	struct raw_judge raw = { .threads = 1 };
	if (toml_read_fields(l, &section, table, &raw) < 0)
		return -1;
	if (raw.threads < 1 || raw.threads > TASK_MAX_THREADS)
		return toml_fail_at(l, toml_get(table, "threads"), "threads must be 1 to %d",
				    TASK_MAX_THREADS);
	t->judge_threads = (unsigned)raw.threads;
	return 0;
}
