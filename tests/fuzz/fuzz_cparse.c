/* The tuner's front end on mutated C: it may refuse, it never crashes; what it prints it reads
 * again and prints the same; rows applied to what it read do not crash either, nor does looking for
 * rows in it. */

#include "fuzz.h"

#include "tuner/cprint.h"
#include "tuner/ir.h"
#include "tuner/kernel.h"
#include "tuner/origin.h"
#include "tuner/row.h"
#include "tuner/ttask.h"

static const char *const words[] = { "for (int i = 0; i < n; i++)",
				     "for (",
				     "while (",
				     "if (",
				     "else ",
				     "do ",
				     "switch (",
				     "case 1:",
				     "return;",
				     "break;",
				     "continue;",
				     "goto x;",
				     "{",
				     "}",
				     "(",
				     ")",
				     "[",
				     "]",
				     "i < n",
				     "sum += a[i];",
				     "c[i * m + j]",
				     "int64_t ",
				     "float ",
				     "const ",
				     "static ",
				     "unsigned ",
				     "(float)",
				     "sizeof(",
				     "++",
				     "--",
				     "- -",
				     "->",
				     " ? ",
				     " : ",
				     "#define X(a) a a\n",
				     "#define Y X(1)\n",
				     "X(",
				     "/*",
				     "*/",
				     "\"",
				     "'",
				     "0x7fffffffffffffff",
				     "1e300",
				     "{ .x = 1 }",
				     "void kern(",
				     ";",
				     "\\\n",
				     "#if 0\n",
				     "#endif\n",
				     NULL };

static const char *const rows[] = { "scalarise loop=L0.0.0", "simd loop=L0.0",
				    "simd loop=L0.0.0",      "specialise shapes=all",
				    "threads loop=L0 n=2",   "threads loop=L0.0 n=2 layout=deal",
				    "unroll loop=L0.1 n=4",  "scalarise loop=L0",
				    "build cc=gcc flags=-O3" };

static void print_body(const struct unit *u, struct str *out)
{
	const struct cprint p = { .out = out };
	print_stmt(&p, u->entry.body, 0);
}

static void check_round_trip(const struct unit *u, struct arena *a)
{
	AUTO_STR struct str first = STR_INIT;
	AUTO_STR struct str second = STR_INIT;
	AUTO_STR struct str whole = STR_INIT;
	struct unit again;
	struct err e = { 0 };
	print_body(u, &first);
	str_addf(&whole, "%s void kern(", u->before);
	for (size_t i = 0; i < u->entry.nr_params; i++) {
		str_add(&whole, i ? ", " : "");
		print_param(&whole, &u->entry.params[i], false);
	}
	str_addf(&whole, ")\n%s", first.text);
	if (unit_parse(&again, whole.text, "kern", a, &e) < 0)
		BUG("printed text is refused: %s\n%s", e.text, whole.text);
	print_body(&again, &second);
	if (strcmp(first.text, second.text) != 0)
		BUG("printed twice differently:\n%s\n---\n%s", first.text, second.text);
}

static void apply_rows(const char *source, const struct tuner_task *task, struct arena *a)
{
	AUTO_KERNEL struct kernel k = { 0 };
	AUTO_STR struct str out = STR_INIT;
	kernel_init(&k, source, task, a);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct row row;
		struct err e = { 0 };
		FUZZ_CHECK(row_parse(&row, rows[i], a, &e) == 0);
		if (row.kind->apply(&k, &row, &e) == 0)
			strv_add(&k.taken, rows[i]);
	}
	kernel_print(&k, &out);
	struct origin o;
	origin_find(&o, source, task, a);
	origin_find(&o, out.text, task, a);
	FUZZ_CHECK(o.source);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct dim dims[] = { { "n", 8 }, { "m", 5 }, { "k", 3 } };
	struct tuner_arg args[] = { { .name = "a" },
				    { .name = "b" },
				    { .name = "c" },
				    { .name = "n", .is_scalar = true, .is_size = true },
				    { .name = "m", .is_scalar = true, .is_size = true },
				    { .name = "k", .is_scalar = true, .is_size = true } };
	struct tuner_shape shape = { .name = "one", .dims = { dims, 3 }, .sizes = { dims, 3 } };
	const struct tuner_task task = { .entry = "kern",
					 .threads = 2,
					 .args = args,
					 .nr_args = 6,
					 .shapes = &shape,
					 .nr_shapes = 1 };
	AUTO_ARENA struct arena a = { 0 };
	struct unit u;
	struct err e = { 0 };
	AUTO_FREE char *source = xstrndup((const char *)data, len);
	if (unit_parse(&u, source, "kern", &a, &e) == 0)
		check_round_trip(&u, &a);
	apply_rows(source, &task, &a);
	return 0;
}

FUZZ_MAIN(words)
