#include "cmd/kb_in.h"

/* The verbs that run probes: certify, add, review. */

#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "cmd/check_text.h"
#include "cmd/hand.h"
#include "cmd/need_run.h"
#include "cmd/term.h"
#include "know/queue.h"
#include "store/rundir.h"

static void date_now(char out[32])
{
	clock_format_wall(clock_wall_ns(), out);
}

static void add_bounds(const json_t *claim, struct str *out)
{
	const json_t *low = json_object_get(claim, "low");
	const json_t *high = json_object_get(claim, "high");
	if (json_is_number(low) && json_is_number(high))
		str_addf(out, "%g to %g", json_number_value(low), json_number_value(high));
	else if (json_is_number(low))
		str_addf(out, "at least %g", json_number_value(low));
	else
		str_addf(out, "at most %g", json_number_value(high));
}

void kb_add_claims(const json_t *certificate, struct str *out)
{
	size_t i;
	json_t *one;
	str_add(out, json_text_or(certificate, "why", ""));
	json_array_foreach(json_object_get(certificate, "claims"), i, one)
	{
		str_addf(out, "%s%s %.4g %s (%s", i ? "; " : "", json_text_or(one, "value", ""),
			 json_real_or(one, "measured", 0), json_text_or(one, "unit", ""),
			 json_bool_or(one, "holds", false) ? "claimed: " : "does not hold: ");
		add_bounds(one, out);
		str_add(out, ")");
	}
}

/* What came of one lesson. */
struct tally {
	json_t *list; /* with --json */
	size_t nr_certified;
	size_t nr_bad;
	size_t nr_not_applicable;
};

static void tell(const struct kb_call *c, struct tally *t, const char *id,
		 const json_t *certificate, const struct err *why)
{
	AUTO_STR struct str said = STR_INIT;
	const char *state = certificate ? json_text_or(certificate, "state", "") : "error";
	if (certificate)
		kb_add_claims(certificate, &said);
	else
		str_add(&said, why->text);
	json_array_append_new(t->list, json_pack("{s:s, s:s, s:s, s:O?}", "id", id, "state", state,
						 "text", said.text, "certificate", certificate));
	if (!c->is_json)
		term_print("%-14s  %s: %s\n", state, id, said.text);
}

static int certify_one(struct kb_call *c, const struct kb_entry *entry, struct tally *t,
		       struct err *e)
{
	char date[32];
	struct err why = { 0 };
	date_now(date);
	AUTO_JSON json_t *made =
		certify(&entry->lesson, &c->place.device, date, &c->place.probes, &why);
	if (*c->place.stop)
		return err_set(e, ERR_CHILD, "stopped; certificates written so far stay");
	if (made && cert_put(&entry->lesson, made, e) < 0)
		return err_wrap(e,
				"keep the certificate of %s (a base that may not be written: copy "
				"it, and name the copy by FORGE_KB)",
				entry->lesson.id);
	if (made && certify_state(made) == LESSON_certified)
		t->nr_certified++;
	else if (made && certify_state(made) == LESSON_not_applicable)
		t->nr_not_applicable++;
	else
		t->nr_bad++;
	tell(c, t, entry->lesson.id, made, &why);
	return 0;
}

/* Lessons about other devices have no certificate of this one. */
static void pass_over(const struct kb_call *c, const struct kb_entry *entry, struct tally *t)
{
	AUTO_STR struct str why = STR_INIT;
	kb_state(entry, &c->place.device, &why);
	const struct err said = { .kind = ERR_NONE };
	AUTO_JSON json_t *none = json_pack(
		"{s:s, s:s}", "state", lesson_state_name(LESSON_not_applicable), "why", why.text);
	t->nr_not_applicable++;
	tell(c, t, entry->lesson.id, none, &said);
}

static int certify_or_pass(struct kb_call *c, const struct kb_entry *entry, struct tally *t,
			   struct err *e)
{
	if (lesson_is_about(&entry->lesson, &c->place.device))
		return certify_one(c, entry, t, e);
	pass_over(c, entry, t);
	return 0;
}

static int certify_chosen(struct kb_call *c, struct tally *t, struct err *e)
{
	for (size_t i = 0; c->is_all && i < c->kb.nr; i++)
		if (kb_call_means(c, &c->kb.items[i].lesson) &&
		    certify_or_pass(c, &c->kb.items[i], t, e) < 0)
			return -1;
	for (size_t i = 0; !c->is_all && i < c->operands->nr; i++) {
		const struct kb_entry *entry = kb_need(&c->kb, c->operands->items[i], e);
		if (!entry || certify_or_pass(c, entry, t, e) < 0)
			return -1;
	}
	return 0;
}

