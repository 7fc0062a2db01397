#include "export/dest.h"

#include <stdio.h>

#include "base/err.h"
#include "base/mem.h"

struct filling {
	dir_fill_fn fill;
	const void *ctx;
};

/* What forms leave there. */
static bool is_export(const char *place)
{
	static const char *const marks[] = { "chain.json", "evidence/chain.json", "outcome.json" };
	for (size_t i = 0; i < ARRAY_LEN(marks); i++) {
		AUTO_FREE char *path = path_join(place, marks[i]);
		if (file_exists(path))
			return true;
	}
	return false;
}

static int check_place(const char *place, bool is_replaced, struct err *e)
{
	if (!file_exists(place))
		return 0;
	if (!is_export(place))
		return err_set(e, ERR_CONFLICT,
			       "%s: something else stands there; name another place by --to",
			       place);
	if (!is_replaced)
		return err_set(e, ERR_CONFLICT,
			       "%s: an export stands there already; --replace writes it anew",
			       place);
	return 0;
}

static int fill_folder(const void *ctx, const char *dir, struct err *e)
{
	const struct filling *f = ctx;
	return dir_make(dir, e) < 0 ? -1 : f->fill(f->ctx, dir, e);
}

/* The new folder is whole before the old one goes. */
static int replace(const char *place, const struct filling *f, struct err *e)
{
	AUTO_FREE char *fresh = xasprintf("%s.fresh", place);
	AUTO_FREE char *old = xasprintf("%s.old", place);
	if (tree_remove(fresh, e) < 0 || tree_remove(old, e) < 0 ||
	    dir_make_whole(fresh, fill_folder, f, e) < 0)
		return -1;
	if (rename(place, old) < 0 || rename(fresh, place) < 0)
		return err_errno(e, ERR_SYSTEM, "rename %s to %s", fresh, place);
	return tree_remove(old, e);
}

int dest_write(const char *place, bool is_replaced, dir_fill_fn fill, const void *ctx,
	       struct err *e)
{
	const struct filling f = { fill, ctx };
	AUTO_FREE char *parent = path_dir(place);
	if (check_place(place, is_replaced, e) < 0 || dir_make(parent, e) < 0)
		return -1;
	return file_exists(place) ? replace(place, &f, e)
				  : dir_make_whole(place, fill_folder, &f, e);
}

int dest_put(const char *from, const char *dir, const char *name, struct err *e)
{
	AUTO_FREE char *to = path_join(dir, name);
	AUTO_FREE char *folder = path_dir(to);
	return dir_make(folder, e) < 0 ? -1 : file_copy(from, to, e);
}
