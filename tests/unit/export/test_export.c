#include "export/export.h"

#include <sys/stat.h>

#include "engine/verify.h"
#include "export/claim.h"
#include "export/code_text.h"
#include "export/features.h"
#include "export/kernels_page.h"
#include "export/released.h"
#include "export/shipment.h"
#include "export/slots.h"
#include "model/task.h"
#include "sys/proc.h"

/* What leaves: only what holds, only where there is room, and with everything said. */

static const char *const student[] = { "FAKE speedup=2 " EMPTY_POWERS,
				       "FAKE reason=wrong_value <script>alert(1)</script>",
				       "/* FAKE speedup=4 */ " EMPTY_POWERS, NULL };

static struct scene made; /* by main, copied by the tests */

TEST(a_slot_that_nobody_fills_is_an_error)
{
	struct err e = { 0 };
	AUTO_SLOTS struct slots s = { 0 };
	AUTO_STR struct str out = STR_INIT;
	slots_set(&s, "NAME", "x");
	slots_setf(&s, "NAME", "%s%d", "y", 1);
	CHECK_OK(slots_fill_text(&s, "a @NAME@ b@c $@ @ @lower@", "t", &out, &e));
	CHECK_TEXT(out.text, "a y1 b@c $@ @ @lower@");
	CHECK(slots_fill_text(&s, "@OTHER@", "t", &out, &e) < 0);
	CHECK(strstr(e.text, "@OTHER@"));
}

TEST(a_strangers_text_does_not_leave_its_comment)
{
	AUTO_STR struct str out = STR_INIT;
	code_comment(&out, "a */ b /* c **/ d\n#define e /*/");
	CHECK(!strstr(out.text, "*/") && !strstr(out.text, "/*") && !strchr(out.text, '\n'));
}

TEST(only_scalars_that_were_judged_are_judged)
{
	struct err e = { 0 };
	AUTO_TASK struct task t = { 0 };
	AUTO_STR struct str shown = STR_INIT;
	AUTO_STR struct str all = STR_INIT;
	CHECK_OK(task_load(&t, "tests/crash/task", &e));
	CHECK_OK(code_judged(&t, false, &shown, &e));
	CHECK_TEXT(shown.text, "\tif (n == 600 && m == 24)\n\t\treturn 1; /* short */\n"
			       "\tif (n == 1011 && m == 17)\n\t\treturn 1; /* odd */\n");
	CHECK_OK(code_judged(&t, true, &all, &e));
	CHECK(strstr(all.text, "n == 333 && m == 21"));
}

TEST(a_float_is_written_with_all_its_bits)
{
	struct err e = { 0 };
	AUTO_STR struct str out = STR_INIT;
	const struct arg eps = {
		.name = "eps", .role = ARG_SCALAR, .dtype = DTYPE_F32, .value = "1e-5"
	};
	const struct dims none = { 0 };
	CHECK_OK(code_literal(&eps, &none, &out, &e));
	CHECK_TEXT(out.text, "0x1.4f8b58p-17f");
}

TEST(features_are_what_the_compiler_may_use)
{
	AUTO_STRV struct strv names = { 0 };
	AUTO_STR struct str check = STR_INIT;
	features_of_macros("#define __AVX2__ 1\n#define __AVX512F__X 1\n#define __FMA__ 1\n",
			   &names);
	AUTO_FREE char *list = strv_join(&names, " ");
	CHECK_TEXT(list, "fma avx2");
	features_check(&names, &check);
	CHECK(strstr(check.text, "__builtin_cpu_supports(\"fma\") &&"));
}

TEST(every_form_is_documented)
{
	for (int i = 0; i < EXPORT_NR; i++) {
		AUTO_FREE char *row = xasprintf("| `%s` |", export_form_name((enum export_form)i));
		CHECK_HAS("docs/format", "export.md", row);
		CHECK(*export_form_text((enum export_form)i));
	}
}

static void flip_last_byte(const char *path)
{
	struct err e = { 0 };
	AUTO_STR struct str text = STR_INIT;
	CHECK_OK(file_read(path, 1 << 24, &text, &e));
	text.text[text.len - 1] ^= 1;
	CHECK_OK(file_write(path, text.text, text.len, &e));
}

