#include "tuner/speed.h"

#include "base/json.h"

struct speed speed_read(const json_t *obj)
{
	struct speed s = { .ratio = json_real_or(obj, "ratio", 0) };
	s.low = json_real_or(obj, "low", s.ratio);
	s.high = json_real_or(obj, "high", s.ratio);
	bool is_whole = s.ratio > 0 && s.low > 0 && s.high >= s.low;
	return is_whole ? s : (struct speed){ .ratio = 0 };
}

struct speed speed_over(const struct speed *a, const struct speed *b)
{
	if (a->ratio <= 0 || b->ratio <= 0)
		return (struct speed){ .ratio = 0 };
	return (struct speed){ a->ratio / b->ratio, a->low / b->high, a->high / b->low };
}

bool speed_is_open(const struct speed *s)
{
	return s->ratio > 0 && s->low <= 1 && s->high >= 1;
}
