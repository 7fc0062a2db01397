#include "host/delivery.h"

/*
 * Names that come back are strangers' words: only those that a worker writes are looked at, below
 * the folder that came, through no link (sys/beneath.h). All are held before one is brought.
 */

#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/err.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/str.h"
#include "host/host.h"
#include "host/settings.h"
#include "model/job.h"
#include "model/order.h"
#include "sys/beneath.h"

enum { MAX_BROUGHT_BYTES = 256 << 20, NAME_DIGEST_LEN = 16 };

static const char result_name[] = "result.json";

static void add_plain(struct str *name, const char *text)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789-_";
	for (; *text; text++)
		str_add_char(name, strchr(plain, *text) ? *text : '_');
}

/* Whose delivery it is. All probes are alike but for who asks; the folder of one is made for it and
 * is another one when a run asks again. */
static char *place_of(const struct host_spec *spec)
{
	const char *place = spec->is_probe && spec->asker ? spec->asker : spec->bundle_dir;
	char *path = realpath(place, NULL);
	return path ? path : xstrdup(place);
}

char *delivery_name(const struct host_spec *spec)
{
	char machine[HOST_NAME_MAX + 1] = "";
	struct str name = STR_INIT;
	struct job job = { .id = "probe" };
	struct err ignored = { 0 };
	AUTO_FREE char *path = place_of(spec);
	gethostname(machine, HOST_NAME_MAX);
	if (!spec->is_probe)
		job_load(&job, spec->bundle_dir, &ignored);
	AUTO_FREE char *who = xasprintf("%s\n%ld\n%s\n%s", machine, (long)getuid(), path, job.id);
	add_plain(&name, job.id);
	str_addf(&name, "-%.*s", NAME_DIGEST_LEN, digest_text(who).hex);
	return str_take(&name);
}

static int copy_program(const char *from, const char *bin, const char *name, struct err *e)
{
	AUTO_FREE char *to = path_join(bin, name);
	if (file_copy(from, to, e) < 0)
		return -1;
	return chmod(to, 0755) < 0 ? err_errno(e, ERR_SYSTEM, "chmod %s", to) : 0;
}

/* Where a worker at `bin` finds them: see worker/worker.c. NULL: nowhere. */
static char *find_headers(const char *bin)
{
	static const char *const places[] = { "../../../include", "../../include",
					      "../share/forge/include" };
	for (size_t i = 0; i < ARRAY_LEN(places); i++) {
		char *dir = xasprintf("%s/%s/forge", bin, places[i]);
		AUTO_FREE char *header = path_join(dir, "kernel.h");
		if (file_exists(header))
			return dir;
		free(dir);
	}
	return NULL;
}

static const char *const gpu_programs[] = { "forge-runner-cuda", "forge-gpu", "forge-gpu.py",
					    "libforge-gpu.so" };

static bool is_for_gpu(const char *bundle)
{
	static const char *const sources[] = { "reference/kernel.cu", "candidate/kernel.cu",
					       "reference/kernel.py", "candidate/kernel.py" };
	for (size_t i = 0; i < ARRAY_LEN(sources); i++) {
		AUTO_FREE char *source = path_join(bundle, sources[i]);
		if (file_exists(source))
			return true;
	}
	return false;
}

static int copy_gpu_programs(const char *from, const char *bin, struct err *e)
{
	for (size_t i = 0; i < ARRAY_LEN(gpu_programs); i++) {
		AUTO_FREE char *path = path_join(from, gpu_programs[i]);
		if (file_exists(path) && copy_program(path, bin, gpu_programs[i], e) < 0)
			return -1;
	}
	return 0;
}

/* What is not here need not be there. */
static bool is_there(const char *a, const char *bin, const char *name)
{
	AUTO_FREE char *b = path_join(bin, name);
	struct digest of_a;
	struct digest of_b;
	struct err ignored = { 0 };
	if (!file_exists(a))
		return true;
	return digest_file(a, &of_a, &ignored) == 0 && digest_file(b, &of_b, &ignored) == 0 &&
	       str_equal(of_a.hex, of_b.hex);
}