/* What could not be read may have been written since: a certificate. */
static int look_again(struct kb_call *c, struct err *e)
{
	AUTO_KB struct kb now = { 0 };
	findings_release(&c->unreadable);
	c->unreadable = (struct findings){ 0 };
	return kb_load(&now, c->base, &c->unreadable, e);
}

int kb_certify(struct kb_call *c, struct err *e)
{
	if (!c->is_all && !c->operands->nr)
		return err_set(e, ERR_USAGE, "kb certify: name lessons, or give --all");
	if (c->is_all && c->operands->nr)
		return err_set(e, ERR_USAGE, "kb certify: --all is all; drop '%s'",
			       c->operands->items[0]);
	if (kb_call_open_host(c, e) < 0)
		return -1;
	AUTO_JSON json_t *answer = kb_answer(c);
	struct tally t = { .list = json_array() };
	json_object_set_new(answer, "lessons", t.list);
	if (certify_chosen(c, &t, e) < 0 || look_again(c, e) < 0)
		return -1;
	if (c->is_json)
		hand_print_json(answer);
	else
		term_print("%zu certified, %zu not applicable, %zu refuted or failed\n",
			   t.nr_certified, t.nr_not_applicable, t.nr_bad);
	/* A file that can not be read is not certified either. */
	for (size_t i = 0; !c->is_json && i < c->unreadable.nr; i++)
		check_print_finding(&c->unreadable.items[i]);
	return t.nr_bad || c->unreadable.nr ? 1 : 0;
}

static int refuse_foreign(const struct kb_call *c, const struct kb_entry *entry, struct err *e)
{
	AUTO_STR struct str why = STR_INIT;
	kb_state(entry, &c->place.device, &why);
	return err_set(e, ERR_INPUT,
		       "%s: it is not about this device (%s): %s; name a host where its probe can "
		       "run by --host",
		       entry->lesson.path, c->place.device.name, why.text);
}

/* Lint, run, enter: a lesson is in the base with a certificate or not at all. */
static int enter(struct kb_call *c, const struct kb_entry *entry, struct err *e)
{
	const struct lesson *l = &entry->lesson;
	AUTO_FINDINGS struct findings found = { 0 };
	AUTO_STR struct str claims = STR_INIT;
	char date[32];
	date_now(date);
	if (kb_lint_entry(c, entry, &found, e) < 0 ||
	    findings_refuse(&found, "forge kb lint", l->path, e) < 0)
		return -1;
	if (!lesson_is_about(l, &c->place.device))
		return refuse_foreign(c, entry, e);
	AUTO_JSON json_t *made = certify(l, &c->place.device, date, &c->place.probes, e);
	if (!made)
		return -1;
	kb_add_claims(made, &claims);
	if (certify_state(made) != LESSON_certified)
		return err_set(e, ERR_INPUT, "%s: its probe says %s: %s", l->path,
			       json_text_or(made, "state", ""), claims.text);
	if (kb_enter(c->base, l, made, c->is_replacing, e) < 0)
		return -1;
	if (!c->is_json)
		term_print("%s entered %s: %s\n", l->id, c->base, claims.text);
	return 0;
}

/* The same id in another family would make citations mean two lessons. */
static int refuse_known(const struct kb_call *c, const struct lesson *l, struct err *e)
{
	const struct kb_entry *known = kb_find(&c->kb, l->id);
	if (!known || (c->is_replacing && str_equal(known->lesson.family, l->family)))
		return 0;
	return err_set(e, ERR_CONFLICT,
		       "%s: there is a lesson %s already (%s); choose another id%s", l->path, l->id,
		       known->lesson.path,
		       str_equal(known->lesson.family, l->family) ? ", or give --replace" : "");
}

static int print_entered(const struct kb_call *c, const char *id)
{
	if (!c->is_json)
		return 0;
	AUTO_JSON json_t *answer = kb_answer(c);
	json_object_set_new(answer, "entered", json_string(id));
	hand_print_json(answer);
	return 0;
}

int kb_add(struct kb_call *c, struct err *e)
{
	struct kb_entry entry = { .certs = NULL };
	int rc = lesson_load(&entry.lesson, c->operands->items[0], e);
	if (rc == 0)
		rc = refuse_known(c, &entry.lesson, e);
	if (rc == 0)
		rc = kb_call_open_host(c, e);
	if (rc == 0)
		rc = enter(c, &entry, e);
	if (rc == 0)
		rc = print_entered(c, entry.lesson.id);
	lesson_release(&entry.lesson);
	return rc;
}

