#include "store/fold.h"

#include "base/err.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/str.h"
#include "store/eventlog.h"
#include "test.h"

/* A hand-made log: events are folded without a file. */
struct scene {
	struct run_state s;
	uint64_t seq;
	uint64_t mono_ns;
};

static int feed(struct scene *sc, enum event_type type, json_t *body, struct err *e)
{
	sc->mono_ns += UINT64_C(1000000000);
	struct event ev = { .seq = ++sc->seq,
			    .wall = "2026-11-29T00:00:00.000Z",
			    .mono_ns = sc->mono_ns,
			    .type = type,
			    .type_name = event_type_name(type),
			    .version = 1,
			    .body = body,
			    .where = "x.c:1" };
	int rc = run_state_fold(&sc->s, &ev, e);
	json_decref(body);
	return rc;
}

#define FEED(sc, type, ...)                                                                        \
	do {                                                                                       \
		json_t *body_ = json_pack(__VA_ARGS__);                                            \
		CHECK(body_);                                                                      \
		CHECK_OK(feed((sc), EVENT_##type, body_, &e));                                     \
	} while (0)

static void start_round(struct scene *sc, int number, const char *decision)
{
	struct err e = { 0 };
	FEED(sc, round_started, "{s:i, s:s, s:s, s:s, s:s, s:i, s:i, s:b}", "round", number,
	     "decision", decision, "milestone", "M1", "what", "w", "value", "v", "curriculum", 1,
	     "base", number - 1, "replay", 0);
}

static void publish(struct scene *sc)
{
	struct err e = { 0 };
	FEED(sc, curriculum_published,
	     "{s:i, s:i, s:s, s:s, s:s, s:i, s:[{s:s, s:s, s:s, s:[{s:s, s:s}, {s:s, s:b}]}]}",
	     "version", 1, "epoch", 1, "path", "curriculum/v1.toml", "digest", "d", "reason",
	     "first", "after_round", 0, "milestones", "id", "M1", "title", "t", "gate",
	     "correctness", "decisions", "id", "D1.1", "what", "w", "id", "D1.2", "not_applicable",
	     1);
}

TEST(working_time_counts_sessions_and_not_the_pauses_between)
{
	struct err e = { 0 };
	struct scene sc = { .seq = 0 };
	run_state_init(&sc.s);
	FEED(&sc, run_started, "{s:i, s:s}", "pid", 1, "forge", "0");
	FEED(&sc, stage_started, "{s:s}", "stage", "freeze");
	FEED(&sc, stage_done, "{s:s}", "stage", "freeze");
	sc.mono_ns = 5; /* rebooted: the clock began anew */
	FEED(&sc, log_repaired, "{s:i, s:i}", "cut_bytes", 3, "after_seq", 3);
	FEED(&sc, run_started, "{s:i, s:s}", "pid", 2, "forge", "0");
	FEED(&sc, warning, "{s:s}", "text", "x");
	CHECK(sc.s.elapsed_s > 2.99 && sc.s.elapsed_s < 3.01);
	CHECK_INT(sc.s.nr_sessions, 2);
	CHECK_INT(sc.s.nr_repairs, 1);
	CHECK(sc.s.stages[STAGE_FREEZE].seconds > 0.99);
	run_state_release(&sc.s);
}

TEST(a_round_tells_its_decisions_fate)
{
	struct err e = { 0 };
	struct scene sc = { .seq = 0 };
	run_state_init(&sc.s);
	publish(&sc);
	size_t done, all;
	run_state_progress(&sc.s, &done, &all);
	CHECK_INT(done, 0);
	CHECK_INT(all, 1);
	start_round(&sc, 1, "D1.1");
	FEED(&sc, candidate_submitted, "{s:i, s:s, s:i, s:s}", "round", 1, "source", "abc", "bytes",
	     3, "note", "n");
	struct verdict v = verdict_make(REASON_ok, "%s", "");
	FEED(&sc, verdict_given, "{s:i, s:s, s:o}", "round", 1, "job", "j", "verdict",
	     verdict_to_json(&v));
	FEED(&sc, round_closed, "{s:i, s:s, s:s}", "round", 1, "outcome", "kept", "fate", "best");
	const struct state_round *r = run_state_round(&sc.s, 1);
	CHECK(r && r->is_best && r->outcome == ROUND_KEPT);
	CHECK_INT(r->verdict.state, VERDICT_PASS);
	CHECK_TEXT(r->source, "abc");
	CHECK_INT(run_state_curriculum(&sc.s)->milestones[0].decisions[0].fate, FATE_BEST);
	run_state_progress(&sc.s, &done, &all);
	CHECK_INT(done, 1);
	run_state_release(&sc.s);
}

TEST(a_decision_settles_the_rounds_that_share_it)
{
	struct err e = { 0 };
	struct scene sc = { .seq = 0 };
	run_state_init(&sc.s);
	publish(&sc);
	start_round(&sc, 1, "D1.1");
	FEED(&sc, round_closed, "{s:i, s:s, s:s}", "round", 1, "outcome", "kept", "fate", "kept");
	start_round(&sc, 2, "D1.2");
	FEED(&sc, round_closed, "{s:i, s:s, s:s}", "round", 2, "outcome", "kept", "fate", "kept");
	CHECK(!sc.s.rounds[0].is_settled && !sc.s.rounds[1].is_settled);
	FEED(&sc, round_decided, "{s:i, s:s, s:s, s:[i,i]}", "round", 1, "outcome", "kept", "fate",
	     "best", "settled", 1, 2);
	CHECK(sc.s.rounds[0].is_settled && sc.s.rounds[1].is_settled);
	CHECK(sc.s.rounds[0].is_best && !sc.s.rounds[1].is_best);
	CHECK_INT(run_state_curriculum(&sc.s)->milestones[0].decisions[0].fate, FATE_BEST);
	run_state_release(&sc.s);
}

TEST(a_row_that_was_tried_again_keeps_the_newer_fate)
{
	struct err e = { 0 };
	struct scene sc = { .seq = 0 };
	run_state_init(&sc.s);
	publish(&sc);
	start_round(&sc, 1, "D1.1");
	FEED(&sc, round_closed, "{s:i, s:s, s:s}", "round", 1, "outcome", "kept", "fate", "kept");
	start_round(&sc, 2, "D1.1");
	FEED(&sc, round_closed, "{s:i, s:s, s:s}", "round", 2, "outcome", "kept", "fate",
	     "kept_slower");
	FEED(&sc, round_decided, "{s:i, s:s, s:s, s:[i]}", "round", 1, "outcome", "rolled_back",
	     "fate", "rolled_back", "settled", 1);
	CHECK_INT(sc.s.rounds[0].outcome, ROUND_ROLLED_BACK);
	CHECK_INT(run_state_curriculum(&sc.s)->milestones[0].decisions[0].fate, FATE_KEPT_SLOWER);
	run_state_release(&sc.s);
}

TEST(an_estimate_survives_its_event)
{
	struct err e = { 0 };
	struct scene sc = { .seq = 0 };
	run_state_init(&sc.s);
	start_round(&sc, 1, "D1.1");
	struct state_shape shape = { .name = "a", .call = "faster", .speedup = 2, .low = 1.9 };
	struct state_estimate est = { .call = "faster",
				      .purpose = "decide",
				      .comparator = "the reference",
				      .job = "r0001-decide",
				      .replicates = 8,
				      .speedup = 2.0,
				      .low = 1.9,
				      .high = 2.1,
				      .shapes = &shape,
				      .nr_shapes = 1 };
	FEED(&sc, trial_estimated, "{s:i, s:o}", "round", 1, "estimate",
	     state_estimate_to_json(&est));
	const struct state_round *r = run_state_round(&sc.s, 1);
	CHECK(!r->screen.call);
	CHECK_TEXT(r->decide.call, "faster");
	CHECK_INT(r->decide.replicates, 8);
	CHECK_INT(r->decide.nr_shapes, 1);
	CHECK(r->decide.shapes[0].speedup == 2);
	run_state_release(&sc.s);
}

TEST(an_event_that_lacks_a_member_is_named)
{
	struct err e = { 0 };
	struct scene sc = { .seq = 0 };
	run_state_init(&sc.s);
	CHECK(feed(&sc, EVENT_warning, json_object(), &e) < 0);
	CHECK_TEXT(e.text, "event 1 warning: no member \"text\"");
	e = (struct err){ 0 };
	CHECK(feed(&sc, EVENT_round_closed, json_pack("{s:i}", "round", 4), &e) < 0);
	CHECK(strstr(e.text, "there is no round 4"));
	run_state_release(&sc.s);
}

TEST(a_job_that_was_started_twice_is_one_job)
{
	struct err e = { 0 };
	struct scene sc = { .seq = 0 };
	run_state_init(&sc.s);
	for (int i = 0; i < 2; i++)
		FEED(&sc, job_started, "{s:s, s:s, s:s, s:s}", "job", "j1", "kind", "time", "dir",
		     "jobs/j1", "purpose", "screen");
	FEED(&sc, job_done, "{s:s, s:s, s:s, s:f}", "job", "j1", "result", "r", "samples", "s",
	     "seconds", 1.5);
	CHECK_INT(sc.s.nr_jobs, 1);
	CHECK(run_state_job(&sc.s, "j1")->is_done);
	run_state_release(&sc.s);
}

TEST(names_of_closed_sets_parse_back)
{
	for (int i = STAGE_FREEZE; i < STAGE_NR; i++)
		CHECK_INT(stage_parse(stage_name((enum stage)i)), i);
	for (int i = ROUND_OPEN; i <= ROUND_NO_CANDIDATE; i++)
		CHECK_INT(round_outcome_parse(round_outcome_name((enum round_outcome)i)), i);
	for (int i = GATE_NONE; i <= GATE_ERROR; i++)
		CHECK_INT(gate_result_parse(gate_result_name((enum gate_result)i)), i);
	for (int i = FATE_PENDING; i <= FATE_NO_CANDIDATE; i++)
		CHECK_INT(decision_fate_parse(decision_fate_name((enum decision_fate)i)), i);
}

static void feed_turn(struct scene *sc, const char *purpose, json_t *extra)
{
	struct err e = { 0 };
	json_t *body = json_pack("{s:s, s:s, s:s, s:s, s:s, s:f, s:s}", "role", "student",
				 "purpose", purpose, "answer", "submit", "file", "f", "digest", "d",
				 "seconds", 2.0, "agent", "a");
	json_object_update(body, extra);
	json_decref(extra);
	CHECK_OK(feed(sc, EVENT_agent_turn, body, &e));
}

static json_t *spent(int tokens)
{
	return json_pack("{s:s, s:s, s:{s:i, s:i, s:i, s:f}}", "role", "student", "purpose",
			 "round-0001", "usage", "requests", 1, "input", tokens, "output", 0, "usd",
			 0.5);
}

TEST(a_log_without_kinds_of_tokens_is_still_read)
{
	struct scene sc = { .seq = 0 };
	run_state_init(&sc.s);
	feed_turn(&sc, "round-0001", json_pack("{s:i, s:f}", "tokens", 300, "usd", 0.25));
	CHECK_INT(sc.s.student_usage.turns, 1);
	CHECK_INT(sc.s.student_usage.used.tokens, 300);
	CHECK(sc.s.student_usage.used.usd == 0.25);
	CHECK_INT(sc.s.student_usage.used.basis, USAGE_REPORTED);
	run_state_release(&sc.s);
}

TEST(usage_counts_while_the_turn_is_under_way_and_once)
{
	struct err e = { 0 };
	struct scene sc = { .seq = 0 };
	run_state_init(&sc.s);
	start_round(&sc, 1, "D1.1");
	CHECK_OK(feed(&sc, EVENT_agent_spent, spent(10), &e));
	CHECK_OK(feed(&sc, EVENT_agent_spent, spent(20), &e));
	CHECK_INT(sc.s.student_usage.used.tokens, 30);
	CHECK_INT(run_state_used(&sc.s).requests, 2);
	feed_turn(&sc, "round-0001",
		  json_pack("{s:{s:i, s:i, s:i, s:f}}", "usage", "requests", 3, "input", 35,
			    "output", 0, "usd", 1.5));
	CHECK_INT(sc.s.student_usage.used.tokens, 35);
	CHECK(sc.s.student_usage.used.usd == 1.5);
	CHECK_INT(sc.s.nr_attempts, 1);
	CHECK_TEXT(sc.s.attempts[0].milestone, "M1");
	run_state_release(&sc.s);
}

TEST(a_turn_that_a_session_took_along_is_lost_and_its_rest_unknown)
{
	struct err e = { 0 };
	struct scene sc = { .seq = 0 };
	run_state_init(&sc.s);
	FEED(&sc, run_started, "{s:i, s:s}", "pid", 1, "forge", "0");
	FEED(&sc, turn_asked, "{s:s, s:s, s:s}", "role", "student", "purpose", "round-0001",
	     "driver", "x");
	CHECK_OK(feed(&sc, EVENT_agent_spent, spent(10), &e));
	FEED(&sc, run_started, "{s:i, s:s}", "pid", 2, "forge", "0");
	CHECK_INT(sc.s.nr_attempts, 1);
	CHECK(sc.s.attempts[0].is_lost);
	CHECK_INT(sc.s.student_usage.used.tokens, 10);
	CHECK_INT(sc.s.student_usage.used.basis, USAGE_PARTIAL);
	CHECK(!usage_is_told(&sc.s.student_usage.used, USAGE_TOKENS));
	feed_turn(&sc, "round-0001",
		  json_pack("{s:{s:i, s:i, s:i, s:f}}", "usage", "requests", 1, "input", 5,
			    "output", 0, "usd", 1.5));
	CHECK_INT(sc.s.nr_attempts, 2);
	CHECK_INT(sc.s.student_usage.used.tokens, 15);
	CHECK(sc.s.student_usage.used.usd == 2.0);
	CHECK_INT(sc.s.student_usage.turns, 1);
	run_state_release(&sc.s);
}

TEST(a_turn_that_was_cut_short_costs_what_is_known_of_it)
{
	struct err e = { 0 };
	struct scene sc = { .seq = 0 };
	run_state_init(&sc.s);
	FEED(&sc, turn_asked, "{s:s, s:s, s:s}", "role", "student", "purpose", "round-0001",
	     "driver", "x");
	CHECK_OK(feed(&sc, EVENT_agent_spent, spent(10), &e));
	CHECK_OK(feed(&sc, EVENT_turn_lost, spent(30), &e));
	FEED(&sc, run_started, "{s:i, s:s}", "pid", 2, "forge", "0");
	CHECK_INT(sc.s.nr_attempts, 1);
	CHECK(sc.s.attempts[0].is_lost);
	CHECK_INT(sc.s.student_usage.used.tokens, 30);
	CHECK_INT(sc.s.student_usage.used.basis, USAGE_REPORTED);
	run_state_release(&sc.s);
}

static void ask_and_lose(struct scene *sc, bool is_resumed)
{
	struct err e = { 0 };
	FEED(sc, turn_asked, "{s:s, s:s, s:s, s:b}", "role", "student", "purpose", "round-0001",
	     "driver", "x", "resumed", is_resumed);
	CHECK_OK(feed(sc, EVENT_agent_spent, spent(10), &e));
	FEED(sc, run_started, "{s:i, s:s}", "pid", 2, "forge", "0");
}

TEST(what_a_turn_goes_on_from_is_what_was_recorded_since_it_began)
{
	struct scene sc = { .seq = 0 };
	struct usage used;
	run_state_init(&sc.s);
	CHECK(!run_state_is_lost(&sc.s, "student", "round-0001", &used));
	ask_and_lose(&sc, false);
	CHECK(run_state_is_lost(&sc.s, "student", "round-0001", &used));
	CHECK_INT(used.tokens, 10);
	ask_and_lose(&sc, true);
	CHECK(run_state_is_lost(&sc.s, "student", "round-0001", &used));
	CHECK_INT(used.tokens, 20);
	/* It could not go on and began anew: the attempts before it are no part of it. */
	ask_and_lose(&sc, false);
	CHECK(run_state_is_lost(&sc.s, "student", "round-0001", &used));
	CHECK_INT(used.tokens, 10);
	CHECK(!run_state_is_lost(&sc.s, "teacher", "round-0001", &used));
	CHECK(!run_state_is_lost(&sc.s, "student", "round-0002", &used));
	feed_turn(&sc, "round-0001",
		  json_pack("{s:{s:i, s:i, s:i, s:f}}", "usage", "requests", 1, "input", 5,
			    "output", 0, "usd", 1.5));
	CHECK(!run_state_is_lost(&sc.s, "student", "round-0001", &used));
	CHECK_INT(run_state_used(&sc.s).tokens, 35);
	run_state_release(&sc.s);
}

TEST(budgets_of_a_log_are_read_by_scope)
{
	struct err e = { 0 };
	struct scene sc = { .seq = 0 };
	run_state_init(&sc.s);
	FEED(&sc, budget_spent, "{s:s, s:i, s:f, s:f}", "resource", "tokens", "percent", 50, "used",
	     5.0, "limit", 10.0);
	FEED(&sc, budget_spent, "{s:s, s:s, s:i, s:f, s:f}", "scope", "M1", "resource", "output",
	     "percent", 80, "used", 8.0, "limit", 10.0);
	CHECK_INT(run_state_warned(&sc.s, "run", RESOURCE_TOKENS), 50);
	CHECK_INT(run_state_warned(&sc.s, "run", RESOURCE_OUTPUT), 0);
	CHECK_INT(run_state_warned(&sc.s, "M1", RESOURCE_OUTPUT), 80);
	CHECK_INT(run_state_warned(&sc.s, "student", RESOURCE_TOKENS), 0);
	run_state_release(&sc.s);
}

TEST_MAIN()
