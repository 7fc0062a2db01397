#include "worker/cases.h"

#include <string.h>

#include "base/clock.h"
#include "base/json.h"
#include "test.h"

enum { GROUPS = 3 };

/* One shape with three groups; the last is not timed. */
static json_t *notes_of(const uint64_t ns[GROUPS])
{
	struct group groups[GROUPS] = { { .name = "normal", .is_timed = true },
					{ .name = "masked", .is_timed = true },
					{ .name = "special" } };
	struct content contents[GROUPS];
	struct shape shape = { .name = "large" };
	struct shape_cases s = { .shape = &shape, .contents = contents, .nr = GROUPS };
	struct cases cases = { .shapes = &s, .nr = 1, .nr_cases = GROUPS };
	struct worker w = { .result = { .doc = json_object() } };
	s.nr_groups = GROUPS;
	for (size_t i = 0; i < GROUPS; i++)
		contents[i] = (struct content){
			.group = &groups[i],
			.call_ns = { [PARTY_REFERENCE] = ns[i], [PARTY_CANDIDATE] = NS_PER_MS }
		};
	cases_note_costs(&w, &cases);
	return w.result.doc;
}

TEST(times_that_hang_on_the_inputs_are_told)
{
	const uint64_t ns[GROUPS] = { 106500, 254000, 900000 };
	json_t *doc = notes_of(ns);
	const json_t *notes = json_object_get(doc, "notes");
	CHECK_INT(json_array_size(notes), 1);
	const char *text = json_string_value(json_array_get(notes, 0));
	CHECK(text && strstr(text, "the reference") && strstr(text, "shape large took 106.5 us"));
	CHECK(text && strstr(text, "group normal, 254.0 us in group masked"));
	json_decref(doc);
}

TEST(alike_and_short_ones_and_those_that_are_only_judged_are_not)
{
	static const uint64_t rows[][GROUPS] = {
		{ 106500, 150000, 900000 }, { 6000, 26000, 0 }, { 106500, 0, 900000 }, { 0, 0, 0 }
	};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		json_t *doc = notes_of(rows[i]);
		CHECK_INT(json_array_size(json_object_get(doc, "notes")), 0);
		json_decref(doc);
	}
}

TEST_MAIN()