static void check_tampered(const struct scene *sc, const char *name, const char *form)
{
	struct err e = { 0 };
	AUTO_FREE char *best = claim_best(sc);
	AUTO_FREE char *copy = claim_place(sc, "copy");
	AUTO_FREE char *to = claim_place(sc, "to");
	AUTO_FREE char *path = path_join(copy, name);
	CHECK_OK(tree_remove(copy, &e));
	CHECK_OK(tree_copy(best, copy, &e));
	flip_last_byte(path);
	const struct export_spec spec = { .from = copy, .to = to, .form = form };
	claim_refused(&spec, ERR_CONFLICT, "the claim does not hold");
	CHECK(!file_exists(to));
}

TEST(a_changed_byte_is_never_exported)
{
	static const char *const names[] = {
		"kernel.c",       "reference/kernel.c",    "samples.csv",
		"task/task.toml", "check/tolerances.json", "result.json"
	};
	struct scene sc;
	claim_copy(&sc, &made);
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		check_tampered(&sc, names[i], "c");
		check_tampered(&sc, names[i], "review");
	}
	scene_close(&sc);
}

TEST(a_run_whose_log_says_something_else_is_not_exported)
{
	struct scene sc;
	claim_copy(&sc, &made);
	AUTO_FREE char *best = claim_best(&sc);
	claim_put(best, "kernel.c", EMPTY_POWERS);
	claim_rechain(best, NULL, NULL);
	AUTO_FREE char *to = claim_place(&sc, "to");
	const struct export_spec spec = { .from = sc.run, .to = to, .form = "review" };
	claim_refused(&spec, ERR_CONFLICT, "event log has another digest");
	CHECK(!file_exists(to));
	scene_close(&sc);
}

/* The fake worker said that the object is something that no compiler makes. */
TEST(code_that_is_not_what_was_measured_is_not_exported)
{
	struct scene sc;
	claim_copy(&sc, &made);
	AUTO_FREE char *to = claim_place(&sc, "to");
	const struct export_spec spec = { .from = sc.run, .to = to, .accept_weak = true };
	claim_refused(&spec, ERR_CONFLICT, "is not the code that was measured");
	CHECK(!file_exists(to));
	scene_close(&sc);
}

TEST(what_stands_there_goes_only_when_told_and_only_an_export)
{
	struct err e = { 0 };
	struct scene sc;
	claim_copy(&sc, &made);
	AUTO_FREE char *to = claim_place(&sc, "to");
	AUTO_FREE char *tar = claim_place(&sc, "to.tar");
	struct export_spec spec = { .from = sc.run, .to = to, .form = "review" };
	claim_exported(&spec);
	claim_refused(&spec, ERR_CONFLICT, "--replace");
	spec.is_replaced = true;
	claim_put(to, "mine", "x");
	claim_exported(&spec);
	AUTO_FREE char *mine = path_join(to, "mine");
	CHECK(!file_exists(mine) && file_exists(tar));
	CHECK_OK(tree_remove(to, &e));
	spec.is_replaced = false;
	claim_refused(&spec, ERR_CONFLICT, "to.tar");
	CHECK_OK(dir_make(to, &e));
	claim_put(to, "mine", "x");
	spec.is_replaced = true;
	claim_refused(&spec, ERR_CONFLICT, "something else stands there");
	CHECK(file_exists(mine));
	scene_close(&sc);
}

TEST(forms_that_do_not_fit_are_refused)
{
	struct scene sc;
	claim_copy(&sc, &made);
	AUTO_FREE char *best = claim_best(&sc);
	struct export_spec spec = { .from = sc.run, .form = "torch" };
	claim_refused(&spec, ERR_USAGE, "is for kernels of language cuda");
	spec.form = "rpm";
	claim_refused(&spec, ERR_USAGE, "no form 'rpm'");
	spec.form = "kernels";
	spec.from = best;
	claim_refused(&spec, ERR_USAGE, "needs the run directory");
	spec.from = sc.task;
	claim_refused(&spec, ERR_INPUT, "no claim");
	scene_close(&sc);
}

