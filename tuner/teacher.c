#include "tuner/teacher.h"

#include <string.h>

#include "base/err.h"
#include "base/json.h"
#include "base/mem.h"
#include "tuner/campaign.h"
#include "tuner/classify.h"
#include "tuner/compose.h"
#include "tuner/draft.h"
#include "tuner/lab.h"
#include "tuner/other.h"
#include "tuner/price.h"
#include "tuner/propose.h"
#include "tuner/revise.h"
#include "tuner/say.h"
#include "tuner/scene.h"
#include "tuner/study.h"
#include "tuner/tools.h"

static json_t *give_up(const char *reason)
{
	return json_pack("{s:s, s:s}", "type", "give_up", "reason", reason);
}

static json_t *publish(const struct draft *d)
{
	AUTO_STR struct str toml = STR_INIT;
	draft_print(d, &toml);
	return json_pack("{s:s, s:s}", "type", "curriculum", "toml", toml.text);
}

/* What the loops look like before anything is measured: for people, and in the title of M0. */
static const char *prediction(const struct study *s, const struct say *say)
{
	static const struct plan sized = { .rows = { "specialise shapes=all" }, .nr = 1 };
	static const struct plan plain = { .nr = 0 };
	AUTO_SCENE struct scene scene = { 0 };
	struct classes list;
	struct err ignored = { 0 };
	const char *text = "";
	int rc = scene_open(&scene, &sized, s->source, &s->task, &ignored);
	if (rc < 0) {
		scene_release(&scene);
		rc = scene_open(&scene, &plain, s->source, &s->task, &ignored);
	}
	if (rc < 0)
		return text;
	classify(&list, &scene);
	for (size_t i = 0; i < list.nr; i++) {
		const char *one = class_text(&list.items[i], s->a);
		say_text(say, "%s", one);
		text = arena_printf(s->a, "%s; %s", text, one);
	}
	return text;
}

static const char *structure_title(const struct study *s, const struct say *say)
{
	if (s->kernel.unread)
		return "Structure: the reference was not read, its text stays as it is";
	return arena_printf(s->a, "Structure: %zu loops, about %.3g innermost steps a call%s",
			    s->nest.nr, s->nest.work, prediction(s, say));
}

static void set_titles(struct draft *d, const struct study *s, const struct say *say)
{
	d->parts[0].title = structure_title(s, say);
	d->parts[1].title = "Builds and vector lanes";
	d->parts[2].title = "Loop bodies and other builds";
}

/* False when the row it builds on is not in the draft. */
static bool add_proposal(struct draft *d, const struct proposal *p)
{
	const struct decision *base = p->builds_on ? draft_find_value(d, p->builds_on) : NULL;
	if (p->builds_on && !base)
		return false;
	const char *root = base ? base->id : NULL;
	struct decision *row = draft_add(d, p->milestone, &p->row);
	if (root) {
		row->needs = arena_array(d->a, 1, sizeof(*row->needs));
		row->needs[row->nr_needs++] = root;
	}
	return true;
}

/* Where kernels are compiled and timed: below the workspace, which is the current directory. */
static const char lab_dir[] = "lab";

enum outcome { NOT_MEASURED, NOTHING_BETTER, SOMETHING_BETTER };

/* Searches by measuring. */
static enum outcome explore(const struct study *s, const json_t *data, const struct strv *banned,
			    const struct say *say, struct discovery *out)
{
	struct err why = { 0 };
	if (s->kernel.unread)
		return NOT_MEASURED;
	struct lab *lab = lab_open(&s->task, s->reference, data, lab_dir, &why);
	if (!lab) {
		say_text(say, "nothing is measured in the workspace: %s", why.text);
		return NOT_MEASURED;
	}
	const struct campaign_setup setup = { .a = s->a,
					      .task = &s->task,
					      .source = s->source,
					      .start = s->start,
					      .lab = lab,
					      .banned = banned,
					      .say = say };
	bool is_found = campaign_run(&setup, out);
	say_text(say,
		 "%zu kernels were compiled, checked and timed in %.0f s; the best runs at "
		 "%.2f times the %s here",
		 out->evaluations, out->seconds, out->best.ratio,
		 s->start.nr ? "speed that the search began with" : "reference's speed");
	lab_close(lab);
	return is_found ? SOMETHING_BETTER : NOTHING_BETTER;
}

