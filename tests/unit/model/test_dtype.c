#include "model/dtype.h"

#include <math.h>

#include "base/mem.h"
#include "base/rng.h"
#include "forge/small_float.h"
#include "test.h"

TEST(every_name_parses_back)
{
	for (int i = 0; i < DTYPE_NR; i++) {
		enum dtype t;
		CHECK_INT(dtype_parse(dtype_name((enum dtype)i), &t), 0);
		CHECK_INT(t, i);
	}
	enum dtype t;
	CHECK_INT(dtype_parse("f33", &t), -1);
	CHECK_INT(dtype_parse("", &t), -1);
}

struct code_row {
	enum dtype type;
	double value;
	unsigned code;
};

/* Published bit patterns: IEEE 754 half, bfloat16, OCP 8-bit floating point. */
static const struct code_row exact_rows[] = {
	{ DTYPE_F16, 1.0, 0x3C00 },         { DTYPE_F16, -2.0, 0xC000 },
	{ DTYPE_F16, 65504.0, 0x7BFF },     { DTYPE_F16, 0x1p-14, 0x0400 },
	{ DTYPE_F16, 0x1p-24, 0x0001 },     { DTYPE_F16, 0x1.ff8p-15, 0x03FF },
	{ DTYPE_F16, -0.0, 0x8000 },        { DTYPE_F16, INFINITY, 0x7C00 },
	{ DTYPE_BF16, 1.0, 0x3F80 },        { DTYPE_BF16, -0.5, 0xBF00 },
	{ DTYPE_BF16, 0x1.fep127, 0x7F7F }, { DTYPE_BF16, 0x1p-133, 0x0001 },
	{ DTYPE_BF16, -INFINITY, 0xFF80 },  { DTYPE_F8E4M3, 448.0, 0x7E },
	{ DTYPE_F8E4M3, 1.0, 0x38 },        { DTYPE_F8E4M3, 0x1p-9, 0x01 },
	{ DTYPE_F8E4M3, -0x1p-6, 0x88 },    { DTYPE_F8E5M2, 57344.0, 0x7B },
	{ DTYPE_F8E5M2, 1.0, 0x3C },        { DTYPE_F8E5M2, 0x1p-16, 0x01 },
	{ DTYPE_F8E5M2, INFINITY, 0x7C },
};

static unsigned code_of(enum dtype t, double value)
{
	uint16_t bits = 0;
	dtype_store(t, &bits, 0, value);
	return bits;
}

TEST(small_floats_have_the_published_bits)
{
	for (size_t i = 0; i < ARRAY_LEN(exact_rows); i++) {
		const struct code_row *row = &exact_rows[i];
		uint16_t bits = (uint16_t)row->code;
		double back = dtype_load(row->type, &bits, 0);
		CHECK_INT(code_of(row->type, row->value), row->code);
		CHECK(back == row->value && signbit(back) == signbit(row->value));
	}
}

static const struct code_row rounded_rows[] = {
	{ DTYPE_F16, 1.0 + 0x1p-11, 0x3C00 },           /* tie to even, down */
	{ DTYPE_F16, 1.0 + 0x1p-10 + 0x1p-11, 0x3C02 }, /* tie to even, up */
	{ DTYPE_F16, 1.0 + 0x1p-11 + 0x1p-40, 0x3C01 }, /* no double rounding */
	{ DTYPE_F16, 65519.9, 0x7BFF },                 /* just below the halfway point */
	{ DTYPE_F16, 65520.0, 0x7C00 },                 /* rounds to infinity */
	{ DTYPE_F16, 1e300, 0x7C00 },
	{ DTYPE_F16, 0x1p-25, 0x0000 },     /* half of the least: to even */
	{ DTYPE_F16, 0x1.8p-25, 0x0001 },   /* above half */
	{ DTYPE_F16, 0x1.ffcp-15, 0x0400 }, /* subnormal rounds up to normal */
	{ DTYPE_F16, 1e-320, 0x0000 },
	{ DTYPE_BF16, 0x1.ffp127, 0x7F80 },
	{ DTYPE_F8E4M3, 464.0, 0x7E }, /* tie between 448 and 480: even is 448 */
	{ DTYPE_F8E4M3, 465.0, 0x7F }, /* no infinity: NaN */
	{ DTYPE_F8E4M3, INFINITY, 0x7F },
	{ DTYPE_F8E4M3, -1e9, 0xFF },
	{ DTYPE_F8E5M2, 61440.0, 0x7C }, /* tie to even is infinity */
	{ DTYPE_F8E5M2, -61439.0, 0xFB },
};

