#include "tests/escape/device.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "sys/box.h"
#include "sys/proc.h"
#include "sys/sandbox.h"
#include "sys/side.h"

#define ROW_NS (30 * NS_PER_S)
enum { TASKS = 64, SHARED_BYTES = 4096, LINE_BYTES = 1 << 16 };

static struct {
	struct child *child;
	struct box box;
	struct region shared;
	unsigned nr_asked;
} device;

void device_close(void)
{
	struct err e = { 0 };
	if (!device.child)
		return;
	child_free(&device.child);
	region_release(&device.shared);
	if (tree_remove(device.box.scratch, &e) < 0)
		printf("# %s\n", e.text);
	box_release(&device.box);
}

static void add_env(const char *bin, struct strv *env)
{
	strv_add(env, "PATH=/usr/bin:/bin");
	strv_addf(env, "HOME=%s", device.box.scratch);
	strv_addf(env, "PYTHONPATH=%s", bin);
	strv_addf(env, "FAKE_GPU_LOG=%s/log", device.box.scratch);
	strv_addf(env, "FORGE_GPU_SHARED_BYTES=%d", SHARED_BYTES);
}

static int make_box(const char *bin, struct err *e)
{
	device.box.scratch = xstrdup("/tmp/forge-escape-box-XXXXXX");
	if (!mkdtemp(device.box.scratch))
		return err_errno(e, ERR_SYSTEM, "make a folder");
	box_add_system(&device.box);
	box_add_nvidia(&device.box);
	strv_add(&device.box.read, bin);
	return region_make(&device.shared, SHARED_BYTES, true, e);
}

static int ask(const char *line, struct str *reply, struct err *e)
{
	str_clear(reply);
	if (child_write_line(device.child, line, ROW_NS, e) < 0)
		return -1;
	const int rc = child_read_line(device.child, reply, ROW_NS, e);
	return rc > 0 ? 0 : rc < 0 ? -1 : err_set(e, ERR_CHILD, "%s", child_stderr(device.child));
}

static int start(const char *bin, struct err *e)
{
	AUTO_STRV struct strv env = { 0 };
	AUTO_STR struct str reply = STR_INIT;
	AUTO_FREE char *program = path_join(bin, "forge-gpu.py");
	AUTO_FREE char *library = path_join(bin, "libgpu.so");
	const char *const argv[] = { "/usr/bin/python3", "-B", program, library, NULL };
	if (make_box(bin, e) < 0)
		return -1;
	add_env(bin, &env);
	const struct proc_spec spec = { .argv = argv,
					.env = (const char *const *)env.items,
					.pass_fd = device.shared.fd,
					.max_output = LINE_BYTES,
					.max_tasks = TASKS,
					.is_kept = true,
					.box = &device.box };
	if (child_start(&device.child, &spec, e) < 0)
		return -1;
	return ask("open device=0 kernels=none", &reply, e);
}

static int put_scene(const struct world *w, const struct means *m, int row, struct err *e)
{
	struct scene s = w->scene;
	AUTO_FREE char *path = path_join(device.box.scratch, "scene");
	s.row = row;
	s.place = PLACE_DEVICE;
	s.nr_tasks = m->has_pids_cgroup ? TASKS : 0;
	return file_write(path, &s, sizeof(s), e);
}

/* The same file by other paths: a side that is known is not loaded again. */
static int load_module(const char *bin, struct str *reply, struct err *e)
{
	AUTO_FREE char *line = xasprintf(
		"side slot=candidate kind=python path=%s/%sescape.py entry=run args=x:in:f32:4",
		bin, device.nr_asked++ % 2 ? "./" : "");
	return ask(line, reply, e);
}

static bool take_report(struct report *r)
{
	AUTO_FREE char *path = path_join(device.box.scratch, "report");
	AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);
	const bool said = fd >= 0 && read(fd, r, sizeof(*r)) == (ssize_t)sizeof(*r);
	unlink(path);
	r->note[NOTE_LEN - 1] = 0;
	return said;
}

/* What it leaves behind ends with the process, which is looked at afterwards. */
static bool is_last(int row)
{
	return (attempts[row].flags & ROW_ALONE) || str_equal(attempts[row].name, "outlive");
}

enum outcome try_in_device(struct world *w, const struct means *m, int row, struct str *text)
{
	struct err e = { 0 };
	struct report r = { .outcome = HELD };
	AUTO_STR struct str reply = STR_INIT;
	AUTO_FREE char *bin = path_dir(w->attacker);
	if ((!device.child && start(bin, &e) < 0) || put_scene(w, m, row, &e) < 0) {
		str_add(text, e.text);
		device_close();
		return CANNOT;
	}
	const int asked = load_module(bin, &reply, &e);
	const bool said = take_report(&r);
	str_add(text, said ? r.note : asked < 0 ? e.text : reply.text);
	if (asked < 0 || is_last(row))
		device_close();
	return said ? (enum outcome)r.outcome : HELD;
}