/* Rows that the reference holds already are not proposed; its structure is not put in question
 * without measurement. */
static bool is_settled(const struct study *s, const struct proposal *p)
{
	const char *value = p->row.value;
	return value && (plan_has(&s->start, value) ||
			 (p->milestone == 0 && plan_rival(&s->start, value, s->a)));
}

static void draft_from_source(struct draft *d, const struct study *s)
{
	struct proposals list = { 0 };
	propose_all(&list, s);
	for (size_t i = 0; i < list.nr; i++) {
		struct proposal p = list.items[i];
		if (!p.is_first_choice)
			continue;
		if (p.milestone == 0 && p.row.covers &&
		    (is_settled(s, &p) || p.row.is_not_applicable))
			p.row = compose_kept(s, p.row.covers, p.row.why);
		else if (is_settled(s, &p))
			continue;
		add_proposal(d, &p);
	}
}

static bool has_active_row(const struct draft_part *part)
{
	for (size_t i = 0; i < part->nr; i++)
		if (!part->items[i].is_not_applicable)
			return true;
	return false;
}

/* A lone row goes to the structure, which is kept otherwise: behind it there is nothing that it
 * could rest on. */
static void anchor(struct draft *d)
{
	struct draft_part *rows = &d->parts[1];
	if (has_active_row(&d->parts[0]) || rows->nr != 1 || d->parts[2].nr)
		return;
	struct decision lone = rows->items[0];
	lone.id = NULL;
	lone.nr_needs = 0;
	rows->nr = 0;
	draft_add(d, 0, &lone);
}

/* A draft without a row in M1 puts those of M2 there. */
static void close_gap(struct draft *d)
{
	if (d->parts[1].nr || !d->parts[2].nr)
		return;
	struct draft_part rows = d->parts[2];
	d->parts[2] = (struct draft_part){ .title = rows.title };
	for (size_t i = 0; i < rows.nr; i++) {
		rows.items[i].id = NULL;
		rows.items[i].nr_needs = 0;
		draft_add(d, 1, &rows.items[i]);
	}
}

static bool is_empty(const struct draft *d)
{
	for (size_t m = 0; m < DRAFT_MILESTONES; m++)
		if (has_active_row(&d->parts[m]))
			return false;
	return true;
}

static json_t *finish(struct draft *d)
{
	if (is_empty(d))
		return give_up("there is no row that the source does not hold already");
	close_gap(d);
	anchor(d);
	draft_connect(d);
	return publish(d);
}

/* What the lint refused would be refused again: this teacher does not vary. */
static const char *first_error(const json_t *data)
{
	return json_string_value(json_array_get(json_object_get(data, "errors"), 0));
}

json_t *teacher_curriculum(const json_t *data, const struct say *say, struct err *e)
{
	AUTO_ARENA struct arena a = { 0 };
	AUTO_STUDY struct study s = { 0 };
	AUTO_DRAFT struct draft d = { .a = &a, .version = 1, .structure_epoch = 1 };
	struct discovery found = { 0 };
	if (first_error(data))
		return give_up(first_error(data));
	if (!json_text_or(data, "reference", NULL))
		return give_up("the embedded teacher works on the reference's source and was not "
			       "given it");
	if (study_open(&s, data, say, &a, e) < 0)
		return NULL;
	set_titles(&d, &s, say);
	enum outcome outcome = explore(&s, data, NULL, say, &found);
	if (outcome == NOTHING_BETTER && s.start.nr)
		return give_up("no further gain was found on top of the rows that the reference "
			       "was made by");
	if (outcome == SOMETHING_BETTER)
		compose_course(&d, &s, &found);
	else
		draft_from_source(&d, &s);
	return finish(&d);
}

enum { NEW_ROWS = 3 };

/* Rows that no version had yet; at most NEW_ROWS. */
static size_t add_new_rows(struct draft *d, const struct study *s, const struct proposals *list)
{
	size_t nr = 0;
	for (size_t i = 0; i < list->nr && nr < NEW_ROWS; i++) {
		const struct proposal *p = &list->items[i];
		const char *value = p->row.value;
		if (p->milestone == 0 || !value || is_settled(s, p) || strv_has(&d->tried, value) ||
		    draft_find_value(d, value) || other_is_hopeless(&d->refused, value, d->a) ||
		    !add_proposal(d, p))
			continue;
		nr++;
	}
	return nr;
}