TEST(stores_round_to_nearest_even_once)
{
	for (size_t i = 0; i < ARRAY_LEN(rounded_rows); i++)
		CHECK_INT(code_of(rounded_rows[i].type, rounded_rows[i].value),
			  rounded_rows[i].code);
}

TEST(every_code_of_a_small_float_survives_the_way_through_double)
{
	static const enum dtype types[] = { DTYPE_F16, DTYPE_BF16, DTYPE_F8E4M3, DTYPE_F8E5M2 };
	for (size_t k = 0; k < ARRAY_LEN(types); k++) {
		unsigned nr = dtype_bytes(types[k]) == 1 ? 256 : 65536;
		for (unsigned code = 0; code < nr; code++) {
			uint16_t bits = (uint16_t)code;
			double value = dtype_load(types[k], &bits, 0);
			if (isnan(value))
				CHECK(isnan(dtype_load(types[k], &bits, 0)));
			else
				CHECK_INT(code_of(types[k], value), code);
		}
	}
}

TEST(nan_stays_nan_in_every_float_type)
{
	for (int i = 0; i < DTYPE_NR; i++) {
		unsigned char bytes[8] = { 0 };
		if (!dtype_is_float((enum dtype)i))
			continue;
		dtype_store((enum dtype)i, bytes, 0, NAN);
		CHECK(isnan(dtype_load((enum dtype)i, bytes, 0)));
	}
}

TEST(integers_saturate_and_round_instead_of_wrapping)
{
	unsigned char bytes[8] = { 0 };
	dtype_store(DTYPE_I8, bytes, 0, 300);
	CHECK_INT(dtype_load_int(DTYPE_I8, bytes, 0), 127);
	dtype_store(DTYPE_U8, bytes, 0, -1);
	CHECK_INT(dtype_load_int(DTYPE_U8, bytes, 0), 0);
	dtype_store(DTYPE_I32, bytes, 0, 2.5);
	CHECK_INT(dtype_load_int(DTYPE_I32, bytes, 0), 2);
	dtype_store(DTYPE_I64, bytes, 0, 1e30);
	CHECK(dtype_load_int(DTYPE_I64, bytes, 0) == INT64_MAX);
	dtype_store(DTYPE_I64, bytes, 0, NAN);
	CHECK_INT(dtype_load_int(DTYPE_I64, bytes, 0), 0);
	dtype_store_int(DTYPE_I32, bytes, 0, INT64_MIN);
	CHECK_INT(dtype_load_int(DTYPE_I32, bytes, 0), INT32_MIN);
	dtype_store(DTYPE_BOOL, bytes, 0, 0.25);
	CHECK_INT(bytes[0], 1);
}

TEST(wide_integers_are_exact_through_the_integer_calls)
{
	int64_t value = (INT64_C(1) << 53) + 1;
	unsigned char bytes[16] = { 0 };
	dtype_store_int(DTYPE_I64, bytes, 1, value);
	CHECK(dtype_load_int(DTYPE_I64, bytes, 1) == value);
	CHECK_INT(dtype_load_int(DTYPE_I64, bytes, 0), 0);
}

TEST(elements_need_no_alignment)
{
	unsigned char bytes[32] = { 0 };
	dtype_store(DTYPE_F64, bytes + 1, 2, 3.25);
	CHECK(dtype_load(DTYPE_F64, bytes + 1, 2) == 3.25);
	dtype_store(DTYPE_F32, bytes + 3, 0, 0.1);
	CHECK(dtype_load(DTYPE_F32, bytes + 3, 0) == (double)0.1F);
}

TEST(floors_are_one_unit_in_the_last_place)
{
	CHECK(dtype_floor(DTYPE_F32) == 0x1p-23);
	CHECK(dtype_floor(DTYPE_BF16) == 0x1p-7);
	CHECK(dtype_floor(DTYPE_F16) == 0x1p-10);
	CHECK(dtype_floor(DTYPE_I32) == 0);
	CHECK_TEXT(dtype_ctype(DTYPE_BF16), "uint16_t");
}

