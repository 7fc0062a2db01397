#include "cmd/cmd.h"

/* Is a claim what it says? The chain is held first, without running anything; then the kernel is
 * built, judged and timed again here. Exit codes: docs/man/forge-verify.1. */

#include <stdio.h>

#include "base/err.h"
#include "base/json.h"
#include "base/mem.h"
#include "cmd/hand.h"
#include "cmd/host_pick.h"
#include "cmd/term.h"
#include "engine/verify.h"
#include "report/status.h"
#include "report/text.h"

enum { EXIT_NOT_REPRODUCED = 2, EXIT_OTHER_MACHINE = 3, EXIT_BROKEN = 4 };

struct verify_options {
	struct verify_spec spec;
	bool is_json;
	int64_t k;
};

static int outcome_code(enum verify_outcome outcome)
{
	static const int codes[] = {
		[VERIFY_CHAIN_HOLDS] = 0,
		[VERIFY_REPRODUCED] = 0,
		[VERIFY_NOT_REPRODUCED] = EXIT_NOT_REPRODUCED,
		[VERIFY_OTHER_MACHINE] = EXIT_OTHER_MACHINE,
		[VERIFY_BROKEN] = EXIT_BROKEN,
	};
	return codes[outcome];
}

static void print_estimate(const char *label, const struct state_estimate *est, const char *when)
{
	AUTO_STR struct str text = STR_INIT;
	if (!est->call)
		return;
	text_speedup(est, &text);
	term_print("  %-9s%s over the reference, %s, K=%u, noise floor %.2f %%, %s\n", label,
		   text.text, text_call(est), est->replicates, 100 * est->floor, when);
}

static void print_answer(const char *dir, const struct verify_answer *a)
{
	term_print("%s: %s: %s\n", dir, verify_outcome_name(a->outcome), a->why.text);
	print_estimate("claimed", &a->claimed, a->date);
	print_estimate("measured", &a->measured, "now");
	if (a->claimed.call && !a->is_confirmed)
		term_print("  the claim is not confirmed: it is the best of many, which flatters "
			   "it\n");
	if (a->claimed.call)
		term_print("  chain    %.16s, %s%.16s\n", a->head,
			   a->signer.len ? "signed by " : "not signed", a->signer.text);
	for (size_t i = 0; i < a->notes.nr; i++)
		term_print("  note: %s\n", a->notes.items[i]);
}

static json_t *answer_json(const struct verify_answer *a)
{
	json_t *notes = json_array();
	for (size_t i = 0; i < a->notes.nr; i++)
		json_array_append_new(notes, json_string(a->notes.items[i]));
	bool is_judged = a->verdict.state != VERDICT_NONE;
	return json_pack("{s:i, s:s, s:s, s:s?, s:s?, s:b, s:o, s:o, s:o, s:s, s:o}", "version", 1,
			 "outcome", verify_outcome_name(a->outcome), "why", a->why.text, "task",
			 a->task, "chain", a->head, "confirmed", a->is_confirmed, "claimed",
			 estimate_json(&a->claimed), "measured", estimate_json(&a->measured),
			 "verdict", is_judged ? verdict_to_json(&a->verdict) : json_null(),
			 "signed_by", a->signer.text, "notes", notes);
}

static int run(const struct verify_options *o, struct verify_answer *a, struct err *e)
{
	struct engine_host host = { .accept_weak_sandbox = true };
	if (host_pick(&host, e) < 0)
		return -1;
	const struct engine_hooks hooks = { .stop_signal = stop_signal_install() };
	return verify_claim(&o->spec, &host, &hooks, a, e);
}

int cmd_verify(const struct cmd_call *call, struct err *e)
{
	int code = 0;
	struct verify_options o = { 0 };
	const struct opt rows[] = {
		{ 0, "key", OPT_TEXT, "FILE", "it must be signed by this public key",
		  &o.spec.public_key },
		{ 0, "no-run", OPT_FLAG, NULL, "hold the chain only, measure nothing",
		  &o.spec.is_chain_only },
		{ 'k', NULL, OPT_COUNT, "8|16", "replicates; as many as the claim", &o.k },
		{ 0, "json", OPT_FLAG, NULL, "one JSON object", &o.is_json },
	};
	AUTO_STRV struct strv rest = { 0 };
	if (!cmd_parse(call, OPT_TABLE(rows), &rest, &code, e))
		return code;
	/* K=2 decides nothing, so it can not reproduce a decision. */
	if (o.k != 0 && o.k != 8 && o.k != 16)
		return err_set(e, ERR_USAGE, "verify: -k is 8 or 16, not %lld", (long long)o.k);
	o.spec.dir = rest.items[0];
	o.spec.replicates = (unsigned)o.k;
	AUTO_VERIFY_ANSWER struct verify_answer a = { .why = STR_INIT, .signer = STR_INIT };
	if (run(&o, &a, e) < 0)
		return -1;
	AUTO_JSON json_t *json = answer_json(&a);
	if (o.is_json)
		hand_print_json(json);
	else
		print_answer(o.spec.dir, &a);
	return outcome_code(a.outcome);
}
