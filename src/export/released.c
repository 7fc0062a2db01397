#include "export/released.h"

/* The machine is told by the run, the libraries of a reference in Python by the evidence. */

#include <stdlib.h>

#include "base/err.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/untrusted.h"
#include "export/shipment.h"
#include "model/task.h"

enum { MAX_WORDS_BYTES = 320, COMPARISON_VERSION = 1 };

void released_release(struct released *r)
{
	free(r->place);
	free(r->group);
	free(r->reference);
	claim_release(&r->claim);
	if (r->has_result)
		result_release(&r->result);
	json_decref(r->comparison);
	json_decref(r->outcome);
}

static const char *digest_of(const struct released *r, const char *name)
{
	return json_text_or(json_object_get(r->claim.evidence, "digests"), name, "");
}

static const json_t *document(const struct released *r)
{
	return r->outcome ? r->outcome : r->claim.evidence;
}

/* A run notes the GPU of its machine whatever its kernels run on. */
const char *released_gpu(const struct released *r)
{
	bool is_cpu = r->outcome && str_equal(json_text_or(r->outcome, "language", "c"), "c");
	return is_cpu ? NULL : machine_gpu(json_object_get(document(r), "machine"));
}

const char *released_date(const struct released *r)
{
	return json_text_or(document(r), "date", "?");
}

static int load_comparison(struct released *r, const char *dir, struct err *e)
{
	AUTO_FREE char *path = path_join(dir, "comparison.json");
	if (!file_exists(path))
		return 0;
	r->comparison = json_read_file(path, e);
	if (!r->comparison)
		return -1;
	if (json_int_or(r->comparison, "version", 0) != COMPARISON_VERSION)
		return err_set(e, ERR_INPUT, "%s: not of version %d", path, COMPARISON_VERSION);
	if (str_equal(json_text_or(r->comparison, "source", ""), digest_of(r, "source")))
		return 0;
	return err_set(e, ERR_CONFLICT,
		       "%s: it is about another kernel than kernel.c; remove it or compare again",
		       path);
}

static void name_reference(struct released *r, const char *dir)
{
	AUTO_TASK struct task t = { 0 };
	AUTO_FREE char *task = path_join(dir, "task");
	struct err ignored = { 0 };
	if (task_load(&t, task, &ignored) == 0 && t.reference_run)
		r->reference = xstrdup(path_base(t.reference_run));
}

static void note_reference(struct released *r, const char *dir)
{
	AUTO_FREE char *path = NULL;
	r->is_sealed = claim_reference_find(dir, &path) == CLAIM_REFERENCE_SEALED;
	name_reference(r, dir);
}

int released_load_claim(struct released *r, const char *dir, struct err *e)
{
	struct err ignored = { 0 };
	if (claim_load(&r->claim, dir, e) < 0)
		return err_wrap(e, "%s: the claim does not hold", r->place);
	if (load_comparison(r, dir, e) < 0)
		return -1;
	note_reference(r, dir);
	r->has_result = result_load(&r->result, dir, &ignored) == 0;
	if (!r->has_result)
		result_release(&r->result);
	return 0;
}

int released_load_outcome(struct released *r, const char *path, struct err *e)
{
	AUTO_FREE char *dir = path_dir(path);
	r->outcome = json_read_file(path, e);
	name_reference(r, dir);
	return r->outcome ? 0 : -1;
}

/* Drivers name the newest CUDA that they know: 13000. A claim has it in `gpu`, what a probe said of
 * a machine in its facts. */
static void add_gpu(const json_t *m, const char *gpu, struct str *out)
{
	const json_t *facts = json_object_get(json_object_get(m, "gpu_facts"), "device");
	const int64_t driver =
		json_int_or(json_object_get(m, "gpu"), "driver", json_int_or(facts, "driver", 0));
	untrusted_line(out, gpu, MAX_WORDS_BYTES);
	if (driver > 0)
		str_addf(out, ", driver of CUDA %lld.%lld", (long long)driver / 1000,
			 (long long)driver % 1000 / 10);
	str_add(out, "; host ");
}

/* The name is what the processor says of itself, which several models may share: so what tells
 * machines apart is said, too. */
void released_machine(const struct released *r, struct str *out)
{
	const json_t *m = json_object_get(document(r), "machine");
	const char *gpu = released_gpu(r);
	if (gpu)
		add_gpu(m, gpu, out);
	untrusted_line(out, json_text_or(m, "cpu", "unknown processor"), MAX_WORDS_BYTES);
	str_addf(out, ", family %lld model %lld, %lld cores%s, last cache %lld MiB, isa ",
		 (long long)json_int_or(m, "family", 0), (long long)json_int_or(m, "model_nr", 0),
		 (long long)json_int_or(m, "cores", 0),
		 json_bool_or(m, "virtual", false) ? " (virtual machine)" : "",
		 (long long)json_int_or(m, "l3_bytes", 0) >> 20);
	untrusted_line(out, json_text_or(m, "isa", "?"), MAX_WORDS_BYTES);
}

/* The modules that a reference in Python uses; NULL: it is none. */
static const json_t *python_of(const struct released *r)
{
	const json_t *facts = json_object_get(json_object_get(r->outcome, "machine"), "gpu_facts");
	if (!r->outcome)
		return json_object_get(r->claim.evidence, "python");
	return r->reference && str_ends(r->reference, ".py") ? json_object_get(facts, "python")
							     : NULL;
}

static const char *build_of(const struct released *r)
{
	return json_text_or(r->claim.evidence, "reference_build", "");
}

/* Of a GPU: windows of the reference held its host code, for it could not be captured as a graph.
 * Results of before 2026-12 do not say whose did; "direct-turns" is a module's as candidate. */
static bool is_direct(const struct released *r)
{
	const json_t *timing = json_object_get(r->has_result ? r->result.doc : NULL, "timing");
	const json_t *direct = json_object_get(timing, "direct");
	for (size_t i = 0; i < json_array_size(direct); i++)
		if (str_equal(json_string_value(json_array_get(direct, i)), "reference"))
			return true;
	return !direct && str_equal(json_text_or(timing, "method", ""), "direct");
}

/* A module of Python has no build, but a name. */
void released_reference(const struct released *r, struct str *out)
{
	const char *how = *build_of(r) ? build_of(r) : python_of(r) ? r->reference : NULL;
	str_add(out, "the reference");
	if (how)
		str_addf(out, ", `%s`", how);
	if (is_direct(r))
		str_add(out, ", launched inside of windows: the host's time counts");
}

void released_version(const struct released *r, struct str *out)
{
	const json_t *build = json_object_get(json_object_get(r->result.doc, "build"), "reference");
	const size_t start = out->len;
	if (!*build_of(r))
		python_versions(python_of(r), out);
	if (out->len == start)
		str_add(out, r->has_result ? json_text_or(build, "compiler", "-") : "-");
}
