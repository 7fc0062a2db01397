#include "turns.h"

#include "tuner/price.h"
#include "tuner/speed.h"
#include "tuner/study.h"
#include "tuner/tools.h"

/* Forge at the other end: answers in order, and what it was asked. */
struct bench {
	const char *answers[8];
	size_t nr;
	struct str asked;
};

static json_t *answer_call(void *ctx, const json_t *call)
{
	struct bench *b = ctx;
	struct err e = { 0 };
	const char *answer = b->answers[b->nr];
	str_addf(&b->asked, "%s%s %s", b->asked.len ? ", " : "", json_text_or(call, "tool", "?"),
		 json_text_or(call, "decision", json_text_or(call, "source", "?")));
	if (!answer)
		return NULL;
	b->nr++;
	return json_read_text(answer, strlen(answer), "answer", &e);
}

static struct tools tools_of(struct bench *b, int64_t left)
{
	return (struct tools){
		.call = answer_call, .ctx = b, .left = left, .has_ablate = true, .has_probe = true
	};
}

#define SPEED(ratio, low, high)                                                                    \
	"{\"ratio\":" #ratio ",\"low\":" #low ",\"high\":" #high ",\"replicates\":8}"
#define WORTH(left, best, without)                                                                 \
	"{\"outcome\":\"done\",\"left\":" #left ",\"best\":" best ",\"speedup\":" without "}"
#define PAYS(left) WORTH(left, SPEED(2.0, 1.98, 2.02), SPEED(1.5, 1.48, 1.52))
#define IDLE(left) WORTH(left, SPEED(2.0, 1.96, 2.04), SPEED(2.0, 1.95, 2.05))
#define COSTS(left) WORTH(left, SPEED(2.0, 1.98, 2.02), SPEED(2.2, 2.18, 2.22))
#define REFUSED(left) "{\"outcome\":\"refused\",\"left\":" #left ",\"text\":\"no\"}"

static json_t *speed(double ratio, double width)
{
	return json_pack("{s:f, s:f, s:f}", "ratio", ratio, "low", ratio / width, "high",
			 ratio * width);
}

/* A row of the digest whose screens tell speeds within 2 %. */
static json_t *screened(const char *id, const char *fate, int round, double before, double after)
{
	return json_pack("{s:s, s:s, s:i, s:o, s:o}", "id", id, "fate", fate, "round", round,
			 "before", speed(before, 1.02), "after", speed(after, 1.02));
}

/* A course over KERNEL_ROWS, as this teacher writes them. */
static const struct {
	const char *id;
	const char *value; /* NULL: settles its topic by doing nothing */
	const char *covers;
	const char *more;
} course_rows[] = {
	{ "D0.1", "specialise shapes=all", "tile_shapes", "" },
	{ "D0.2", "threads loop=L0 n=2 layout=block", "work_split", "" },
	{ "D0.3", NULL, "thread_roles", "" },
	{ "D0.4", NULL, "register_budget", "" },
	{ "D0.5", NULL, "residency", "" },
	{ "D0.6", NULL, "order", "" },
	{ "D0.7", NULL, "overlap", "" },
	{ "D1.1", "build cc=gcc flags=-O3,-march=native", NULL, "" },
	{ "D1.2", "simd loop=L0.0", NULL, "needs = [\"D1.1\"]\npredicts = 3.0\n" },
	{ "D1.3", "build cc=gcc flags=-O3,-march=native,-ffast-math", NULL,
	  "needs = [\"D1.1\"]\n" },
	{ "D1.4", "unroll loop=L0.1 n=4", NULL, "needs = [\"D1.1\"]\n" },
	{ "D1.5",
	  "build cc=gcc flags=-O3,-march=native,-ffast-math,-funroll-loops,"
	  "-fvariable-expansion-in-unroller",
	  NULL, "needs = [\"D1.3\"]\n" },
};

