#include "cmd/cmd.h"

/* The table of released kernels, made or held. */

#include "base/err.h"
#include "base/mem.h"
#include "cmd/term.h"
#include "export/kernels_page.h"

int cmd_kernels(const struct cmd_call *call, struct err *e)
{
	int code = 0;
	bool is_check = false;
	AUTO_STRV struct strv rest = { 0 };
	AUTO_STRV struct strv made = { 0 };
	const struct opt rows[] = {
		{ 0, "check", OPT_FLAG, NULL,
		  "write nothing: is README.md what the evidence gives?", &is_check },
	};
	if (!cmd_parse(call, OPT_TABLE(rows), &rest, &code, e))
		return code;
	const char *dir = rest.nr ? rest.items[0] : KERNELS_DIR;
	if (is_check) {
		if (kernels_page_check(dir, e) < 0)
			return -1;
		term_print("%s/README.md: as the evidence gives it\n", dir);
		return 0;
	}
	if (kernels_page_write(dir, &made, e) < 0)
		return -1;
	term_print("wrote %s\n", made.items[0]);
	return 0;
}
