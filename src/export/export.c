#include "export/export.h"

/* Which form, whether it fits, where it goes. */

#include <ctype.h>
#include <string.h>

#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "export/kernels_page.h"
#include "export/lost.h"
#include "export/dest.h"
#include "export/shipment.h"

typedef int (*form_fn)(const struct shipment *s, const char *dir, struct err *e);

static const struct form {
	const char *name;
	const char *language;
	const char *suffix;
	bool needs_run;
	const char *text;
	form_fn fill;
} forms[EXPORT_NR] = {
#define FORM(id, language, suffix, needs_run, text)                                                \
	[EXPORT_##id] = { #id, language, suffix, needs_run, text, form_##id },
#include "export/forms.def"
#undef FORM
};

const char *export_form_name(enum export_form form)
{
	return forms[form].name;
}

const char *export_form_text(enum export_form form)
{
	return forms[form].text;
}

static const struct form *form_named(const char *name, struct err *e)
{
	AUTO_STR struct str known = STR_INIT;
	for (size_t i = 0; i < ARRAY_LEN(forms); i++) {
		if (str_equal(forms[i].name, name))
			return &forms[i];
		str_addf(&known, "%s%s", i ? ", " : "", forms[i].name);
	}
	err_set(e, ERR_USAGE, "export: no form '%s'; there are %s", name, known.text);
	return NULL;
}

static const struct form *form_of_language(const struct shipment *s, struct err *e)
{
	for (size_t i = 0; i < ARRAY_LEN(forms); i++)
		if (str_equal(forms[i].language, s->task.language))
			return &forms[i];
	err_set(e, ERR_INPUT, "%s: kernels of language %s have no form of their own; name one",
		s->spec->from, s->task.language);
	return NULL;
}

static int check_form(const struct shipment *s, const struct form *f, struct err *e)
{
	if (*f->language && !str_equal(f->language, s->task.language))
		return err_set(e, ERR_USAGE,
			       "export: form %s is for kernels of language %s, and "
			       "this one is %s",
			       f->name, f->language, s->task.language);
	if (f->needs_run && !s->run)
		return err_set(e, ERR_USAGE,
			       "export: form %s needs the run directory, not only its best/: %s",
			       f->name, s->spec->from);
	if (s->spec->opens_reference && f != &forms[EXPORT_kernels])
		return err_set(e, ERR_USAGE, "export: --open-reference is for form kernels");
	return 0;
}

static bool is_c_name(const char *name)
{
	bool is_ok = isalpha((unsigned char)name[0]) || name[0] == '_';
	for (const char *at = name; *at; at++)
		is_ok = is_ok && (isalnum((unsigned char)*at) || *at == '_');
	return is_ok;
}

/* They become parts of paths and of programs. */
static int check_names(const struct shipment *s, struct err *e)
{
	const struct task *t = &s->task;
	const char *bad = is_c_name(t->entry) ? NULL : t->entry;
	for (size_t i = 0; i < t->nr_args; i++)
		bad = is_c_name(t->args[i].name) ? bad : t->args[i].name;
	if (!bad)
		return 0;
	return err_set(e, ERR_INPUT, "%s: \"%.40s\" is not a name of C", s->spec->from, bad);
}

/* Where the folder goes; yours. */
static char *place_of(const struct shipment *s, const struct form *f)
{
	if (f->needs_run)
		return kernels_place(s->spec->to ? s->spec->to : KERNELS_DIR, s->task.language,
				     shipment_machine(s), s->task.name);
	char *place =
		s->spec->to ? xstrdup(s->spec->to) : xasprintf("%s%s", s->task.entry, f->suffix);
	for (size_t len = strlen(place); len > 1 && place[len - 1] == '/'; len--)
		place[len - 1] = 0;
	return place;
}

/* A tar that is in the way of a review's. */
static int check_tar(const struct shipment *s, const char *place, struct err *e)
{
	AUTO_FREE char *tar = xasprintf("%s.tar", place);
	if (s->spec->is_replaced || !file_exists(tar))
		return 0;
	return err_set(e, ERR_CONFLICT, "%s: it stands there already; --replace writes it anew",
		       tar);
}

struct filling {
	const struct shipment *s;
	const struct form *f;
};

static int fill(const void *ctx, const char *dir, struct err *e)
{
	const struct filling *filling = ctx;
	return filling->f->fill(filling->s, dir, e);
}

static int write_folder(const struct shipment *s, const struct form *f, const char *place,
			struct err *e)
{
	const struct filling filling = { s, f };
	if (f == &forms[EXPORT_review] && check_tar(s, place, e) < 0)
		return -1;
	return dest_write(place, s->spec->is_replaced, fill, &filling, e);
}

/* What stands beside the folder. */
static int finish(const struct shipment *s, const struct form *f, const char *place,
		  struct strv *made, struct err *e)
{
	strv_add(made, place);
	if (f == &forms[EXPORT_review])
		return form_review_tar(place, made, e);
	if (f == &forms[EXPORT_kernels])
		return kernels_page_write(s->spec->to ? s->spec->to : KERNELS_DIR, made, e);
	return 0;
}

int export_write(const struct export_spec *spec, struct strv *made, struct err *e)
{
	AUTO_SHIPMENT struct shipment s = { 0 };
	const struct form *f = spec->form ? form_named(spec->form, e) : NULL;
	if (spec->form && !f)
		return -1;
	const int is_lost = f == &forms[EXPORT_kernels] ? lost_check(spec->from, e) : 0;
	if (is_lost != 0)
		return is_lost < 0 ? -1 : lost_write(spec, made, e);
	if (shipment_load(&s, spec, e) < 0)
		return -1;
	f = f ? f : form_of_language(&s, e);
	if (!f || check_form(&s, f, e) < 0 || check_names(&s, e) < 0)
		return -1;
	AUTO_FREE char *place = place_of(&s, f);
	if (write_folder(&s, f, place, e) < 0)
		return -1;
	return finish(&s, f, place, made, e);
}
