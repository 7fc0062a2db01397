#include "engine/course.h"

#include "base/err.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/str.h"
#include "engine/control.h"
#include "model/curriculum.h"
#include "store/eventlog.h"
#include "store/fold.h"
#include "test.h"

/* The order of rows, without a run: a curriculum, fates, and what follows. */

static const char course_text[] =
	"version = 1\n"
	"[[milestone]]\nid = \"M0\"\n"
	"[[milestone.decision]]\nid = \"D0.1\"\nwhat = \"a\"\nvalue = \"1\"\n"
	"[[milestone.decision]]\nid = \"D0.2\"\nwhat = \"b\"\nvalue = \"1\"\natomic = \"g\"\n"
	"[[milestone.decision]]\nid = \"D0.3\"\nwhat = \"c\"\nvalue = \"1\"\n"
	"[[milestone.decision]]\nid = \"D0.4\"\nwhat = \"d\"\nvalue = \"1\"\natomic = \"g\"\n"
	"needs = [\"D0.2\"]\n"
	"[[milestone.decision]]\nid = \"D0.5\"\nwhat = \"e\"\nnot_applicable = true\n"
	"[[milestone]]\nid = \"M1\"\n"
	"[[milestone.decision]]\nid = \"D1.1\"\nwhat = \"f\"\nvalue = \"1\"\nneeds = [\"D0.4\"]\n"
	"[[milestone.decision]]\nid = \"D1.2\"\nwhat = \"g\"\nvalue = \"1\"\nneeds = [\"D0.5\"]\n";

struct scene {
	struct run_state s;
	struct curriculum c;
	uint64_t seq;
};

static void feed(struct scene *sc, enum event_type type, json_t *body)
{
	struct err e = { 0 };
	struct event ev = { .seq = ++sc->seq,
			    .wall = "",
			    .mono_ns = sc->seq,
			    .type = type,
			    .type_name = event_type_name(type),
			    .version = 1,
			    .body = body };
	CHECK(body);
	CHECK_OK(run_state_fold(&sc->s, &ev, &e));
	json_decref(body);
}

static json_t *row_body(const struct decision *d)
{
	return json_pack("{s:s, s:s, s:s, s:b}", "id", d->id, "what", d->what, "value",
			 d->value ? d->value : "", "not_applicable", d->is_not_applicable);
}

static void scene_open(struct scene *sc)
{
	struct err e = { 0 };
	*sc = (struct scene){ .seq = 0 };
	run_state_init(&sc->s);
	CHECK_OK(curriculum_parse(&sc->c, course_text, "course", &e));
	json_t *milestones = json_array();
	for (size_t i = 0; i < sc->c.nr_milestones; i++) {
		json_t *rows = json_array();
		for (size_t j = 0; j < sc->c.milestones[i].nr_decisions; j++)
			json_array_append_new(rows, row_body(&sc->c.milestones[i].decisions[j]));
		json_array_append_new(
			milestones,
			json_pack("{s:s, s:o}", "id", sc->c.milestones[i].id, "decisions", rows));
	}
	feed(sc, EVENT_curriculum_published,
	     json_pack("{s:i, s:i, s:s, s:s, s:s, s:i, s:o}", "version", 1, "epoch", 1, "path", "p",
		       "digest", "d", "reason", "first", "after_round", 0, "milestones",
		       milestones));
}

static void scene_close(struct scene *sc)
{
	run_state_release(&sc->s);
	curriculum_release(&sc->c);
}

/* A whole round of a row. */
static void settle(struct scene *sc, const char *id, enum decision_fate fate)
{
	int number = (int)sc->s.nr_rounds + 1;
	feed(sc, EVENT_round_started,
	     json_pack("{s:i, s:s, s:s, s:s, s:s, s:i, s:i, s:b}", "round", number, "decision", id,
		       "milestone", "M0", "what", "w", "value", "v", "curriculum", 1, "base", 0,
		       "replay", 0));
	feed(sc, EVENT_round_closed,
	     json_pack("{s:i, s:s, s:s}", "round", number, "outcome",
		       fate == FATE_ROLLED_BACK ? "rolled_back" : "kept", "fate",
		       decision_fate_name(fate)));
}

static const char *next_id(const struct scene *sc)
{
	struct course_row row;
	return course_next(&sc->s, &sc->c, &row) ? row.d->id : "none";
}

TEST(an_atomic_group_is_finished_before_anything_else_begins)
{
	struct scene sc;
	scene_open(&sc);
	CHECK_TEXT(next_id(&sc), "D0.1");
	settle(&sc, "D0.1", FATE_KEPT);
	CHECK_TEXT(next_id(&sc), "D0.2");
	settle(&sc, "D0.2", FATE_KEPT);
	CHECK_TEXT(next_id(&sc), "D0.4");
	CHECK_INT(course_base(&sc.s, &sc.c), 2);
	scene_close(&sc);
}

TEST(a_group_with_one_failure_counts_as_not_there)
{
	struct scene sc;
	scene_open(&sc);
	settle(&sc, "D0.1", FATE_BEST);
	settle(&sc, "D0.2", FATE_KEPT);
	settle(&sc, "D0.4", FATE_ROLLED_BACK);
	CHECK_INT(course_base(&sc.s, &sc.c), 1);
	CHECK(!course_is_accepted(&sc.s, &sc.c, curriculum_find(&sc.c, "D0.2")));
	CHECK_TEXT(next_id(&sc), "D0.3");
	settle(&sc, "D0.3", FATE_KEPT_SLOWER);
	CHECK_INT(course_base(&sc.s, &sc.c), 4);
	/* D1.1 needs the group and is blocked; D1.2 needs a row that does not apply. */
	CHECK_TEXT(next_id(&sc), "D1.2");
	settle(&sc, "D1.2", FATE_ROLLED_BACK);
	CHECK_TEXT(next_id(&sc), "none");
	CHECK_INT(course_base(&sc.s, &sc.c), 4);
	scene_close(&sc);
}

