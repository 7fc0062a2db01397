#include "cmd/cmd.h"

/* Both report files again, from the log alone. */

#include <stdio.h>

#include "base/err.h"
#include "base/mem.h"
#include "cmd/need_run.h"
#include "cmd/term.h"
#include "report/chain_report.h"
#include "report/report.h"
#include "store/chaindir.h"

static int write_again(const char *dir, struct strv *paths, struct err *e)
{
	if (chaindir_is_chain(dir))
		return chain_report_write(dir, paths, e);
	return need_run(dir, e) < 0 ? -1 : report_write(dir, paths, e);
}

int cmd_report(const struct cmd_call *call, struct err *e)
{
	int code = 0;
	AUTO_STRV struct strv rest = { 0 };
	AUTO_STRV struct strv paths = { 0 };
	const struct opt_table none = { 0 };
	if (!cmd_parse(call, &none, &rest, &code, e))
		return code;
	const char *run_dir = rest.items[0];
	if (write_again(run_dir, &paths, e) < 0)
		return -1;
	for (size_t i = 0; i < paths.nr; i++)
		term_print("wrote %s/%s\n", run_dir, paths.items[i]);
	return 0;
}
