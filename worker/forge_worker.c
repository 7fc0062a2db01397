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
#include "base/str.h"
#include "worker/machine.h"
#include "worker/pipeline.h"

enum { KEPT_PIECE_BYTES = 32 << 20, KEPT_BYTES = 256 << 20 }; /* the former is glibc's limit */

static const char usage[] =
	"usage: forge-worker run BUNDLE    execute the job of a bundle (docs/format/job.md)\n"
	"       forge-worker probe         print what this machine is and can do, as JSON\n"
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
	fputs(usage, stderr);
	return 64;
}
