#include "model/language.h"

/* CUDA's own narrow types are classes of the same size and bits as C's raw ones; pointers to them
 * are what its users write, so a prototype says those. */

#include "base/mem.h"
#include "base/str.h"

static const struct language rows[] = {
#define LANGUAGE(id, name, suffix, build, stream, is_gpu, is_checked)                              \
	{ name, suffix, build, stream, is_gpu, is_checked },
#include "model/languages.def"
#undef LANGUAGE
};

const struct language *language_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (str_equal(rows[i].name, name))
			return &rows[i];
	return NULL;
}

void language_names(bool is_checked, struct str *out)
{
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (rows[i].is_checked || !is_checked)
			str_addf(out, "%s%s", out->len ? " " : "", rows[i].name);
}

bool language_is(const struct language *l, const char *name)
{
	return str_equal(l->name, name);
}

bool language_can_meet(const struct language *kernel, const struct language *reference)
{
	return kernel == reference || (kernel->is_gpu && language_is(reference, "python"));
}

static const char *const cuda_types[DTYPE_NR] = {
	[DTYPE_F16] = "__half",
	[DTYPE_BF16] = "__nv_bfloat16",
	[DTYPE_F8E4M3] = "__nv_fp8_e4m3",
	[DTYPE_F8E5M2] = "__nv_fp8_e5m2",
	[DTYPE_BOOL] = "bool",
};

const char *language_ctype(const struct language *l, enum dtype t)
{
	bool is_cuda = l && language_is(l, "cuda");
	return is_cuda && cuda_types[t] ? cuda_types[t] : dtype_ctype(t);
}
