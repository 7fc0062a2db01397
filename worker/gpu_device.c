#include "worker/gpu_device.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "model/verdict.h"
#include "sys/proc.h"
#include "worker/gpu_bench.h"
#include "worker/gpu_kernels.h"
#include "worker/gpu_python.h"
#include "worker/outcome.h"
#include "worker/worker.h"

/* A library of linear algebra starts a thread for each core. */
enum { MAX_LINE_BYTES = 1 << 17, MAX_TASKS = 4096 };

/* Host code of a module compiles and tunes in the first calls of a shape: dozens of configurations
 * are a minute. Less in a short job, which has to live to tell of it. */
#define HOST_NS (60 * NS_PER_S)
enum { HOST_SHARE = 3, CALLS_BEFORE = 4 /* of a program: three warm-ups and one that counts */ };

static const char program[] = "forge-gpu";

char *gpu_device_encode(const char *text)
{
	AUTO_STR struct str out = STR_INIT;
	for (const char *c = text; *c; c++)
		if (*c <= ' ' || *c == '%')
			str_addf(&out, "%%%02X", (unsigned char)*c);
		else
			str_add_char(&out, *c);
	return str_take(&out);
}

const char *gpu_device_word(const struct gpu_device *d, const char *key, size_t *len)
{
	const size_t key_len = strlen(key);
	for (const char *at = strchr(d->line.text, ' '); at; at = strchr(at, ' ')) {
		at++;
		if (strncmp(at, key, key_len) != 0 || at[key_len] != '=')
			continue;
		*len = strcspn(at + key_len + 1, " ");
		return at + key_len + 1;
	}
	*len = 0;
	return NULL;
}

int gpu_device_number(const struct gpu_device *d, const char *key, double *out, struct err *e)
{
	size_t len = 0;
	char *end = NULL;
	const char *text = gpu_device_word(d, key, &len);
	*out = text ? strtod(text, &end) : 0;
	if (text && len && end == text + len)
		return 0;
	return err_set(e, ERR_CHILD, "%s answers without %s: %.100s", program, key, d->line.text);
}

bool gpu_device_hex(const char **at, uint64_t *out)
{
	char *end = NULL;
	if (!*at || !isxdigit((unsigned char)**at))
		return false;
	*out = strtoull(*at, &end, 16);
	*at = *end == ',' ? end + 1 : end;
	return true;
}

/* Why a process says nothing any more. */
static int lost(const struct gpu_device *d, struct err *e)
{
	return err_set(e, ERR_CHILD, "%s ended without an answer: %.200s", program,
		       child_stderr(d->child));
}

/* What an error line means for the job. */
static int trouble(struct gpu_device *d, struct verdict *v, struct err *e)
{
	static const struct {
		const char *kind;
		enum reason reason;
		bool is_end;
	} rows[] = { { "error fault ", REASON_crashed, true },
		     { "error timeout ", REASON_timeout, true },
		     { "error refused ", REASON_bad_launch, false } };
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		if (!str_starts(d->line.text, rows[i].kind))
			continue;
		d->is_lost = d->is_lost || rows[i].is_end;
		if (!v)
			break;
		*v = verdict_make(rows[i].reason, "%.200s", d->line.text + strlen(rows[i].kind));
		return OUTCOME_VERDICT;
	}
	return err_set(e, ERR_SYSTEM, "the device: %.300s", d->line.text);
}

static uint64_t host_ns(const struct worker *w)
{
	const uint64_t share_ns = (uint64_t)(w->job.deadline_s / HOST_SHARE * (double)NS_PER_S);
	return share_ns < HOST_NS ? share_ns : HOST_NS;
}

/* What the device may take for the calls of a sample comes on top. */
static uint64_t patience_ns(const struct gpu_device *d, const struct worker *w, const char *request)
{
	static const char word[] = " deadline_ms=";
	const uint64_t left_ns = worker_left_ns(w);
	const char *at = strstr(request, word);
	if (d->host_ns == 0)
		return left_ns;
	const uint64_t call_ms = at ? strtoull(at + strlen(word), NULL, 10) : 0;
	const uint64_t own_ns = d->host_ns + CALLS_BEFORE * call_ms * NS_PER_MS;
	return own_ns < left_ns ? own_ns : left_ns;
}

/* A module that does not come back keeps its process, which ends with the device. */
static int overdue(struct gpu_device *d, uint64_t waited_ns, struct verdict *v, struct err *e)
{
	d->is_lost = true;
	if (!v)
		return -1;
	*e = (struct err){ 0 };
	*v = verdict_make(REASON_timeout,
			  "the module's host code did not come back within %.0f s, in which it has "
			  "to compile and tune, too",
			  (double)waited_ns / (double)NS_PER_S);
	return OUTCOME_VERDICT;
}

