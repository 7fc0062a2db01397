#include "model/prediction.h"

/* What a row predicts about a metric, against pairs of values. */

#include "base/str.h"
#include "model/curriculum.h"
#include "test.h"

struct move {
	struct mechanism m;
	double before;
	double after;
	bool has_moved;
};

static const struct move moves[] = {
	{ { .direction = "up" }, 128, 256, true },
	{ { .direction = "up" }, 128, 128, false },
	{ { .direction = "up" }, 256, 128, false },
	{ { .direction = "down" }, 8, 7, true },
	{ { .direction = "down" }, 8, 8, false },
	{ { .direction = "up", .at_least = 2 }, 128, 256, true },
	{ { .direction = "up", .at_least = 2 }, 128, 255, false },
	{ { .direction = "down", .at_least = 2 }, 8, 4, true },
	{ { .direction = "down", .at_least = 2 }, 8, 5, false },
	{ { .direction = "up", .at_least = 2 }, 0, 0, false },
	{ { .direction = "down", .by_pct = 50 }, 8, 4, true },
	{ { .direction = "down", .by_pct = 50 }, 8, 4.1, false },
	{ { .direction = "down", .by_pct = 50 }, 0, 0, false },
	{ { .direction = "up", .by_pct = 50 }, 8, 12, true },
	{ { .direction = "up", .by_pct = 50 }, 8, 11.9, false },
	{ { .direction = "up", .has_to = true, .to = 256 }, 128, 256, true },
	{ { .direction = "up", .has_to = true, .to = 256 }, 512, 512, true },
	{ { .direction = "up", .has_to = true, .to = 256 }, 128, 255, false },
	{ { .direction = "down", .has_to = true }, 5, 0, true },
	{ { .direction = "down", .has_to = true }, 5, 1, false },
	{ { .direction = "same" }, 100, 101, true },
	{ { .direction = "same" }, 100, 97, false },
	{ { .direction = "same" }, 0, 0, true },
};

TEST(a_metric_has_moved_when_it_went_the_predicted_way_and_as_far)
{
	for (size_t i = 0; i < ARRAY_LEN(moves); i++) {
		const struct move *m = &moves[i];
		if (prediction_has_moved(&m->m, m->before, m->after) != m->has_moved)
			printf("# row %zu: %g to %g\n", i, m->before, m->after);
		CHECK(prediction_has_moved(&m->m, m->before, m->after) == m->has_moved);
	}
}

TEST(a_prediction_is_said_as_it_was_given)
{
	static const struct {
		struct mechanism m;
		const char *text;
	} rows[] = {
		{ { .metric = "fma_share", .direction = "up" }, "fma_share up" },
		{ { .metric = "vector_bits", .direction = "up", .has_to = true, .to = 256 },
		  "vector_bits up to 256" },
		{ { .metric = "spill_loads", .direction = "down", .by_pct = 50 },
		  "spill_loads down by 50 %" },
		{ { .metric = "code_bytes", .direction = "down", .at_least = 2 },
		  "code_bytes down by a factor of 2" },
	};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO_STR struct str out = STR_INIT;
		prediction_print(&rows[i].m, &out);
		CHECK_TEXT(out.text, rows[i].text);
		CHECK(prediction_nr_sizes(&rows[i].m) <= 1);
	}
	CHECK(prediction_is_direction("same") && !prediction_is_direction("more"));
}

TEST_MAIN()
