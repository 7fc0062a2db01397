#include "tuner/kernel.h"

/* Which flags may be asked for is the builder's to say; here only the form is looked at, so that
 * nothing but words starting with '-' gets into the directive. */

#include <ctype.h>
#include <string.h>

#include "base/err.h"
#include "tuner/row.h"

static bool is_flag(const char *text)
{
	if (text[0] != '-' || !text[1])
		return false;
	for (const char *c = text; *c; c++)
		if (!isalnum((unsigned char)*c) && !strchr("-=+._", *c))
			return false;
	return true;
}

int row_build(struct kernel *k, const struct row *row, struct err *e)
{
	const char *cc = row_get(row, "cc");
	AUTO_STRV struct strv flags = { 0 };
	bool is_gcc = strcmp(cc, "gcc") == 0;
	if (!is_gcc && strcmp(cc, "clang") != 0)
		return err_set(e, ERR_INPUT, "%s is no compiler that is known here", cc);
	strv_split(&flags, row_get(row, "flags"), ",");
	for (size_t i = 0; i < flags.nr; i++)
		if (!is_flag(flags.items[i]))
			return err_set(e, ERR_INPUT, "%s is no flag", flags.items[i]);
	strv_release(&k->flags);
	k->flags = flags;
	flags = (struct strv){ 0 };
	k->cc = is_gcc ? "gcc" : "clang";
	return 0;
}
