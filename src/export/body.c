#include "export/body.h"

/* The library holds the object under another name of its entry, so that no program's own function
 * of that name can take its place. What is mapped stays as it was measured, and that is checked. */

#include <elf.h>
#include <string.h>

#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "build/compile.h"
#include "build/directive.h"
#include "build/import.h"
#include "build/leaf.h"
#include "model/task.h"

static int check_build(const struct build *b, const struct body_spec *s, struct err *e)
{
	if (b->verdict.state != VERDICT_NONE)
		return err_set(e, ERR_CONFLICT, "%s: the %s does not build here: %s: %s", s->source,
			       s->name, reason_name(b->verdict.reason), b->verdict.detail);
	if (str_equal(b->object.hex, s->digest))
		return 0;
	return err_set(e, ERR_CONFLICT,
		       "%s: the %s's code as %s (%s) makes it here is not the code that was "
		       "measured: sha256 %.12s, was %.12s; export on a machine with the compiler "
		       "and the processor of the claim",
		       s->source, s->name, b->flags, b->compiler_version, b->object.hex, s->digest);
}

static int read_imports(struct body *b, struct err *e)
{
	AUTO_LEAF struct leaf leaf;
	if (leaf_load(&leaf, b->object, e) < 0)
		return -1;
	for (size_t i = 0; i < leaf.nr_symbols; i++)
		if (!symbol_is_defined(&leaf.symbols[i]) &&
		    import_kind_of(leaf.symbols[i].name) == IMPORT_THREADS)
			b->has_threads = true;
	return 0;
}

static void add_flags(struct body *b, const struct body_spec *s, const char *build)
{
	AUTO_DIRECTIVE struct directive d = { 0 };
	const struct verdict v = directive_parse(&d, "", build, s->task->threads);
	if (v.state == VERDICT_NONE)
		compile_flags(&d, &b->flags);
}

int body_make(struct body *b, const struct body_spec *s, struct err *e)
{
	*b = (struct body){ 0 };
	AUTO_BUILD struct build build = { 0 };
	const struct build_spec spec = {
		.task = s->task,
		.role = s->role,
		.source_path = s->source,
		.out_dir = s->dir,
		.nr_layouts = 1,
		.default_build = s->role == BUILD_REFERENCE ? s->task->reference_build : NULL,
		.kit_dir = s->kit,
		.accept_weak = s->accept_weak,
	};
	if (dir_make(s->dir, e) < 0 || build_run(&build, &spec, e) < 0)
		return err_wrap(e, "build the %s", s->name);
	if (check_build(&build, s, e) < 0)
		return -1;
	b->object = xasprintf("%s/obj/%s", s->dir, COMPILE_OBJECT_NAME);
	add_flags(b, s, build.flags);
	return read_imports(b, e);
}

void body_release(struct body *b)
{
	free(b->object);
	strv_release(&b->flags);
	*b = (struct body){ 0 };
}

static const struct section *next_mapped(const struct leaf *o, size_t *at)
{
	while (*at < o->nr_sections) {
		const struct section *s = &o->sections[(*at)++];
		if (s->flags & SHF_ALLOC)
			return s;
	}
	return NULL;
}

static bool is_same_section(const struct section *a, const struct section *b)
{
	return str_equal(a->name, b->name) && a->type == b->type && a->flags == b->flags &&
	       a->size == b->size && !a->bytes == !b->bytes &&
	       (!a->bytes || memcmp(a->bytes, b->bytes, a->size) == 0);
}

int body_check_same_code(const char *one, const char *other, struct err *e)
{
	size_t at_a = 0;
	size_t at_b = 0;
	AUTO_LEAF struct leaf a;
	if (leaf_load(&a, one, e) < 0)
		return -1;
	AUTO_LEAF struct leaf b;
	if (leaf_load(&b, other, e) < 0)
		return -1;
	for (;;) {
		const struct section *x = next_mapped(&a, &at_a);
		const struct section *y = next_mapped(&b, &at_b);
		if (!x && !y)
			return 0;
		if (!x || !y || !is_same_section(x, y))
			return err_set(e, ERR_CONFLICT, "%s: section %s is not that of %s", other,
				       y ? y->name : x->name, one);
	}
}
