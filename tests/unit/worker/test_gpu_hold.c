#include "worker/gpu_bench.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/digest.h"
#include "base/err.h"
#include "base/file.h"
#include "bundle.h"
#include "model/order.h"
#include "sys/cpu.h"
#include "worker/deliver.h"

static const struct cpu_list no_core = { 0 };

/* A device of this process alone. */
static char *make_device(void)
{
	char *name = xasprintf("test-%ld", (long)getpid());
	setenv("CUDA_VISIBLE_DEVICES", name, 1);
	return name;
}

static void forget_device(const char *name)
{
	AUTO_FREE char *path = xasprintf("/tmp/forge-device-gpu-%s.lock", name);
	unlink(path);
}

static bool is_free(const char *name)
{
	AUTO_DEVICE_LOCK struct device_lock other = { 0 };
	struct err ignored = { 0 };
	return device_lock_take(&other, &no_core, name, &ignored) == 0;
}

TEST(a_device_is_held_while_it_is_used_and_not_between)
{
	struct err e = { 0 };
	AUTO_FREE char *name = make_device();
	struct worker w = { .deadline_ns = clock_mono_ns() + 20 * NS_PER_S };
	CHECK(gpu_bench_of(&w) != NULL && is_free(name));
	CHECK_OK(gpu_bench_hold(&w, &e));
	CHECK_OK(gpu_bench_hold(&w, &e));
	CHECK(!is_free(name));
	gpu_bench_let_go(&w);
	CHECK(!is_free(name));
	gpu_bench_let_go(&w);
	CHECK(is_free(name));
	gpu_bench_free(&w.gpu);
	forget_device(name);
}

TEST(a_device_that_is_lent_is_free_until_it_is_taken_back)
{
	struct err e = { 0 };
	AUTO_FREE char *name = make_device();
	AUTO_DEVICE_LOCK struct device_lock other = { 0 };
	struct worker w = { .deadline_ns = clock_mono_ns() + 20 * NS_PER_S };
	CHECK_OK(gpu_bench_hold(&w, &e));
	gpu_bench_lend(&w);
	CHECK(is_free(name));
	CHECK_OK(gpu_bench_take_back(&w, &e));
	CHECK(!is_free(name));
	gpu_bench_lend(&w);
	CHECK_OK(device_lock_take(&other, &no_core, name, &e));
	w.deadline_ns = clock_mono_ns() + NS_PER_S / 5;
	CHECK(gpu_bench_take_back(&w, &e) < 0);
	gpu_bench_let_go(&w);
	CHECK(!is_free(name));
	gpu_bench_free(&w.gpu);
	forget_device(name);
}

TEST(who_waits_for_a_device_gives_up_at_its_deadline)
{
	struct err e = { 0 };
	AUTO_FREE char *name = make_device();
	struct worker w = { .deadline_ns = clock_mono_ns() + 200 * NS_PER_MS };
	AUTO_DEVICE_LOCK struct device_lock other = { 0 };
	CHECK_OK(device_lock_take(&other, &no_core, name, &e));
	CHECK(gpu_bench_hold(&w, &e) < 0 && e.kind == ERR_TIMEOUT);
	CHECK(w.gpu->nr_holds == 0 && w.spent.wait_ns >= 100 * NS_PER_MS);
	gpu_bench_free(&w.gpu);
	forget_device(name);
}

/* A delivery whose worker is a script that writes down its environment. */
static void make_delivery(const char *dir, const char *task, const char *gpu)
{
	struct err e = { 0 };
	AUTO_FREE char *bundle = path_join(dir, DELIVERY_BUNDLE);
	AUTO_FREE char *to = path_join(bundle, "task");
	AUTO_FREE char *worker = path_join(dir, "worker");
	struct digest digest;
	CHECK_OK(dir_make(bundle, &e));
	CHECK_OK(tree_copy(task, to, &e));
	CHECK_OK(digest_tree(bundle, &digest, &e));
	CHECK_OK(file_write_text(worker, "#!/bin/sh\nenv > \"$2/environment\"\n", &e));
	CHECK(chmod(worker, 0755) == 0);
	const struct order order = {
		.bundle = digest.hex, .gpu = gpu, .cache = "", .deadline_s = 20
	};
	CHECK_OK(order_save(&order, dir, &e));
}

TEST(a_delivery_for_a_gpu_begins_while_another_job_holds_it)
{
	struct err e = { 0 };
	AUTO_FREE char *name = make_device();
	char dir[] = "/tmp/forge-test-XXXXXX";
	CHECK(mkdtemp(dir));
	AUTO_FREE char *worker = path_join(dir, "worker");
	AUTO_FREE char *told = path_join(dir, DELIVERY_BUNDLE "/environment");
	AUTO_STR struct str text = STR_INIT;
	AUTO_DEVICE_LOCK struct device_lock other = { 0 };
	make_delivery(dir, "tasks/gpu/softmax", name);
	CHECK_OK(device_lock_take(&other, &no_core, name, &e));
	const struct deliver_spec spec = { .dir = dir, .worker = worker };
	CHECK(deliver_run(&spec) == DELIVER_ANSWERED);
	CHECK_OK(file_read(told, 1 << 20, &text, &e));
	CHECK(strstr(text.text, "CUDA_VISIBLE_DEVICES=test-") != NULL);
	CHECK(strstr(text.text, "FORGE_DEVICE_HELD") == NULL);
	CHECK_OK(tree_remove(dir, &e));
	forget_device(name);
}

/* Several of them beside each other would share that core, with all that they start. */
TEST(a_worker_of_a_gpu_leaves_the_core_from_which_it_asked_the_judge)
{
	struct err e = { 0 };
	struct worker w = { .bundle = "" };
	struct cpu_list now = { 0 };
	CHECK_OK(task_load(&w.task, "tasks/gpu/softmax", &e));
	CHECK_OK(cpu_usable(&w.cpus, &e));
	CHECK_OK(cpu_pin(w.cpus.ids[w.cpus.nr - 1], &e));
	CHECK_OK(worker_pin(&w, &e));
	CHECK_OK(cpu_usable(&now, &e));
	CHECK_INT(now.nr, w.cpus.nr);
	task_release(&w.task);
}

TEST_MAIN()
