#include "export/shipment.h"

/* Everything is held before the first byte is written: chain, samples, and in a run directory the
 * log. */

#include <string.h>

#include "base/err.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/share.h"
#include "base/table.h"
#include "base/untrusted.h"
#include "base/version.h"
#include "build/given.h"
#include "engine/verify.h"
#include "export/slots.h"
#include "report/text.h"
#include "store/rundir.h"
#include "store/seal.h"

enum { MAX_SOURCE_BYTES = 4 << 20, MAX_NAME_BYTES = 200 };

/* include/ of the source tree, or of an installed forge beside its share. */
static char *find_kit(struct err *e)
{
	struct err ignored = { 0 };
	char *kit = share_path("include", &ignored);
	return kit ? kit : share_path("../include", e);
}

/* A sealed reference stays where it is, one that is compiled has no source, and one in another
 * language is no kernel. */
static bool may_ship_reference(const struct shipment *s)
{
	const char *language = s->task.reference_language;
	if (language && !str_equal(language, s->task.language))
		return false;
	struct err ignored = { 0 };
	AUTO_STR struct str text = STR_INIT;
	AUTO_FREE char *path = shipment_path(s, chain_link_path(CHAIN_reference));
	return s->task.reference_is_source &&
	       file_read(path, MAX_SOURCE_BYTES, &text, &ignored) == 0 &&
	       !seal_is_sealed(text.text, text.len) && !given_is_object(&text);
}

static bool has_held_out(const struct state_estimate *est)
{
	for (size_t i = 0; i < est->nr_shapes; i++)
		if (est->shapes[i].held_out)
			return true;
	return false;
}

static int load_run(struct shipment *s, struct err *e)
{
	if (!rundir_is_run(s->spec->from))
		return 0;
	s->run = s->spec->from;
	if (claim_check_run(&s->claim, s->run, e) < 0)
		return -1;
	return run_state_load(&s->state, s->run, e);
}

int shipment_load(struct shipment *s, const struct export_spec *spec, struct err *e)
{
	*s = (struct shipment){ .spec = spec };
	s->best = verify_find(spec->from, e);
	s->kit = s->best ? find_kit(e) : NULL;
	if (!s->kit)
		return -1;
	AUTO_FREE char *task = shipment_path(s, "task");
	if (claim_load(&s->claim, s->best, e) < 0 || load_run(s, e) < 0)
		return err_wrap(e, "nothing is exported: the claim does not hold");
	if (task_load(&s->task, task, e) < 0)
		return -1;
	s->has_reference = may_ship_reference(s);
	s->has_held_out = has_held_out(&s->claim.estimate);
	return 0;
}

void shipment_release(struct shipment *s)
{
	free(s->best);
	free(s->kit);
	claim_release(&s->claim);
	task_release(&s->task);
	run_state_release(&s->state);
}

char *shipment_path(const struct shipment *s, const char *name)
{
	return path_join(s->best, name);
}

const char *shipment_fact(const struct shipment *s, const char *name)
{
	return json_text_or(s->claim.evidence, name, "-");
}

const json_t *shipment_machine(const struct shipment *s)
{
	return json_object_get(s->claim.evidence, "machine");
}

const char *machine_gpu(const json_t *machine)
{
	const json_t *gpu = json_object_get(machine, "gpu");
	return json_is_string(gpu) ? json_string_value(gpu) : json_text_or(gpu, "name", NULL);
}

static void add_agent(struct str *out, const char *role, const char *driver,
		      const struct state_agent *agent)
{
	AUTO_STR struct str text = STR_INIT;
	str_addf(&text, "%s %s", role, driver ? driver : "?");
	if (agent->name)
		str_addf(&text, ": %s %s", agent->name, agent->version ? agent->version : "");
	if (agent->name && agent->model && *agent->model)
		str_addf(&text, ", model %s", agent->model);
	untrusted_line(out, text.text, MAX_NAME_BYTES);
}

/* A released kernel brings it, the best/ of a run does not. */
bool shipment_has_report(const struct shipment *s)
{
	AUTO_FREE char *path = shipment_path(s, "report.md");
	return file_exists(path);
}

void shipment_maker(const struct shipment *s, struct str *out)
{
	if (!s->run) {
		str_addf(out, "an agent of forge; %s says which",
			 shipment_has_report(s) ? "report.md of the claim"
						: "the run that this comes from");
		return;
	}
	add_agent(out, "student", s->state.student, &s->state.student_agent);
	str_add(out, "; ");
	add_agent(out, "teacher", s->state.teacher, &s->state.teacher_agent);
}

void shipment_device(const struct shipment *s, struct str *out)
{
	const json_t *m = shipment_machine(s);
	const char *gpu = machine_gpu(m);
	if (gpu)
		untrusted_line(out, gpu, MAX_NAME_BYTES);
	str_add(out, gpu ? ", " : "");
	untrusted_line(out, json_text_or(m, "cpu", "unknown processor"), MAX_NAME_BYTES);
	str_addf(out, ", %lld cores%s", (long long)json_int_or(m, "cores", 0),
		 json_bool_or(m, "virtual", false) ? ", virtual machine" : "");
}

