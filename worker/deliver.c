#include "worker/deliver.h"

/*
 * The job runs in a child, so that this process can watch over it: the line of who ordered, signals
 * of a queue, the deadline. What the child leaves is compared by digests with what was there
 * before; all that is new or changed is the answer. Whatever happened to the job is told in the
 * answer, as long as one can be written.
 */

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/digest.h"
#include "base/err.h"
#include "base/file.h"
#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/str.h"
#include "model/language.h"
#include "model/order.h"
#include "model/task.h"
#include "sys/cpu.h"
#include "sys/device_lock.h"
#include "sys/proc.h"
#include "sys/worker_env.h"
#include "worker/progress.h"
#include "worker/put_back.h"

#define LOOK_NS (100 * NS_PER_MS)
/* After its last line a worker only has to exit. */
#define EXIT_WAIT_NS (10 * NS_PER_S)
/* A wait is told at once, then less and less often. */
#define FIRST_TOLD_NS NS_PER_S
/* Room for the smallest answer. Whoever has less has a full disk, also when the job removed again
 * what it wrote. */
enum { ROOM_BYTES = 4 << 20, MAX_PROBE_BYTES = 1 << 20 };

struct work {
	const struct deliver_spec *spec;
	struct order order;
	struct answer answer;
	char *bundle;
	char *self;
	struct str before; /* digest_list */
	struct str text;   /* answer.text lives here */
	bool takes_turns;  /* the job itself locks the device, when it uses it */
	bool is_stopped;
	bool is_cut_off; /* the lifeline ended */
	char *order_path;
	char *works; /* is there while the job runs */
	char *place; /* the folder by its whole name */
};

static bool lifeline_ended(void)
{
	char dropped[256];
	struct pollfd fd = { .fd = STDIN_FILENO, .events = POLLIN };
	while (poll(&fd, 1, 0) > 0) {
		ssize_t n = read(STDIN_FILENO, dropped, sizeof(dropped));
		if (n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN))
			return true;
	}
	return false;
}

static bool is_over(struct work *w)
{
	w->is_cut_off |= w->spec->has_lifeline && !w->is_cut_off && lifeline_ended();
	/* Who does not want it any more removes it. */
	w->is_cut_off |= !file_exists(w->order_path);
	w->is_stopped |= w->is_cut_off || (w->spec->stop && *w->spec->stop);
	return w->is_stopped;
}

static void trouble(struct work *w, const char *word, const char *text)
{
	w->answer.trouble = word;
	str_clear(&w->text);
	str_add(&w->text, text);
}

/* A job of a GPU holds it while it uses it (worker/gpu_bench.h), so that others build and judge
 * meanwhile; no core of its is timed. */
static bool takes_its_turns(const struct work *w)
{
	AUTO_TASK struct task task = { 0 };
	AUTO_FREE char *dir = path_join(w->bundle, "task");
	struct err ignored = { 0 };
	return !w->order.is_probe && file_is_dir(dir) && task_load(&task, dir, &ignored) == 0 &&
	       language_find(task.language)->is_gpu;
}

/* Wait until nobody else uses the devices. */
static int take_devices(struct work *w, struct device_lock *l)
{
	const uint64_t begin_ns = clock_mono_ns();
	uint64_t tell_ns = begin_ns + FIRST_TOLD_NS;
	struct cpu_list cores = { 0 };
	struct err e = { 0 };
	bool has_gpu = w->order.gpu[0] != 0;
	if (w->takes_turns)
		return 0;
	if (!has_gpu && cpu_usable(&cores, &e) < 0)
		log_warn("%s; no core is locked", e.text);
	while (device_lock_take(l, &cores, w->order.gpu, &e) < 0) {
		if (e.kind != ERR_CONFLICT) {
			log_warn("%s; the job is timed without a lock on its devices", e.text);
			return 0;
		}
		if (is_over(w))
			return -1;
		if (clock_mono_ns() > tell_ns) {
			progress_wait("queue", e.text);
			tell_ns += clock_mono_ns() - begin_ns;
		}
		clock_sleep_ns(LOOK_NS);
	}
	return 0;
}