static void print_milestone(struct str *out, char number)
{
	str_addf(out, "[[milestone]]\nid = \"M%c\"\ntitle = \"t\"\ngate = \"correctness%s\"\n",
		 number, number == '0' ? "" : "+performance+mechanism");
	for (size_t i = 0; i < ARRAY_LEN(course_rows); i++) {
		if (course_rows[i].id[1] != number)
			continue;
		str_addf(out, "[[milestone.decision]]\nid = \"%s\"\nwhat = \"w\"\nwhy = \"y\"\n%s",
			 course_rows[i].id, course_rows[i].more);
		if (course_rows[i].covers)
			str_addf(out, "covers = \"%s\"\n", course_rows[i].covers);
		if (course_rows[i].value)
			str_addf(out,
				 "wrong_when = \"z\"\nmechanism_none = \"n\"\nvalue = \"%s\"\n",
				 course_rows[i].value);
		else
			str_add(out, "not_applicable = true\n");
	}
}

/* Yours. */
static char *course_text(void)
{
	struct str out = STR_INIT;
	str_add(&out, "version = 1\n");
	print_milestone(&out, '0');
	print_milestone(&out, '1');
	return str_take(&out);
}

/* Nothing is known of threads, lanes came out as predicted, unrolling can not be told from noise
 * and the two builds were not tried. */
static json_t *doubtful_digest(void)
{
	return json_pack(
		"{s:[o, o, o, o, o]}", "decisions", screened("D0.1", "kept", 1, 1.0, 1.0),
		screened("D0.2", "kept", 2, 1.0, 1.01), screened("D1.1", "kept", 3, 1.01, 1.02),
		screened("D1.2", "kept", 4, 1.02, 3.0), screened("D1.4", "best", 5, 3.0, 2.99));
}

struct asking {
	struct bench bench;
	struct prices prices;
	struct strv known;
};

static void ask_prices(struct asking *q, json_t *digest, int64_t left)
{
	AUTO_ARENA struct arena a = { 0 };
	AUTO_CURRICULUM struct curriculum old = { 0 };
	AUTO_FREE char *toml = course_text();
	AUTO_JSON json_t *own = digest;
	struct tools tools = tools_of(&q->bench, left);
	struct err e = { 0 };
	const struct price_spec spec = {
		.old = &old, .digest = own, .known = &q->known, .tools = &tools
	};
	CHECK_OK(curriculum_parse(&old, toml, "course", &e));
	price_rows(&q->prices, &spec, &a);
	for (size_t i = 0; i < q->prices.nr; i++)
		q->prices.items[i].id = "";
}

static void asking_release(struct asking *q)
{
	str_release(&q->bench.asked);
	strv_release(&q->known);
}

TEST(only_doubtful_rows_that_can_go_alone_are_priced)
{
	struct asking q = { .bench = { .answers = { IDLE(7), COSTS(6) }, .asked = STR_INIT } };
	ask_prices(&q, doubtful_digest(), 8);
	CHECK_TEXT(q.bench.asked.text, "ablate D1.4, ablate D0.2");
	CHECK_INT(q.prices.nr, 2);
	CHECK(!price_pays(&q.prices.items[0]) && !price_costs(&q.prices.items[0]));
	CHECK(!price_pays(&q.prices.items[1]) && price_costs(&q.prices.items[1]));
	asking_release(&q);
}

TEST(half_of_the_jobs_stay_for_a_later_entry)
{
	struct asking q = { .bench = { .answers = { IDLE(1), IDLE(0) }, .asked = STR_INIT } };
	ask_prices(&q, doubtful_digest(), 2);
	CHECK_TEXT(q.bench.asked.text, "ablate D1.4");
	asking_release(&q);
}

TEST(a_value_that_was_priced_and_pays_is_not_priced_again)
{
	struct asking q = { .bench = { .answers = { IDLE(7) }, .asked = STR_INIT } };
	strv_add(&q.known, "unroll loop=L0.1 n=4");
	ask_prices(&q, doubtful_digest(), 8);
	CHECK_TEXT(q.bench.asked.text, "ablate D0.2");
	asking_release(&q);
}