TEST(a_review_says_that_a_machine_wrote_it_and_what_was_rejected)
{
	struct scene sc;
	claim_copy(&sc, &made);
	AUTO_FREE char *to = claim_place(&sc, "to");
	const struct export_spec spec = { .from = sc.run, .to = to, .form = "review" };
	claim_exported(&spec);
	CHECK_HAS(to, "REVIEW.md", "A machine wrote this kernel: student replay");
	CHECK_HAS(to, "REVIEW.md", "| short |");
	CHECK_HAS(to, "REVIEW.md", "held (held out)");
	CHECK_HAS(to, "REVIEW.md", "wrong_value: as marked");
	CHECK_HAS(to, "REVIEW.md", "small: arguments whose high powers are small");
	CHECK_HAS(to, "kernel.patch", "--- a/powers.c");
	CHECK_HAS(to, "kernel.patch", "+++ b/powers.c");
	CHECK(!claim_has(to, "REVIEW.md", "<script>"));
	scene_close(&sc);
}

TEST(the_patch_of_a_review_makes_the_kernel_and_its_claim_holds)
{
	struct err e = { 0 };
	struct scene sc;
	claim_copy(&sc, &made);
	AUTO_FREE char *to = claim_place(&sc, "to");
	AUTO_FREE char *reference = path_join(to, "powers.c");
	const struct export_spec spec = { .from = sc.run, .to = to, .form = "review" };
	claim_exported(&spec);
	AUTO_FREE char *original = path_join(sc.task, "reference/powers.c");
	AUTO_FREE char *evidence = path_join(to, "evidence");
	AUTO_FREE char *program = proc_find("patch");
	AUTO_VERIFY_ANSWER struct verify_answer a;
	const struct verify_spec claim = { .dir = evidence, .is_chain_only = true };
	CHECK_OK(verify_claim(&claim, &sc.host, &sc.hooks, &a, &e));
	CHECK_INT(a.outcome, VERIFY_CHAIN_HOLDS);
	if (!program)
		SKIP("no patch(1) here");
	CHECK_OK(file_copy(original, reference, &e));
	const char *const argv[] = { program, "-s", "-p1", "-d", to, "-i", "kernel.patch", NULL };
	const struct proc_spec run = { .argv = argv };
	AUTO_PROC_RESULT struct proc_result r = { 0 };
	CHECK_OK(proc_run(&r, &run, &e));
	CHECK_INT(r.exit_code, 0);
	CHECK_TEXT(claim_digest(to, "powers.c").hex, claim_digest(to, "kernel.c").hex);
	scene_close(&sc);
}

static void run_sealed(struct scene *sc)
{
	scene_open(sc);
	setenv("FORGE_SHARE", "share", 1);
	scene_edit(sc, "task.toml", "source = true", "blackbox = true");
	scene_student(sc, student);
	scene_new(sc);
	scene_run_ok(sc);
}

TEST(a_sealed_reference_stays_sealed)
{
	struct scene sc;
	run_sealed(&sc);
	AUTO_FREE char *to = claim_place(&sc, "to");
	AUTO_FREE char *patch = path_join(to, "kernel.patch");
	const struct export_spec spec = { .from = sc.run, .to = to, .form = "review" };
	claim_exported(&spec);
	CHECK(!file_exists(patch));
	CHECK_HAS(to, "REVIEW.md", "the reference is sealed or has no source");
	CHECK_HAS(to, "evidence/reference/kernel.c", "forge-sealed");
	scene_close(&sc);
}

/* ---- released kernels ---- */

static char *release(const struct scene *sc, const char *kernels)
{
	const struct export_spec spec = { .from = sc->run, .to = kernels, .form = "kernels" };
	claim_exported(&spec);
	return path_join(kernels, "cpu/fake-cpu/powers");
}

