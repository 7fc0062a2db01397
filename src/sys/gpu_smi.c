#include "sys/gpu_smi.h"

/* One line "NAME, DRIVER, CAPABILITY" a device. CUDA_VISIBLE_DEVICES hides devices from programs
 * and not from nvidia-smi, so the first of it is asked for by its index or UUID. */

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "sys/proc.h"

/* A driver that is not kept loaded takes seconds to start. */
#define ASK_NS (30 * NS_PER_S)

static const char program[] = "nvidia-smi";

static void add_device(struct strv *argv)
{
	const char *visible = getenv("CUDA_VISIBLE_DEVICES");
	size_t len = visible ? strcspn(visible, ",") : 0;
	if (!len)
		return;
	AUTO_FREE char *first = xstrndup(visible, len);
	strv_add(argv, "-i");
	strv_add(argv, first);
}

static bool read_capability(const char *text, struct gpu_smi *out)
{
	char *end = NULL;
	if (!isdigit((unsigned char)text[0]))
		return false;
	out->major = (int)strtol(text, &end, 10);
	if (*end != '.' || !isdigit((unsigned char)end[1]))
		return false;
	out->minor = (int)strtol(end + 1, &end, 10);
	return !*end;
}

static bool read_line(const char *text, struct gpu_smi *out)
{
	AUTO_FREE char *line = xstrndup(text, strcspn(text, "\r\n"));
	AUTO_STRV struct strv parts = { 0 };
	strv_split(&parts, line, ",");
	if (parts.nr != 3)
		return false;
	const char *driver = parts.items[1] + strspn(parts.items[1], " ");
	snprintf(out->name, sizeof(out->name), "%s", parts.items[0]);
	snprintf(out->driver, sizeof(out->driver), "%s", driver);
	return *driver && read_capability(parts.items[2] + strspn(parts.items[2], " "), out);
}

static int fail(const struct proc_result *r, struct err *e)
{
	AUTO_STR struct str how = STR_INIT;
	const char *said = r->out.len ? r->out.text : r->err.text;
	proc_result_describe(r, &how);
	return err_set(e, ERR_SYSTEM,
		       "%s tells of no device (%s: %.*s); look at it, and at CUDA_VISIBLE_DEVICES",
		       program, how.text, (int)strcspn(said, "\r\n"), said);
}

int gpu_smi_ask(struct gpu_smi *out, struct err *e)
{
	AUTO_FREE char *path = proc_find(program);
	AUTO_STRV struct strv argv = { 0 };
	AUTO_PROC_RESULT struct proc_result r = { 0 };
	*out = (struct gpu_smi){ .major = 0 };
	if (!path)
		return err_set(e, ERR_SYSTEM,
			       "no NVIDIA driver (no %s on PATH); install the driver, or name a "
			       "host that has one",
			       program);
	strv_add(&argv, path);
	strv_add(&argv, "--query-gpu=name,driver_version,compute_cap");
	strv_add(&argv, "--format=csv,noheader");
	add_device(&argv);
	const struct proc_spec spec = { .argv = (const char *const *)argv.items,
					.deadline_ns = ASK_NS };
	if (proc_run(&r, &spec, e) < 0)
		return err_wrap(e, "%s", program);
	return proc_result_is_ok(&r) && read_line(r.out.text, out) ? 0 : fail(&r, e);
}
