#include "model/order.h"

#include "base/err.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/str.h"
#include "page.h"
#include "test.h"

static void make_dir(char *dir)
{
	CHECK(mkdtemp(dir));
}

static void put(const char *dir, const char *name, const char *text)
{
	struct err e = { 0 };
	AUTO_FREE char *path = path_join(dir, name);
	CHECK_OK(file_write_text(path, text, &e));
}

TEST(the_examples_of_the_page_are_read)
{
	char dir[] = "/tmp/forge-test-XXXXXX";
	struct err e = { 0 };
	AUTO_FREE char *order_text = page_block("docs/format/delivery.md", "json", 0);
	AUTO_FREE char *answer_text = page_block("docs/format/delivery.md", "json", 1);
	AUTO_ORDER struct order order = { 0 };
	AUTO_ANSWER struct answer answer = { 0 };
	make_dir(dir);
	put(dir, DELIVERY_ORDER, order_text);
	put(dir, DELIVERY_ANSWER, answer_text);
	CHECK_OK(order_load(&order, dir, &e));
	CHECK_OK(answer_load(&answer, dir, &e));
	CHECK(!order.is_probe && order.deadline_s == 720);
	CHECK_TEXT(answer.bundle, order.bundle);
	CHECK_INT(json_object_size(answer.files), 2);
	CHECK_OK(order_save(&order, dir, &e));
	CHECK_OK(answer_save(&answer, dir, &e));
	AUTO_FREE char *path = path_join(dir, DELIVERY_ANSWER);
	AUTO_STR struct str text = STR_INIT;
	CHECK_OK(file_read(path, 1 << 16, &text, &e));
	CHECK_TEXT(text.text, answer_text);
	CHECK_OK(tree_remove(dir, &e));
}

TEST(what_is_no_order_or_answer_is_an_error_that_names_the_file)
{
	static const char *const orders[] = {
		"{}",
		"{\"version\":2,\"command\":\"run\",\"bundle\":\"\",\"gpu\":\"\",\"cache\":\"\","
		"\"deadline_s\":1}",
		"{\"version\":1,\"command\":\"walk\",\"bundle\":\"\",\"gpu\":\"\",\"cache\":\"\","
		"\"deadline_s\":1}",
		"{\"version\":1,\"command\":\"run\",\"gpu\":\"\",\"cache\":\"\",\"deadline_s\":1}",
	};
	static const char *const answers[] = {
		"[]",
		"{\"version\":1,\"bundle\":\"\",\"trouble\":\"\",\"text\":\"\",\"exit\":0,"
		"\"signal\":0,\"work_s\":1,\"files\":{\"a\":1}}",
		"{\"version\":1,\"bundle\":\"\",\"trouble\":\"\",\"text\":\"\",\"exit\":"
		"99999999999,"
		"\"signal\":0,\"work_s\":1,\"files\":{}}",
	};
	char dir[] = "/tmp/forge-test-XXXXXX";
	struct err e = { 0 };
	make_dir(dir);
	for (size_t i = 0; i < ARRAY_LEN(orders); i++) {
		AUTO_ORDER struct order order = { 0 };
		put(dir, DELIVERY_ORDER, orders[i]);
		CHECK(order_load(&order, dir, &e) < 0);
		CHECK(strstr(e.text, DELIVERY_ORDER));
	}
	for (size_t i = 0; i < ARRAY_LEN(answers); i++) {
		AUTO_ANSWER struct answer answer = { 0 };
		put(dir, DELIVERY_ANSWER, answers[i]);
		CHECK(answer_load(&answer, dir, &e) < 0);
		CHECK(strstr(e.text, DELIVERY_ANSWER));
	}
	CHECK_OK(tree_remove(dir, &e));
}

TEST_MAIN()
