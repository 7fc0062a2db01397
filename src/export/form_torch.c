/* Form torch. Only sources travel: PyTorch's own build compiles them on the machine that has it, so
 * what the chain says of them ends at the source. The binding asks for exactly what the kernel was
 * judged for: sizes come from the tensors' shapes where a shape names one alone, else from an
 * argument. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "base/err.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "build/directive.h"
#include "export/code_text.h"
#include "export/dest.h"
#include "export/shipment.h"
#include "export/slots.h"
#include "export/torch_args.h"
#include "model/chain.h"
#include "model/language.h"

static const char *scalar_type(const struct arg *arg)
{
	return dtype_is_float(arg->dtype) ? "double" : "int64_t";
}

static void add_arguments(const struct task *t, struct str *cpp, struct str *py,
			  struct str *signature)
{
	for (size_t i = 0; i < t->nr_args; i++) {
		const struct arg *arg = &t->args[i];
		if (!torch_is_given(arg) && !torch_is_asked(t, arg))
			continue;
		str_addf(signature, "%s%s", signature->len ? ", " : "", arg->name);
		str_addf(py, "pybind11::arg(\"%s\")", arg->name);
		if (torch_is_given(arg))
			str_addf(cpp, "const torch::Tensor &%s, ", arg->name);
		else
			str_addf(cpp, "%s %s, ", scalar_type(arg), arg->name);
		if (!torch_is_given(arg) && arg->value) {
			str_addf(py, " = %s", arg->value);
			str_addf(signature, "=%s", arg->value);
		}
		str_add(py, ", ");
	}
	for (size_t i = 0; i < torch_dims(t)->nr; i++) {
		const char *dim = torch_dims(t)->items[i].name;
		if (!torch_is_untold(t, dim))
			continue;
		str_addf(signature, "%s%s", signature->len ? ", " : "", dim);
		str_addf(py, "pybind11::arg(\"%s\"), ", dim);
		str_addf(cpp, "int64_t %s, ", dim);
	}
	str_add(cpp, "bool unjudged");
	str_addf(signature, "%sunjudged=False", signature->len ? ", " : "");
}

/* Dims that tensors tell, dims that scalars are asked for, and scalars that follow from dims. */
static void add_sizes(const struct task *t, struct str *out)
{
	const struct dims *dims = torch_dims(t);
	for (size_t i = 0; i < dims->nr; i++) {
		AUTO_STR struct str size = STR_INIT;
		if (torch_size(t, dims->items[i].name, &size))
			str_addf(out, "\tconst int64_t %s = %s;\n", dims->items[i].name, size.text);
	}
	for (size_t i = 0; i < t->nr_args; i++) {
		const struct arg *arg = &t->args[i];
		if (arg->role == ARG_SCALAR && arg->value && !torch_is_number(arg->value))
			str_addf(out, "\tconst %s %s = %s;\n", scalar_type(arg), arg->name,
				 arg->value);
	}
}

static void add_extents(const struct arg *arg, struct str *out)
{
	for (size_t k = 0; k < arg->nr_shape; k++)
		str_addf(out, "%s%s", k ? ", " : "", arg->shape[k]);
}

static void add_outputs(const struct task *t, struct str *out)
{
	for (size_t i = 0; i < t->nr_args; i++) {
		const struct arg *arg = &t->args[i];
		if (arg->role != ARG_OUT && arg->role != ARG_WORKSPACE)
			continue;
		str_addf(out, "\tconst torch::Tensor %s = torch::empty({ ", arg->name);
		add_extents(arg, out);
		str_addf(out, " }, at::TensorOptions().dtype(%s).device(device));\n",
			 torch_type(arg->dtype)->at);
	}
}

static void add_checks(const struct task *t, struct str *out)
{
	for (size_t i = 0; i < t->nr_args; i++) {
		const struct arg *arg = &t->args[i];
		if (!torch_is_given(arg))
			continue;
		str_addf(out, "\tcheck(%s, \"%s\", %s, device, { ", arg->name, arg->name,
			 torch_type(arg->dtype)->at);
		add_extents(arg, out);
		str_add(out, " });\n");
	}
}

static void add_values(const struct task *t, struct str *out)
{
	const struct language *language = language_find(t->language);
	for (size_t i = 0; i < t->nr_args; i++) {
		const struct arg *arg = &t->args[i];
		const char *type = language_ctype(language, arg->dtype);
		str_add(out, i ? ", " : "");
		if (arg->role != ARG_SCALAR)
			str_addf(out, "reinterpret_cast<%s%s *>(%s.data_ptr())",
				 arg->role == ARG_IN ? "const " : "", type, arg->name);
		else if (dtype_is_float(arg->dtype) && dtype_bytes(arg->dtype) < 4)
			str_addf(out, "static_cast<%s>(static_cast<float>(%s))", type, arg->name);
		else
			str_addf(out, "static_cast<%s>(%s)", type, arg->name);
	}
}