static bool is_blocked(const struct scene *sc, const char *id)
{
	return course_is_blocked(&sc->s, &sc->c, curriculum_find(&sc->c, id));
}

TEST(what_is_settled_blocks_and_what_is_pending_does_not)
{
	struct scene sc;
	scene_open(&sc);
	CHECK(!is_blocked(&sc, "D0.4") && !is_blocked(&sc, "D0.5"));
	CHECK_INT(course_last_round(&sc.s, "M0"), 0);
	settle(&sc, "D0.1", FATE_KEPT);
	settle(&sc, "D0.2", FATE_ROLLED_BACK);
	CHECK(is_blocked(&sc, "D0.4"));
	CHECK(!is_blocked(&sc, "D0.2")); /* it has had its round */
	CHECK(!is_blocked(&sc, "D1.1")); /* it needs a row that is pending itself */
	CHECK(!is_blocked(&sc, "D1.2")); /* it needs what does not apply */
	CHECK_INT(course_last_round(&sc.s, "M0"), 2);
	CHECK_INT(course_last_round(&sc.s, "M1"), 0);
	scene_close(&sc);
}

static void keep_id(void *ctx, const struct state_decision *old)
{
	str_addf(ctx, "%s ", old->id);
}

static void reused(const struct scene *sc, const char *from, const char *to, struct str *out)
{
	struct err e = { 0 };
	struct curriculum next;
	const char *at = strstr(course_text, from);
	CHECK(at);
	AUTO_FREE char *text =
		xasprintf("%.*s%s%s", (int)(at - course_text), course_text, to, at + strlen(from));
	CHECK_OK(curriculum_parse(&next, text, "next", &e));
	course_reuse(run_state_curriculum(&sc->s), &next, keep_id, out);
	curriculum_release(&next);
}

TEST(work_before_the_earliest_change_is_reused)
{
	struct scene sc;
	AUTO_STR struct str early = STR_INIT;
	AUTO_STR struct str late = STR_INIT;
	AUTO_STR struct str harmless = STR_INIT;
	scene_open(&sc);
	settle(&sc, "D0.1", FATE_KEPT);
	settle(&sc, "D0.2", FATE_KEPT);
	settle(&sc, "D0.4", FATE_KEPT);
	settle(&sc, "D0.3", FATE_ROLLED_BACK);
	settle(&sc, "D1.1", FATE_KEPT_SLOWER);
	reused(&sc, "what = \"b\"", "what = \"other\"", &early);
	CHECK_TEXT(early.text, "D0.1 ");
	reused(&sc, "what = \"f\"", "what = \"other\"", &late);
	CHECK_TEXT(late.text, "D0.1 D0.2 D0.3 D0.4 ");
	/* A row that was rolled back left nothing in the kernel: dropping it costs nothing. */
	reused(&sc, "what = \"c\"", "what = \"other\"", &harmless);
	CHECK_TEXT(harmless.text, "D0.1 D0.2 D0.4 D1.1 ");
	scene_close(&sc);
}

/* The order of the control arm for a seed, "D0.3 D1.1 ...". */
static void control_order(uint64_t seed, struct str *out)
{
	struct scene sc;
	struct course_row row;
	scene_open(&sc);
	sc.s.seed = seed;
	while (control_next(&sc.s, &sc.c, &row)) {
		str_addf(out, "%s ", row.d->id);
		settle(&sc, row.d->id, FATE_ROLLED_BACK);
		CHECK(sc.s.nr_rounds < 20);
	}
	scene_close(&sc);
}

TEST(the_control_arm_tries_every_row_once_whatever_it_needs)
{
	static const char *const ids[] = { "D0.1", "D0.2", "D0.3", "D0.4", "D1.1", "D1.2" };
	for (uint64_t seed = 1; seed < 9; seed++) {
		AUTO_STR struct str order = STR_INIT;
		control_order(seed, &order);
		printf("# %s\n", order.text);
		CHECK_INT(order.len, 5 * ARRAY_LEN(ids));
		for (size_t i = 0; i < ARRAY_LEN(ids); i++)
			CHECK(strstr(order.text, ids[i]));
	}
}

TEST(the_order_of_the_control_arm_follows_from_the_seed)
{
	size_t nr_firsts = 0;
	AUTO_STRV struct strv firsts = { 0 };
	for (uint64_t seed = 1; seed < 30; seed++) {
		AUTO_STR struct str once = STR_INIT;
		AUTO_STR struct str again = STR_INIT;
		control_order(seed, &once);
		control_order(seed, &again);
		CHECK_TEXT(once.text, again.text);
		AUTO_FREE char *first = xstrndup(once.text, 4);
		if (!strv_has(&firsts, first))
			strv_add(&firsts, first);
	}
	nr_firsts = firsts.nr;
	/* Six rows, 29 seeds: that one of them never comes first has a chance of 3 %. */
	CHECK(nr_firsts >= 5);
}

TEST_MAIN()