static int exchange(struct gpu_device *d, struct worker *w, const char *request, struct verdict *v,
		    struct err *e)
{
	const uint64_t wait_ns = patience_ns(d, w, request);
	const bool is_own = wait_ns < worker_left_ns(w);
	if (worker_check_time(w, e) < 0)
		return -1;
	str_clear(&d->line);
	int rc = child_write_line(d->child, request, wait_ns, e);
	if (rc == 0)
		rc = child_read_line(d->child, &d->line, wait_ns, e);
	if (rc < 0 && e->kind == ERR_TIMEOUT && is_own)
		return overdue(d, wait_ns, v, e);
	return rc > 0 ? OUTCOME_DONE : rc < 0 ? -1 : lost(d, e);
}

int gpu_device_ask(struct gpu_device *d, struct worker *w, struct verdict *v, struct err *e,
		   const char *fmt, ...)
{
	AUTO_STR struct str request = STR_INIT;
	va_list ap;
	va_start(ap, fmt);
	str_vaddf(&request, fmt, ap);
	va_end(ap);
	int outcome = exchange(d, w, request.text, v, e);
	if (outcome != OUTCOME_DONE)
		return outcome;
	if (str_equal(d->line.text, "ok") || str_starts(d->line.text, "ok "))
		return OUTCOME_DONE;
	outcome = trouble(d, v, e);
	return outcome == -1 ? err_wrap(e, "%.*s", (int)strcspn(request.text, " "), request.text)
			     : outcome;
}

/* "a%20b" as it was before gpu_device_encode, in place. */
static void decode(char *text)
{
	for (char *at = strchr(text, '%'); at; at = strchr(at + 1, '%')) {
		const char hex[] = { at[1], at[1] ? at[2] : 0, 0 };
		char *end = NULL;
		const long value = strtol(hex, &end, 16);
		if (end != hex + 2 || value == 0)
			continue;
		*at = (char)value;
		memmove(at + 1, at + 3, strlen(at + 3) + 1);
	}
}

char *gpu_device_text(const struct gpu_device *d, const char *key)
{
	size_t len = 0;
	const char *word = gpu_device_word(d, key, &len);
	if (!word)
		return NULL;
	char *text = xstrndup(word, len);
	decode(text);
	return text;
}

static int read_facts(struct gpu_device *d, struct err *e)
{
	double version = 0;
	double l2 = 0;
	double memory = 0;
	double driver = 0;
	double nvml = 0;
	AUTO_FREE char *name = gpu_device_text(d, "name");
	if (gpu_device_number(d, "version", &version, e) < 0 ||
	    gpu_device_number(d, "l2", &l2, e) < 0 ||
	    gpu_device_number(d, "memory", &memory, e) < 0 ||
	    gpu_device_number(d, "driver", &driver, e) < 0 ||
	    gpu_device_number(d, "nvml", &nvml, e) < 0)
		return -1;
	if (version < 1 || version > 1)
		return err_set(e, ERR_CHILD, "%s and forge-worker are of different builds",
			       program);
	d->name = xstrdup(name ? name : "");
	d->l2_bytes = (uint64_t)l2;
	d->memory_bytes = (uint64_t)memory;
	d->driver = (int)driver;
	d->has_nvml = nvml > 0;
	return 0;
}

/* "ok 1=1024 2=1024 ..." */
static void read_attributes(struct gpu_device *d)
{
	for (size_t i = 0; i < ARRAY_LEN(d->attributes); i++)
		d->attributes[i] = GPU_RECORDER_UNKNOWN;
	for (const char *at = strchr(d->line.text, ' '); at; at = strchr(at + 1, ' ')) {
		char *end = NULL;
		unsigned long nr = strtoul(at + 1, &end, 10);
		if (*end == '=' && nr < ARRAY_LEN(d->attributes))
			d->attributes[nr] = (int32_t)strtol(end + 1, NULL, 10);
	}
}

static int open_device(struct gpu_device *d, struct worker *w, const char *kernels, struct err *e)
{
	const char *driver = getenv("FORGE_CUDA_DRIVER");
	AUTO_FREE char *path = gpu_device_encode(kernels);
	AUTO_FREE char *library = gpu_device_encode(driver ? driver : "");
	if (gpu_device_ask(d, w, NULL, e, "open device=0 kernels=%s%s%s", path,
			   *library ? " driver=" : "", library) < 0 ||
	    read_facts(d, e) < 0)
		return -1;
	if (gpu_device_ask(d, w, NULL, e, "attributes") < 0)
		return -1;
	read_attributes(d);
	return 0;
}

static int argv_fill(struct strv *argv, const struct worker *w, bool has_modules, struct err *e)
{
	AUTO_FREE char *here = path_dir(w->runner_path);
	AUTO_FREE char *path = path_join(here, program);
	if (has_modules)
		return gpu_python_argv(here, argv, e);
	if (!file_exists(path))
		return err_set(e, ERR_SYSTEM, "no %s beside forge-runner in %s", program, here);
	strv_add(argv, path);
	return 0;
}