static void add_return(const struct task *t, struct str *type, struct str *value)
{
	size_t nr = 0;
	for (size_t i = 0; i < t->nr_args; i++)
		if (t->args[i].role == ARG_OUT)
			str_addf(value, "%s%s", nr++ ? ", " : "", t->args[i].name);
	if (nr == 1) {
		str_add(type, "torch::Tensor");
		return;
	}
	AUTO_FREE char *list = xasprintf("std::vector<torch::Tensor>{ %s }", value->text);
	str_add(type, "std::vector<torch::Tensor>");
	str_clear(value);
	str_add(value, list);
}

/* Scalars as the caller gave them: doubles and int64. */
static void add_judged_scalars(const struct task *t, struct str *params, struct str *names)
{
	for (size_t i = 0; i < t->nr_args; i++) {
		const struct arg *arg = &t->args[i];
		if (arg->role != ARG_SCALAR)
			continue;
		str_addf(params, "%s%s %s", params->len ? ", " : "", scalar_type(arg), arg->name);
		str_addf(names, "%s%s", names->len ? ", " : "", arg->name);
	}
}

/* A float is given in double and rounded to its type by the call: compared after that. */
static int add_condition(const struct task *t, const struct shape *s, struct str *out,
			 struct err *e)
{
	const size_t start = out->len;
	for (size_t i = 0; i < t->nr_args; i++) {
		const struct arg *arg = &t->args[i];
		unsigned char bytes[8] = { 0 };
		if (arg->role != ARG_SCALAR)
			continue;
		if (arg_scalar(arg, &s->dims, bytes, e) < 0)
			return -1;
		str_add(out, out->len > start ? " && " : "");
		if (dtype_is_float(arg->dtype))
			str_addf(out, "%s%s == %a", arg->dtype == DTYPE_F64 ? "" : "(float)",
				 arg->name, dtype_load(arg->dtype, bytes, 0));
		else
			str_addf(out, "%s == %lld", arg->name,
				 (long long)dtype_load_int(arg->dtype, bytes, 0));
	}
	str_add(out, out->len > start ? "" : "true");
	return 0;
}

static int add_judged(const struct shipment *s, struct str *out, struct err *e)
{
	for (size_t i = 0; i < s->task.shapes.nr; i++) {
		const struct shape *shape = &s->task.shapes.items[i];
		if (shape->held_out && !s->has_held_out)
			continue;
		str_add(out, "\tif (");
		if (add_condition(&s->task, shape, out, e) < 0)
			return -1;
		str_add(out, ")\n\t\treturn true; /* ");
		code_comment(out, shape->name);
		str_add(out, " */\n");
	}
	return 0;
}

/* ---- Python ---- */

/* "nvcc -O3 --use_fast_math" -> ["-O3", "--use_fast_math"]; only flags that kernels may ask for. */
static int add_python_flags(const struct shipment *s, struct str *out, struct err *e)
{
	const char *build = shipment_fact(s, "build");
	AUTO_DIRECTIVE struct directive d = { 0 };
	const struct verdict v = directive_parse(&d, "", build, s->task.threads);
	if (v.state != VERDICT_NONE)
		return err_set(e, ERR_INPUT, "%s: evidence.json: build \"%.80s\": %s", s->best,
			       build, v.detail);
	str_add_char(out, '[');
	for (size_t i = 0; i < d.flags.nr; i++)
		str_addf(out, "%s\"%s\"", i ? ", " : "", d.flags.items[i]);
	str_add_char(out, ']');
	return 0;
}

/* A task may leave it to the machine; then it is what the claim was compiled for. */
static const char *arch_of(const struct shipment *s)
{
	const json_t *gpu = json_object_get(shipment_machine(s), "gpu");
	return s->task.arch ? s->task.arch : json_text_or(gpu, "arch", "");
}

/* "sm_90a" -> "9.0a". */
static void set_arch(const struct shipment *s, struct slots *slots)
{
	unsigned nr = 0;
	char letter[2] = "";
	const char *arch = arch_of(s);
	if (sscanf(arch, "sm_%u%1[a-z]", &nr, letter) < 1) {
		slots_set(slots, "ARCH", "the device that there is");
		slots_set(slots, "ARCH_CHECK", "");
		slots_set(slots, "TARGET", "{}");
		return;
	}
	slots_set(slots, "ARCH", arch);
	slots_setf(slots, "TARGET", "{\"TORCH_CUDA_ARCH_LIST\": \"%u.%u%s\"}", nr / 10, nr % 10,
		   letter);
	slots_setf(slots, "ARCH_CHECK",
		   "\tTORCH_CHECK(at::cuda::getCurrentDeviceProperties()->major == %u &&\n"
		   "\t\t    at::cuda::getCurrentDeviceProperties()->minor == %u,\n"
		   "\t\t    \"%s was compiled for %s\");\n",
		   nr / 10, nr % 10, s->task.entry, arch);
}

