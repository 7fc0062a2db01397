#include "export/features.h"

/* -march=native means the machine that compiles; its macros say what that is. */

#include <string.h>

#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "build/toolbox.h"
#include "sys/proc.h"

enum { MAX_MACROS_BYTES = 1 << 20 };

static const char empty_source[] = "features.c";

static const struct {
	const char *macro;
	const char *name;
} rows[] = {
#define FEATURE(macro, name) { macro, name },
#include "export/features.def"
#undef FEATURE
};

static bool is_defined(const char *macros, const char *macro)
{
	AUTO_FREE char *line = xasprintf("#define %s ", macro);
	const char *at = strstr(macros, line);
	return at && (at == macros || at[-1] == '\n');
}

void features_of_macros(const char *macros, struct strv *names)
{
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (is_defined(macros, rows[i].macro))
			strv_add(names, rows[i].name);
}

int features_of_build(const struct toolbox *t, const struct strv *flags, struct strv *names,
		      struct err *e)
{
	AUTO_STRV struct strv argv = { 0 };
	AUTO_PROC_RESULT struct proc_result r = { 0 };
	AUTO_FREE char *there = path_join(t->src_dir, empty_source);
	strv_add_all(&argv, flags);
	strv_split(&argv, "-dM -E", " ");
	strv_add(&argv, empty_source);
	if ((!file_exists(there) && toolbox_put(t, empty_source, "", 0, e) < 0) ||
	    toolbox_run(t, &argv, MAX_MACROS_BYTES, &r, e) < 0)
		return -1;
	if (!proc_result_is_ok(&r))
		return err_set(e, ERR_CHILD, "%s -dM: %.200s", argv.items[0], r.err.text);
	features_of_macros(r.out.text, names);
	return 0;
}

void features_check(const struct strv *names, struct str *out)
{
	for (size_t i = 0; i < names->nr; i++)
		str_addf(out, "%s__builtin_cpu_supports(\"%s\")", i ? " &&\n\t       " : "",
			 names->items[i]);
	if (!names->nr)
		str_add(out, "1");
}
