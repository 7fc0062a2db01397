#include "kernels.h"

/* What keeps an embedded optimiser honest is the comparison, not its rules: rewrites that are wrong
 * in all the ways in which rewrites go wrong are planted by hand, and each must be told from the
 * original by a value. A planted fault that crashes or does not compile would show nothing. */

enum { ROWS_MAX = 5 };

struct base {
	const char *source;
	const char *rows[ROWS_MAX + 1];
};

struct fault {
	const char *what;
	const char *from;
	const char *to;
};

/* Every place of `from` becomes `to`; yours. */
static char *plant(const char *text, const struct fault *f)
{
	struct str out = STR_INIT;
	const char *at = strstr(text, f->from);
	if (!at)
		printf("# %s: nothing to change in\n%s", f->what, text);
	CHECK(at != NULL);
	for (; at; at = strstr(text, f->from)) {
		str_add_len(&out, text, (size_t)(at - text));
		str_add(&out, f->to);
		text = at + strlen(f->from);
	}
	str_add(&out, text);
	return str_take(&out);
}

static void check_faults(const struct base *base, const struct fault *faults, size_t nr)
{
	AUTO_FREE char *good = kernel_with(base->source, base->rows);
	CHECK(kernel_same(base->source, good));
	for (size_t i = 0; i < nr; i++) {
		AUTO_FREE char *bad = plant(good, &faults[i]);
		int status = kernel_compare(base->source, bad);
		if (status != 1)
			printf("# %s: comparison ended with %d\n%s", faults[i].what, status, bad);
		CHECK_INT(status, 1);
	}
}

static const struct base team = { KERNEL_ROWS,
				  { "specialise shapes=all", "threads loop=L0 n=2 layout=deal" } };

TEST(a_wrong_partition_is_caught)
{
	static const struct fault faults[] = {
		{ "a chunk is never run", "chunk < 16;", "chunk < 15;" },
		{ "the last iteration of a chunk is dropped", "(chunk + 1) / 16",
		  "(chunk + 1) / 16 - 1" },
		{ "a part starts one late", "for (int64_t i = first;",
		  "for (int64_t i = first + 1;" },
		{ "chunks of a rounded length", "share->count * (chunk + 1) / 16",
		  "share->count / 16 * (chunk + 1)" },
	};
	check_faults(&team, faults, ARRAY_LEN(faults));
}

TEST(a_wrong_body_is_caught)
{
	static const struct fault faults[] = {
		{ "a size that is not this one", "const int64_t m = 33;", "const int64_t m = 32;" },
		{ "a body for the wrong sizes", "if (n == 8 && m == 33 && k == 5)", "if (n >= 8)" },
		{ "no body for other sizes", "kern_any(a, b, c, n, m, k);\n}",
		  "kern_odd(a, b, c);\n}" },
		{ "an accumulator is not reset", "float sum = 0;", "float sum = scale;" },
	};
	static const struct base kept = {
		KERNEL_HEAD "{\n	float scale = 0;\n	(void)k;\n"
			    "	for (int64_t i = 0; i < n; i++) {\n		float sum = 0;\n"
			    "		for (int64_t j = 0; j < m; j++)\n			"
			    "sum += a[i * m + j] * b[j];\n"
			    "		scale = sum;\n		c[i] = scale;\n	}\n}\n",
		{ "specialise shapes=all" }
	};
	check_faults(&kept, faults, ARRAY_LEN(faults));
}

static const struct base strips = { KERNEL_NEST,
				    { "specialise shapes=none", "scalarise loop=L0.0.0",
				      "sink loop=L0.0 u=4 as=lanes",
				      "sink loop=L0 u=2 as=registers" } };

TEST(a_wrong_strip_is_caught)
{
	static const struct fault faults[] = {
		{ "no remainder", "j = m / 4 * 4; j < m;", "j = m / 4 * 4; j < m / 4 * 4;" },
		{ "a remainder that starts one late", "j = m / 4 * 4;", "j = m / 4 * 4 + 1;" },
		{ "whole strips beyond the end", "i < n - 1;", "i < n;" },
		{ "a strip that is one short", "j_s < 4;", "j_s < 3;" },
		{ "subscripts swapped", "a[(i + i_s) * k + p]", "a[p * k + (i + i_s)]" },
		{ "the last step dropped", "p < k;", "p < k - 1;" },
	};
	check_faults(&strips, faults, ARRAY_LEN(faults));
}

