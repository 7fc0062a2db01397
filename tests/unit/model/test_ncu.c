#include "model/ncu.h"

#include <math.h>

#include "base/err.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/str.h"
#include "test.h"

#define SAMPLE "tests/data/cuda/ncu.csv"

/* The sample with one text changed. */
static void sample_with(const char *from, const char *to, struct str *out)
{
	struct err e = { 0 };
	AUTO_STR struct str text = STR_INIT;
	CHECK_OK(file_read(SAMPLE, 1 << 20, &text, &e));
	const char *at = strstr(text.text, from);
	CHECK(at);
	str_add_len(out, text.text, (size_t)(at - text.text));
	str_add(out, to);
	str_add(out, at + strlen(from));
}

static double value_of(const json_t *facts, const char *name)
{
	const json_t *value = json_object_get(facts, name);
	CHECK(json_is_number(value));
	return json_number_value(value);
}

TEST(kernels_of_a_call_are_put_together_in_base_units)
{
	struct err e = { 0 };
	AUTO_STR struct str text = STR_INIT;
	AUTO_JSON json_t *facts = json_object();
	sample_with("ID", "ID", &text);
	CHECK_OK(ncu_parse(text.text, facts, &e));
	CHECK(value_of(facts, "ncu_kernels") == 2);
	CHECK(fabs(value_of(facts, "ncu_dram_read_bytes") - 67111000) < 1);
	CHECK(fabs(value_of(facts, "ncu_kernel_ns") - 37000) < 1e-6);
	CHECK(value_of(facts, "ncu_dram_pct") == 81.25);
	CHECK(value_of(facts, "ncu_blocks") == 4097);
}

static bool is_missing(const json_t *facts, const char *name)
{
	const json_t *list = json_object_get(facts, "ncu_missing");
	for (size_t i = 0; i < json_array_size(list); i++)
		if (str_equal(json_string_value(json_array_get(list, i)), name))
			return true;
	return false;
}

TEST(what_a_kernel_has_no_number_for_is_named_and_not_summed)
{
	struct err e = { 0 };
	AUTO_STR struct str text = STR_INIT;
	AUTO_JSON json_t *facts = json_object();
	sample_with("ID", "ID", &text);
	CHECK_OK(ncu_parse(text.text, facts, &e));
	/* nan of one kernel, 12 of the other */
	CHECK(!json_object_get(facts, "ncu_tensor_instructions"));
	CHECK(is_missing(facts, "sm__inst_executed_pipe_tensor.sum"));
	CHECK(is_missing(facts, "lts__t_bytes.sum"));
	CHECK(!is_missing(facts, "gpu__time_duration.sum"));
}

TEST(output_that_is_not_understood_is_an_error_with_its_line)
{
	static const struct {
		const char *from;
		const char *to;
		const char *why;
	} rows[] = {
		{ "\"us\",\"35.20\"", "\"parsec\",\"35.20\"",
		  "ncu, line 9: unknown unit \"parsec\"" },
		{ "\"us\",\"35.20\"", "\"byte\",\"35.20\"", "unknown unit \"byte\"" },
		{ "\"35.20\"", "\"35,20\"", "not a number: \"35,20\"" },
		{ "\"35.20\"", "\"0x23\"", "not a number: \"0x23\"" },
		{ "\"35.20\"", "\"about 35\"", "not a number: \"about 35\"" },
		{ "\"35.20\"", "\"1e999\"", "not a number: \"1e999\"" },
		{ "\"35.20\"", "\"35.20\",\"\"", "ncu, line 9: a row that does not fit its head" },
		{ "\"35.20\"", "\"35.20", "a row that does not fit its head" },
		{ "launch__grid_size", "gpu__time_duration.sum", "a second value of" },
		{ "\n\"1\"", "\n\"one\"", "no launch is called \"one\"" },
		{ "Metric Value", "Value", "no table" },
		{ "==PROF== Disconnected", "==ERROR== ERR_NVGPUCTRPERM", "ncu failed:" },
	};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct err e = { 0 };
		AUTO_STR struct str text = STR_INIT;
		AUTO_JSON json_t *facts = json_object();
		sample_with(rows[i].from, rows[i].to, &text);
		CHECK(ncu_parse(text.text, facts, &e) < 0);
		CHECK_INT(e.kind, ERR_INPUT);
		if (!strstr(e.text, rows[i].why))
			printf("# got %s, want %s\n", e.text, rows[i].why);
		CHECK(strstr(e.text, rows[i].why));
		CHECK_INT(json_object_size(facts), 0);
	}
}

TEST(an_empty_table_has_no_kernel)
{
	struct err e = { 0 };
	AUTO_JSON json_t *facts = json_object();
	CHECK(ncu_parse("\"ID\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n", facts, &e) <
	      0);
	CHECK(strstr(e.text, "without a kernel"));
}

TEST(versions_nobody_has_read_are_refused)
{
	struct err e = { 0 };
	CHECK_OK(ncu_check_version("NVIDIA (R) Nsight Compute Command Line Profiler\n"
				   "Version 2025.3.1.0 (build 36398880) (public-release)\n",
				   &e));
	CHECK(ncu_check_version("Version 2019.1.0\n", &e) < 0);
	CHECK(strstr(e.text, "2019.1.0"));
	CHECK(ncu_check_version("Version 2041.1.0\n", &e) < 0);
	CHECK(ncu_check_version("no such thing\n", &e) < 0);
	CHECK(strstr(e.text, "unknown"));
}

TEST(the_list_names_every_metric_once)
{
	AUTO_STR struct str list = STR_INIT;
	ncu_metric_list(&list);
	CHECK(str_starts(list.text, "gpu__time_duration.sum,dram__bytes_read.sum,"));
	CHECK(!strstr(list.text, ",,") && !strchr(list.text, ' '));
}

TEST_MAIN()
