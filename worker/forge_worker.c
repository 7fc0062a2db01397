/*
 * forge-worker: executes one job bundle on the machine it runs on. It owns the clock and the
 * operands, never loads candidate code, and knows nothing of why it was asked. stdout carries
 * progress lines; the answer is BUNDLE/result.json.
 */

#include <malloc.h>
#include <signal.h>
#include <stdio.h>

#include "base/err.h"
#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/opt.h"
#include "base/str.h"
#include "worker/deliver.h"
#include "worker/machine.h"
#include "worker/pipeline.h"
#include "worker/spool.h"

enum { KEPT_PIECE_BYTES = 32 << 20, KEPT_BYTES = 256 << 20 }; /* the former is glibc's limit */

static const char usage[] =
	"usage: forge-worker run BUNDLE    execute the job of a bundle (docs/format/job.md)\n"
	"       forge-worker probe         print what this machine is and can do, as JSON\n"
	"       forge-worker deliver [--lifeline] [--worker PROGRAM] DIR\n"
	"                                  execute a delivery (docs/format/delivery.md)\n"
	"       forge-worker spool [--once] [--settle S] [--worker PROGRAM] DIR\n"
	"                                  execute the deliveries that appear in DIR\n"
	"       forge-worker --help\n";

static int run_bundle(const char *bundle)
{
	struct err e = { 0 };
	if (pipeline_run(bundle, &e) == 0)
		return 0;
	log_error("%s", e.text);
	return 1;
}

static int probe(void)
{
	AUTO_JSON json_t *machine = machine_probe();
	AUTO_FREE char *text = json_dumps(machine, JSON_INDENT(1) | JSON_SORT_KEYS);
	printf("%s\n", text);
	return 0;
}

/* Answers are copied between timed calls. Giving their memory back each time would cost a page
 * fault for every 4 KiB. */
static void keep_freed_memory(void)
{
	mallopt(M_MMAP_THRESHOLD, KEPT_PIECE_BYTES);
	mallopt(M_TRIM_THRESHOLD, KEPT_BYTES);
}

static volatile sig_atomic_t stop_signal;

static void on_signal(int nr)
{
	stop_signal = nr;
}

static void catch_signals(void)
{
	const struct sigaction action = { .sa_handler = on_signal };
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGHUP, &action, NULL);
}

struct remote_call {
	bool has_lifeline;
	bool is_once;
	double settle_s;
	const char *worker;
};

static int parse(const char *const *argv, struct remote_call *call, struct strv *rest,
		 struct err *e)
{
	const bool is_spool = str_equal(argv[0], "spool");
	const struct opt rows[] = {
		{ 0, "worker", OPT_TEXT, "PROGRAM", "the program that runs bundles; this one",
		  &call->worker },
		{ 0, is_spool ? "once" : "lifeline", OPT_FLAG, NULL, "",
		  is_spool ? &call->is_once : &call->has_lifeline },
		{ 0, "settle", OPT_REAL, "S", "", &call->settle_s },
	};
	const struct opt_table table = { rows, is_spool ? 3 : 2 };
	if (opt_parse(&table, argv, false, rest, e) < 0)
		return -1;
	if (rest->nr == 1)
		return 0;
	return err_set(e, ERR_USAGE, "%s wants one folder", argv[0]);
}

/* By who ordered from elsewhere. */
static int serve(const char *const *argv)
{
	struct remote_call call = { .settle_s = 10 };
	AUTO_STRV struct strv rest = { 0 };
	struct err e = { 0 };
	if (parse(argv, &call, &rest, &e) < 0) {
		log_error("%s", e.text);
		return 64;
	}
	catch_signals();
	const struct deliver_spec deliver = { .dir = rest.items[0],
					      .worker = call.worker,
					      .has_lifeline = call.has_lifeline,
					      .stop = &stop_signal };
	const struct spool_spec spool = { .dir = rest.items[0],
					  .worker = call.worker,
					  .is_once = call.is_once,
					  .settle_ns = (uint64_t)(call.settle_s * 1e9),
					  .stop = &stop_signal };
	if (str_equal(argv[0], "deliver"))
		return deliver_run(&deliver);
	if (spool_serve(&spool, &e) == 0)
		return 0;
	log_error("%s", e.text);
	return 1;
}

int main(int argc, char **argv)
{
	log_set_program("forge-worker");
	signal(SIGPIPE, SIG_IGN);
	keep_freed_memory();
	if (argc == 2 && str_equal(argv[1], "--help")) {
		fputs(usage, stdout);
		return 0;
	}
	if (argc == 2 && str_equal(argv[1], "probe"))
		return probe();
	if (argc == 3 && str_equal(argv[1], "run"))
		return run_bundle(argv[2]);
	if (argc > 2 && (str_equal(argv[1], "deliver") || str_equal(argv[1], "spool")))
		return serve((const char *const *)argv + 1);
	fputs(usage, stderr);
	return 64;
}
