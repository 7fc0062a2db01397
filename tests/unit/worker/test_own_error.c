#include "base/digest.h"
#include "bundle.h"

/* Tolerances from draws on which the reference was exact, and inputs on which it is not: what a
 * heavy tail of errors looks like to one case. */

/* Off by 1e-4 of every value, which is 400 times the floor of f32. */
#define BLEND_COARSE                                                                               \
	BLEND_HEAD "for (int64_t r = 0; r < rows; r++) {\n" BLEND_ROW                              \
		   "for (int64_t c = 0; c < cols; c++) y[r * cols + c] *= 1.0001f;\n}\n}\n"

/* Nine times as far off. */
#define BLEND_COARSER                                                                              \
	BLEND_HEAD "for (int64_t r = 0; r < rows; r++) {\n" BLEND_ROW                              \
		   "for (int64_t c = 0; c < cols; c++) y[r * cols + c] *= 1.0009f;\n}\n}\n"

static struct verdict verdict_of(enum job_kind kind, const char *candidate, bool is_own)
{
	struct bundle b = bundle_make(kind, candidate);
	put(&b, "reference/kernel.c", BLEND_COARSE);
	const struct digest own = digest_text(BLEND_COARSE);
	const struct digest other = digest_text(BLEND_RIGHT);
	bundle_tolerances_of(&b, 0, is_own ? own.hex : other.hex);
	CHECK_INT(bundle_run(&b, NULL), 0);
	AUTO_RESULT struct result r;
	bundle_answer(&b, &r);
	const struct verdict v = r.verdict;
	const json_t *notes = json_object_get(r.doc, "notes");
	CHECK_INT(v.state == VERDICT_PASS, json_array_size(notes) > 0);
	bundle_remove(&b);
	return v;
}

TEST(a_kernel_as_exact_as_the_reference_on_these_inputs_passes)
{
	CHECK_INT(verdict_of(JOB_JUDGE, BLEND_COARSE, true).reason, REASON_ok);
}

TEST(it_passes_while_it_is_timed_too)
{
	CHECK_INT(verdict_of(JOB_TIME, BLEND_COARSE, true).reason, REASON_ok);
}

TEST(a_coarser_kernel_is_wrong_all_the_same)
{
	CHECK_INT(verdict_of(JOB_JUDGE, BLEND_COARSER, true).reason, REASON_wrong_value);
}

TEST(a_reference_that_the_tolerances_do_not_come_from_widens_nothing)
{
	CHECK_INT(verdict_of(JOB_JUDGE, BLEND_COARSE, false).reason, REASON_wrong_value);
}

TEST_MAIN()