static bool has_headers(const char *from, const char *kit)
{
	AUTO_FREE char *headers = find_headers(from);
	AUTO_FREE char *there = path_join(kit, "share/forge/include/forge");
	struct digest of_a;
	struct digest of_b;
	struct err ignored = { 0 };
	if (!headers)
		return true;
	return file_is_dir(there) && digest_tree(headers, &of_a, &ignored) == 0 &&
	       digest_tree(there, &of_b, &ignored) == 0 && str_equal(of_a.hex, of_b.hex);
}

bool delivery_kit_is_whole(const char *dir, const struct host_spec *spec)
{
	AUTO_FREE char *worker = host_worker_path(spec);
	AUTO_FREE char *from = path_dir(worker);
	AUTO_FREE char *bin = path_join(dir, "bin");
	AUTO_FREE char *runner = path_join(from, "forge-runner");
	bool is_whole = file_is_dir(bin) && is_there(worker, bin, "forge-worker") &&
			is_there(runner, bin, "forge-runner") && has_headers(from, dir);
	for (size_t i = 0; i < ARRAY_LEN(gpu_programs) && is_whole; i++) {
		AUTO_FREE char *here = path_join(from, gpu_programs[i]);
		is_whole = is_there(here, bin, gpu_programs[i]);
	}
	return is_whole;
}

int delivery_make_kit(const char *dir, const struct host_spec *spec, enum kit_for whom,
		      struct err *e)
{
	AUTO_FREE char *worker = host_worker_path(spec);
	AUTO_FREE char *from = path_dir(worker);
	AUTO_FREE char *runner = path_join(from, "forge-runner");
	AUTO_FREE char *headers = find_headers(from);
	AUTO_FREE char *bin = path_join(dir, "bin");
	AUTO_FREE char *parent = path_join(dir, "share/forge/include");
	AUTO_FREE char *include = path_join(parent, "forge");
	if (dir_make(bin, e) < 0 || copy_program(worker, bin, "forge-worker", e) < 0)
		return -1;
	if (file_exists(runner) && copy_program(runner, bin, "forge-runner", e) < 0)
		return -1;
	if ((whom == KIT_FOR_ALL || is_for_gpu(spec->bundle_dir)) &&
	    copy_gpu_programs(from, bin, e) < 0)
		return -1;
	if (headers && (dir_make(parent, e) < 0 || tree_copy(headers, include, e) < 0))
		return -1;
	return 0;
}

int delivery_save_order(const char *dir, const struct delivery_spec *spec, struct err *e)
{
	const struct order order = {
		.is_probe = spec->host->is_probe,
		.ask = spec->ask,
		.bundle = spec->host->bundle.hex,
		.gpu = setting_or(spec->settings, SET_FK_GPU, ""),
		.cache = setting_or(spec->settings, SET_REMOTE_CACHE, ""),
		.deadline_s = (double)spec->host->deadline_ns * 1e-9,
	};
	return order_save(&order, dir, e);
}

int delivery_make(const char *dir, const struct delivery_spec *spec, struct err *e)
{
	AUTO_FREE char *bundle = path_join(dir, DELIVERY_BUNDLE);
	AUTO_FREE char *kit = path_join(dir, "kit");
	AUTO_FREE char *old_log = path_join(bundle, "log"); /* of an attempt before */
	if (tree_remove(dir, e) < 0 || dir_make(dir, e) < 0 ||
	    tree_copy(spec->host->bundle_dir, bundle, e) < 0 || tree_remove(old_log, e) < 0 ||
	    (spec->has_kit && delivery_make_kit(kit, spec->host, KIT_FOR_BUNDLE, e) < 0))
		return -1;
	return delivery_save_order(dir, spec, e);
}

bool delivery_is_of(const char *dir, const struct host_spec *spec)
{
	AUTO_ORDER struct order order = { 0 };
	struct err ignored = { 0 };
	return order_load(&order, dir, &ignored) == 0 && order.is_probe == spec->is_probe &&
	       str_equal(order.bundle, spec->bundle.hex);
}

