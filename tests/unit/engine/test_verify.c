#include "engine/verify.h"

#include <sys/stat.h>

#include "base/sign.h"
#include "engine/scene.h"

/* A claim is held against every byte that it rests on, then measured again. */

static void finished(struct scene *sc, const char *best)
{
	const char *student[] = { "FAKE speedup=2", best, NULL };
	scene_open(sc);
	scene_student(sc, student);
	scene_new(sc);
	scene_run_ok(sc);
}

static char *best_of(const struct scene *sc)
{
	return path_join(sc->run, "best");
}

static void verify(const struct scene *sc, const struct verify_spec *spec, struct verify_answer *a)
{
	struct err e = { 0 };
	CHECK_OK(verify_claim(spec, &sc->host, &sc->hooks, a, &e));
	printf("# %s: %s\n", verify_outcome_name(a->outcome), a->why.text);
}

static void check_outcome(const struct scene *sc, const char *dir, enum verify_outcome want)
{
	AUTO_VERIFY_ANSWER struct verify_answer a;
	const struct verify_spec spec = { .dir = dir };
	verify(sc, &spec, &a);
	CHECK_TEXT(verify_outcome_name(a.outcome), verify_outcome_name(want));
}

TEST(a_claim_is_reproduced_with_both_intervals)
{
	struct scene sc;
	finished(&sc, "FAKE speedup=4");
	AUTO_FREE char *best = best_of(&sc);
	AUTO_VERIFY_ANSWER struct verify_answer a;
	const struct verify_spec spec = { .dir = best };
	verify(&sc, &spec, &a);
	CHECK_INT(a.outcome, VERIFY_REPRODUCED);
	CHECK_INT(a.claimed.replicates, 16);
	CHECK_INT(a.measured.replicates, 16);
	CHECK(a.claimed.low <= a.measured.high && a.measured.low <= a.claimed.high);
	CHECK(a.is_confirmed);
	CHECK_INT(a.notes.nr, 0);
	check_outcome(&sc, sc.run, VERIFY_REPRODUCED);
	scene_close(&sc);
}

TEST(a_claim_that_was_copied_away_from_its_run_is_reproduced)
{
	struct scene sc;
	struct err e = { 0 };
	finished(&sc, "FAKE speedup=4");
	AUTO_FREE char *best = best_of(&sc);
	AUTO_FREE char *away = path_join(sc.dir, "away");
	CHECK_OK(tree_copy(best, away, &e));
	CHECK_OK(tree_remove(sc.run, &e));
	check_outcome(&sc, away, VERIFY_REPRODUCED);
	scene_close(&sc);
}

TEST(a_kernel_that_is_slower_today_is_not_reproduced)
{
	struct scene sc;
	finished(&sc, "FAKE speedup=4 FAKE hand=3");
	check_outcome(&sc, sc.run, VERIFY_NOT_REPRODUCED);
	scene_close(&sc);
}

TEST(a_kernel_that_is_wrong_today_is_not_reproduced)
{
	struct scene sc;
	finished(&sc, "FAKE speedup=4 FAKE hand_reason=wrong_value");
	AUTO_VERIFY_ANSWER struct verify_answer a;
	const struct verify_spec spec = { .dir = sc.run };
	verify(&sc, &spec, &a);
	CHECK_INT(a.outcome, VERIFY_NOT_REPRODUCED);
	CHECK(strstr(a.why.text, "wrong_value"));
	CHECK(!a.measured.call);
	scene_close(&sc);
}

static const char other_machine[] =
	"#!/bin/sh\n[ \"$1\" = probe ] && echo '{\"cpu\":\"another\",\"cores\":2}' && exit 0\n"
	"exec tests/fake/fake-worker \"$@\"\n";

TEST(another_machine_gives_numbers_and_no_verdict_on_the_claim)
{
	struct scene sc;
	struct err e = { 0 };
	finished(&sc, "FAKE speedup=4 FAKE hand=3");
	AUTO_FREE char *worker = path_join(sc.dir, "worker");
	CHECK_OK(file_write_text(worker, other_machine, &e));
	CHECK_INT(chmod(worker, 0755), 0);
	sc.host.worker_path = worker;
	AUTO_VERIFY_ANSWER struct verify_answer a;
	const struct verify_spec spec = { .dir = sc.run };
	verify(&sc, &spec, &a);
	CHECK_INT(a.outcome, VERIFY_OTHER_MACHINE);
	CHECK(strstr(a.why.text, "fake cpu") && strstr(a.why.text, "another"));
	CHECK(a.measured.call);
	scene_close(&sc);
}

/* Every plain file below a folder, as paths below it. */
static void list_files(const char *dir, const char *below, struct strv *out)
{
	struct err e = { 0 };
	AUTO_STRV struct strv names = { 0 };
	CHECK_OK(dir_list(dir, &names, &e));
	for (size_t i = 0; i < names.nr; i++) {
		AUTO_FREE char *path = path_join(dir, names.items[i]);
		AUTO_FREE char *name = xasprintf("%s%s", below, names.items[i]);
		AUTO_FREE char *deeper = xasprintf("%s/", name);
		if (file_is_dir(path))
			list_files(path, deeper, out);
		else
			strv_add(out, name);
	}
}

