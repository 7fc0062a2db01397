#include "worker/spool.h"

/*
 * A folder that people copy about arrives file by file in any order. A delivery whose digest does
 * not hold may be half of one: it is looked at again until nothing about it has changed for a
 * while. `taken` in a delivery is locked while a worker is at it; two workers may serve one folder.
 */

#include <unistd.h>

#include "base/clock.h"
#include "base/digest.h"
#include "base/err.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/str.h"
#include "model/order.h"
#include "sys/lock.h"
#include "worker/deliver.h"

#define LOOK_NS (200 * NS_PER_MS)
/* Before a delivery that could not be answered (a full disk) is tried again. */
#define RETRY_NS (2 * NS_PER_S)

static bool is_stopped(const struct spool_spec *spec)
{
	return spec->stop && *spec->stop;
}

static bool is_open(const char *dir)
{
	AUTO_FREE char *path = path_join(dir, DELIVERY_ORDER);
	AUTO_FREE char *answer = path_join(dir, DELIVERY_ANSWER);
	AUTO_ORDER struct order order = { 0 };
	struct err ignored = { 0 };
	if (!file_exists(path))
		return false;
	/* An order that can not be read is answered or refused by who tries it. */
	return order_load(&order, dir, &ignored) == 0 ? !answer_is_there(dir, order.ask)
						      : !file_exists(answer);
}

static void digest_now(const char *dir, struct digest *d)
{
	struct err ignored = { 0 };
	if (digest_tree(dir, d, &ignored) < 0)
		*d = (struct digest){ "" };
}

/* Wait while it is still arriving. True: it is whole, or will never be. */
static bool has_settled(const struct spool_spec *spec, const char *dir)
{
	struct digest last = { "" };
	uint64_t since_ns = clock_mono_ns();
	bool is_whole = false;
	while (!is_stopped(spec)) {
		struct err ignored = { 0 };
		struct digest now;
		if (deliver_is_whole(dir, &is_whole, &ignored) == 0 && is_whole)
			return true;
		digest_now(dir, &now);
		if (!str_equal(now.hex, last.hex)) {
			last = now;
			since_ns = clock_mono_ns();
		}
		if (clock_mono_ns() - since_ns >= spec->settle_ns)
			return true;
		clock_sleep_ns(LOOK_NS);
	}
	return false;
}

/* 1: it is ours; 0: another worker is at it; -1: nobody can be. */
static int take_delivery(const struct spool_spec *spec, const char *taken, struct lock *lock,
			 struct err *e)
{
	if (lock_take(lock, taken, e) == 0)
		return 1;
	if (e->kind == ERR_CONFLICT)
		return 0;
	if (spec->is_once)
		return -1;
	log_error("%s", e->text);
	clock_sleep_ns(RETRY_NS);
	return 0;
}

/* 1: something was done; -1: nobody can do it. */
static int serve_one(const struct spool_spec *spec, const char *name, struct err *e)
{
	AUTO_FREE char *dir = path_join(spec->dir, name);
	AUTO_FREE char *taken = path_join(dir, DELIVERY_TAKEN);
	AUTO_LOCK struct lock lock = LOCK_INIT;
	struct err busy = { 0 };
	if (name[0] == '.' || !is_open(dir) || !has_settled(spec, dir))
		return 0;
	int rc = take_delivery(spec, taken, &lock, &busy);
	if (rc < 0)
		*e = busy;
	if (rc <= 0)
		return rc;
	if (!is_open(dir)) {
		unlink(taken);
		return 0;
	}
	log_info("%s: begins", name);
	const struct deliver_spec deliver = { .dir = dir,
					      .worker = spec->worker,
					      .stop = spec->stop };
	int code = deliver_run(&deliver);
	unlink(taken);
	log_info("%s: %s", name, code == DELIVER_ANSWERED ? "answered" : "NOT answered");
	if (code != DELIVER_ANSWERED && !spec->is_once && !is_stopped(spec))
		clock_sleep_ns(RETRY_NS);
	return code == DELIVER_ANSWERED;
}

/* How many were answered; -1: none, and one can not be taken. The others do not wait for that. */
static int serve_all(const struct spool_spec *spec, struct err *e)
{
	AUTO_STRV struct strv names = { 0 };
	bool has_failed = false;
	int nr = 0;
	if (dir_list(spec->dir, &names, e) < 0)
		return -1;
	for (size_t i = 0; i < names.nr && !is_stopped(spec); i++) {
		int rc = serve_one(spec, names.items[i], e);
		has_failed |= rc < 0;
		nr += rc > 0;
	}
	return nr == 0 && has_failed ? -1 : nr;
}

int spool_serve(const struct spool_spec *spec, struct err *e)
{
	if (!file_is_dir(spec->dir))
		return err_set(e, ERR_INPUT,
			       "%s: %s the one that forge fills (its setting SPOOL_DIR)", spec->dir,
			       file_exists(spec->dir)
				       ? "not a folder; name"
				       : "there is no such folder; make it, or name");
	while (!is_stopped(spec)) {
		int nr = serve_all(spec, e);
		if (nr < 0)
			return -1;
		if (nr == 0 && spec->is_once)
			return 0;
		if (nr == 0)
			clock_sleep_ns(LOOK_NS);
	}
	return 0;
}