/* Does a worker write a file of this name? Others stay where they are. */
static bool is_brought(const char *name)
{
	static const char *const names[] = { result_name, "samples.csv", DELIVERY_PROBE,
					     "check/tolerances.json" };
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (str_equal(name, names[i]))
			return true;
	return str_starts(name, "log/") && !strchr(name + 4, '/') && name[4] && name[4] != '.';
}

static int read_below(int bundle, const char *name, struct str *out, struct err *e)
{
	char chunk[65536];
	struct stat st;
	AUTO_CLOSE int fd = beneath_open(bundle, name, O_RDONLY | O_NONBLOCK, 0, e);
	if (fd < 0)
		return -1;
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return err_set(e, ERR_REMOTE, "%s is no plain file", name);
	for (ssize_t n; (n = read(fd, chunk, sizeof(chunk))) != 0;) {
		if (n < 0)
			return err_errno(e, ERR_REMOTE, "read %s", name);
		if (out->len + (size_t)n > MAX_BROUGHT_BYTES)
			return err_set(e, ERR_REMOTE, "%s is larger than %d bytes", name,
				       (int)MAX_BROUGHT_BYTES);
		str_add_len(out, chunk, (size_t)n);
	}
	return 0;
}

/* `to` NULL: only hold it against its digest. */
static int bring(int bundle, const char *name, const char *hex, const char *to, struct err *e)
{
	AUTO_STR struct str bytes = STR_INIT;
	if (read_below(bundle, name, &bytes, e) < 0)
		return -1;
	if (!str_equal(digest_bytes(bytes.text, bytes.len).hex, hex))
		return err_set(e, ERR_REMOTE, "%s is not the file that the worker wrote", name);
	if (!to)
		return 0;
	AUTO_FREE char *path = path_join(to, name);
	AUTO_FREE char *folder = path_dir(path);
	return dir_make(folder, e) < 0 ? -1 : file_write(path, bytes.text, bytes.len, e);
}

static int bring_all(int bundle, json_t *files, const char *to, struct err *e)
{
	const char *name;
	json_t *hex;
	json_object_foreach(files, name, hex)
	{
		bool is_last = to && str_equal(name, result_name);
		if (is_brought(name) && !is_last &&
		    bring(bundle, name, json_string_value(hex), to, e) < 0)
			return -1;
	}
	const char *result = json_string_value(json_object_get(files, result_name));
	return to && result ? bring(bundle, result_name, result, to, e) : 0;
}

static int take(const char *dir, const struct host_spec *spec, const struct answer *a,
		struct err *e)
{
	AUTO_FREE char *path = path_join(dir, DELIVERY_BUNDLE);
	if (!str_equal(a->bundle, spec->bundle.hex))
		return err_set(e, ERR_REMOTE, "it answers another bundle");
	if (!json_object_size(a->files))
		return 0;
	AUTO_CLOSE int bundle = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (bundle < 0)
		return err_errno(e, ERR_REMOTE, "open %s", path);
	if (bring_all(bundle, a->files, NULL, e) < 0)
		return -1;
	return bring_all(bundle, a->files, spec->bundle_dir, e);
}

static void tell(const struct answer *a, struct host_status *st)
{
	enum trouble t = trouble_find(a->trouble);
	st->work_s = a->work_s;
	st->exit_code = a->exit_code;
	if (t == TROUBLE_NONE && a->signal)
		t = TROUBLE_worker_killed;
	if (t != TROUBLE_NONE) {
		host_status_trouble(st, t, a->text);
		return;
	}
	st->end = HOST_DONE;
	snprintf(st->text, sizeof(st->text), "%.300s", a->text);
}

bool delivery_take(const char *dir, const struct host_spec *spec, struct host_status *st,
		   struct str *why)
{
	AUTO_ANSWER struct answer a = { 0 };
	struct err e = { 0 };
	str_clear(why);
	if (answer_load(&a, dir, &e) < 0 || take(dir, spec, &a, &e) < 0) {
		str_add(why, e.text);
		return false;
	}
	tell(&a, st);
	return true;
}