static int start(struct work *w, struct child **child, struct err *e)
{
	AUTO_FREE char *log_dir = path_join(w->bundle, "log");
	AUTO_FREE char *log_path = path_join(log_dir, "worker.log");
	AUTO_STRV struct strv env = { 0 };
	const struct worker_env wish = { .cache_dir = w->order.cache[0] ? w->order.cache : NULL,
					 .gpu = w->order.gpu };
	worker_env_add(&wish, &env);
	if (w->order.gpu[0] && !w->takes_turns)
		strv_add(&env, "FORGE_DEVICE_HELD=1"); /* by us: take_devices */
	const char *const run[] = { w->self, "run", w->bundle, NULL };
	const char *const probe[] = { w->self, "probe", NULL };
	const struct proc_spec proc = { .argv = w->order.is_probe ? probe : run,
					.env = (const char *const *)env.items,
					.stderr_path = log_path };
	if (dir_make(log_dir, e) < 0 || child_start(child, &proc, e) < 0)
		return -1;
	child_close_stdin(*child);
	return 0;
}

/* The child's lines: of a probe they are the answer, else progress. */
static void pass_on(const struct work *w, const struct str *line, struct str *probed)
{
	if (w->order.is_probe) {
		if (probed->len < MAX_PROBE_BYTES)
			str_addf(probed, "%s\n", line->text);
		return;
	}
	printf("%s\n", line->text);
	fflush(stdout);
}

/* 0: it ended by itself. */
static int attend(struct work *w, struct child *child, struct str *probed)
{
	AUTO_STR struct str line = STR_INIT;
	const uint64_t until_ns =
		clock_mono_ns() + (uint64_t)(w->order.deadline_s * (double)NS_PER_S);
	for (;;) {
		struct err e = { 0 };
		int got = child_read_line(child, &line, LOOK_NS, &e);
		if (got == 0)
			return 0;
		if (got > 0)
			pass_on(w, &line, probed);
		else if (e.kind != ERR_TIMEOUT)
			return trouble(w, "worker_killed", e.text), -1;
		if (is_over(w))
			return -1;
		if (w->order.deadline_s > 0 && clock_mono_ns() > until_ns)
			return trouble(w, "timed_out", "the worker ran past the deadline"), -1;
	}
}

static void tell_end(struct work *w, const struct proc_result *r)
{
	w->answer.exit_code = r->exit_code;
	w->answer.signal = r->signal;
	str_clear(&w->text);
	str_add(&w->text, "worker: ");
	proc_result_describe(r, &w->text);
}

static void keep_probe(struct work *w, const struct str *probed)
{
	AUTO_FREE char *path = path_join(w->bundle, DELIVERY_PROBE);
	struct err e = { 0 };
	if (w->order.is_probe && file_write_text(path, probed->text, &e) < 0)
		trouble(w, "no_space", e.text);
}

/* Whoever follows counts the deadline from here. */
static void tell_begin(const struct work *w)
{
	struct err ignored = { 0 };
	printf("{\"begins\":true}\n");
	fflush(stdout);
	file_write_text(w->works, "", &ignored);
}

static void run_child(struct work *w)
{
	AUTO_CHILD struct child *child = NULL;
	AUTO_STR struct str probed = STR_INIT;
	struct proc_result r = { 0 };
	struct err e = { 0 };
	const uint64_t begin_ns = clock_mono_ns();
	if (start(w, &child, &e) < 0) {
		trouble(w, "unfit", e.text);
		return;
	}
	tell_begin(w);
	int rc = attend(w, child, &probed);
	if (rc < 0 || !child_wait(child, EXIT_WAIT_NS, &r))
		child_stop(child, 0, &r);
	w->answer.work_s = (double)(clock_mono_ns() - begin_ns) * 1e-9;
	if (rc == 0) {
		tell_end(w, &r);
		keep_probe(w, &probed);
	}
}

static void check_room(struct work *w)
{
	struct err e = { 0 };
	if (dir_check_room(w->spec->dir, ROOM_BYTES, &e) < 0)
		trouble(w, "no_space", e.text);
}

/* "<hex>  <path>": what is new or has changed. */
static int list_made(struct work *w, struct err *e)
{
	AUTO_FREE char *scratch = path_join(w->bundle, "work");
	AUTO_STR struct str now = STR_INIT;
	AUTO_STRV struct strv old_lines = { 0 };
	AUTO_STRV struct strv lines = { 0 };
	struct err ignored = { 0 };
	tree_remove(scratch, &ignored);
	if (digest_list(w->bundle, &now, e) < 0)
		return -1;
	strv_split(&old_lines, w->before.text, "\n");
	strv_split(&lines, now.text, "\n");
	for (size_t i = 0; i < lines.nr; i++) {
		const char *line = lines.items[i];
		if (strlen(line) > DIGEST_LIST_PATH && !strv_has(&old_lines, line))
			json_object_set_new(w->answer.files, line + DIGEST_LIST_PATH,
					    json_stringn(line, DIGEST_LIST_PATH - 2));
	}
	return 0;
}

