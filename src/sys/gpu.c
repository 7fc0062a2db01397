#include "sys/gpu.h"

/* The child's answer: `step` is the call that failed, or none. Names of the driver's entry points
 * and of attributes are those of its stable interface. */

#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "base/err.h"
#include "base/mem.h"
#include "sys/ask_child.h"

static const char driver_name[] = "libcuda.so.1";

enum { WHY_BYTES = 200 };

/* CU_DEVICE_ATTRIBUTE_* */
enum { ATTR_NR_SM = 16, ATTR_L2_BYTES = 38, ATTR_MAJOR = 75, ATTR_MINOR = 76 };

/* CUresult values that have a cure of their own. */
enum { CU_SUCCESS = 0, CU_NO_DEVICE = 100, CU_SYSTEM_DRIVER_MISMATCH = 803 };

struct answer {
	struct gpu gpu;
	bool is_loaded;
	int code;            /* CUresult of `step` */
	char step[32];       /* "" when everything worked */
	char why[WHY_BYTES]; /* of the loader */
};

typedef int (*init_fn)(unsigned flags);
typedef int (*number_fn)(int *out);
typedef int (*device_fn)(int *out, int ordinal);
typedef int (*name_fn)(char *out, int len, int device); /* and of its place on the bus */
typedef int (*memory_fn)(size_t *out, int device);
typedef int (*attribute_fn)(int *out, int attribute, int device);

/* dlsym gives a void pointer, and C has no cast from that to a function. */
union entry {
	void *address;
	init_fn init;
	number_fn number;
	device_fn device;
	name_fn name;
	memory_fn memory;
	attribute_fn attribute;
};

static union entry find(void *driver, const char *name)
{
	return (union entry){ .address = dlsym(driver, name) };
}

static bool failed(struct answer *a, const char *step, int code)
{
	if (code == CU_SUCCESS)
		return false;
	a->code = code;
	snprintf(a->step, sizeof(a->step), "%s", step);
	return true;
}

static bool ask_attributes(struct answer *a, void *driver, int device)
{
	const struct {
		int attribute;
		int *out;
	} rows[] = { { ATTR_MAJOR, &a->gpu.major },
		     { ATTR_MINOR, &a->gpu.minor },
		     { ATTR_NR_SM, &a->gpu.nr_sm },
		     { ATTR_L2_BYTES, &a->gpu.l2_bytes } };
	const union entry ask = find(driver, "cuDeviceGetAttribute");
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (failed(a, "cuDeviceGetAttribute",
			   ask.address ? ask.attribute(rows[i].out, rows[i].attribute, device)
				       : -1))
			return false;
	return true;
}

static void ask_device(struct answer *a, void *driver)
{
	int device = 0;
	size_t bytes = 0;
	const union entry get = find(driver, "cuDeviceGet");
	const union entry name = find(driver, "cuDeviceGetName");
	const union entry memory = find(driver, "cuDeviceTotalMem_v2");
	if (failed(a, "cuDeviceGet", get.address ? get.device(&device, 0) : -1) ||
	    failed(a, "cuDeviceGetName",
		   name.address ? name.name(a->gpu.name, sizeof(a->gpu.name), device) : -1) ||
	    failed(a, "cuDeviceTotalMem", memory.address ? memory.memory(&bytes, device) : -1))
		return;
	a->gpu.memory_bytes = bytes;
	const union entry bus = find(driver, "cuDeviceGetPCIBusId");
	if (!bus.address || bus.name(a->gpu.bus, sizeof(a->gpu.bus), device) != CU_SUCCESS)
		a->gpu.bus[0] = 0;
	ask_attributes(a, driver, device);
}

static void ask_driver(void *answer, const char *library, const void *ctx)
{
	struct answer *a = answer;
	(void)ctx;
	void *driver = dlopen(library, RTLD_NOW | RTLD_LOCAL);
	if (!driver) {
		snprintf(a->why, sizeof(a->why), "%s", dlerror());
		return;
	}
	a->is_loaded = true;
	const union entry init = find(driver, "cuInit");
	const union entry version = find(driver, "cuDriverGetVersion");
	const union entry count = find(driver, "cuDeviceGetCount");
	if (failed(a, "cuInit", init.address ? init.init(0) : -1) ||
	    failed(a, "cuDriverGetVersion",
		   version.address ? version.number(&a->gpu.driver) : -1) ||
	    failed(a, "cuDeviceGetCount", count.address ? count.number(&a->gpu.nr) : -1))
		return;
	if (a->gpu.nr > 0)
		ask_device(a, driver);
}

static int conclude(const struct answer *a, const char *library, struct err *e)
{
	if (!a->is_loaded)
		return err_set(
			e, ERR_SYSTEM,
			"no NVIDIA driver: %s is not there (%s); install the driver, or "
			"give the job to a machine that has one (FK_DELIVERY, docs/format/host.md)",
			library, a->why);
	if (a->code == CU_NO_DEVICE || (!*a->step && a->gpu.nr == 0))
		return err_set(e, ERR_SYSTEM,
			       "the NVIDIA driver sees no device; look at nvidia-smi and at "
			       "/dev/nvidia*, and at CUDA_VISIBLE_DEVICES");
	if (*a->step)
		return err_set(e, ERR_SYSTEM, "the NVIDIA driver fails: %s gives %d%s", a->step,
			       a->code,
			       a->code == CU_SYSTEM_DRIVER_MISMATCH
				       ? "; driver and kernel module are of different versions, "
					 "reboot"
				       : "; look at nvidia-smi");
	return 0;
}

int gpu_probe(struct gpu *out, const char *library, struct err *e)
{
	const char *other = getenv("FORGE_CUDA_DRIVER");
	const char *usual = other && *other ? other : driver_name;
	struct answer a = { .gpu = { .nr = 0 } };
	const struct ask ask = { .fn = ask_driver,
				 .library = library ? library : usual,
				 .who = "the NVIDIA driver" };
	*out = (struct gpu){ .nr = 0 };
	if (ask_child(&ask, &a, sizeof(a), e) < 0)
		return -1;
	*out = a.gpu;
	return conclude(&a, ask.library, e);
}

/* From Hopper on, what a generation has beyond its successors' common ground needs the "a". */
void gpu_arch(const struct gpu *g, char out[16])
{
	snprintf(out, 16, "sm_%d%d%s", g->major % 100, g->minor % 10, g->major >= 9 ? "a" : "");
}

void gpu_fingerprint(const struct gpu *g, char out[GPU_FINGERPRINT_LEN + 1])
{
	AUTO_FREE char *text =
		xasprintf("%s|%d.%d|%d|%d|%llu", g->name, g->major, g->minor, g->nr_sm, g->l2_bytes,
			  (unsigned long long)(g->memory_bytes >> 30));
	struct digest d = digest_text(text);
	snprintf(out, GPU_FINGERPRINT_LEN + 1, "%.*s", (int)GPU_FINGERPRINT_LEN, d.hex);
}