TEST(what_missed_its_prediction_is_priced)
{
	struct asking q = { .bench = { .answers = { PAYS(7) }, .asked = STR_INIT } };
	json_t *digest = json_pack("{s:[o, o]}", "decisions", screened("D1.1", "kept", 1, 1.0, 1.5),
				   screened("D1.2", "best", 2, 1.5, 2.0));
	ask_prices(&q, digest, 8);
	CHECK_TEXT(q.bench.asked.text, "ablate D1.2");
	CHECK(price_pays(&q.prices.items[0]));
	asking_release(&q);
}

/* Four doubts, the widest gap between prediction and measurement last. */
static json_t *many_doubts(void)
{
	return json_pack("{s:[o, o, o, o]}", "decisions", screened("D0.2", "kept", 1, 1.0, 1.0),
			 screened("D1.3", "kept", 2, 1.0, 1.01),
			 screened("D1.2", "kept", 3, 1.01, 2.0),
			 screened("D1.4", "best", 4, 2.0, 2.01));
}

TEST(two_rows_in_a_row_that_pay_end_the_questions)
{
	struct asking q = { .bench = { .answers = { PAYS(7), PAYS(6), IDLE(5) },
				       .asked = STR_INIT } };
	struct asking other = { .bench = { .answers = { PAYS(7), IDLE(6), PAYS(5) },
					   .asked = STR_INIT } };
	ask_prices(&q, many_doubts(), 8);
	ask_prices(&other, many_doubts(), 8);
	CHECK_TEXT(q.bench.asked.text, "ablate D0.2, ablate D1.4");
	CHECK_TEXT(other.bench.asked.text, "ablate D0.2, ablate D1.4, ablate D1.2");
	asking_release(&q);
	asking_release(&other);
}

TEST(a_row_whose_place_was_taken_and_one_behind_the_best_have_no_price)
{
	struct asking q = { .bench = { .asked = STR_INIT } };
	json_t *digest = json_pack(
		"{s:[o, o, o]}", "decisions", screened("D1.3", "kept", 1, 1.0, 1.0),
		screened("D1.5", "best", 2, 1.0, 1.5), screened("D1.4", "kept", 3, 1.5, 1.5));
	ask_prices(&q, digest, 8);
	CHECK_TEXT(q.bench.asked.text, "");
	asking_release(&q);
}

TEST(a_refused_call_prices_nothing_and_the_next_row_is_asked)
{
	struct asking q = { .bench = { .answers = { REFUSED(8), IDLE(7) }, .asked = STR_INIT } };
	ask_prices(&q, doubtful_digest(), 8);
	CHECK_TEXT(q.bench.asked.text, "ablate D1.4, ablate D0.2");
	CHECK_INT(q.prices.nr, 1);
	asking_release(&q);
}

TEST(a_silent_forge_ends_the_questions)
{
	struct asking q = { .bench = { .asked = STR_INIT } };
	ask_prices(&q, doubtful_digest(), 8);
	CHECK_TEXT(q.bench.asked.text, "ablate D1.4");
	CHECK_INT(q.prices.nr, 0);
	asking_release(&q);
}

/* The next version, by what forge answers. */
static json_t *revise(json_t *digest, struct tools *tools)
{
	AUTO_FREE char *toml = course_text();
	json_t *data = task_data(KERNEL_ROWS, 2, false);
	json_object_set_new(data, "curriculum", json_string(toml));
	json_object_set_new(data, "digest", digest);
	return ask_revision(data, tools);
}

TEST(a_row_that_does_not_pay_is_dropped_and_one_that_pays_is_noted)
{
	struct bench b = { .answers = { PAYS(7), IDLE(6) }, .asked = STR_INIT };
	struct tools tools = tools_of(&b, 8);
	AUTO_JSON json_t *answer = revise(doubtful_digest(), &tools);
	const char *toml = text_of(answer, "toml");
	check_lint(toml, KERNEL_ROWS);
	CHECK(has_line(toml, "unroll loop=L0.1 n=4") &&
	      strstr(toml, "# priced: unroll loop=L0.1 n=4\n"));
	CHECK(!has_line(toml, "threads loop=L0 n=2 layout=block") &&
	      strstr(toml, "does not pay: the best was measured at 1.00 (0.96 to 1.05) times"));
	CHECK(strstr(toml, "structure_epoch = 2\n"));
	str_release(&b.asked);
}

