#include "llm/llm_wire.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/json.h"
#include "base/mask.h"
#include "base/mem.h"
#include "base/untrusted.h"

enum { MAX_LINE_BYTES = 8 << 20, MAX_LOG_BYTES = 400 };

void llm_wire_init(struct llm_wire *w, FILE *in, FILE *out, const struct mask *mask)
{
	*w = (struct llm_wire){ .in = in, .out = out, .mask = mask };
	str_init(&w->text);
}

void llm_wire_release(struct llm_wire *w)
{
	free(w->line);
	str_release(&w->text);
}

json_t *llm_wire_next(struct llm_wire *w, struct err *e)
{
	for (;;) {
		ssize_t got = getline(&w->line, &w->cap, w->in);
		if (got < 0) {
			if (ferror(w->in))
				err_errno(e, ERR_SYSTEM, "read a line");
			return NULL;
		}
		if (got > MAX_LINE_BYTES) {
			err_set(e, ERR_INPUT, "a line is longer than 8 MiB");
			return NULL;
		}
		if (w->line[0] == '{')
			return json_read_text(w->line, (size_t)got, "line", e);
	}
}

int llm_wire_send(struct llm_wire *w, json_t *line, struct err *e)
{
	AUTO_JSON json_t *owned = line;
	AUTO_STR struct str masked = STR_INIT;
	if (!owned)
		return err_set(e, ERR_INPUT, "an answer could not be written as JSON");
	AUTO_FREE char *text = json_line(owned);
	mask_add(w->mask, &masked, text);
	if (fprintf(w->out, "%s\n", masked.text) < 0 || fflush(w->out) != 0)
		return err_errno(e, ERR_SYSTEM, "write a line");
	return 0;
}

/* Masked before it is cut: half a key is a secret, too. */
void llm_wire_log(struct llm_wire *w, const char *text)
{
	struct err ignored = { 0 };
	AUTO_STR struct str masked = STR_INIT;
	AUTO_STR struct str shown = STR_INIT;
	mask_add(w->mask, &masked, text);
	untrusted_line(&shown, masked.text, MAX_LOG_BYTES);
	llm_wire_send(w, json_pack("{s:s, s:s}", "type", "log", "text", shown.text), &ignored);
}

void llm_wire_say(struct llm_wire *w, const char *text)
{
	for (const char *end; (end = strchr(text, '\n')); text = end + 1) {
		str_add_len(&w->text, text, (size_t)(end - text));
		llm_wire_say_end(w);
	}
	str_add(&w->text, text);
}

void llm_wire_say_end(struct llm_wire *w)
{
	if (w->text.len)
		llm_wire_log(w, w->text.text);
	str_clear(&w->text);
}