static int set_python(const struct shipment *s, struct slots *slots, struct err *e)
{
	AUTO_STR struct str tensors = STR_INIT;
	AUTO_STR struct str call = STR_INIT;
	AUTO_STR struct str flags = STR_INIT;
	if (torch_example(&s->task, &tensors, &call, e) < 0 || add_python_flags(s, &flags, e) < 0)
		return -1;
	slots_set(slots, "PY_TENSORS", tensors.text);
	slots_set(slots, "PY_CALL", call.text);
	slots_set(slots, "CUDA_FLAGS", flags.text);
	return 0;
}

static void set_binding(const struct task *t, struct slots *slots)
{
	enum {
		ARGUMENTS,
		PY_ARGUMENTS,
		PY_SIGNATURE,
		SIZES,
		OUTPUTS,
		CHECKS,
		VALUES,
		RESULT,
		RETURN,
		JUDGED_PARAMS,
		JUDGED_NAMES,
		PARAMS,
		NR
	};
	static const char *const names[NR] = { "ARGUMENTS",     "PY_ARGUMENTS", "PY_SIGNATURE",
					       "SIZES",         "OUTPUTS",      "CHECKS",
					       "VALUES",        "RESULT",       "RETURN",
					       "JUDGED_PARAMS", "JUDGED_NAMES", "PARAMS" };
	struct str text[NR];
	for (size_t i = 0; i < NR; i++)
		str_init(&text[i]);
	add_arguments(t, &text[ARGUMENTS], &text[PY_ARGUMENTS], &text[PY_SIGNATURE]);
	add_sizes(t, &text[SIZES]);
	add_outputs(t, &text[OUTPUTS]);
	add_checks(t, &text[CHECKS]);
	add_values(t, &text[VALUES]);
	add_return(t, &text[RESULT], &text[RETURN]);
	add_judged_scalars(t, &text[JUDGED_PARAMS], &text[JUDGED_NAMES]);
	code_params(t, &text[PARAMS]);
	for (size_t i = 0; i < NR; i++) {
		slots_set(slots, names[i], text[i].text);
		str_release(&text[i]);
	}
	slots_set(slots, "FIRST", torch_first(t)->name);
}

static int set_slots(const struct shipment *s, struct slots *slots, struct err *e)
{
	AUTO_STR struct str judged = STR_INIT;
	AUTO_STR struct str list = STR_INIT;
	shipment_slots(s, slots);
	set_binding(&s->task, slots);
	set_arch(s, slots);
	if (add_judged(s, &judged, e) < 0 ||
	    code_judged_list(&s->task, s->has_held_out, &list, e) < 0)
		return -1;
	slots_set(slots, "JUDGED", judged.text);
	slots_set(slots, "JUDGED_LIST", list.text);
	return set_python(s, slots, e);
}

/* ---- the folder ---- */

static int put_files(const struct shipment *s, const char *dir, struct err *e)
{
	const char *const rows[][2] = {
		{ chain_link_path(CHAIN_exported), "kernel.cu" },
		{ "evidence.json", "evidence.json" },
		{ "chain.json", "chain.json" },
	};
	AUTO_FREE char *header = path_join(s->kit, "forge/kernel.h");
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO_FREE char *from = shipment_path(s, rows[i][0]);
		if (dest_put(from, dir, rows[i][1], e) < 0)
			return -1;
	}
	return dest_put(header, dir, "include/forge/kernel.h", e);
}

static int put_texts(const struct shipment *s, const struct slots *slots, const char *dir,
		     struct err *e)
{
	AUTO_FREE char *module = xasprintf("forge_%s.py", s->task.entry);
	const char *const rows[][2] = {
		{ "torch/binding.cpp", "binding.cpp" }, { "torch/module.py", module },
		{ "torch/setup.py", "setup.py" },       { "torch/example.py", "example.py" },
		{ "torch/README.md", "README.md" },
	};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO_FREE char *path = path_join(dir, rows[i][1]);
		if (slots_write(slots, rows[i][0], path, e) < 0)
			return -1;
	}
	return 0;
}

int form_torch(const struct shipment *s, const char *dir, struct err *e)
{
	AUTO_SLOTS struct slots slots = { 0 };
	AUTO_STR struct str lines = STR_INIT;
	AUTO_FREE char *sums = path_join(dir, "SHA256SUMS");
	if (!torch_first(&s->task))
		return err_set(e, ERR_INPUT, "%s: form torch needs a tensor that goes in",
			       s->spec->from);
	if (set_slots(s, &slots, e) < 0 || put_files(s, dir, e) < 0 ||
	    put_texts(s, &slots, dir, e) < 0 || digest_list(dir, &lines, e) < 0)
		return -1;
	return file_write_text(sums, lines.text, e);
}
