#include "cmd/term.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/str.h"
#include "test.h"

/* What goes to standard output while `stdout` is a buffer. */
static FILE *saved;
static char *buffer;
static size_t buffer_len;

static void begin(void)
{
	fflush(stdout);
	saved = stdout;
	stdout = open_memstream(&buffer, &buffer_len);
}

static void check_said(const char *want)
{
	fclose(stdout);
	stdout = saved;
	CHECK_TEXT(buffer, want);
	free(buffer);
}

TEST(an_argument_can_not_leave_its_line)
{
	begin();
	term_print("%s: %s\n", "k.c\nok: k.c", "fail \033[32m\xe2\x80\xae");
	term_print("%s", "part");
	term_print("\n");
	check_said("k.c ok: k.c: fail \\x1b[32m\\u{202e}\npart\n");
}

TEST(composed_lines_keep_their_ends_and_nothing_else)
{
	begin();
	term_put("a\tb\nc\r\033[2J\n");
	check_said("a\tb\nc\\r\\x1b[2J\n");
}

TEST(a_megabyte_is_cut)
{
	AUTO_STR struct str huge = STR_INIT;
	for (size_t i = 0; i < 1 << 20; i++)
		str_add_char(&huge, 'x');
	begin();
	term_print("%s\n", huge.text);
	fflush(stdout);
	bool is_short = buffer_len < 5000;
	fclose(stdout);
	stdout = saved;
	CHECK(is_short && str_ends(buffer, "bytes more)\n"));
	free(buffer);
}

TEST_MAIN()
