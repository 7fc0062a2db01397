#include "know/kb_device.h"

/* A kernel's patch level changes every week and no lesson with it: the driver of a CPU is "Linux"
 * and the first two numbers. What else of a version counts is the certificate's business. */

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

static void read_gpu(struct kb_device *d, const json_t *gpu)
{
	const char *name = json_text_or(gpu, "name", NULL);
	if (!name) {
		const char *lack = json_text_or(gpu, "lack", "its worker does not tell of one");
		d->no_gpu = arena_strdup(&d->arena, lack);
		return;
	}
	d->gpu = arena_array(&d->arena, 1, sizeof(*d->gpu));
	*d->gpu = (struct kb_device){
		.host = d->host,
		.family = family_of(json_text_or(gpu, "capability", "")),
		.name = arena_strdup(&d->arena, name),
		.features = "",
		.compiler = arena_strdup(&d->arena, json_text_or(gpu, "compiler", "")),
		.driver = arena_strdup(&d->arena, json_text_or(gpu, "driver", "")),
	};
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
	read_gpu(d, json_object_get(machine, "gpu"));
}

const struct kb_device *kb_device_for(const struct kb_device *machine, const char *family)
{
	const struct kb_device *gpu = machine->gpu;
	return gpu && str_equal(gpu->family, family) ? gpu : machine;
}

/* A GPU is told by its compute capability, a processor by the name of its architecture. */
bool kb_family_is_gpu(const char *family)
{
	for (size_t i = 0; i < ARRAY_LEN(families); i++)
		if (str_equal(families[i].family, family))
			return strchr(families[i].told, '.');
	return false;
}

void kb_device_release(struct kb_device *d)
{
	arena_release(&d->arena);
	*d = (struct kb_device){ 0 };
}
