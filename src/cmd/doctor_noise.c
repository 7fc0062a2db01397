#include "cmd/doctor_facts.h"

/* The noise floor is what the judge of speed itself says about two copies of one kernel: the
 * template task, timed against itself by a K=2 job. */

#include "base/err.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "cmd/hand.h"
#include "cmd/template.h"
#include "model/noise.h"
#include "report/status.h"
#include "sys/cpu.h"

enum { NOISE_REPLICATES = 2 }; /* a first impression; a run measures its own floor in every job */

static json_t *answer_json(const struct engine_answer *answer)
{
	json_t *obj = json_object();
	const json_t *timing = json_object_get(answer->result.doc, "timing");
	const json_t *null_ns = json_array_get(json_object_get(timing, "null_ns"), 0);
	json_object_set_new(obj, "estimate", estimate_json(&answer->estimate));
	json_object_set_new(obj, "floor", json_number(answer->estimate.floor));
	json_object_set_new(obj, "is_contended", json_boolean(answer->result.is_contended));
	json_object_set_new(obj, "null_rtt_ns",
			    json_is_number(null_ns) ? json_deep_copy(null_ns) : json_null());
	json_object_set_new(obj, "job_s", json_number(answer->result.cost.total_s));
	return obj;
}

static int measure(const char *task, json_t **out, struct err *e)
{
	const struct engine_hand hand = {
		.task_dir = task,
		.kind = JOB_TIME,
		.replicates = NOISE_REPLICATES,
	};
	/* Of this machine, wherever jobs go. */
	const struct engine_host here = { .accept_weak_sandbox = true };
	AUTO_ENGINE_ANSWER struct engine_answer answer = { 0 };
	if (hand_run_on(&here, &hand, &answer, e) < 0)
		return -1;
	if (answer.result.error)
		return err_set(e, ERR_CHILD, "%s", answer.result.error);
	*out = answer_json(&answer);
	return 0;
}

int doctor_noise(json_t **out, struct err *e)
{
	AUTO_TEMP_DIR char *dir = hand_temp_dir("doctor", e);
	if (!dir)
		return -1;
	AUTO_FREE char *task = path_join(dir, "noise");
	if (template_make(task, "template", "noise", e) < 0)
		return -1;
	return measure(task, out, e);
}

json_t *doctor_stored_noise(void)
{
	AUTO_ARENA struct arena a = { 0 };
	struct cpu_info cpu = { 0 };
	char fingerprint[CPU_FINGERPRINT_LEN + 1];
	struct err e = { 0 };
	struct noise n;
	bool is_there = false;
	cpu_read(&cpu);
	cpu_fingerprint(&cpu, fingerprint);
	if (noise_load(&n, fingerprint, &a, &is_there, &e) < 0)
		return json_pack("{ss}", "error", e.text);
	return is_there ? noise_to_json(&n) : json_null();
}
