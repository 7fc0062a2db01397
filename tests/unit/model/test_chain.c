#include "model/chain.h"

#include "base/err.h"
#include "base/file.h"
#include "base/json.h"
#include "base/str.h"
#include "test.h"

/* A chain as a run makes it: "a" stands for the source, "b" for its code. */
static void fill(struct chain *c)
{
	const char *source = digest_text("a").hex;
	*c = (struct chain){ 0 };
	for (int i = 0; i < CHAIN_NR; i++) {
		struct digest d = digest_text(chain_link_name((enum link_kind)i));
		chain_set(c, (enum link_kind)i, d.hex);
	}
	static const enum link_kind sources[] = { CHAIN_source, CHAIN_judged, CHAIN_timed,
						  CHAIN_exported };
	static const enum link_kind objects[] = { CHAIN_object, CHAIN_judged_object,
						  CHAIN_timed_object };
	(void)source;
	struct digest a = digest_text("a");
	struct digest b = digest_text("b");
	for (size_t i = 0; i < ARRAY_LEN(sources); i++)
		chain_set(c, sources[i], a.hex);
	for (size_t i = 0; i < ARRAY_LEN(objects); i++)
		chain_set(c, objects[i], b.hex);
	chain_close(c);
}

TEST(a_chain_is_read_back_as_it_was_written)
{
	AUTO_CHAIN struct chain made;
	AUTO_CHAIN struct chain read = { 0 };
	struct err e = { 0 };
	fill(&made);
	AUTO_JSON json_t *json = chain_to_json(&made);
	CHECK_OK(chain_from_json(&read, json, "chain.json", &e));
	CHECK_TEXT(chain_head(&read), chain_head(&made));
	CHECK_OK(chain_check(&read, &e));
}

TEST(a_changed_digest_breaks_the_chain_at_its_own_link)
{
	AUTO_CHAIN struct chain made;
	fill(&made);
	for (int i = 0; i < CHAIN_NR; i++) {
		AUTO_JSON json_t *json = chain_to_json(&made);
		json_t *row = json_array_get(json_object_get(json, "links"), (size_t)i);
		json_object_set_new(row, "digest", json_string(digest_text("other").hex));
		AUTO_CHAIN struct chain read = { 0 };
		struct err e = { 0 };
		AUTO_FREE char *named =
			xasprintf("broken at \"%s\"", chain_link_name((enum link_kind)i));
		CHECK(chain_from_json(&read, json, "chain.json", &e) < 0);
		CHECK_INT(e.kind, ERR_CONFLICT);
		CHECK(strstr(e.text, named));
	}
}

TEST(links_that_were_swapped_or_left_out_are_no_chain)
{
	AUTO_CHAIN struct chain made;
	fill(&made);
	AUTO_JSON json_t *json = chain_to_json(&made);
	json_t *links = json_object_get(json, "links");
	AUTO_CHAIN struct chain read = { 0 };
	struct err e = { 0 };
	json_array_remove(links, CHAIN_NR - 1);
	CHECK(chain_from_json(&read, json, "chain.json", &e) < 0);
	AUTO_JSON json_t *second = chain_to_json(&made);
	links = json_object_get(second, "links");
	AUTO_JSON json_t *first = json_incref(json_array_get(links, 0));
	json_array_remove(links, 0);
	json_array_insert(links, 1, first);
	CHECK(chain_from_json(&read, second, "chain.json", &e) < 0);
	CHECK(strstr(e.text, "link 1 is \"judge\""));
}

TEST(bytes_that_are_not_those_judged_timed_or_exported_are_named)
{
	static const enum link_kind strays[] = { CHAIN_judged, CHAIN_judged_object, CHAIN_timed,
						 CHAIN_timed_object, CHAIN_exported };
	for (size_t i = 0; i < ARRAY_LEN(strays); i++) {
		AUTO_CHAIN struct chain c;
		struct err e = { 0 };
		fill(&c);
		chain_set(&c, strays[i], digest_text("other").hex);
		chain_close(&c);
		CHECK(chain_check(&c, &e) < 0);
		CHECK_INT(e.kind, ERR_CONFLICT);
		CHECK(str_starts(e.text, chain_link_name(strays[i])));
		/* A worker that does not say what it measured proves nothing. */
		chain_set(&c, strays[i], "");
		CHECK(chain_check(&c, &e) < 0);
	}
}

TEST(every_link_has_its_line_in_the_format_page)
{
	AUTO_STR struct str page = STR_INIT;
	struct err e = { 0 };
	CHECK_OK(file_read("docs/format/evidence.md", 1 << 20, &page, &e));
	for (int i = 0; i < CHAIN_NR; i++) {
		AUTO_FREE char *row = xasprintf("\n| `%s` |", chain_link_name((enum link_kind)i));
		printf("# %s\n", row + 1);
		CHECK(strstr(page.text, row));
	}
}

TEST_MAIN()