static int accept_one(struct kb_call *c, const struct kb_entry *entry, struct err *e)
{
	char date[32];
	if (refuse_known(c, &entry->lesson, e) < 0 || kb_call_open_host(c, e) < 0 ||
	    enter(c, entry, e) < 0)
		return -1;
	date_now(date);
	if (queue_decide(&entry->lesson, REVIEW_ACCEPTED, c->why ? c->why : "", date, e) < 0)
		return -1;
	return print_entered(c, entry->lesson.id);
}

static int reject_one(struct kb_call *c, const struct kb_entry *entry, struct err *e)
{
	char date[32];
	date_now(date);
	if (queue_decide(&entry->lesson, REVIEW_REJECTED, c->why ? c->why : "", date, e) < 0)
		return -1;
	AUTO_JSON json_t *answer =
		json_pack("{s:i, s:s}", "version", 1, "rejected", entry->lesson.id);
	if (c->is_json)
		hand_print_json(answer);
	else
		term_print("%s was rejected\n", entry->lesson.id);
	return 0;
}

/* What a person decides about, with what the lint sees of it. */
static int show_one(const struct kb_call *c, const struct kb_entry *entry, json_t *list,
		    struct err *e)
{
	AUTO_FINDINGS struct findings found = { 0 };
	AUTO_STR struct str why = STR_INIT;
	enum review decision;
	if (queue_review(&entry->lesson, &decision, &why, e) < 0 ||
	    kb_lint_entry(c, entry, &found, e) < 0)
		return -1;
	json_array_append_new(list,
			      json_pack("{s:s, s:s, s:s, s:s, s:s, s:o}", "id", entry->lesson.id,
					"title", entry->lesson.title, "path", entry->lesson.path,
					"decision", review_name(decision), "why", why.text,
					"findings", check_findings_json(&found)));
	if (c->is_json)
		return 0;
	term_print("%-9s %s: %s%s%s\n", review_name(decision), entry->lesson.id,
		   entry->lesson.title, why.len ? ": " : "", why.text);
	term_print("          %s\n", entry->lesson.path);
	for (size_t i = 0; i < found.nr && decision == REVIEW_WAITING; i++)
		check_print_finding(&found.items[i]);
	return 0;
}

static void tell_how(const char *run)
{
	term_print("Read each: a paraphrase without names, or a claim that is true and beside the "
		   "point, no lint sees.\n");
	term_print("forge kb review %s accept|reject LESSON\n", run);
}

static int show_queue(const struct kb_call *c, const struct kb *queue, const char *run,
		      struct err *e)
{
	json_t *list = json_array();
	AUTO_JSON json_t *answer =
		json_pack("{s:i, s:s, s:o}", "version", 1, "run", run, "lessons", list);
	for (size_t i = 0; i < queue->nr; i++)
		if (show_one(c, &queue->items[i], list, e) < 0)
			return -1;
	if (c->is_json)
		hand_print_json(answer);
	else if (!queue->nr)
		term_print("%s: no lesson was proposed\n", run);
	else
		tell_how(run);
	return 0;
}

static int decide(struct kb_call *c, const struct kb *queue, struct err *e)
{
	const char *how = c->operands->items[1];
	if (!str_equal(how, "accept") && !str_equal(how, "reject"))
		return err_set(e, ERR_USAGE, "kb review: '%s' is neither accept nor reject", how);
	if (c->operands->nr < 3)
		return err_set(e, ERR_USAGE, "kb review: which lesson shall be %sed?", how);
	const struct kb_entry *entry = kb_need(queue, c->operands->items[2], e);
	if (!entry)
		return -1;
	return str_equal(how, "accept") ? accept_one(c, entry, e) : reject_one(c, entry, e);
}

int kb_review(struct kb_call *c, struct err *e)
{
	const char *run = c->operands->items[0];
	AUTO_KB struct kb queue = { 0 };
	if (need_run(run, e) < 0)
		return -1;
	AUTO_FREE char *dir = rundir_path(run, RUNDIR_LESSONS);
	if (file_is_dir(dir) && kb_load(&queue, dir, &c->unreadable, e) < 0)
		return -1;
	return c->operands->nr > 1 ? decide(c, &queue, e) : show_queue(c, &queue, run, e);
}
