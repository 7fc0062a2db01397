/*
 * forge export: a claim (best/ of a run, wherever it was copied to) as something that others can
 * use. The claim is held first, as `forge verify --no-run` holds it: what does not hold is not
 * exported.
 */
#ifndef FORGE_EXPORT_EXPORT_H
#define FORGE_EXPORT_EXPORT_H

#include <stdbool.h>

#include "base/str.h"

struct err;

enum export_form {
#define FORM(id, language, suffix, needs_run, text) EXPORT_##id,
#include "export/forms.def"
#undef FORM
	EXPORT_NR
};

struct export_spec {
	const char *from; /* a run directory, a best/ folder, or a folder of kernels/ */
	const char *
		to; /* the folder to make; NULL: named after the entry. Of form kernels: kernels/ */
	const char *form;     /* name; NULL: the form that the language is used by */
	bool is_replaced;     /* what stands there and is an export goes */
	bool opens_reference; /* form kernels: a sealed reference lies there in the clear, too */
	bool accept_weak;     /* compile even where no jail can be made */
};

const char *export_form_name(enum export_form form);
const char *export_form_text(enum export_form form);
/* `made` gets the paths of what was made. */
int export_write(const struct export_spec *spec, struct strv *made, struct err *e);

#endif
