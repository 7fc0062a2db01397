#include "cmd/cmd.h"

/* A claim as something that others can use. */

#include "base/err.h"
#include "base/mem.h"
#include "cmd/term.h"
#include "export/export.h"

int cmd_export(const struct cmd_call *call, struct err *e)
{
	int code = 0;
	struct export_spec spec = { .accept_weak = true };
	AUTO_STRV struct strv rest = { 0 };
	AUTO_STRV struct strv made = { 0 };
	const struct opt rows[] = {
		{ 0, "to", OPT_TEXT, "DIR", "the folder to make; of form kernels: kernels/",
		  &spec.to },
		{ 0, "form", OPT_TEXT, "FORM",
		  "c, torch, python, review or kernels; by its language without", &spec.form },
		{ 0, "open-reference", OPT_FLAG, NULL,
		  "form kernels: a sealed reference in the clear, for whoever verifies",
		  &spec.opens_reference },
		{ 0, "replace", OPT_FLAG, NULL, "an export that stands there goes",
		  &spec.is_replaced },
	};
	if (!cmd_parse(call, OPT_TABLE(rows), &rest, &code, e))
		return code;
	spec.from = rest.items[0];
	if (export_write(&spec, &made, e) < 0)
		return -1;
	for (size_t i = 0; i < made.nr; i++)
		term_print("wrote %s\n", made.items[i]);
	return 0;
}