TEST(a_released_kernel_is_a_claim_and_a_row)
{
	struct err e = { 0 };
	struct scene sc;
	claim_copy(&sc, &made);
	AUTO_FREE char *kernels = claim_place(&sc, "kernels");
	AUTO_FREE char *place = release(&sc, kernels);
	AUTO_VERIFY_ANSWER struct verify_answer a;
	const struct verify_spec spec = { .dir = place };
	CHECK_OK(verify_claim(&spec, &sc.host, &sc.hooks, &a, &e));
	CHECK_INT(a.outcome, VERIFY_REPRODUCED);
	CHECK_HAS(place, "report.md", "forge judge RUN RUN/best/kernel.c");
	CHECK_HAS(place, "curriculum.toml", "milestone");
	CHECK_HAS(kernels, "README.md", "## cpu/fake-cpu");
	CHECK_HAS(kernels, "README.md", "`forge verify kernels/cpu/fake-cpu/powers`");
	CHECK_HAS(kernels, "README.md", "short, odd, held (held out)");
	CHECK_HAS(kernels, "README.md", "None in these tables.");
	CHECK_OK(kernels_page_check(kernels, &e));
	scene_close(&sc);
}

TEST(a_reference_that_launched_inside_of_its_windows_is_told)
{
	struct err e = { 0 };
	struct scene sc;
	claim_copy(&sc, &made);
	AUTO_FREE char *kernels = claim_place(&sc, "kernels");
	AUTO_FREE char *place = release(&sc, kernels);
	AUTO_FREE char *path = path_join(place, "result.json");
	AUTO_JSON json_t *doc = json_read_file(path, &e);
	AUTO_STR struct str before = STR_INIT;
	AUTO_STR struct str page = STR_INIT;
	CHECK_OK(kernels_page_print(kernels, &before, &e));
	CHECK(!strstr(before.text, "launched inside of windows"));
	json_object_set_new(
		doc, "timing",
		json_pack("{s:s, s:[s]}", "method", "direct-turns", "direct", "candidate"));
	CHECK_OK(json_write_file(path, doc, &e));
	claim_rechain(place, NULL, NULL);
	CHECK_OK(kernels_page_print(kernels, &before, &e));
	CHECK(!strstr(before.text, "launched inside of windows"));
	json_object_set_new(doc, "timing",
			    json_pack("{s:s, s:[s]}", "method", "direct", "direct", "reference"));
	CHECK_OK(json_write_file(path, doc, &e));
	claim_rechain(place, NULL, NULL);
	CHECK_OK(kernels_page_print(kernels, &page, &e));
	CHECK(strstr(page.text, "launched inside of windows: the host's time counts |"));
	scene_close(&sc);
}

/* The machine of a claim on a GPU is the GPU. */
TEST(a_kernel_of_a_gpu_is_released_under_its_name)
{
	struct err e = { 0 };
	struct scene sc;
	claim_copy(&sc, &made);
	AUTO_FREE char *kernels = claim_place(&sc, "kernels");
	AUTO_FREE char *place = release(&sc, kernels);
	AUTO_FREE char *path = path_join(place, "evidence.json");
	AUTO_JSON json_t *doc = json_read_file(path, &e);
	AUTO_STR struct str page = STR_INIT;
	json_object_set_new(json_object_get(doc, "machine"), "gpu",
			    json_pack("{s:s}", "name", "NVIDIA H200"));
	CHECK_OK(json_write_file(path, doc, &e));
	claim_rechain(place, NULL, NULL);
	CHECK_OK(kernels_page_print(kernels, &page, &e));
	CHECK(strstr(page.text, "- A: NVIDIA H200; host fake cpu"));
	AUTO_VERIFY_ANSWER struct verify_answer a;
	const struct verify_spec spec = { .dir = place };
	CHECK_OK(verify_claim(&spec, &sc.host, &sc.hooks, &a, &e));
	CHECK_INT(a.outcome, VERIFY_OTHER_MACHINE);
	CHECK_TEXT(a.why.text, "the GPU was NVIDIA H200, here it is none");
	AUTO_FREE char *review = claim_place(&sc, "review");
	const struct export_spec bundle = { .from = place, .to = review, .form = "review" };
	json_object_set_new(doc, "reference_build", json_string(""));
	json_object_set_new(doc, "python", json_pack("{s:s}", "torch", "2.11.0"));
	CHECK_OK(json_write_file(path, doc, &e));
	claim_rechain(place, NULL, NULL);
	claim_exported(&bundle);
	CHECK_HAS(review, "REVIEW.md", "NVIDIA H200, fake cpu");
	CHECK_HAS(review, "REVIEW.md",
		  "reference built by | nobody: a module of Python, torch 2.11.0");
	CHECK_HAS(review, "REVIEW.md", "an agent of forge; report.md of the claim says which");
	CHECK_HAS(review, "REVIEW.md", "`evidence/report.md` tells of all rounds of its run");
	AUTO_FREE char *named =
		kernels_place("k", "cuda", json_object_get(doc, "machine"), "a-B_1");
	CHECK_TEXT(named, "k/nvidia-h200/a-b_1");
	scene_close(&sc);
}

