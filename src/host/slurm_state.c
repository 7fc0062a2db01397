#include "host/slurm_state.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"

static const struct {
	const char *name;
	enum slurm_phase phase;
	enum trouble trouble;
} states[] = {
#define STATE(name, phase, trouble) { name, SLURM_##phase, TROUBLE_##trouble },
#include "host/slurm_states.def"
#undef STATE
};

static void copy_word(char *out, size_t cap, const char *text, const char *ends)
{
	size_t len = strcspn(text, ends);
	snprintf(out, cap, "%.*s", (int)(len < cap ? len : cap - 1), text);
}

static void copy_member(char *out, size_t cap, const char *text, const char *key)
{
	const char *at = strstr(text, key);
	if (at)
		copy_word(out, cap, at + strlen(key), " \n");
}

/* "CANCELLED by 1000", "CANCELLED+": the first word says it. */
static void find(struct slurm_state *s)
{
	s->name[strcspn(s->name, " +")] = 0;
	for (size_t i = 0; i < ARRAY_LEN(states); i++) {
		if (!str_equal(states[i].name, s->name))
			continue;
		s->phase = states[i].phase;
		s->trouble = states[i].trouble;
	}
}

void slurm_state_read(struct slurm_state *s, const char *text)
{
	*s = (struct slurm_state){ 0 };
	if (strstr(text, "JobState=")) {
		copy_member(s->name, sizeof(s->name), text, "JobState=");
		copy_member(s->reason, sizeof(s->reason), text, " Reason=");
	} else {
		const char *bar = strchr(text, '|');
		copy_word(s->name, sizeof(s->name), text, "|\n");
		if (bar)
			copy_word(s->reason, sizeof(s->reason), bar + 1, "|\n");
	}
	find(s);
	if (str_equal(s->reason, "None"))
		s->reason[0] = 0;
}