TEST(without_tools_nothing_is_dropped_for_being_in_doubt)
{
	AUTO_JSON json_t *answer = revise(doubtful_digest(), NULL);
	const char *toml = text_of(answer, "toml");
	CHECK(has_line(toml, "unroll loop=L0.1 n=4") &&
	      has_line(toml, "threads loop=L0 n=2 layout=block"));
	CHECK(strstr(toml, "structure_epoch = 1\n"));
}

/* The judge refused a build, and another one waits that is made of it. */
static json_t *refused_digest(void)
{
	return json_pack(
		"{s:[o, o, o, o, o]}", "decisions", screened("D0.1", "kept", 1, 1.0, 1.2),
		screened("D0.2", "kept", 2, 1.2, 2.0), screened("D1.1", "kept", 3, 2.0, 2.5),
		screened("D1.2", "best", 4, 2.5, 3.0),
		json_pack("{s:s, s:s, s:i}", "id", "D1.3", "fate", "rolled_back", "round", 5));
}

static const char relaxed[] = "build cc=gcc flags=-O3,-march=native,-fno-math-errno,"
			      "-fno-trapping-math,-fno-signed-zeros,-fassociative-math,"
			      "-freciprocal-math";

TEST(a_refuted_row_makes_room_for_another_of_its_kind)
{
	AUTO_JSON json_t *answer = revise(refused_digest(), NULL);
	AUTO_CURRICULUM struct curriculum c = { 0 };
	struct err e = { 0 };
	const char *toml = text_of(answer, "toml");
	check_lint(toml, KERNEL_ROWS);
	CHECK_OK(curriculum_parse(&c, toml, "v2", &e));
	const struct decision *d = curriculum_find(&c, "D1.3");
	CHECK(d != NULL);
	CHECK_TEXT(d->value, relaxed);
	CHECK(strstr(d->why, "was tried and refused"));
	CHECK_TEXT(d->needs[0], "D1.1");
	CHECK(curriculum_find(&c, "D1.4") != NULL && curriculum_find(&c, "D1.5") == NULL);
}

static void check_no_fast_build(const char *toml)
{
	AUTO_CURRICULUM struct curriculum c = { 0 };
	struct err e = { 0 };
	CHECK_OK(curriculum_parse(&c, toml, "v2", &e));
	for (size_t m = 0; m < c.nr_milestones; m++)
		for (size_t i = 0; i < c.milestones[m].nr_decisions; i++) {
			const char *value = c.milestones[m].decisions[i].value;
			CHECK(!value || !strstr(value, "-ffast-math"));
		}
}

/* Also in the version after next, whose digest knows nothing of it any more. */
TEST(a_refused_build_is_not_offered_again_with_more_liberties)
{
	AUTO_JSON json_t *second = revise(refused_digest(), NULL);
	const char *v2 = text_of(second, "toml");
	CHECK(strstr(v2, "# refused: build cc=gcc flags=-O3,-march=native,-ffast-math\n"));
	check_no_fast_build(v2);
	json_t *data = task_data(KERNEL_ROWS, 2, false);
	json_object_set_new(data, "curriculum", json_string(v2));
	json_object_set_new(data, "digest",
			    json_pack("{s:[o, o]}", "decisions",
				      screened("D0.1", "kept", 1, 1.0, 1.2),
				      screened("D1.4", "kept_slower", 2, 1.2, 1.0)));
	AUTO_JSON json_t *third = ask_revision(data, NULL);
	const char *v3 = text_of(third, "toml");
	CHECK(strstr(v3, "# refused: build cc=gcc flags=-O3,-march=native,-ffast-math\n"));
	check_no_fast_build(v3);
}