/* Who has the key may leave the reference open; the row says whom it can be measured by. */
TEST(a_sealed_reference_is_released_open_only_when_told)
{
	struct err e = { 0 };
	struct scene sc;
	run_sealed(&sc);
	AUTO_FREE char *kernels = claim_place(&sc, "kernels");
	AUTO_FREE char *place = release(&sc, kernels);
	AUTO_FREE char *opened = path_join(place, CLAIM_OPENED);
	CHECK(!file_exists(opened));
	CHECK_HAS(kernels, "README.md", "/powers` with the key of its sealed reference |");
	const struct export_spec open = { .from = sc.run,
					  .to = kernels,
					  .form = "kernels",
					  .is_replaced = true,
					  .opens_reference = true };
	claim_exported(&open);
	AUTO_FREE char *clear = path_join(sc.task, "reference");
	CHECK_TEXT(claim_digest(place, CLAIM_OPENED).hex, claim_digest(clear, "powers.c").hex);
	CHECK_HAS(place, "reference/kernel.c", "forge-sealed");
	CHECK_HAS(kernels, "README.md", "/powers` |");
	CHECK_OK(kernels_page_check(kernels, &e));
	const struct export_spec other = { .from = sc.run,
					   .form = "review",
					   .opens_reference = true };
	claim_refused(&other, ERR_USAGE, "--open-reference is for form kernels");
	scene_close(&sc);
}

static const char other_torch[] =
	"#!/bin/sh\n[ \"$1\" = probe ] && echo "
	"'{\"version\":1,\"cpu\":\"another\",\"gpu\":{\"name\":"
	"\"NVIDIA H200\"},\"gpu_facts\":{\"python\":{\"python\":\"3.12.3\",\"torch\":\"2.12.0\","
	"\"triton\":\"3.6.0\"}}}' && exit 0\nexec tests/fake/fake-worker \"$@\"\n";

/* A library's version is what its name does not say. */
TEST(a_reference_in_python_is_told_by_its_module_and_versions)
{
	struct err e = { 0 };
	struct scene sc;
	claim_copy(&sc, &made);
	AUTO_FREE char *kernels = claim_place(&sc, "kernels");
	AUTO_FREE char *place = release(&sc, kernels);
	AUTO_FREE char *path = path_join(place, "evidence.json");
	AUTO_JSON json_t *doc = json_read_file(path, &e);
	AUTO_STR struct str page = STR_INIT;
	json_object_set_new(doc, "reference_build", json_string(""));
	json_object_set_new(doc, "python",
			    json_pack("{s:s, s:s, s:s}", "python", "3.12.3", "torch", "2.11.0",
				      "triton", "3.6.0"));
	json_object_set_new(json_object_get(doc, "machine"), "gpu",
			    json_pack("{s:s, s:i}", "name", "NVIDIA H200", "driver", 13010));
	CHECK_OK(json_write_file(path, doc, &e));
	claim_rechain(place, NULL, NULL);
	CHECK_OK(kernels_page_print(kernels, &page, &e));
	CHECK(strstr(page.text, "| the reference, `powers.c` | torch 2.11.0, triton 3.6.0, python "
				"3.12.3 | short, odd,"));
	CHECK(strstr(page.text, "- A: NVIDIA H200, driver of CUDA 13.1; host fake cpu"));
	AUTO_FREE char *worker = path_join(sc.dir, "worker");
	CHECK_OK(file_write_text(worker, other_torch, &e));
	CHECK_INT(chmod(worker, 0755), 0);
	sc.host.worker_path = worker;
	AUTO_VERIFY_ANSWER struct verify_answer a;
	const struct verify_spec spec = { .dir = place };
	CHECK_OK(verify_claim(&spec, &sc.host, &sc.hooks, &a, &e));
	CHECK_INT(a.outcome, VERIFY_REPRODUCED);
	CHECK_INT(a.notes.nr, 1);
	CHECK_TEXT(a.notes.items[0], "torch was 2.11.0, here it is 2.12.0");
	scene_close(&sc);
}

