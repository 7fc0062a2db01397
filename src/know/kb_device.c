#include "know/kb_device.h"

/* A kernel's patch level changes every week and no lesson with it: the driver of a CPU is "Linux"
 * and the first two numbers. */

#include <string.h>

#include "base/json.h"
#include "base/str.h"

static const struct {
	const char *family;
	const char *told;
} families[] = {
#define FAMILY(name, arch) { name, arch },
#include "know/families.def"
#undef FAMILY
};

static const char *family_of(const char *arch)
{
	for (size_t i = 0; i < ARRAY_LEN(families); i++)
		if (str_equal(families[i].told, arch))
			return families[i].family;
	return "";
}

/* "6.1" of "6.1.0-18-amd64". */
static size_t release_len(const char *kernel)
{
	size_t major = strcspn(kernel, ".");
	if (!kernel[major])
		return major;
	return major + 1 + strspn(kernel + major + 1, "0123456789");
}

void kb_device_read(struct kb_device *d, const char *host, const json_t *machine)
{
	const char *kernel = json_text_or(machine, "kernel", "");
	*d = (struct kb_device){ .family = family_of(json_text_or(machine, "arch", "")) };
	d->host = arena_strdup(&d->arena, host);
	d->name = arena_strdup(&d->arena, json_text_or(machine, "cpu", ""));
	d->features = arena_strdup(&d->arena, json_text_or(machine, "isa", ""));
	d->compiler = arena_strdup(&d->arena, json_text_or(machine, "compiler", ""));
	d->driver = arena_printf(&d->arena, "Linux %.*s", (int)release_len(kernel), kernel);
}

void kb_device_release(struct kb_device *d)
{
	arena_release(&d->arena);
	*d = (struct kb_device){ 0 };
}
