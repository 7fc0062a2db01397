#include "model/samples.h"

/*
 * Twelve columns, eleven of them numeric and one name per line, nothing quoted, so that any tool
 * reads it. Reading is strict: a sample file that was edited or cut is refused, not guessed at.
 */

#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"

static const char header[] =
	"shape,replicate,round,part,slot,order,calls,ns,inner_ns,wait_ns,cpu_ns,dropped\n";

static const char *const slot_names[SLOT_NR] = {
	[SLOT_REFERENCE] = "reference",
	[SLOT_CANDIDATE] = "candidate",
	[SLOT_REFERENCE_AGAIN] = "reference_again",
};

const char *slot_name(enum slot s)
{
	return slot_names[s];
}

void samples_print(const struct sample *samples, size_t nr, struct str *out)
{
	str_add(out, header);
	for (size_t i = 0; i < nr; i++) {
		const struct sample *s = &samples[i];
		str_addf(out, "%u,%u,%u,%u,%s,%u,%u,%llu,%llu,%llu,%llu,%d\n", s->shape,
			 s->replicate, s->round, s->part, slot_name(s->slot), s->order, s->calls,
			 (unsigned long long)s->ns, (unsigned long long)s->inner_ns,
			 (unsigned long long)s->wait_ns, (unsigned long long)s->cpu_ns,
			 s->is_dropped ? 1 : 0);
	}
}

/* What is left of one line, and whether a column already failed. */
struct cursor {
	const char *at;
	bool is_bad;
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* A decimal number up to `max`, and the separator after it. */
static uint64_t take_number(struct cursor *c, uint64_t max, char separator)
{
	uint64_t value = 0;
	const char *p = c->at;
	for (; is_digit(*p); p++) {
		uint64_t digit = (uint64_t)(*p - '0');
		if (digit > max || value > (max - digit) / 10) {
			c->is_bad = true;
			return 0;
		}
		value = value * 10 + digit;
	}
	if (p == c->at || *p != separator) {
		c->is_bad = true;
		return 0;
	}
	c->at = p + 1;
	return value;
}

static unsigned take_count(struct cursor *c, char separator)
{
	return (unsigned)take_number(c, UINT32_MAX, separator);
}

static uint64_t take_ns(struct cursor *c)
{
	return take_number(c, UINT64_MAX, ',');
}

static enum slot take_slot(struct cursor *c)
{
	for (unsigned i = 0; i < SLOT_NR; i++) {
		size_t len = strlen(slot_names[i]);
		if (strncmp(c->at, slot_names[i], len) == 0 && c->at[len] == ',') {
			c->at += len + 1;
			return (enum slot)i;
		}
	}
	c->is_bad = true;
	return SLOT_REFERENCE;
}

static struct sample take_sample(struct cursor *c)
{
	struct sample s = { 0 };
	s.shape = take_count(c, ',');
	s.replicate = take_count(c, ',');
	s.round = take_count(c, ',');
	s.part = take_count(c, ',');
	s.slot = take_slot(c);
	s.order = take_count(c, ',');
	s.calls = take_count(c, ',');
	s.ns = take_ns(c);
	s.inner_ns = take_ns(c);
	s.wait_ns = take_ns(c);
	s.cpu_ns = take_ns(c);
	s.is_dropped = take_number(c, 1, '\n') == 1;
	return s;
}

static size_t count_lines(const char *text)
{
	size_t nr = 0;
	for (const char *p = strchr(text, '\n'); p; p = strchr(p + 1, '\n'))
		nr++;
	return nr;
}

int samples_parse(const char *text, const char *doc, struct arena *a, struct sample **out,
		  size_t *nr, struct err *e)
{
	if (!str_starts(text, header))
		return err_set(e, ERR_INPUT, "%s:1: not the header of a sample file", doc);
	struct cursor c = { .at = text + sizeof(header) - 1 };
	size_t cap = count_lines(c.at);
	*out = arena_array(a, cap, sizeof(**out));
	*nr = 0;
	while (*c.at) {
		struct sample s = take_sample(&c);
		if (c.is_bad)
			return err_set(e, ERR_INPUT, "%s:%zu: not a sample", doc, *nr + 2);
		(*out)[(*nr)++] = s;
	}
	return 0;
}