void shipment_headline(const struct shipment *s, struct str *out)
{
	const struct state_estimate *est = &s->claim.estimate;
	text_speedup(est, out);
	const char *flags = json_text_or(s->claim.evidence, "reference_build", "");
	str_add(out, " over the reference");
	str_add(out, *flags ? " (`" : "");
	untrusted_line(out, flags, MAX_NAME_BYTES);
	str_addf(out, "%s, %s, K=%u, %s", *flags ? "`)" : "", text_call(est), est->replicates,
		 json_bool_or(s->claim.evidence, "confirmed", false)
			 ? "confirmed by a fresh measurement"
			 : "NOT confirmed");
}

void shipment_caveats(const struct shipment *s, struct str *out)
{
	if (!json_bool_or(s->claim.evidence, "confirmed", false))
		str_add(out,
			"- The number is not confirmed: it is the best of many, which flatters "
			"it.\n");
	if (!json_bool_or(s->claim.evidence, "judge_independent", false))
		str_add(out,
			"- The judge was made from the reference: an error in the reference is "
			"an error in the judge, too.\n");
	if (s->claim.estimate.is_contended)
		str_add(out,
			"- The machine was busy while this was measured: intervals are wide.\n");
	if (s->claim.estimate.is_reference_slowed)
		str_add(out,
			"- The reference ran slower beside the kernel than alone: a part of the "
			"gain may not be the kernel's.\n");
}

void shipment_shapes(const struct shipment *s, struct str *out)
{
	AUTO_TABLE struct table t;
	table_init(&t, "lrrrll");
	table_line(&t, "shape\treference\tkernel\tspeed-up\tinterval\tcall");
	for (size_t i = 0; i < s->claim.estimate.nr_shapes; i++)
		text_shape_cells(&s->claim.estimate.shapes[i], &t);
	table_print_markdown(&t, out);
}

static void set_fact(const struct shipment *s, struct slots *slots, const char *slot,
		     const char *name)
{
	AUTO_STR struct str line = STR_INIT;
	untrusted_line(&line, shipment_fact(s, name), MAX_NAME_BYTES);
	slots_set(slots, slot, line.text);
}

void python_versions(const json_t *python, struct str *out)
{
	static const char *const names[] = { "torch", "triton", "cutlass_dsl", "python" };
	const size_t start = out->len;
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		const char *version = json_text_or(python, names[i], NULL);
		if (version)
			str_addf(out, "%s%s %s", out->len > start ? ", " : "", names[i], version);
	}
}

/* A module of Python has no build. */
void shipment_reference_build(const struct shipment *s, struct str *out)
{
	const char *build = shipment_fact(s, "reference_build");
	AUTO_STR struct str versions = STR_INIT;
	AUTO_STR struct str text = STR_INIT;
	python_versions(json_object_get(s->claim.evidence, "python"), &versions);
	if (*build)
		str_add(&text, build);
	else
		str_addf(&text, "nobody: a module of Python%s%s", versions.len ? ", " : "",
			 versions.text);
	untrusted_line(out, text.text, MAX_NAME_BYTES);
}

static void set_reference_build(const struct shipment *s, struct slots *slots)
{
	AUTO_STR struct str text = STR_INIT;
	shipment_reference_build(s, &text);
	const char *quote = *shipment_fact(s, "reference_build") ? "`" : "";
	slots_setf(slots, "REFERENCE_BUILD", "%s%s%s", quote, text.text, quote);
}

void shipment_slots(const struct shipment *s, struct slots *slots)
{
	AUTO_STR struct str maker = STR_INIT;
	AUTO_STR struct str device = STR_INIT;
	AUTO_STR struct str headline = STR_INIT;
	AUTO_STR struct str caveats = STR_INIT;
	AUTO_STR struct str shapes = STR_INIT;
	shipment_maker(s, &maker);
	shipment_device(s, &device);
	shipment_headline(s, &headline);
	shipment_caveats(s, &caveats);
	shipment_shapes(s, &shapes);
	slots_set(slots, "ENTRY", s->task.entry);
	slots_set(slots, "VERSION", FORGE_VERSION);
	slots_set(slots, "HEAD", chain_head(&s->claim.chain));
	set_fact(s, slots, "DATE", "date");
	set_fact(s, slots, "KERNEL_BUILD", "build");
	set_reference_build(s, slots);
	slots_setf(slots, "THREADS", "%u", s->task.threads);
	slots_set(slots, "MAKER", maker.text);
	slots_set(slots, "DEVICE", device.text);
	slots_set(slots, "HEADLINE", headline.text);
	slots_setf(slots, "CAVEATS", "%s%s", caveats.len ? "\n" : "", caveats.text);
	slots_set(slots, "SHAPES", shapes.text);
}