/*
 * The formats once more, by their definitions and another algorithm: codes are decoded by ldexp,
 * and a value is encoded by looking for its neighbours among all finite values. The midpoint of two
 * neighbours has one more bit than they have, so a double holds it and the comparison is exact.
 */
static const struct format {
	enum dtype type;
	int man_bits;
	int bias;
	unsigned nan_from; /* magnitude codes from here on are NaN */
	unsigned infinity; /* 0: there is none */
} formats[] = {
	{ DTYPE_F16, 10, 15, 0x7c01, 0x7c00 },
	{ DTYPE_BF16, 7, 127, 0x7f81, 0x7f80 },
	{ DTYPE_F8E4M3, 3, 7, 0x7f, 0 },
	{ DTYPE_F8E5M2, 2, 15, 0x7d, 0x7c },
};

static unsigned sign_bit(const struct format *f)
{
	return dtype_bytes(f->type) == 1 ? 0x80 : 0x8000;
}

/* Also of the code of infinity: what would stand there if numbers went on. */
static double number_of(const struct format *f, unsigned code)
{
	int exp = (int)(code >> f->man_bits);
	double man = code & ((1U << f->man_bits) - 1);
	double one = ldexp(1, f->man_bits);
	if (exp == 0)
		return ldexp(man, 1 - f->bias - f->man_bits);
	return ldexp(one + man, exp - f->bias - f->man_bits);
}

static unsigned nr_finite(const struct format *f)
{
	return f->infinity ? f->infinity : f->nan_from;
}

static unsigned nearest_code(const struct format *f, double magnitude)
{
	unsigned low = 0;
	unsigned high = nr_finite(f); /* stands for what is too large */
	while (high - low > 1) {
		unsigned mid = low + (high - low) / 2;
		if (number_of(f, mid) <= magnitude)
			low = mid;
		else
			high = mid;
	}
	double middle = (number_of(f, low) + number_of(f, high)) / 2;
	if (magnitude == middle)
		return low & 1 ? high : low;
	return magnitude < middle ? low : high;
}

static void check_encoded(const struct format *f, double value)
{
	unsigned want = nearest_code(f, fabs(value)) | (signbit(value) ? sign_bit(f) : 0);
	if (code_of(f->type, value) != want)
		printf("# %s: %a became %#x, want %#x\n", dtype_name(f->type), value,
		       code_of(f->type, value), want);
	CHECK_INT(code_of(f->type, value), want);
}

static void check_around(const struct format *f, double value)
{
	const double near[] = { value, nextafter(value, INFINITY), nextafter(value, 0) };
	for (size_t i = 0; i < ARRAY_LEN(near); i++) {
		check_encoded(f, near[i]);
		check_encoded(f, -near[i]);
	}
}

TEST(every_code_is_the_number_of_its_definition)
{
	for (size_t k = 0; k < ARRAY_LEN(formats); k++) {
		const struct format *f = &formats[k];
		for (unsigned code = 0; code < 2 * sign_bit(f); code++) {
			uint16_t bits = (uint16_t)code;
			unsigned magnitude = code & (sign_bit(f) - 1);
			double got = dtype_load(f->type, &bits, 0);
			CHECK((signbit(got) != 0) == (code >= sign_bit(f)));
			CHECK((isnan(got) != 0) == (magnitude >= f->nan_from));
			if (f->infinity && magnitude == f->infinity)
				CHECK(isinf(got));
			else if (magnitude < f->nan_from)
				CHECK(fabs(got) == number_of(f, magnitude));
		}
	}
}

TEST(every_value_and_every_midpoint_rounds_by_definition)
{
	for (size_t k = 0; k < ARRAY_LEN(formats); k++) {
		const struct format *f = &formats[k];
		for (unsigned code = 0; code < nr_finite(f); code++) {
			double value = number_of(f, code);
			double next = number_of(f, code + 1);
			check_around(f, value);
			check_around(f, (value + next) / 2);
		}
		check_encoded(f, 1e300);
		check_encoded(f, 0x1p-1074);
		check_encoded(f, INFINITY);
	}
}

