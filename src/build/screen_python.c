#include "build/screen_python.h"

/* The program travels inside of this one: a worker is one file. */

#include "base/err.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/str.h"
#include "model/verdict.h"

__asm__(".section .rodata\n"
	".hidden screen_python_text\n"
	".globl screen_python_text\n"
	"screen_python_text:\n"
	".incbin \"src/build/screen_python.py\"\n"
	".byte 0\n"
	".previous\n");

static const struct {
	const char *name;
	enum reason reason;
} rows[] = {
#define SCREEN(name, reason, text) { #name, REASON_##reason },
#include "build/screens_python.def"
#undef SCREEN
};

int screen_python_take(const json_t *answer, struct verdict *v, json_t **facts, struct err *e)
{
	const char *rule = json_text_or(answer, "rule", NULL);
	json_t *found = json_object_get(answer, "facts");
	if (!rule && json_is_object(found)) {
		*facts = json_incref(found);
		return 0;
	}
	for (size_t i = 0; rule && i < ARRAY_LEN(rows); i++)
		if (str_equal(rows[i].name, rule)) {
			*v = verdict_make(rows[i].reason, "%.200s",
					  json_text_or(answer, "detail", ""));
			return 0;
		}
	return err_set(e, ERR_CHILD, "the screens of Python said something unknown");
}