/* A profiler may close the descriptor that its program gets, which then goes by a path. */
static void add_env(const struct gpu_device *d, bool is_boxed, struct strv *env)
{
	if (is_boxed)
		strv_add_all(env, &d->box.env);
	for (char **item = environ; *item && !is_boxed; item++)
		strv_add(env, *item);
	strv_addf(env, "FORGE_GPU_SHARED_BYTES=%zu", d->shared.len);
	if (!is_boxed)
		strv_addf(env, "FORGE_GPU_SHARED=/proc/%ld/fd/%d", (long)getpid(), d->shared.fd);
}

static int start_process(struct gpu_device *d, const struct strv *argv, bool is_boxed,
			 struct err *e)
{
	AUTO_STRV struct strv env = { 0 };
	add_env(d, is_boxed, &env);
	const struct proc_spec spec = { .argv = (const char *const *)argv->items,
					.env = (const char *const *)env.items,
					.pass_fd = d->shared.fd,
					.max_output = MAX_LINE_BYTES,
					.max_tasks = is_boxed ? MAX_TASKS : 0,
					.is_kept = is_boxed,
					.box = is_boxed ? &d->box.walls : NULL };
	return child_start(&d->child, &spec, e);
}

/* The program itself: a script in its place would not find what it looks for inside. */
static void use_python(const struct gpu_box *b, struct strv *argv)
{
	if (!b->python)
		return;
	free(argv->items[0]);
	argv->items[0] = xstrdup(b->python);
}

static struct gpu_device *device_new(void)
{
	struct gpu_device *d = xcalloc(1, sizeof(*d));
	str_init(&d->line);
	d->shared.fd = -1;
	return d;
}

static int start_boxed(struct gpu_device *d, struct worker *w, const struct strv *argv,
		       const char *kernels, struct err *e)
{
	if (start_process(d, argv, true, e) < 0)
		return -1;
	if (open_device(d, w, kernels, e) == 0)
		return 0;
	child_free(&d->child);
	return -1;
}

/* Drivers differ in the files that they need. Where no host code of a candidate is in the process,
 * a driver that does not start behind the wall around files starts without it, and the result says
 * so. */
static int start_open(struct gpu_device *d, struct worker *w, const struct strv *argv,
		      const char *kernels, struct err *e)
{
	struct err again = { 0 };
	d->box.walls.is_open = true;
	if (start_boxed(d, w, argv, kernels, &again) < 0)
		return -1; /* with what was said first */
	worker_note(w,
		    "the driver does not start where files are closed to it (%.200s): files were "
		    "open to a device process",
		    e->text);
	*e = (struct err){ 0 };
	return 0;
}

int gpu_device_start(struct gpu_device **out, struct worker *w, const struct gpu_device_wish *wish,
		     struct err *e)
{
	AUTO_SPEND(w, start_ns);
	AUTO_STRV struct strv argv = { 0 };
	AUTO_FREE char *kernels = gpu_kernels_find(w, e);
	AUTO_GPU_DEVICE struct gpu_device *d = device_new();
	const struct gpu_box_wish box = { .party = wish->party,
					  .has_modules = wish->has_modules,
					  .kernels = kernels };
	if (!kernels || argv_fill(&argv, w, wish->has_modules, e) < 0 ||
	    gpu_box_make(&d->box, w, &box, e) < 0 ||
	    region_make(&d->shared, wish->shared_bytes, true, e) < 0)
		return -1;
	use_python(&d->box, &argv);
	const bool is_hostile = wish->has_modules && wish->party == PARTY_CANDIDATE;
	if (start_boxed(d, w, &argv, kernels, e) < 0 &&
	    (is_hostile || start_open(d, w, &argv, kernels, e) < 0))
		return -1;
	d->host_ns = is_hostile ? host_ns(w) : 0; /* loading PyTorch is not its fault */
	*out = take_ptr(&d);
	return 0;
}

int gpu_device_start_under(struct gpu_device **out, struct worker *w, const struct strv *prefix,
			   bool has_modules, struct err *e)
{
	AUTO_SPEND(w, start_ns);
	AUTO_STRV struct strv argv = { 0 };
	AUTO_FREE char *kernels = gpu_kernels_find(w, e);
	AUTO_GPU_DEVICE struct gpu_device *d = device_new();
	size_t shared_bytes = 0;
	strv_add_all(&argv, prefix);
	if (!kernels || gpu_shared_bytes(w, &shared_bytes, e) < 0 ||
	    argv_fill(&argv, w, has_modules, e) < 0 ||
	    region_make(&d->shared, shared_bytes, true, e) < 0)
		return -1;
	if (start_process(d, &argv, false, e) < 0 || open_device(d, w, kernels, e) < 0)
		return -1;
	*out = take_ptr(&d);
	return 0;
}

void gpu_device_free(struct gpu_device **slot)
{
	struct gpu_device *d = *slot;
	if (!d)
		return;
	child_free(&d->child);
	gpu_box_release(&d->box);
	region_release(&d->shared);
	str_release(&d->line);
	free(d->name);
	free(d);
	*slot = NULL;
}