/* Who follows us live need not believe the file. */
static void print_answer(const char *dir)
{
	AUTO_FREE char *path = path_join(dir, DELIVERY_ANSWER);
	struct digest d;
	struct err ignored = { 0 };
	if (digest_file(path, &d, &ignored) < 0)
		return;
	printf("{\"answer\":\"%s\"}\n", d.hex);
	fflush(stdout);
}

static int give_answer(struct work *w)
{
	struct err e = { 0 };
	w->answer.text = w->text.text;
	if (list_made(w, &e) == 0 && answer_save(&w->answer, w->spec->dir, &e) == 0) {
		print_answer(w->spec->dir);
		return DELIVER_ANSWERED;
	}
	log_error("%s", e.text);
	return dir_check_room(w->spec->dir, ROOM_BYTES, &e) < 0 ? DELIVER_NO_ROOM : DELIVER_FAILED;
}

static int leave(struct work *w)
{
	struct err ignored = { 0 };
	log_info("%s: %s", w->spec->dir,
		 w->is_cut_off ? "who ordered is gone; the job is ended and removed"
			       : "stopped by a signal");
	if (w->is_cut_off) {
		tree_remove(w->spec->dir, &ignored);
		/* "." can not be removed by that name; and where a new delivery stands at its
		 * place by now, that one is not empty. */
		rmdir(w->place);
	}
	return DELIVER_STOPPED;
}

static int do_work(struct work *w)
{
	AUTO_DEVICE_LOCK struct device_lock lock = { 0 };
	w->takes_turns = takes_its_turns(w);
	if (take_devices(w, &lock) == 0) {
		check_room(w);
		if (!w->answer.trouble)
			run_child(w);
		if (!w->answer.trouble)
			check_room(w);
	}
	return is_over(w) ? leave(w) : give_answer(w);
}

static int open_work(struct work *w, struct err *e)
{
	AUTO_FREE char *old = path_join(w->spec->dir, DELIVERY_ANSWER);
	struct digest found;
	w->bundle = path_join(w->spec->dir, DELIVERY_BUNDLE);
	w->order_path = path_join(w->spec->dir, DELIVERY_ORDER);
	w->works = path_join(w->spec->dir, DELIVERY_WORKS);
	w->place = realpath(w->spec->dir, NULL);
	if (!w->place)
		return err_errno(e, ERR_INPUT, "open %s", w->spec->dir);
	unlink(old);
	unlink(w->works); /* of one that was killed */
	if (order_load(&w->order, w->spec->dir, e) < 0 ||
	    put_back(w->spec->dir, w->order.bundle, &w->before, e) < 0)
		return -1;
	found = digest_bytes(w->before.text, w->before.len);
	w->answer = (struct answer){ .ask = w->order.ask,
				     .bundle = w->order.bundle,
				     .files = json_object() };
	if (!str_equal(found.hex, w->order.bundle))
		trouble(w, "damaged_bundle",
			"the bundle that arrived is not the one that was sent");
	return 0;
}

static char *own_path(const struct deliver_spec *spec)
{
	AUTO_FREE char *here = path_of_program();
	return spec->worker ? xstrdup(spec->worker) : path_join(here, "forge-worker");
}

static void work_release(struct work *w)
{
	order_release(&w->order);
	json_decref(w->answer.files);
	str_release(&w->before);
	str_release(&w->text);
	free(w->bundle);
	free(w->order_path);
	free(w->works);
	free(w->place);
	free(w->self);
}

int deliver_run(const struct deliver_spec *spec)
{
	struct work w = { .spec = spec, .before = STR_INIT, .text = STR_INIT };
	struct err e = { 0 };
	int code = DELIVER_FAILED;
	w.self = own_path(spec);
	if (open_work(&w, &e) < 0)
		log_error("%s", e.text);
	else
		code = w.answer.trouble ? give_answer(&w) : do_work(&w);
	work_release(&w);
	return code;
}

int deliver_is_whole(const char *dir, bool *is_whole, struct err *e)
{
	AUTO_ORDER struct order order = { 0 };
	AUTO_FREE char *bundle = path_join(dir, DELIVERY_BUNDLE);
	struct digest found;
	if (order_load(&order, dir, e) < 0)
		return -1;
	*is_whole = put_back_can(dir, order.bundle);
	if (*is_whole)
		return 0;
	if (digest_tree(bundle, &found, e) < 0)
		return -1;
	*is_whole = str_equal(found.hex, order.bundle);
	return 0;
}
