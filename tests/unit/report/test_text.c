#include "report/text.h"

#include <math.h>

#include "base/mem.h"
#include "base/table.h"
#include "report/axis.h"
#include "report/svg.h"
#include "store/fold.h"
#include "test.h"

TEST(times_have_three_digits_and_the_right_unit)
{
	static const struct {
		double ns;
		const char *text;
	} rows[] = {
		{ 850, "850 ns" },      { 12300, "12.3 µs" }, { 999.7e3, "1.00 ms" },
		{ 4560000, "4.56 ms" }, { 2.5e9, "2.50 s" },  { 0, "-" },
	};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO_STR struct str out = STR_INIT;
		text_time(rows[i].ns, &out);
		CHECK_TEXT(out.text, rows[i].text);
	}
}

TEST(durations_read_well)
{
	static const struct {
		double seconds;
		const char *text;
	} rows[] = {
		{ 0, "0.0 s" },          { 12.34, "12.3 s" },    { 59.97, "1 min 00 s" },
		{ 200.4, "3 min 20 s" }, { 6720, "1 h 52 min" },
	};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO_STR struct str out = STR_INIT;
		text_seconds(rows[i].seconds, &out);
		CHECK_TEXT(out.text, rows[i].text);
	}
}

TEST(a_speedup_always_shows_its_interval)
{
	AUTO_STR struct str out = STR_INIT;
	struct state_estimate est = {
		.call = "faster", .speedup = 1.523, .low = 1.48, .high = 1.5
	};
	text_speedup(&est, &out);
	CHECK_TEXT(out.text, "1.52× [1.48, 1.50]");
	str_clear(&out);
	text_speedup(&(struct state_estimate){ 0 }, &out);
	CHECK_TEXT(out.text, "-");
}

TEST(a_shape_of_a_table_has_both_times_its_interval_and_its_call)
{
	AUTO_TABLE struct table t = { 0 };
	AUTO_STR struct str out = STR_INIT;
	const struct state_shape shapes[] = {
		{ .name = "odd",
		  .held_out = true,
		  .reference_ns = 2000,
		  .candidate_ns = 1000,
		  .speedup = 2,
		  .low = 1.5,
		  .high = 2.5,
		  .call = "faster" },
		{ .name = "plain" },
	};
	table_init(&t, "llllll");
	for (size_t i = 0; i < ARRAY_LEN(shapes); i++)
		text_shape_cells(&shapes[i], &t);
	table_print(&t, "", &out);
	CHECK_TEXT(out.text, "odd (held out)  2.00 µs  1.00 µs  2.00×  [1.50, 2.50]  faster\n"
			     "plain           -        -        0.00×  [0.00, 0.00]  -\n");
}

TEST(ticks_are_round_and_inside)
{
	static const struct axis axes[] = {
		{ false, 0.9, 2.3, 0, 100 },  { true, 0.91, 2.2, 0, 100 },
		{ true, 0.02, 5000, 0, 100 }, { true, 3e8, 9e10, 100, 0 },
		{ true, 0.95, 1.05, 100, 0 }, { true, 0.4, 12, 0, 100 },
	};
	for (size_t i = 0; i < ARRAY_LEN(axes); i++) {
		double ticks[AXIS_MAX_TICKS];
		size_t nr = axis_ticks(&axes[i], ticks);
		CHECK(nr >= 3 && nr <= AXIS_MAX_TICKS);
		for (size_t k = 0; k < nr; k++) {
			double px = axis_px(&axes[i], ticks[k]);
			CHECK(px > -0.001 && px < 100.001);
			CHECK(k == 0 || ticks[k] > ticks[k - 1]);
		}
	}
}

TEST(long_labels_are_cut_with_an_ellipsis)
{
	AUTO_STR struct str out = STR_INIT;
	svg_fit("short", 100, &out);
	CHECK_TEXT(out.text, "short");
	str_clear(&out);
	svg_fit("µµµµµµµµµµµµµµµµµµµµ", 67, &out);
	CHECK_TEXT(out.text, "µµµµµµµµµ…");
}

TEST_MAIN()