TEST(values_of_any_size_round_by_definition)
{
	struct rng rng = { .seed = 8 };
	for (unsigned i = 0; i < 200000; i++) {
		const struct format *f = &formats[i % ARRAY_LEN(formats)];
		uint64_t man = rng_below(&rng, UINT64_C(1) << 53);
		int exp = (int)rng_below(&rng, 320) - 160;
		check_encoded(f, ldexp((double)man, exp - 53));
	}
}

/* Python's half is an implementation of its own. Doubles go there by a file and come back as
 * codes; what it refuses as too large comes back as infinity. */
static const char python_pack[] =
	"import struct, sys\n"
	"out = open(sys.argv[2], 'wb')\n"
	"for (x,) in struct.iter_unpack('<d', open(sys.argv[1], 'rb').read()):\n"
	"    try: out.write(struct.pack('<e', x))\n"
	"    except OverflowError: out.write(b'\\0\\x7c' if x > 0 else b'\\0\\xfc')\n"
	"for code in range(65536):\n"
	"    out.write(struct.pack('<d', *struct.unpack('<e', struct.pack('<H', code))))\n";

static bool run_python(const char *from, const char *to)
{
	pid_t pid = fork();
	if (pid == 0) {
		execlp("python3", "python3", "-c", python_pack, from, to, (char *)NULL);
		_exit(77);
	}
	int status = 0;
	waitpid(pid, &status, 0);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
		SKIP("no python3");
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

enum { NR_HALVES = 20000 };

static void make_halves(double *values)
{
	struct rng rng = { .seed = 16 };
	for (unsigned i = 0; i < NR_HALVES; i++) {
		double man = (double)rng_below(&rng, UINT64_C(1) << 53);
		int exp = (int)rng_below(&rng, 45) - 27;
		double value = i % 2 ? ldexp(man, exp - 53)
				     : ldexp((double)rng_below(&rng, 4096) + 0.5, exp - 12);
		values[i] = i % 3 ? value : -value;
	}
}

static FILE *open_read(const char *path)
{
	FILE *file = fopen(path, "rbe");
	CHECK(file);
	return file;
}

TEST(a_half_is_what_another_implementation_makes)
{
	static double values[NR_HALVES];
	static uint16_t packed[NR_HALVES];
	static double unpacked[65536];
	char dir[] = "/tmp/forge-test-XXXXXX";
	CHECK(mkdtemp(dir));
	AUTO_FREE char *from = xasprintf("%s/doubles", dir);
	AUTO_FREE char *to = xasprintf("%s/halves", dir);
	make_halves(values);
	FILE *file = fopen(from, "wbe");
	CHECK(file && fwrite(values, sizeof(values), 1, file) == 1 && fclose(file) == 0);
	CHECK(run_python(from, to));
	file = open_read(to);
	CHECK(fread(packed, sizeof(packed), 1, file) == 1);
	CHECK(fread(unpacked, sizeof(unpacked), 1, file) == 1);
	fclose(file);
	unlink(from);
	unlink(to);
	rmdir(dir);
	for (unsigned i = 0; i < NR_HALVES; i++)
		CHECK_INT(code_of(DTYPE_F16, values[i]), packed[i]);
	for (unsigned code = 0; code < 65536; code++) {
		uint16_t bits = (uint16_t)code;
		double got = dtype_load(DTYPE_F16, &bits, 0);
		CHECK(got == unpacked[code] || (isnan(got) && isnan(unpacked[code])));
	}
}

TEST(a_judge_rounds_by_the_kit_as_the_harness_stores)
{
	struct rng rng = { .seed = 3 };
	for (unsigned i = 0; i < 20000; i++) {
		double x = ldexp((double)rng_below(&rng, 1 << 24), (int)rng_below(&rng, 64) - 50);
		const double rounded[] = { forge_f16_round(x), forge_bf16_round(x),
					   forge_f8e4m3_round(x), forge_f8e5m2_round(x) };
		for (size_t k = 0; k < ARRAY_LEN(formats); k++) {
			uint16_t bits = (uint16_t)code_of(formats[k].type, x);
			double stored = dtype_load(formats[k].type, &bits, 0);
			CHECK(stored == rounded[k] || (isnan(stored) && isnan(rounded[k])));
		}
	}
}

TEST_MAIN()