/* Flip one bit of the byte at `share` of the file. */
static void flip(const char *path, double share)
{
	struct err e = { 0 };
	AUTO_STR struct str text = STR_INIT;
	CHECK_OK(file_read(path, 1 << 24, &text, &e));
	if (!text.len)
		str_add_char(&text, 'x');
	else
		text.text[(size_t)(share * (double)(text.len - 1))] ^= 1;
	CHECK_OK(file_write(path, text.text, text.len, &e));
}

/* The folder that a tree's digest covers, or the file itself. */
static char *named_part(const char *name)
{
	if (str_starts(name, "task/") || str_starts(name, "check/"))
		return xstrndup(name, strcspn(name, "/"));
	return xstrdup(name);
}

static void check_flip(const struct scene *sc, const char *best, const char *name, double share)
{
	struct err e = { 0 };
	AUTO_FREE char *touched = path_join(sc->dir, "touched");
	AUTO_FREE char *path = path_join(touched, name);
	AUTO_FREE char *part = named_part(name);
	CHECK_OK(tree_remove(touched, &e));
	CHECK_OK(tree_copy(best, touched, &e));
	flip(path, share);
	AUTO_VERIFY_ANSWER struct verify_answer a;
	const struct verify_spec spec = { .dir = touched, .is_chain_only = true };
	verify(sc, &spec, &a);
	CHECK_INT(a.outcome, VERIFY_BROKEN);
	CHECK(strstr(a.why.text, part));
}

static void sign_it(const struct scene *sc, const char *best)
{
	struct err e = { 0 };
	AUTO_FREE char *key = path_join(sc->dir, "key");
	CHECK_OK(sign_make_key(key, &e));
	CHECK_OK(verify_sign(best, key, &e));
}

TEST(a_changed_byte_in_any_file_of_the_claim_is_found_and_named)
{
	struct scene sc;
	finished(&sc, "FAKE speedup=4");
	AUTO_FREE char *best = best_of(&sc);
	AUTO_STRV struct strv files = { 0 };
	sign_it(&sc, best);
	list_files(best, "", &files);
	CHECK(files.nr >= 12);
	for (size_t i = 0; i < files.nr; i++) {
		check_flip(&sc, best, files.items[i], 0);
		check_flip(&sc, best, files.items[i], 0.37);
		check_flip(&sc, best, files.items[i], 1);
	}
	scene_close(&sc);
}

TEST(every_byte_of_chain_and_evidence_counts)
{
	struct scene sc;
	struct err e = { 0 };
	static const char *const names[] = { "chain.json", "evidence.json" };
	finished(&sc, "FAKE speedup=4");
	AUTO_FREE char *best = best_of(&sc);
	const struct verify_spec spec = { .dir = best, .is_chain_only = true };
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		AUTO_STR struct str text = STR_INIT;
		AUTO_FREE char *path = path_join(best, names[i]);
		CHECK_OK(file_read(path, 1 << 20, &text, &e));
		for (size_t at = 0; at < text.len; at += 7) {
			text.text[at] ^= 1;
			CHECK_OK(file_write(path, text.text, text.len, &e));
			AUTO_VERIFY_ANSWER struct verify_answer a;
			CHECK_OK(verify_claim(&spec, &sc.host, &sc.hooks, &a, &e));
			if (a.outcome != VERIFY_BROKEN)
				printf("# byte %zu of %s\n", at, names[i]);
			CHECK_INT(a.outcome, VERIFY_BROKEN);
			text.text[at] ^= 1;
		}
		CHECK_OK(file_write(path, text.text, text.len, &e));
	}
	check_outcome(&sc, best, VERIFY_REPRODUCED);
	scene_close(&sc);
}

TEST(a_file_added_to_the_frozen_folders_or_missing_is_found)
{
	struct scene sc;
	struct err e = { 0 };
	finished(&sc, "FAKE speedup=4");
	AUTO_FREE char *best = best_of(&sc);
	AUTO_FREE char *more = path_join(best, "check/more");
	CHECK_OK(file_write_text(more, "", &e));
	check_outcome(&sc, best, VERIFY_BROKEN);
	CHECK_INT(unlink(more), 0);
	AUTO_FREE char *samples = path_join(best, "samples.csv");
	CHECK_INT(unlink(samples), 0);
	check_outcome(&sc, best, VERIFY_BROKEN);
	scene_close(&sc);
}