TEST(an_alternative_is_shown_to_the_judge_first)
{
	struct bench b = {
		.answers = { "{\"outcome\":\"done\",\"left\":7,\"speedup\":null,\"verdict\":"
			     "{\"reason\":\"wrong_value\"}}",
			     "{\"outcome\":\"done\",\"left\":6,\"speedup\":" SPEED(3.5, 3.4,
										   3.6) "}" },
		.asked = STR_INIT
	};
	struct tools tools = tools_of(&b, 8);
	tools.has_ablate = false;
	AUTO_JSON json_t *answer = revise(refused_digest(), &tools);
	AUTO_CURRICULUM struct curriculum c = { 0 };
	struct err e = { 0 };
	CHECK_OK(curriculum_parse(&c, text_of(answer, "toml"), "v2", &e));
	const struct decision *d = curriculum_find(&c, "D1.3");
	CHECK(d != NULL && strcmp(d->value, relaxed) != 0 && str_starts(d->value, "build "));
	CHECK(d->predicts == 3.5);
	CHECK_INT(b.nr, 2);
	CHECK(strstr(b.asked.text, "simd loop=L0.0") && strstr(b.asked.text, "layout=block"));
	str_release(&b.asked);
}

static json_t *row(const char *id, const char *value)
{
	return json_pack("{s:s, s:s, s:s}", "id", id, "what", "w", "value", value);
}

/* Takes the rows over. */
static json_t *ablate(const char *source, json_t *without, json_t *rows, const char *base)
{
	struct err e = { 0 };
	json_t *data = task_data(source, 2, false);
	json_object_set_new(data, "start", json_string(source));
	json_object_set_new(data, "row", without);
	json_object_set_new(data, "rows", rows);
	json_object_set_new(data, "base", json_string(base));
	return checked(student_ablation(data, &e), &e, data);
}

TEST(the_student_renders_the_kernel_without_one_decision)
{
	AUTO_JSON json_t *answer =
		ablate(KERNEL_NEST, row("D0.2", "threads loop=L0 n=2 layout=block"),
		       json_pack("[o, o]", row("D0.1", "specialise shapes=all"),
				 row("D1.1", "build cc=gcc flags=-O3,-march=native")),
		       "");
	const char *source = text_of(answer, "source");
	CHECK_TEXT(text_of(answer, "note"), "without D0.2");
	CHECK(strstr(source, "D0.1 specialise") && strstr(source, "D1.1 build"));
	CHECK(!strstr(source, "threads loop"));
	CHECK(kernel_same(KERNEL_NEST, source));
}

TEST(a_row_that_took_anothers_place_gives_it_back)
{
	AUTO_JSON json_t *answer =
		ablate(KERNEL_NEST, row("D1.1", "sink loop=L0.0 u=16 as=lanes"),
		       json_pack("[o]", row("D0.1",
					    "specialise shapes=all | sink loop=L0.0 u=8 as=lanes")),
		       "");
	CHECK(strstr(text_of(answer, "source"), "D0.1 sink loop=L0.0 u=8 as=lanes"));
}

TEST(what_others_rest_on_is_handed_back_with_the_reason)
{
	AUTO_JSON json_t *answer = ablate(KERNEL_NEST, row("D0.2", "sink loop=L0.0 u=8 as=lanes"),
					  json_pack("[o, o]", row("D0.1", "specialise shapes=all"),
						    row("D1.1", "vectors bits=256")),
					  "");
	CHECK_TEXT(text_of(answer, "type"), "handback");
	CHECK(strstr(text_of(answer, "reason"),
		     "D0.2: the other rows do not apply without it: D1.1: "));
}

/* Takes the rows over. */
static json_t *next_round(const char *source, const char *value, json_t *rows)
{
	struct err e = { 0 };
	json_t *data = task_data(source, 2, false);
	json_object_set_new(data, "start", json_string(source));
	json_object_set_new(data, "row", row("D2.1", value));
	json_object_set_new(data, "rows", rows);
	return checked(student_round(data, &e), &e, data);
}

