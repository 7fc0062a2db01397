#include "sys/nvml.h"

/* Names and prototypes are those of the library's stable interface; a function that is not there,
 * or says that this device can not tell, leaves its number 0. */

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "sys/ask_child.h"

static const char library_name[] = "libnvidia-ml.so.1";

enum { NVML_SUCCESS = 0, WHY_BYTES = 200 };
enum { CLOCK_SM = 1, CLOCK_MEMORY = 2, SENSOR_GPU = 0 };

typedef int (*plain_fn)(void);
typedef int (*text_fn)(char *out, unsigned len);
typedef int (*by_index_fn)(unsigned index, void **device);
typedef int (*by_bus_fn)(const char *bus, void **device);
typedef int (*of_kind_fn)(void *device, int kind, unsigned *out);
typedef int (*number_fn)(void *device, unsigned *out);
typedef int (*bits_fn)(void *device, unsigned long long *out);

union entry {
	void *address;
	plain_fn plain;
	text_fn text;
	by_index_fn by_index;
	by_bus_fn by_bus;
	of_kind_fn of_kind;
	number_fn number;
	bits_fn bits;
};

struct answer {
	struct nvml_state state;
	bool is_loaded;
	int code;
	char step[40];
	char why[WHY_BYTES];
};

static const struct {
	uint64_t bit;
	const char *name;
	bool is_slow;
	const char *text;
} throttles[] = {
#define THROTTLE(bit, name, is_slow, text) { bit, #name, is_slow, text },
#include "sys/throttles.def"
#undef THROTTLE
};

static union entry find(void *library, const char *name)
{
	return (union entry){ .address = dlsym(library, name) };
}

static bool failed(struct answer *a, const char *step, int code)
{
	if (code == NVML_SUCCESS)
		return false;
	a->code = code;
	snprintf(a->step, sizeof(a->step), "%s", step);
	return true;
}

static void ask_of_kind(void *library, void *device, const char *name, int kind, unsigned *out)
{
	const union entry f = find(library, name);
	if (!f.address || f.of_kind(device, kind, out) != NVML_SUCCESS)
		*out = 0;
}

static void ask_number(void *library, void *device, const char *name, unsigned *out)
{
	const union entry f = find(library, name);
	if (!f.address || f.number(device, out) != NVML_SUCCESS)
		*out = 0;
}

static void ask_throttle(void *library, void *device, struct nvml_state *s)
{
	unsigned long long bits = 0;
	const union entry f = find(library, "nvmlDeviceGetCurrentClocksThrottleReasons");
	s->has_throttle = f.address && f.bits(device, &bits) == NVML_SUCCESS;
	s->throttle = bits;
}

static void ask_device(void *library, void *device, struct nvml_state *s)
{
	static const char clock[] = "nvmlDeviceGetClockInfo";
	static const char most[] = "nvmlDeviceGetMaxClockInfo";
	ask_of_kind(library, device, clock, CLOCK_SM, &s->sm_mhz);
	ask_of_kind(library, device, clock, CLOCK_MEMORY, &s->memory_mhz);
	ask_of_kind(library, device, most, CLOCK_SM, &s->sm_max_mhz);
	ask_of_kind(library, device, most, CLOCK_MEMORY, &s->memory_max_mhz);
	ask_of_kind(library, device, "nvmlDeviceGetTemperature", SENSOR_GPU, &s->temperature_c);
	ask_number(library, device, "nvmlDeviceGetPowerUsage", &s->power_mw);
	ask_number(library, device, "nvmlDeviceGetEnforcedPowerLimit", &s->power_limit_mw);
	ask_throttle(library, device, s);
}

static bool open_device(struct answer *a, void *library, const char *bus, void **device)
{
	if (*bus) {
		const union entry f = find(library, "nvmlDeviceGetHandleByPciBusId_v2");
		return !failed(a, "nvmlDeviceGetHandleByPciBusId",
			       f.address ? f.by_bus(bus, device) : -1);
	}
	const union entry f = find(library, "nvmlDeviceGetHandleByIndex_v2");
	return !failed(a, "nvmlDeviceGetHandleByIndex", f.address ? f.by_index(0, device) : -1);
}

static void ask_library(void *answer, const char *name, const void *ctx)
{
	struct answer *a = answer;
	void *device = NULL;
	void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
	if (!library) {
		snprintf(a->why, sizeof(a->why), "%s", dlerror());
		return;
	}
	a->is_loaded = true;
	const union entry init = find(library, "nvmlInit_v2");
	if (failed(a, "nvmlInit", init.address ? init.plain() : -1))
		return;
	const union entry version = find(library, "nvmlSystemGetDriverVersion");
	if (!version.address ||
	    version.text(a->state.driver, sizeof(a->state.driver)) != NVML_SUCCESS)
		a->state.driver[0] = 0;
	if (open_device(a, library, ctx, &device))
		ask_device(library, device, &a->state);
}

/* A driver of one's own comes with a library of its own, or with none. */
static char *library_of(const char *library)
{
	const char *driver = getenv("FORGE_CUDA_DRIVER");
	if (library || !driver || !*driver)
		return xstrdup(library ? library : library_name);
	AUTO_FREE char *dir = path_dir(driver);
	return path_join(dir, library_name);
}

int nvml_probe(struct nvml_state *out, const char *bus, const char *library, struct err *e)
{
	struct answer a = { .is_loaded = false };
	AUTO_FREE char *name = library_of(library);
	const struct ask ask = {
		.fn = ask_library, .library = name, .ctx = bus, .who = "NVIDIA's management library"
	};
	*out = (struct nvml_state){ .sm_mhz = 0 };
	if (ask_child(&ask, &a, sizeof(a), e) < 0)
		return -1;
	*out = a.state;
	if (!a.is_loaded)
		return err_set(e, ERR_SYSTEM, "%s is not there (%s)", ask.library, a.why);
	if (*a.step)
		return err_set(e, ERR_SYSTEM, "%s: %s gives %d; look at nvidia-smi", ask.library,
			       a.step, a.code);
	return 0;
}

void nvml_throttle_names(uint64_t bits, struct str *out)
{
	for (size_t i = 0; i < ARRAY_LEN(throttles); i++)
		if (bits & throttles[i].bit)
			str_addf(out, "%s%s", out->len ? "," : "", throttles[i].name);
}

void nvml_throttle_text(uint64_t bits, struct str *out)
{
	for (size_t i = 0; i < ARRAY_LEN(throttles); i++)
		if (throttles[i].is_slow && (bits & throttles[i].bit))
			str_addf(out, "%s%s", out->len ? "; " : "", throttles[i].text);
}