TEST(a_claim_whose_run_says_something_else_is_broken)
{
	struct scene one, other;
	struct err e = { 0 };
	finished(&one, "FAKE speedup=4");
	finished(&other, "FAKE speedup=5");
	AUTO_FREE char *mine = best_of(&one);
	AUTO_FREE char *theirs = best_of(&other);
	CHECK_OK(tree_remove(mine, &e));
	CHECK_OK(tree_copy(theirs, mine, &e));
	check_outcome(&one, mine, VERIFY_REPRODUCED);
	check_outcome(&one, one.run, VERIFY_BROKEN);
	scene_close(&one);
	scene_close(&other);
}

TEST(a_changed_event_breaks_a_run_and_not_its_copy)
{
	struct scene sc;
	finished(&sc, "FAKE speedup=4");
	AUTO_FREE char *events = path_join(sc.run, "events.jsonl");
	flip(events, 0.5);
	AUTO_VERIFY_ANSWER struct verify_answer a;
	const struct verify_spec spec = { .dir = sc.run, .is_chain_only = true };
	verify(&sc, &spec, &a);
	CHECK_INT(a.outcome, VERIFY_BROKEN);
	CHECK(strstr(a.why.text, "events.jsonl"));
	scene_close(&sc);
}

TEST(a_signature_is_asked_for_by_its_key)
{
	struct scene sc;
	struct err e = { 0 };
	finished(&sc, "FAKE speedup=4");
	AUTO_FREE char *best = best_of(&sc);
	AUTO_FREE char *other = path_join(sc.dir, "other");
	AUTO_FREE char *other_public = path_join(sc.dir, "other.pub");
	AUTO_FREE char *public_key = path_join(sc.dir, "key.pub");
	CHECK_OK(sign_make_key(other, &e));
	struct verify_spec spec = { .dir = best,
				    .is_chain_only = true,
				    .public_key = other_public };
	AUTO_VERIFY_ANSWER struct verify_answer unsigned_one;
	verify(&sc, &spec, &unsigned_one);
	CHECK_INT(unsigned_one.outcome, VERIFY_BROKEN);
	sign_it(&sc, best);
	AUTO_VERIFY_ANSWER struct verify_answer by_other;
	verify(&sc, &spec, &by_other);
	CHECK_INT(by_other.outcome, VERIFY_BROKEN);
	CHECK(strstr(by_other.why.text, "another key"));
	spec.public_key = public_key;
	AUTO_VERIFY_ANSWER struct verify_answer good;
	verify(&sc, &spec, &good);
	CHECK_INT(good.outcome, VERIFY_CHAIN_HOLDS);
	CHECK_INT(good.signer.len, 64);
	scene_close(&sc);
}

TEST(a_run_without_a_best_makes_no_claim)
{
	struct scene sc;
	const char *student[] = { "FAKE speedup=0.5", NULL };
	scene_open(&sc);
	scene_student(&sc, student);
	scene_new(&sc);
	scene_run_ok(&sc);
	AUTO_VERIFY_ANSWER struct verify_answer a;
	const struct verify_spec spec = { .dir = sc.run };
	struct err e = { 0 };
	CHECK(verify_claim(&spec, &sc.host, &sc.hooks, &a, &e) < 0);
	CHECK(strstr(e.text, "no claim"));
	scene_close(&sc);
}

/* The worker says that it measured other bytes, or other code, than were submitted and judged. */
static void check_not_promoted(const char *mark, const char *named)
{
	struct scene sc;
	AUTO_FREE char *source = xasprintf("FAKE speedup=4 %s", mark);
	finished(&sc, source);
	AUTO_RUN_STATE struct run_state s;
	scene_state(&sc, &s);
	CHECK_INT(s.nr_bests, 1);
	CHECK_INT(s.bests[0].round, 1);
	CHECK(s.warnings.nr);
	printf("# %s\n", s.warnings.items[0]);
	CHECK(strstr(s.warnings.items[0], "round 2 is not promoted"));
	CHECK(strstr(s.warnings.items[0], named));
	check_outcome(&sc, sc.run, VERIFY_REPRODUCED);
	scene_close(&sc);
}

TEST(other_bytes_than_those_submitted_are_not_promoted)
{
	check_not_promoted("FAKE other_source=screen", "judged (the source that was judged");
	check_not_promoted("FAKE other_source=decide", "timed (the source that was timed");
	check_not_promoted("FAKE other_object=decide", "judged_object");
}

TEST(a_confirmation_of_other_bytes_confirms_nothing)
{
	static const char *const marks[] = { "FAKE other_source=confirm",
					     "FAKE other_object=confirm" };
	for (size_t i = 0; i < ARRAY_LEN(marks); i++) {
		struct scene sc;
		AUTO_FREE char *source = xasprintf("FAKE speedup=4 %s", marks[i]);
		finished(&sc, source);
		AUTO_RUN_STATE struct run_state s;
		scene_state(&sc, &s);
		CHECK_INT(s.nr_bests, 2);
		CHECK(s.confirm.is_confirmed);
		CHECK_INT(s.confirm.round, 1);
		CHECK(strstr(s.warnings.items[0], "was not confirmed"));
		scene_close(&sc);
	}
}

TEST_MAIN()
