#include "fuzz.h"

/* shapes.json: loaded or refused with a line; the finder of lines stays inside any valid JSON. */

#include <sys/mman.h>

#include "base/json.h"
#include "model/shape.h"
#include "model/shape_line.h"

static void shapes_walk(const struct shapes *s)
{
	FUZZ_CHECK(s->nr > 0);
	for (size_t i = 0; i < s->nr; i++) {
		const struct shape *shape = &s->items[i];
		FUZZ_CHECK(shapes_find(s, shape->name) == shape);
		FUZZ_CHECK(shape->dims.nr > 0);
		for (size_t k = 0; k < shape->nr_groups; k++)
			FUZZ_CHECK(shape->groups[k].purpose &&
				   json_is_object(shape->groups[k].inputs));
	}
}

static void shapes_find_lines(const char *text)
{
	static const char *const pointers[] = { "",
						"/shapes",
						"/shapes/0",
						"/shapes/1/dims/n",
						"/groups/0/inputs/x/kind",
						"/shapes/9/groups/0",
						"//",
						"/version/x" };
	for (size_t i = 0; i < ARRAY_LEN(pointers); i++)
		FUZZ_CHECK(shape_line_in_text(text, pointers[i]) >= 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct err e = { 0 };
	struct shapes s;
	AUTO_ARENA struct arena a = { 0 };
	AUTO_FREE char *text = xstrndup((const char *)data, len);
	AUTO_CLOSE int fd = memfd_create("shapes", MFD_CLOEXEC);
	AUTO_FREE char *path = xasprintf("/proc/self/fd/%d", fd);
	FUZZ_CHECK(fd >= 0 && write(fd, data, len) == (ssize_t)len);
	shapes_find_lines(text);
	if (shapes_load(&s, path, &a, &e) == 0)
		shapes_walk(&s);
	else
		FUZZ_CHECK(str_starts(e.text, path));
	shapes_release(&s);
	return 0;
}

#ifndef FUZZ_NO_MAIN
static const char *const shapes_words[] = { "{",
					    "}",
					    "[",
					    "]",
					    ",",
					    ":",
					    "\"n\"",
					    "1",
					    "1.5",
					    "true",
					    "null",
					    "\"name\":",
					    "\"dims\":",
					    "\"groups\":",
					    "\"inputs\":",
					    "\"kind\":",
					    "\"held_out\":true,",
					    "\"timed\":false,",
					    "\"version\":1,",
					    "\"purpose\":\"p\",",
					    "\"shapes\":",
					    "\\\"",
					    "\\u0000",
					    "-1",
					    NULL };
#endif
FUZZ_MAIN(shapes_words)