static const char comparison[] =
	"{\"version\":1,\"date\":\"2026-11-30T00:00:00Z\",\"source\":\"%s\",\"command\":\"make x\","
	"\"rows\":[{\"name\":\"lib | "
	"one\",\"version\":\"1.2\",\"speedup\":0.5,\"low\":0.4,\"high\":0.6,"
	"\"shapes\":[{\"name\":\"short\"}]},"
	"{\"name\":\"cc\",\"flags\":\"cc "
	"-O3\",\"version\":\"3\",\"speedup\":1.01,\"low\":0.9,\"high\":1.1},"
	"{\"name\":\"mixed\",\"speedup\":1.5,\"low\":1.2,\"high\":1.8,\"shapes\":"
	"[{\"name\":\"short\",\"other_ns\":90,\"kernel_ns\":100},"
	"{\"name\":\"long\",\"other_ns\":200,\"kernel_ns\":100}]}]}";

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
static void put_comparison(const char *place, const char *source)
{
	AUTO_FREE char *text = xasprintf(comparison, source);
	claim_put(place, "comparison.json", text);
}
#pragma GCC diagnostic pop

TEST(losses_and_ties_are_called_so)
{
	struct err e = { 0 };
	struct scene sc;
	AUTO_STRV struct strv written = { 0 };
	claim_copy(&sc, &made);
	AUTO_FREE char *kernels = claim_place(&sc, "kernels");
	AUTO_FREE char *place = release(&sc, kernels);
	put_comparison(place, claim_digest(place, "kernel.c").hex);
	CHECK(kernels_page_check(kernels, &e) < 0);
	CHECK_OK(kernels_page_write(kernels, &written, &e));
	CHECK_HAS(kernels, "README.md",
		  "| lib \\| one | 1.2 | short | 0.50× [0.40, 0.60] | **slower** |");
	CHECK_HAS(kernels, "README.md", "| cc, `cc -O3` | 3 |");
	CHECK_HAS(kernels, "README.md", "1.01× [0.90, 1.10] | **tie** |");
	CHECK_HAS(kernels, "README.md",
		  "- cpu/fake-cpu/powers against lib | one: slower, [0.40, 0.60].\n"
		  "- cpu/fake-cpu/powers against cc: a tie, [0.90, 1.10].\n"
		  "- cpu/fake-cpu/powers against mixed, at short: slower, 0.90× of the medians.\n");
	CHECK_OK(kernels_page_check(kernels, &e));
	scene_close(&sc);
}

TEST(a_table_of_other_evidence_is_found)
{
	struct err e = { 0 };
	struct scene sc;
	claim_copy(&sc, &made);
	AUTO_FREE char *kernels = claim_place(&sc, "kernels");
	AUTO_FREE char *readme = path_join(kernels, "README.md");
	AUTO_FREE char *place = release(&sc, kernels);
	AUTO_FREE char *samples = path_join(place, "samples.csv");
	flip_last_byte(readme);
	CHECK(kernels_page_check(kernels, &e) < 0);
	CHECK_INT(e.kind, ERR_CONFLICT);
	flip_last_byte(readme);
	CHECK_OK(kernels_page_check(kernels, &e));
	put_comparison(place, "another");
	CHECK(kernels_page_check(kernels, &e) < 0);
	CHECK(strstr(e.text, "another kernel"));
	AUTO_FREE char *other = path_join(place, "comparison.json");
	CHECK_OK(tree_remove(other, &e));
	flip_last_byte(samples);
	CHECK(kernels_page_check(kernels, &e) < 0);
	CHECK(strstr(e.text, "powers: the claim does not hold"));
	scene_close(&sc);
}