TEST(a_row_of_an_earlier_decision_can_be_dropped_and_come_back)
{
	static const char threads[] = "threads loop=L0 n=2 layout=block";
	json_t *rows =
		json_pack("[o, o]", row("D0.1", "specialise shapes=all"), row("D0.2", threads));
	AUTO_JSON json_t *gone =
		next_round(KERNEL_NEST, "drop row=threads loop=L0", json_incref(rows));
	CHECK(!strstr(text_of(gone, "source"), threads));
	CHECK(strstr(text_of(gone, "source"), "D0.1 specialise"));
	CHECK(kernel_same(KERNEL_NEST, text_of(gone, "source")));
	json_array_append_new(rows, row("D1.1", "drop row=threads loop=L0"));
	AUTO_JSON json_t *back = next_round(KERNEL_NEST, threads, json_incref(rows));
	CHECK(strstr(text_of(back, "source"), "D2.1 threads loop=L0 n=2 layout=block"));
	AUTO_JSON json_t *none = next_round(KERNEL_NEST, "drop row=tile loop=L0", rows);
	CHECK_TEXT(text_of(none, "type"), "handback");
	CHECK(strstr(text_of(none, "reason"), "there is no such row: tile"));
}

TEST(rows_that_do_not_apply_in_the_order_of_rounds_are_tried_in_that_of_a_plan)
{
	json_t *rows = json_pack("[o, o, o]", row("D0.1", "specialise shapes=all"),
				 row("D0.2", "scan loop=L0 parts=2 lanes=4"),
				 row("D1.1", "vectors bits=128"));
	AUTO_JSON json_t *answer = next_round(
		KERNEL_CHAIN, "threads loop=L0t n=2 reduce=all | threads loop=L0c n=2 reduce=all",
		json_incref(rows));
	CHECK_TEXT(text_of(answer, "type"), "submit");
	CHECK(strstr(text_of(answer, "source"), "D1.1 vectors bits=128"));
	CHECK(strstr(text_of(answer, "source"), "D2.1 threads loop=L0c"));
	CHECK(kernel_same(KERNEL_CHAIN, text_of(answer, "source")));
	AUTO_JSON json_t *none = next_round(KERNEL_CHAIN, "unroll loop=L7 u=2", rows);
	CHECK_TEXT(text_of(none, "type"), "handback");
}

static int go_on(struct study *from, const struct study *s, const char *const *values, size_t nr)
{
	AUTO_STRV struct strv held = { 0 };
	struct err ignored = { 0 };
	for (size_t i = 0; i < nr; i++)
		strv_add(&held, values[i]);
	return study_go_on(from, s, &held, &ignored);
}

TEST(a_later_search_begins_at_the_kernel_of_the_rows_that_stay)
{
	static const char *const values[] = { "build cc=gcc flags=-O3 | specialise shapes=all",
					      "sink loop=L0.0 u=16 as=lanes",
					      "sink loop=L0.0 u=8 as=lanes" };
	AUTO_ARENA struct arena a = { 0 };
	AUTO_STUDY struct study s = { 0 };
	AUTO_JSON json_t *data = task_data(KERNEL_NEST, 2, false);
	struct study from;
	struct err e = { 0 };
	CHECK_OK(study_open(&s, data, NULL, &a, &e));
	CHECK_INT(go_on(&from, &s, values, ARRAY_LEN(values)), 0);
	CHECK_INT(from.start.nr, 3);
	CHECK_TEXT(from.start.rows[2], "sink loop=L0.0 u=8 as=lanes");
	CHECK_TEXT(from.source, s.source);
	CHECK(strstr(from.reference, "forge-rows:"));
	CHECK(kernel_same(KERNEL_NEST, from.reference));
	CHECK_INT(go_on(&from, &s, values, 0), -1);
	CHECK_INT(go_on(&from, &s, values + 1, 1), -1);
}

TEST(a_kernel_that_stays_the_same_is_handed_back)
{
	const char *later = "build cc=gcc flags=-O3,-march=native";
	AUTO_JSON json_t *base =
		ablate(KERNEL_NEST, row("D9.9", "x"), json_pack("[o]", row("D1.1", later)), "");
	AUTO_JSON json_t *answer =
		ablate(KERNEL_NEST, row("D0.1", "build cc=gcc flags=-O3"),
		       json_pack("[o]", row("D1.1", later)), text_of(base, "source"));
	CHECK_TEXT(text_of(answer, "type"), "handback");
	CHECK(strstr(text_of(answer, "reason"), "the kernel is the same without it"));
}

TEST_MAIN()
