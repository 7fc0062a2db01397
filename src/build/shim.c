#include "build/shim.h"
/*
 * A separate translation unit that shares nothing with the candidate but the entry's symbol; it
 * uses the compiler's own type names and includes nothing. The entry's name is hidden, so the call
 * binds inside the object.
 */

#include <ctype.h>

#include "base/err.h"
#include "base/str.h"
#include "build/backend.h"
#include "model/task.h"

static bool is_c_name(const char *name)
{
	if (!isalpha((unsigned char)name[0]) && name[0] != '_')
		return false;
	for (const char *p = name; *p; p++) {
		if (!isalnum((unsigned char)*p) && *p != '_')
			return false;
	}
	return true;
}

const char *shim_ctype(enum dtype t, enum build_role role)
{
	return role == BUILD_ORACLE && dtype_is_float(t) ? "double" : dtype_ctype(t);
}

static void param_type(struct str *out, const struct arg *arg, enum build_role role)
{
	const char *type = shim_ctype(arg->dtype, role);
	switch (arg->role) {
	case ARG_SCALAR:
		str_add(out, type);
		return;
	case ARG_IN:
		str_addf(out, "const %s *", type);
		return;
	case ARG_OUT:
	case ARG_INOUT:
	case ARG_WORKSPACE:
		str_addf(out, "%s *", type);
		return;
	}
}

static void param_value(struct str *out, const struct arg *arg, size_t i, enum build_role role)
{
	if (arg->role == ARG_SCALAR)
		str_addf(out, "*(const %s *)args[%zu]", shim_ctype(arg->dtype, role), i);
	else
		str_addf(out, "args[%zu]", i);
}

/* A CUDA entry gets the stream behind its arguments. Its host object registers its device code when
 * it is loaded and asks for a farewell at exit, which nobody needs and which is not libc's to keep.
 */
static bool takes_stream(const struct task *t, enum build_role role)
{
	return str_equal(backend_language(t, role, NULL), "cuda");
}

static const char farewell[] =
	"__attribute__((visibility(\"hidden\"))) int atexit(void (*fn)(void));\n"
	"int atexit(void (*fn)(void))\n{\n\t(void)fn;\n\treturn 0;\n}\n";

int shim_source(const struct task *t, enum build_role role, struct str *out, struct err *e)
{
	const bool has_stream = takes_stream(t, role);
	if (!is_c_name(t->entry) || str_equal(t->entry, SHIM_ENTRY))
		return err_set(e, ERR_INPUT, "entry %s: not a usable C name", t->entry);
	str_add(out, "typedef __INT64_TYPE__ int64_t;\ntypedef __INT32_TYPE__ int32_t;\n"
		     "typedef __INT8_TYPE__ int8_t;\ntypedef __UINT8_TYPE__ uint8_t;\n"
		     "typedef __UINT16_TYPE__ uint16_t;\n");
	/* asm() names the symbol, so that an entry called like a type or keyword cannot hurt. */
	str_add(out, "__attribute__((visibility(\"hidden\"))) void shim_target(");
	for (size_t i = 0; i < t->nr_args; i++) {
		str_add(out, i ? ", " : "");
		param_type(out, &t->args[i], role);
	}
	str_addf(out, "%s) __asm__(\"%s\");\n", has_stream ? ", void *" : "", t->entry);
	const char *head = has_stream ? "void " SHIM_ENTRY "(void *const *args, void *stream)"
				      : "void " SHIM_ENTRY "(void *const *args)";
	str_addf(out, "%s%s;\n%s\n{\n\tshim_target(", has_stream ? farewell : "", head, head);
	for (size_t i = 0; i < t->nr_args; i++) {
		str_add(out, i ? ", " : "");
		param_value(out, &t->args[i], i, role);
	}
	str_addf(out, "%s);\n}\n", has_stream ? ", stream" : "");
	return 0;
}
