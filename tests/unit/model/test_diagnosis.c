#include "model/diagnosis.h"

/* The closed set is named, documented and driven by a campaign. */

#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "test.h"

TEST(every_class_is_documented_and_reached_by_a_campaign)
{
	struct err e = { 0 };
	AUTO_STR struct str page = STR_INIT;
	AUTO_STR struct str seen = STR_INIT;
	CHECK_OK(file_read("docs/format/teacher-digest.md", 1 << 20, &page, &e));
	CHECK_OK(file_read("tests/cli/cases/loop-diagnosis.expect", 1 << 20, &seen, &e));
	for (int d = DIAGNOSIS_none + 1; d < DIAGNOSIS_NR; d++) {
		const char *name = diagnosis_name((enum diagnosis)d);
		AUTO_FREE char *line =
			xasprintf("| `%s` | %s |", name, diagnosis_side_name((enum diagnosis)d));
		AUTO_FREE char *event = xasprintf("\"class\":\"%s\"", name);
		printf("# %s\n", name);
		CHECK(strstr(page.text, line));
		CHECK(strstr(seen.text, event));
		CHECK(diagnosis_text((enum diagnosis)d)[0]);
	}
}

TEST(names_parse_back)
{
	for (int d = DIAGNOSIS_none; d < DIAGNOSIS_NR; d++)
		CHECK_INT(diagnosis_parse(diagnosis_name((enum diagnosis)d)), d);
	CHECK_INT(diagnosis_parse("tired"), DIAGNOSIS_none);
	CHECK_INT(diagnosis_side(DIAGNOSIS_slow), SIDE_STUDENT);
}

TEST_MAIN()
