#include "know/queue.h"

#include "know/sample.h"

static char *put(const struct sample *s, const char *text, const char *probe)
{
	struct err e = { 0 };
	AUTO_STR struct str id = STR_INIT;
	AUTO_STR struct str refused = STR_INIT;
	AUTO_FREE char *dir = path_join(s->dir, "queue");
	CHECK_OK(queue_put(dir, text, probe, &id, &refused, &e));
	printf("# %s%s\n", id.text, refused.text);
	return str_take(&refused);
}

#define CHECK_PUT(s, text, probe, want)                                                            \
	do {                                                                                       \
		AUTO_FREE char *refused_ = put(s, text, probe);                                    \
		CHECK(want[0] ? strstr(refused_, want) != NULL : !refused_[0]);                    \
	} while (0)

TEST(a_proposal_lies_where_the_base_would_have_it)
{
	struct err e = { 0 };
	struct sample s;
	sample_open(&s);
	CHECK_PUT(&s, s.text, s.probe, "");
	AUTO_FREE char *dir = path_join(s.dir, "queue");
	AUTO_KB struct kb queue = { 0 };
	CHECK_OK(kb_load(&queue, dir, NULL, &e));
	CHECK_INT(queue.nr, 1);
	/* The same again is no other proposal; the same id with another text is. */
	CHECK_PUT(&s, s.text, s.probe, "");
	AUTO_FREE char *other = sample_edit(s.text, "low = 1.3", "low = 1.4");
	CHECK_PUT(&s, other, s.probe, "was proposed already");
	CHECK_OK(queue_drop(&queue.items[0].lesson, &e));
	CHECK_PUT(&s, other, s.probe, "");
	sample_close(&s);
}

/* The probe of a lesson about a GPU is CUDA's. */
TEST(a_proposal_about_a_gpu_waits_with_its_probe)
{
	struct err e = { 0 };
	struct sample s;
	sample_open(&s);
	AUTO_FREE char *family = sample_edit(s.text, "\"x86-64\"", "\"hopper\"");
	AUTO_FREE char *text = sample_edit(family, "sums.probe.c\"", "sums.probe.cu\"");
	CHECK_PUT(&s, text, "int main() { return 77; }\n", "");
	AUTO_FREE char *dir = path_join(s.dir, "queue");
	AUTO_FREE char *probe = path_join(dir, "hopper/independent-sums.probe.cu");
	AUTO_KB struct kb queue = { 0 };
	CHECK_OK(kb_load(&queue, dir, NULL, &e));
	CHECK_INT(queue.nr, 1);
	CHECK(file_exists(probe));
	CHECK_OK(queue_drop(&queue.items[0].lesson, &e));
	CHECK(!file_exists(probe));
	sample_close(&s);
}

TEST(what_is_no_lesson_or_would_be_no_path_is_refused)
{
	static const struct {
		const char *from;
		const char *to;
		const char *why;
	} rows[] = {
		{ "+++\nversion", "version", "lesson:1: a lesson begins with" },
		{ "id = \"independent-sums\"", "id = \"../../x\"", "is no id" },
		{ "family = \"x86-64\"", "family = \"../x\"", "there is no device family" },
		{ "probe = \"independent-sums.probe.c\"", "probe = \"../x.c\"",
		  "probe must be \"independent-sums.probe.c\"" },
	};
	struct sample s;
	sample_open(&s);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO_FREE char *text = sample_edit(s.text, rows[i].from, rows[i].to);
		CHECK_PUT(&s, text, s.probe, rows[i].why);
	}
	AUTO_FREE char *dir = path_join(s.dir, "queue");
	CHECK(!file_exists(dir));
	AUTO_STR struct str large = STR_INIT;
	while (large.len <= PROBE_MAX_BYTES)
		str_add(&large, "/* much */\n");
	CHECK_PUT(&s, s.text, large.text, "at most");
	sample_close(&s);
}

TEST(what_was_decided_stays)
{
	struct err e = { 0 };
	struct sample s;
	sample_open(&s);
	AUTO_FREE char *path = path_join(s.dir, "x86-64/independent-sums.md");
	AUTO_LESSON struct lesson l = { 0 };
	AUTO_STR struct str why = STR_INIT;
	enum review r;
	CHECK_OK(lesson_load(&l, path, &e));
	CHECK_OK(queue_review(&l, &r, &why, &e));
	CHECK_INT(r, REVIEW_WAITING);
	CHECK_OK(queue_decide(&l, REVIEW_REJECTED, "beside the point", "2026-11-30", &e));
	CHECK_OK(queue_review(&l, &r, &why, &e));
	CHECK_INT(r, REVIEW_REJECTED);
	CHECK_TEXT(why.text, "beside the point");
	sample_close(&s);
}

TEST_MAIN()