TEST(a_run_without_a_confirmed_kernel_is_a_row_too)
{
	static const char *const wrong[] = { "FAKE speedup=0.8",
					     "FAKE speedup=4 FAKE confirm=wrong_value", NULL };
	struct err e = { 0 };
	struct scene sc;
	claim_run(&sc, wrong);
	AUTO_FREE char *kernels = claim_place(&sc, "kernels");
	AUTO_FREE char *place = release(&sc, kernels);
	AUTO_FREE char *evidence = path_join(place, "evidence.json");
	CHECK(!file_exists(evidence));
	CHECK_HAS(place, "kernel.c", "FAKE speedup=4");
	CHECK_HAS(kernels, "README.md", "| **no kernel** |");
	CHECK_HAS(kernels, "README.md", "its number is that of the choice");
	CHECK_HAS(kernels, "README.md", "- cpu/fake-cpu/powers: no confirmed kernel: ");
	CHECK_OK(kernels_page_check(kernels, &e));
	scene_close(&sc);
}

TEST(a_run_without_a_kernel_does_not_replace_one)
{
	static const char *const slow[] = { "FAKE speedup=0.8", NULL };
	struct scene good;
	struct scene bad;
	claim_copy(&good, &made);
	claim_run(&bad, slow);
	AUTO_FREE char *kernels = claim_place(&good, "kernels");
	AUTO_FREE char *place = release(&good, kernels);
	const struct export_spec spec = {
		.from = bad.run, .to = kernels, .form = "kernels", .is_replaced = true
	};
	claim_refused(&spec, ERR_CONFLICT, "a released kernel stands there");
	CHECK_HAS(place, "kernel.c", "FAKE speedup=4");
	scene_close(&good);
	scene_close(&bad);
}

static void machine_of(json_t *doc, struct str *out)
{
	struct released r = { .outcome = doc };
	released_machine(&r, out);
	json_decref(doc);
}

/* A claim and an outcome tell of a GPU in different places. */
TEST(one_machine_is_one_machine_also_where_no_kernel_was_found)
{
	AUTO_STR struct str claimed = STR_INIT;
	AUTO_STR struct str lost = STR_INIT;
	machine_of(json_pack("{s:s, s:{s:s, s:{s:s, s:s, s:i}}}", "language", "cuda", "machine",
			     "cpu", "P", "gpu", "name", "GPU", "driver_version", "580.1", "driver",
			     13000),
		   &claimed);
	machine_of(json_pack("{s:s, s:{s:s, s:{s:s, s:s}, s:{s:{s:i}}}}", "language", "cuda",
			     "machine", "cpu", "P", "gpu", "name", "GPU", "driver", "580.1",
			     "gpu_facts", "device", "driver", 13000),
		   &lost);
	CHECK(strstr(claimed.text, "GPU, driver of CUDA 13.0; host P"));
	CHECK_TEXT(lost.text, claimed.text);
}

/* Of a module of Python, which has no build, too. */
TEST(an_outcome_without_a_kernel_says_what_it_was_held_against)
{
	struct err e = { 0 };
	AUTO_STR struct str reference = STR_INIT;
	AUTO_STR struct str version = STR_INIT;
	struct released r = { 0 };
	char dir[] = "/tmp/forge-outcome-XXXXXX";
	CHECK(mkdtemp(dir));
	AUTO_FREE char *task = path_join(dir, "task");
	AUTO_FREE char *path = path_join(dir, "outcome.json");
	CHECK_OK(tree_copy("tasks/gpu/gelu", task, &e));
	claim_put(dir, "outcome.json",
		  "{\"language\":\"cuda\",\"machine\":{\"gpu_facts\":{\"python\":{\"torch\":"
		  "\"2.11.0\",\"cutlass_dsl\":null,\"python\":\"3.12.3\"}}}}");
	CHECK_OK(released_load_outcome(&r, path, &e));
	released_reference(&r, &reference);
	released_version(&r, &version);
	CHECK_TEXT(reference.text, "the reference, `gelu.py`");
	CHECK_TEXT(version.text, "torch 2.11.0, python 3.12.3");
	released_release(&r);
	CHECK_OK(tree_remove(dir, &e));
}

TEST(the_page_of_this_tree_is_what_its_evidence_gives)
{
	struct err e = { 0 };
	CHECK_OK(kernels_page_check("kernels", &e));
}

int main(int argc, char **argv)
{
	claim_run(&made, student);
	int code = test_main(argc, argv);
	scene_close(&made);
	return code;
}
