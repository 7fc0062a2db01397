#include "base/mask.h"

#include "base/mem.h"
#include "test.h"

static void check_masked(const struct mask *m, const char *text, const char *want)
{
	AUTO_STR struct str out = STR_INIT;
	str_add(&out, "> ");
	mask_add(m, &out, text);
	AUTO_FREE char *whole = xasprintf("> %s", want);
	CHECK_TEXT(out.text, whole);
}

TEST(a_key_is_masked_by_its_value_however_json_spells_it)
{
	AUTO_MASK struct mask m = { 0 };
	check_masked(&m, "a word", "a word");
	mask_learn(&m, NULL);
	mask_learn(&m, "short");
	mask_learn(&m, "sk-0123456789");
	mask_learn(&m, "k\"01234567");
	check_masked(&m, "a short sk-0123456789 b sk-0123456789", "a short *** b ***");
	check_masked(&m, "{\"text\":\"key k\\\"01234567\"}", "{\"text\":\"key ***\"}");
}

TEST(what_stands_before_the_host_of_a_proxy_is_a_secret)
{
	static const struct {
		const char *address;
		const char *text;
		const char *want;
	} rows[] = {
		{ "http://me:pa55word@proxy.example:3128", "by me:pa55word@proxy.example",
		  "by ***@proxy.example" },
		{ "http://me:pa55word@proxy.example:3128/", "Me is me, pa55word", "Me is me, ***" },
		{ "me:pa55word@proxy.example", "pa55word", "***" },
		{ "http://me:p@proxy.example", "me:p@proxy.example is p",
		  "***@proxy.example is p" },
		{ "http://me:p%40ss%2Fw@h", "p%40ss%2Fw p@ss/w", "*** ***" },
		{ "http://me:p@ss-word@h", "p@ss-word", "***" },
		{ "socks5h://token-of-mine@h", "token-of-mine", "***" },
		{ "http://proxy.example:3128", "http://proxy.example:3128 example",
		  "http://proxy.example:3128 example" },
		{ "http://h/a:bcdefg@x", "a:bcdefg@x", "a:bcdefg@x" },
		{ "http://h:100%", "100%", "100%" },
		{ "", "", "" },
	};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO_MASK struct mask m = { 0 };
		mask_learn_proxy(&m, rows[i].address);
		check_masked(&m, rows[i].text, rows[i].want);
	}
	AUTO_MASK struct mask none = { 0 };
	mask_learn_proxy(&none, NULL);
	CHECK_INT(none.secrets.nr, 0);
}

TEST_MAIN()
