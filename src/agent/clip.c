#include "agent/clip.h"

/* Compilers say what is wrong first and sum up last; a listing begins with what it is. So both ends
 * are kept, the head twice as long as the tail. */

#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/untrusted.h"

/* Is this byte the middle of a character? */
static bool is_middle(char c)
{
	return (c & 0xc0) == 0x80;
}

/* A NUL is spelled out like every other control character. */
static void clean_text(struct str *out, const char *text, size_t len)
{
	AUTO_FREE char *copy = xstrndup(text, len);
	for (size_t at = 0; at < len; at++) {
		untrusted_block(out, copy + at, 0);
		at += strlen(copy + at);
		if (at < len)
			str_add(out, "\\x00");
	}
}

void clip_text(struct str *out, const char *text, size_t len, size_t max)
{
	AUTO_STR struct str clean = STR_INIT;
	clean_text(&clean, text, len);
	if (clean.len <= max) {
		str_add_len(out, clean.text, clean.len);
		return;
	}
	size_t head = max / 3 * 2;
	size_t tail = clean.len - max / 3;
	while (head > 0 && is_middle(clean.text[head]))
		head--;
	while (tail < clean.len && is_middle(clean.text[tail]))
		tail++;
	str_add_len(out, clean.text, head);
	str_addf(out, "\n... (%zu of %zu bytes are left out here) ...\n", tail - head, clean.len);
	str_add(out, clean.text + tail);
}
