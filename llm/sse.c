#include "llm/sse.h"

/* Only whole lines are looked at, so a cut inside of a character, a name or a line end is no case
 * of its own. A byte order mark may stand before the first line. */

#include <string.h>

#include "base/err.h"

static const char mark[] = "\xEF\xBB\xBF";

void sse_init(struct sse *s, sse_event_fn take, void *ctx)
{
	*s = (struct sse){ .take = take, .ctx = ctx };
	str_init(&s->line);
	str_init(&s->name);
	str_init(&s->data);
}

void sse_release(struct sse *s)
{
	str_release(&s->line);
	str_release(&s->name);
	str_release(&s->data);
}

static int end_event(struct sse *s, struct err *e)
{
	int rc = s->has_data ? s->take(s->ctx, s->name.text, &s->data, e) : 0;
	str_clear(&s->name);
	str_clear(&s->data);
	s->has_data = false;
	return rc;
}

static void take_field(struct sse *s, const char *name, size_t name_len, const char *value,
		       size_t len)
{
	if (name_len == 5 && memcmp(name, "event", 5) == 0) {
		str_clear(&s->name);
		str_add_len(&s->name, value, len);
	}
	if (name_len != 4 || memcmp(name, "data", 4) != 0)
		return;
	if (s->has_data)
		str_add_char(&s->data, '\n');
	str_add_len(&s->data, value, len);
	s->has_data = true;
}

static int end_line(struct sse *s, struct err *e)
{
	const char *text = s->line.text;
	size_t len = s->line.len;
	if (!s->has_begun && len >= 3 && memcmp(text, mark, 3) == 0) {
		text += 3;
		len -= 3;
	}
	s->has_begun = true;
	if (!len) {
		str_clear(&s->line);
		return end_event(s, e);
	}
	const char *colon = memchr(text, ':', len);
	size_t name_len = colon ? (size_t)(colon - text) : len;
	size_t at = colon ? name_len + 1 : len;
	at += at < len && text[at] == ' ';
	take_field(s, text, name_len, text + at, len - at);
	str_clear(&s->line);
	return 0;
}

static int check_room(const struct sse *s, size_t more, struct err *e)
{
	if (s->line.len + s->data.len + more <= SSE_MAX_EVENT_BYTES)
		return 0;
	return err_set(e, ERR_INPUT, "an event of the stream is larger than %d MiB",
		       SSE_MAX_EVENT_BYTES >> 20);
}

int sse_feed(struct sse *s, const char *bytes, size_t len, struct err *e)
{
	const char *at = bytes;
	const char *end = bytes + len;
	while (at < end) {
		if (s->after_cr && *at == '\n') {
			s->after_cr = false;
			at++;
			continue;
		}
		s->after_cr = false;
		const char *stop = at;
		while (stop < end && *stop != '\n' && *stop != '\r')
			stop++;
		if (check_room(s, (size_t)(stop - at), e) < 0)
			return -1;
		str_add_len(&s->line, at, (size_t)(stop - at));
		at = stop;
		if (stop == end)
			return 0;
		s->after_cr = *at++ == '\r';
		if (end_line(s, e) < 0)
			return -1;
	}
	return 0;
}

int sse_end(struct sse *s, struct err *e)
{
	if (s->line.len && end_line(s, e) < 0)
		return -1;
	return end_event(s, e);
}
