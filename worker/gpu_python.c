#include "worker/gpu_python.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "model/language.h"
#include "sys/proc.h"
#include "worker/content.h"

static const char program[] = "forge-gpu.py";
static const char library[] = "libforge-gpu.so";

bool gpu_python_is(const struct worker *w, enum party p)
{
	const struct build *b = &w->builds[p];
	return b->nr_so == 1 && str_ends(b->so_paths[0], ".py");
}

bool gpu_python_is_apart(const struct worker *w)
{
	return gpu_python_is(w, PARTY_CANDIDATE) &&
	       !str_equal(w->builds[PARTY_CANDIDATE].source.hex,
			  w->builds[PARTY_REFERENCE].source.hex);
}

static int add_path(const char *dir, const char *name, struct strv *argv, struct err *e)
{
	AUTO_FREE char *path = path_join(dir, name);
	if (!file_exists(path))
		return err_set(e, ERR_SYSTEM, "no %s beside forge-runner in %s", name, dir);
	strv_add(argv, path);
	return 0;
}

int gpu_python_argv(const char *dir, struct strv *argv, struct err *e)
{
	AUTO_FREE char *python = proc_find("python3");
	if (!python)
		return err_set(e, ERR_SYSTEM,
			       "no python3 on the PATH; kernels and references in Python need one "
			       "that has PyTorch");
	strv_add(argv, python);
	strv_add(argv, "-B");
	return add_path(dir, program, argv, e) < 0 ? -1 : add_path(dir, library, argv, e);
}

static void add_scalar(const struct operand *o, struct str *out)
{
	const enum dtype t = o->arg->dtype;
	if (dtype_is_float(t))
		str_addf(out, "%.17g", dtype_load(t, o->scalar_bytes, 0));
	else
		str_addf(out, "%" PRId64, dtype_load_int(t, o->scalar_bytes, 0));
}

static int add_extents(const struct operand *o, const struct dims *dims, struct str *out,
		       struct err *e)
{
	int64_t extent[CONTENT_MAX_RANK];
	if (o->arg->nr_shape > CONTENT_MAX_RANK)
		return err_set(e, ERR_INPUT, "%s has too many axes", o->arg->name);
	if (arg_extents(o->arg, dims, extent, e) < 0)
		return -1;
	for (size_t i = 0; i < o->arg->nr_shape; i++)
		str_addf(out, "%s%" PRId64, i ? "x" : "", extent[i]);
	return 0;
}

int gpu_python_args(const struct footprint *fp, struct str *out, struct err *e)
{
	for (size_t i = 0; i < fp->nr; i++) {
		const struct operand *o = &fp->items[i];
		str_addf(out, "%s%s:%s:%s:", i ? "," : "", o->arg->name,
			 arg_role_name(o->arg->role), dtype_name(o->arg->dtype));
		if (!o->is_tensor)
			add_scalar(o, out);
		else if (add_extents(o, &fp->shape->dims, out, e) < 0)
			return -1;
	}
	return 0;
}

int gpu_python_put(struct worker *w, const struct gpu_side_spec *s, struct verdict *v,
		   struct err *e)
{
	AUTO_STR struct str args = STR_INIT;
	AUTO_FREE char *path = gpu_device_encode(w->builds[s->party].so_paths[0]);
	if (gpu_python_args(s->fp, &args, e) < 0)
		return -1;
	return gpu_device_ask(s->device, w, v, e,
			      "side slot=%s kind=python path=%s entry=" PYTHON_ENTRY " args=%s",
			      s->slot, path, args.text);
}
