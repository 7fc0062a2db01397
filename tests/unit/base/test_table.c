#include "base/table.h"

#include "test.h"

TEST(columns_are_as_wide_as_their_widest_cell)
{
	AUTO_TABLE struct table t = { 0 };
	table_init(&t, "lr");
	table_line(&t, "shape\tspeed-up");
	table_line(&t, "odd\t1.5×");
	table_add(&t, "1024x1024");
	table_addf(&t, "%.2f", 12.25);
	AUTO_STR struct str out = STR_INIT;
	table_print(&t, "  ", &out);
	CHECK_TEXT(out.text, "  shape      speed-up\n"
			     "  odd            1.5×\n"
			     "  1024x1024     12.25\n");
}

TEST(lines_have_no_trailing_spaces)
{
	AUTO_TABLE struct table t = { 0 };
	table_init(&t, "ll");
	table_line(&t, "a\tlong");
	table_line(&t, "b\t");
	AUTO_STR struct str out = STR_INIT;
	table_print(&t, "", &out);
	CHECK_TEXT(out.text, "a  long\nb\n");
}

TEST(markdown_cells_can_not_leave_their_cell)
{
	AUTO_TABLE struct table t = { 0 };
	table_init(&t, "lr");
	table_line(&t, "name\tn");
	table_add(&t, "a|b\nc");
	table_add(&t, "1");
	AUTO_STR struct str out = STR_INIT;
	table_print_markdown(&t, &out);
	CHECK_TEXT(out.text, "| name | n |\n|---|---:|\n| a\\|b c | 1 |\n");
}

TEST(width_counts_characters_not_bytes)
{
	CHECK_INT(text_width("µs"), 2);
	CHECK_INT(text_width("×≥"), 2);
	CHECK_INT(text_width(""), 0);
}

TEST_MAIN()