TEST(a_wrong_start_of_a_sum_is_caught)
{
	static const struct fault faults[] = {
		{ "every other register starts from the first", "c_kept[i_s][j_s] = c[(i + i_s)",
		  "c_kept[i_s][j_s] = j_s + c[(i + i_s)" },
		{ "one register for two rows", "c_kept[i_s][j_s] += a[(i + i_s)",
		  "c_kept[i_s][j_s] += a[i" },
		{ "a result stored in the wrong lane", "= c_kept[i_s][j_s];",
		  "= c_kept[i_s][j_s ^ 1];" },
	};
	check_faults(&strips, faults, ARRAY_LEN(faults));
}

static const struct base plane = { KERNEL_TURN,
				   { "specialise shapes=none",
				     "threads loop=L0 n=2 layout=grid inner=L0.0 grid=1x2" } };

TEST(a_wrong_grid_is_caught)
{
	static const struct fault faults[] = {
		{ "a column is never run", "chunk < 2;", "chunk < 1;" },
		{ "a column ends one early", "j < right;", "j < right - 1;" },
		{ "a column starts one late", "j = left;", "j = left + 1;" },
		{ "every column is the first", "(chunk + 1) / 2", "1 / 2" },
		{ "the width of the other loop", ".width = width", ".width = count" },
		{ "rows are cut as well", ".count = count", ".count = count / 2" },
	};
	check_faults(&plane, faults, ARRAY_LEN(faults));
}

static const struct base reduced = {
	KERNEL_REDUCED, { "specialise shapes=none", "threads loop=L0 n=2 reduce=all" }
};

TEST(a_wrong_combination_is_caught)
{
	static const struct fault faults[] = {
		{ "combined twice", "sum += share.sum_of[chunk];",
		  "sum += share.sum_of[chunk] + share.sum_of[chunk];" },
		{ "a sum that starts from what was there", "\tsum = 0;\n", "" },
		{ "a product that starts from nothing", "\tscale = 1;\n", "\tscale = 0;\n" },
		{ "the larger for the smaller", "share.least_of[chunk] < least",
		  "share.least_of[chunk] > least" },
		{ "the last of equals wins", "share.best_of[chunk] > best",
		  "share.best_of[chunk] >= best" },
		{ "one partial result forgotten", "chunk < 2; chunk++)", "chunk < 1; chunk++)" },
		{ "a place that does not follow", "\t\t\t\trow = share.row_of[chunk];\n", "" },
	};
	check_faults(&reduced, faults, ARRAY_LEN(faults));
}

TEST(a_wrong_order_of_sweeps_is_caught)
{
	static const struct base fused = { KERNEL_SWEEPS, { "fuse loop=L1.0" } };
	static const struct fault faults[] = {
		{ "the second sweep comes too early", "i_late = i - 1;", "i_late = i;" },
		{ "the second sweep starts late", "if (i >= 2)", "if (i >= 3)" },
		{ "the first sweep goes too far", "if (i < n - 1)", "if (i < n)" },
	};
	static const struct base cascade = { KERNEL_SWEEPS, { "cascade loop=L1" } };
	static const struct fault shifts[] = {
		{ "a front that ends early", "i_front < n + 2;", "i_front < n + 1;" },
		{ "steps of time that are not apart", "i_at1 = i_front - s - 1;",
		  "i_at1 = i_front - s;" },
	};
	check_faults(&fused, faults, ARRAY_LEN(faults));
	check_faults(&cascade, shifts, ARRAY_LEN(shifts));
}

TEST(a_wrong_buffer_is_caught)
{
	static const struct base packed = { KERNEL_NEST,
					    { "specialise shapes=all", "scalarise loop=L0.0.0",
					      "pack array=b loop=entry" } };
	static const struct fault faults[] = {
		{ "a buffer read in another order", "b_packed[j * 5 + p]", "b_packed[p * 33 + j]" },
		{ "a copy that ends early", "jp < 33;", "jp < 32;" },
	};
	check_faults(&packed, faults, ARRAY_LEN(faults));
}

TEST_MAIN()
