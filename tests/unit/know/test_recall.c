#include "know/recall.h"

#include "know/sample.h"

/* A base of lessons that differ in words, languages, topics and families. */
struct row {
	const char *id;
	const char *family;
	const char *title;
	const char *languages;
	const char *topics;
	const char *body;
};

static void put_row(const struct sample *s, const struct row *r)
{
	AUTO_FREE char *name = xasprintf("%s/%s.md", r->family, r->id);
	AUTO_FREE char *probe = xasprintf("%s/%s.probe.c", r->family, r->id);
	AUTO_FREE char *text = xasprintf(
		"+++\nversion = 1\nid = \"%s\"\ntitle = \"%s\"\nfamily = \"%s\"\nlanguages = [%s]\n"
		"topics = [%s]\napplies_when = \"always\"\nprobe = \"%s.probe.c\"\n\n[scope]\n"
		"devices = [\"*\"]\n\n[[claim]]\nvalue = \"gain\"\nlow = 1.1\nunit = \"ratio\"\n"
		"means = \"one over the other\"\n+++\n%s\n",
		r->id, r->title, r->family, r->languages, r->topics, r->id, r->body);
	sample_put(s, name, text);
	sample_put(s, probe, "int main(void) { return 0; }\n");
}

static const struct row rows[] = {
	{ "aligned-loads", "x86-64", "Loads within a line", "\"c\"", "\"alignment\"",
	  "A load that crosses two lines needs both of them." },
	{ "big-pages", "x86-64", "Large pages spare walks", "\"c\"", "\"tlb\"",
	  "Walks of the tables cost loads, too." },
	{ "copies-ahead", "hopper", "Loads that run ahead of the arithmetic", "\"cuda\"",
	  "\"async_copy\"", "Loads, loads, loads: ask for them early." },
	{ "denormal-traps", "x86-64", "Tiny values take the slow path", "\"c\", \"cuda\"",
	  "\"numerics\"", "Flush them to zero where that is allowed." },
};

struct world {
	struct sample s;
	struct kb kb;
	struct recalled found[8];
	size_t nr;
};

static void world_open(struct world *w)
{
	struct err e = { 0 };
	*w = (struct world){ .s = { .dir = "/tmp/forge-know-XXXXXX" } };
	CHECK(mkdtemp(w->s.dir));
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		put_row(&w->s, &rows[i]);
	CHECK_OK(kb_load(&w->kb, w->s.dir, NULL, &e));
	CHECK_INT(w->kb.nr, ARRAY_LEN(rows));
}

static void world_close(struct world *w)
{
	kb_release(&w->kb);
	sample_close(&w->s);
}

/* "aligned-loads big-pages": the ids in order. */
static char *ask(struct world *w, const struct recall_query *q)
{
	struct err e = { 0 };
	AUTO_STR struct str ids = STR_INIT;
	CHECK_OK(recall(&w->kb, q, w->found, ARRAY_LEN(w->found), &w->nr, &e));
	for (size_t i = 0; i < w->nr; i++)
		str_addf(&ids, "%s%s", i ? " " : "", w->found[i].entry->lesson.id);
	printf("# \"%s\": %s\n", q->words ? q->words : "", ids.text);
	return str_take(&ids);
}

#define CHECK_FOUND(w, want, ...)                                                                  \
	do {                                                                                       \
		const struct recall_query q_ = { __VA_ARGS__ };                                    \
		AUTO_FREE char *got_ids = ask(w, &q_);                                             \
		CHECK_TEXT(got_ids, want);                                                         \
	} while (0)

TEST(any_word_or_beginning_of_one_is_found)
{
	struct world w;
	world_open(&w);
	CHECK_FOUND(&w, "denormal-traps", .words = "denormal");
	CHECK_FOUND(&w, "denormal-traps", .words = "flush nothing-of-this");
	CHECK_FOUND(&w, "denormal-traps", .words = "TIN");
	CHECK_FOUND(&w, "big-pages", .words = "walk page");
	CHECK_FOUND(&w, "", .words = "banana");
	/* In the order of the base: by family, then id. */
	CHECK_FOUND(&w, "copies-ahead aligned-loads big-pages denormal-traps", .words = NULL);
	world_close(&w);
}

TEST(a_title_counts_more_than_the_text)
{
	struct world w;
	world_open(&w);
	AUTO_FREE char *ids = ask(&w, &(const struct recall_query){ .words = "loads" });
	CHECK_INT(w.nr, 3);
	CHECK(str_ends(ids, "big-pages"));
	world_close(&w);
}

TEST(what_the_asker_can_use_comes_first)
{
	struct world w;
	world_open(&w);
	CHECK_FOUND(&w, "aligned-loads big-pages copies-ahead", .words = "loads", .language = "c");
	AUTO_FREE char *cuda =
		ask(&w, &(const struct recall_query){ .words = "loads", .language = "cuda" });
	CHECK(str_starts(cuda, "copies-ahead"));
	const struct kb_device cpu = sample_device();
	struct kb_device gpu = sample_device();
	gpu.family = "hopper";
	CHECK_FOUND(&w, "copies-ahead aligned-loads big-pages denormal-traps", .device = &gpu,
		    .topic = "alignment");
	AUTO_FREE char *here =
		ask(&w, &(const struct recall_query){ .words = "loads", .device = &cpu });
	CHECK(str_ends(here, "copies-ahead") || str_ends(here, "big-pages"));
	CHECK(str_starts(here, "aligned-loads"));
	world_close(&w);
}

TEST(lessons_certified_here_come_before_others)
{
	struct world w;
	struct err e = { 0 };
	world_open(&w);
	const struct kb_device here = sample_device();
	CHECK_FOUND(&w, "aligned-loads big-pages denormal-traps copies-ahead", .device = &here);
	const struct lesson *l = &kb_find(&w.kb, "denormal-traps")->lesson;
	AUTO_FREE char *probe = lesson_probe_path(l);
	struct digest digest;
	CHECK_OK(digest_file(probe, &digest, &e));
	AUTO_JSON json_t *c =
		json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:[], s:[]}", "state",
			  "certified", "date", "2026-11-30T10:12:44Z", "host", "local", "device",
			  here.name, "compiler", here.compiler, "driver", here.driver, "lesson",
			  l->digest.hex, "probe", digest.hex, "claims", "values");
	CHECK_OK(cert_put(l, c, &e));
	kb_release(&w.kb);
	CHECK_OK(kb_load(&w.kb, w.s.dir, NULL, &e));
	CHECK_FOUND(&w, "denormal-traps aligned-loads big-pages copies-ahead", .device = &here);
	world_close(&w);
}

TEST(nothing_that_is_typed_is_syntax)
{
	static const char *const typed[] = {
		"\"", "a\" OR \"b", "NEAR(a b)", "*", "title:", "-", "'; DROP TABLE lessons",
		"(",  "AND",        ""
	};
	struct world w;
	struct err e = { 0 };
	world_open(&w);
	for (size_t i = 0; i < ARRAY_LEN(typed); i++) {
		const struct recall_query q = { .words = typed[i] };
		CHECK_OK(recall(&w.kb, &q, w.found, ARRAY_LEN(w.found), &w.nr, &e));
	}
	world_close(&w);
}

TEST(as_many_as_asked_for_and_no_more)
{
	struct world w;
	struct err e = { 0 };
	world_open(&w);
	const struct recall_query q = { .words = NULL };
	CHECK_OK(recall(&w.kb, &q, w.found, 2, &w.nr, &e));
	CHECK_INT(w.nr, 2);
	world_close(&w);
}

TEST_MAIN()