static bool has_new_rows(const struct draft *d, const struct curriculum *old)
{
	for (size_t m = 1; m < DRAFT_MILESTONES; m++)
		for (size_t i = 0; i < d->parts[m].nr; i++)
			if (!curriculum_find(old, d->parts[m].items[i].id))
				return true;
	return false;
}

/* What a revision goes by. */
struct revision {
	const struct study *s;
	const struct curriculum *old;
	const json_t *data;
	const struct say *say;
	struct tools *tools; /* NULL: none are offered */
};

static void price(struct prices *out, const struct revision *r, const struct draft *d)
{
	const struct price_spec spec = { .old = r->old,
					 .digest = json_object_get(r->data, "digest"),
					 .known = &d->priced,
					 .tools = r->tools,
					 .say = r->say };
	price_rows(out, &spec, d->a);
}

/* Where a later search begins, and what it found. */
struct later {
	struct study from;
	double before; /* speed-up of `from` over the reference */
	enum outcome outcome;
	struct discovery found;
};

/* What was found is told over the reference, as all speed-ups of a course are. 0: not known. */
static void put_on_scale(struct discovery *f, double before)
{
	f->best.ratio *= before;
	for (size_t i = 0; i < f->nr_near; i++)
		f->near[i].ratio *= before;
	for (size_t i = 0; i < f->changes.nr; i++)
		f->steps[i] *= before;
}

/* From the kernel of the rows that stay; where they make none, from the reference again. */
static void search_on(struct later *l, const struct revision *r, const struct strv *held,
		      const struct strv *refused)
{
	struct err why = { 0 };
	const json_t *goal = json_object_get(json_object_get(r->data, "digest"), "goal");
	*l = (struct later){ .before = json_real_or(goal, "reached", 0) };
	if (study_go_on(&l->from, r->s, held, &why) < 0) {
		l->from = *r->s;
		l->before = 1;
	}
	l->outcome = explore(&l->from, r->data, refused, r->say, &l->found);
	put_on_scale(&l->found, l->before);
}

/* Fills the draft. True: the new version gives the student something to do. */
static bool revise(struct draft *d, const struct revision *r)
{
	struct prices prices;
	struct later later;
	struct proposals list = { 0 };
	struct others others = { .s = r->s, .list = &list, .say = r->say };
	const struct evidence v = { .old = r->old,
				    .digest = json_object_get(r->data, "digest"),
				    .prices = &prices,
				    .others = &others };
	price(&prices, r, d);
	revise_refused(d, &v);
	revise_held(&others.held, &v);
	search_on(&later, r, &others.held, &d->refused);
	others.found = later.outcome == SOMETHING_BETTER ? &later.found : NULL;
	others.tools = later.outcome == NOT_MEASURED ? r->tools : NULL;
	propose_all(&list, r->s);
	bool has_work = revise_rows(d, &v);
	if (others.found)
		compose_more(d, &later.from, &later.found, later.before, NEW_ROWS);
	strv_release(&others.held);
	return has_new_rows(d, r->old) || add_new_rows(d, r->s, &list) || has_work;
}

json_t *teacher_revision(const json_t *data, const struct say *say, struct tools *tools,
			 struct err *e)
{
	AUTO_ARENA struct arena a = { 0 };
	AUTO_STUDY struct study s = { 0 };
	AUTO_DRAFT struct draft d = { .a = &a };
	AUTO_CURRICULUM struct curriculum old = { 0 };
	const struct revision r = {
		.s = &s, .old = &old, .data = data, .say = say, .tools = tools
	};
	const char *toml = json_text_or(data, "curriculum", NULL);
	if (first_error(data))
		return give_up(first_error(data));
	if (!toml || !json_text_or(data, "reference", NULL))
		return give_up("there is no curriculum or no reference to revise it by");
	if (study_open(&s, data, say, &a, e) < 0 ||
	    curriculum_parse(&old, toml, "curriculum", e) < 0)
		return NULL;
	draft_read_notes(&d, toml);
	set_titles(&d, &s, say);
	return revise(&d, &r) ? finish(&d) : give_up("no further row");
}
