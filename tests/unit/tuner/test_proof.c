#include "kernels.h"

#include "base/rng.h"
#include "tuner/ir.h"
#include "tuner/lanes.h"
#include "tuner/proof.h"
#include "tuner/reduce.h"

/* NULL when the loop is proved independent, with the sizes known or not. */
static const char *ask(const char *body, const char *label, bool is_sized, struct arena *a)
{
	AUTO_FREE char *text =
		xasprintf("#include <stdint.h>\nvoid kern(const float *a, const float *b, "
			  "float *c, int64_t n, int64_t m, int64_t k)\n{\n%s\n}\n",
			  body);
	struct kernel *k = arena_alloc(a, sizeof(*k));
	struct err e = { 0 };
	kernel_init(k, arena_strdup(a, text), &kernel_task, a);
	if (k->unread)
		printf("# not read: %s\n", k->unread);
	CHECK(!k->unread);
	CHECK(!is_sized || kernel_apply(k, "specialise shapes=all", &e));
	const struct variant *v = &k->variants[0];
	const struct stmt *loop = kernel_loop(v, label);
	const char *why = loop ? proof_independent(&v->view, loop, a) : "it is not canonical";
	kernel_release(k);
	return why ? why : "";
}

struct claim {
	const char *label;
	const char *body;
};

static void check_claims(const struct claim *claims, size_t nr, bool is_independent)
{
	for (size_t i = 0; i < nr; i++) {
		for (int is_sized = 0; is_sized < 2; is_sized++) {
			AUTO_ARENA struct arena a = { 0 };
			const char *why = ask(claims[i].body, claims[i].label, is_sized, &a);
			if (!*why != is_independent)
				printf("# %s (%s sizes): %s\n%s\n", claims[i].label,
				       is_sized ? "known" : "open", *why ? why : "proved",
				       claims[i].body);
			CHECK(!*why == is_independent);
		}
	}
}

TEST(independent_loops_are_proved_with_known_and_with_open_sizes)
{
	static const struct claim claims[] = {
		{ "L0", "for (int64_t i = 0; i < n; i++) c[i] = a[i] + a[i + 1];" },
		{ "L0", "for (int64_t i = 0; i < n; i++) c[i] += a[i];" },
		{ "L0", "for (int64_t i = 2; i < n; i += 2) { c[i] = 1; c[i + 1] = 2; }" },
		{ "L0", "for (int64_t i = 0; i < n; i++) for (int64_t j = 0; j < m; j++) "
			"c[i * m + j] = c[i * m + j] * 2;" },
		{ "L0", "for (int64_t i = 0; i < n; i++) for (int64_t j = 0; j < m; j++) "
			"c[i * m + m - 1 - j] = a[j];" },
		{ "L0.0", "for (int64_t i = 0; i < n; i++) for (int64_t j = 0; j < m; j++) "
			  "c[i * m + j] = a[j];" },
		{ "L0", "for (int64_t i = 0; i < n; i++) for (int64_t j = 0; j < m; j++) "
			"c[j * n + i] = a[i * m + j];" },
		{ "L0.0", "for (int64_t i = 0; i < n; i++) for (int64_t j = 0; j < m; j++) "
			  "c[j * n + i] = a[i * m + j];" },
		{ "L0",
		  "for (int64_t i = 0; i < n; i++) for (int64_t j = 0; j < m; j++) for (int64_t "
		  "p = 0; p < k; p++) c[(i * m + j) * k + p] = a[p];" },
		{ "L0.0", "for (int64_t i = 0; i < n; i++) for (int64_t j = 0; j < m; j++) for "
			  "(int64_t p = 0; p < k; p++) c[(i * m + j) * k + p] = a[p];" },
		{ "L0",
		  "int64_t w = m + k; for (int64_t i = 0; i < n; i++) for (int64_t j = 0; j < w; "
		  "j++) c[i * w + j] = a[j];" },
		{ "L0", "for (int64_t i = 1; i < n - 1; i++) for (int64_t j = 1; j < m - 1; j++) "
			"c[i * m + j] = a[(i - 1) * m + j] + a[(i + 1) * m + j];" },
		{ "L0",
		  "for (int64_t i = 0; i < n; i++) { float *r = c + i * m; const float *s = &a[i * "
		  "m]; for (int64_t j = 0; j < m; j++) r[j] = s[j]; }" },
		{ "L0", "for (int64_t i = 0; i < n; i++) { int64_t at = i * m; for (int64_t j = 0; "
			"j < m; j++) "
			"{ float t[4]; t[0] = a[j]; t[1] = t[0]; c[at + j] = t[1]; } }" },
		{ "L0", "float *t = c + n * m; for (int64_t i = 0; i < n; i++) for (int64_t j = 0; "
			"j < m; j++) "
			"{ t[i * m + j] = a[j]; c[i * m + j] = t[i * m + j]; }" },
		{ "L0", "for (int64_t i = 0; i < n; i++) for (int64_t j = 0; j <= i; j++) "
			"c[i * n + j] = a[j];" },
		{ "L0", "for (int64_t i = 0; i < n; i++) { float s = 0; for (int64_t p = "
			"(int64_t)a[i]; p "
			"< (int64_t)a[i + 1]; p++) s += b[(int64_t)a[p]]; c[i] = s; }" },
		{ "L0", "for (int64_t i = 0; i < n; i++) { if (a[i] > 0) continue; for (int64_t j "
			"= 0; j < "
			"m; j++) { if (b[j] > 0) break; c[i] = b[j]; } }" },
		{ "L0.0", "for (int64_t s = 0; s < k; s++) for (int64_t i = 0; i < n; i++) "
			  "c[s + i] = a[i];" },
		{ "L0", "for (int64_t i = 0; i < n; i++) c[i * 3 + 1] = c[i * 3] + c[i * 3 + 2];" },
		{ "L0", "for (int64_t t = 0; t < n; t += 4) for (int64_t u = 0; u < m; u += 4) for "
			"(int64_t i = t; i < (t + 4 < n ? t + 4 : n); i++) for (int64_t j = u; j < "
			"(u + 4 < m ? u + 4 : m); j++) c[j * n + i] = a[i * m + j];" },
		{ "L0.0", "for (int64_t t = 0; t < n; t += 4) for (int64_t u = 0; u < m; u += 4) "
			  "for (int64_t i = t; i < (n > t + 4 ? t + 4 : n); i++) for (int64_t j = "
			  "u; j < (u + 4 < m ? u + 4 : m); j++) c[i * m + j] = a[j];" },
		{ "L0",
		  "for (int64_t t = 0; t < n; t += 4) { int64_t end = t + 4 < n ? t + 4 : n; for "
		  "(int64_t i = t; i < end; i++) for (int64_t j = 0; j < m; j++) c[i * m + j] = "
		  "a[j]; }" },
		{ "L0",
		  "for (int64_t i = 0; i < n; i++) for (int64_t j = 0; j <= i; j++) { float *row = "
		  "c + i * n; if (a[j] > 0) row[j] = a[j]; }" },
	};
	check_claims(claims, ARRAY_LEN(claims), true);
}

TEST(dependent_loops_are_never_proved)
{
	static const struct claim claims[] = {
		{ "L0", "for (int64_t i = 0; i < n; i++) c[i + 1] = c[i];" },
		{ "L0", "for (int64_t i = 0; i < n; i++) c[0] = a[i];" },
		{ "L0", "for (int64_t i = 0; i < n; i++) c[i / 2] = a[i];" },
		{ "L0", "for (int64_t i = 0; i < n; i++) c[i % 4] = a[i];" },
		{ "L0", "for (int64_t i = 0; i < n; i++) c[i * i] = a[i];" },
		{ "L0", "for (int64_t i = 0; i < n; i++) c[(int64_t)b[i]] = a[i];" },
		{ "L0", "for (int64_t i = 0; i < n; i++) c[i * 2 + 1] = c[i * 2 + 3];" },
		{ "L0", "for (int64_t i = 0; i < n; i++) for (int64_t j = 0; j < m + 1; j++) "
			"c[i * m + j] = a[j];" },
		{ "L0", "for (int64_t i = 0; i < n; i++) for (int64_t j = 0; j <= m; j++) "
			"c[i * m + j] = a[j];" },
		{ "L0",
		  "for (int64_t i = 0; i < n; i++) for (int64_t j = 0; j < m; j++) c[j] = a[i];" },
		{ "L0", "for (int64_t i = 0; i < n + 1; i++) for (int64_t j = 0; j < m; j++) "
			"c[j * n + i] = a[i];" },
		{ "L0", "for (int64_t i = 0; i < n; i++) for (int64_t j = 0; j < m; j++) "
			"c[j * k + i] = a[i];" },
		{ "L0", "float s = 0; for (int64_t i = 0; i < n; i++) { s += a[i]; c[i] = s; }" },
		{ "L0", "for (int64_t i = 0; i < n; i++) { if (a[i] > 0) break; c[i] = 1; }" },
		{ "L0", "for (int64_t i = 0; i < n; i++) { if (a[i] > 0) return; c[i] = 1; }" },
		{ "L0", "for (int64_t i = 0; i < n; i++) { c[i] = f(c); }" },
		{ "L0", "for (int64_t i = 0; i < n; i++) { f(c + i); }" },
		{ "L0", "for (int64_t i = 0; i < n; i++) { float *p = (float *)b; p[i] = 1; }" },
		{ "L0",
		  "float t[4]; for (int64_t i = 0; i < n; i++) { t[0] = a[i]; c[i] = t[0]; }" },
		{ "L0", "for (int64_t i = 0; i < n; i++) { switch (n) { case 1: c[i] = 2; } }" },
		{ "L0", "float *p = c; for (int64_t i = 0; i < n; i++) { *p++ = a[i]; }" },
		{ "L0",
		  "for (int64_t i = 0; i < n; i++) c[i * m] = a[i] + (float)(m - m) * c[m];" },
		{ "L0", "float *t = c + n * m - 1; for (int64_t i = 0; i < n; i++) for (int64_t j "
			"= 0; j < "
			"m; j++) { t[i * m + j] = a[j]; c[i * m + j] = 1; }" },
		{ "L0", "float *p = c; for (int64_t i = 0; i < n; i++) { p[i] = a[i]; c[n - 1 - i] "
			"= 1; }" },
		{ "L0.0", "for (int64_t s = 0; s < k; s++) for (int64_t i = 1; i < n; i++) "
			  "c[i] = c[i - 1] + a[s];" },
		{ "L0",
		  "for (int64_t s = 0; s < k; s++) for (int64_t i = 1; i < n; i++) c[i] = a[s];" },
		{ "L0", "for (uint8_t i = 0; i < n; i++) c[(uint8_t)(i * 128)] = a[i];" },
		{ "L0", "for (unsigned i = 0; i < n; i++) c[i * 1073741824u] = a[i];" },
		{ "L0",
		  "for (int64_t i = 0; i < n; i++) { int64_t at = 0; for (int64_t j = 0; j < m; "
		  "j++) { c[at] = a[j]; at += n; } }" },
		{ "L0",
		  "int64_t w = 1; float *p = c + w; w = 2; for (int64_t i = 0; i < n; i += 2) { "
		  "p[i] = 1; c[w + i] = 2; }" },
		{ "L0", "for (int64_t i = 0; i < n; i++) for (int64_t j = i; j < n; j++) "
			"c[i + j] = a[j];" },
		{ "L0", "for (int64_t t = 0; t < n; t += 4) for (int64_t i = t; i < (t + 5 < n ? "
			"t + 5 : n); i++) c[i] = a[i];" },
		{ "L0", "for (int64_t t = 0; t < n; t += 4) for (int64_t i = t; i < n; i++) c[i] = "
			"a[i];" },
		{ "L0", "for (int64_t t = 0; t < n; t += 3) for (int64_t j = 0; j < m; j++) for "
			"(int64_t i = t; i < (t + 3 < n + 1 ? t + 3 : n + 1); i++) c[j * n + i] = "
			"a[i];" },
		{ "L0", "for (int64_t t = 0; t < n; t += 4) for (int64_t i = t; i < (t + 4 < n ? n "
			": t + 4); i++) c[i] = a[i];" },
		{ "L0", "int64_t w = 4; int64_t end = n < w ? n : w; w = 9; for (int64_t t = 0; t "
			"< n; t++) "
			"for (int64_t i = 0; i < end; i++) c[t * w + i - t * 5] = a[i];" },
	};
	check_claims(claims, ARRAY_LEN(claims), false);
}

/* A random nest of two loops over c, as text and as numbers. */
struct subscript {
	int by_i; /* coefficients: plain, then times a size */
	int by_j;
	int offset;
	int size_of_i; /* index into sizes, 3: none */
	int size_of_j;
	int size_of_offset;
};
struct random_nest {
	struct subscript write;
	struct subscript read;
	int lo_i;
	int lo_j;
	int step_i;
	int bound_i; /* size that bounds i */
	int bound_j; /* size that bounds j, 3: j <= i */
	int slack_j; /* added to the bound of j */
	int strip;   /* 0: none; else i runs so far from each step of a loop around it */
	int slack_i; /* added to the end of the last strip */
};

static int draw(struct rng *r, int low, int high)
{
	return low + (int)rng_below(r, (uint64_t)(high - low + 1));
}

static struct subscript draw_subscript(struct rng *r)
{
	return (struct subscript){ .by_i = draw(r, 0, 3),
				   .by_j = draw(r, -1, 3),
				   .offset = draw(r, 0, 3),
				   .size_of_i = draw(r, 0, 4),
				   .size_of_j = draw(r, 0, 6),
				   .size_of_offset = draw(r, 0, 9) };
}

static struct random_nest draw_nest(struct rng *r)
{
	struct random_nest n = { .write = draw_subscript(r),
				 .lo_i = draw(r, 0, 1),
				 .lo_j = draw(r, 0, 1),
				 .step_i = draw(r, 1, 4) < 4 ? 1 : 2,
				 .bound_i = draw(r, 0, 2),
				 .bound_j = draw(r, 0, 3),
				 .slack_j = draw(r, 0, 3) ? 0 : draw(r, -2, 1) };
	n.strip = draw(r, 0, 1) ? draw(r, 1, 5) : 0;
	n.slack_i = draw(r, 0, 3) ? 0 : draw(r, -1, 1);
	if (n.strip)
		n.step_i = draw(r, 1, 5);
	n.read = draw(r, 0, 1) ? n.write : draw_subscript(r);
	if (draw(r, 0, 1))
		n.read.offset = draw(r, 0, 2);
	return n;
}

static const char *const size_names[] = { "n", "m", "k" };

static void print_subscript(struct str *out, const struct subscript *s)
{
	str_addf(out, "%d * i + %d * j + %d", s->by_i, s->by_j, s->offset);
	if (s->size_of_i < 3)
		str_addf(out, " + i * %s", size_names[s->size_of_i]);
	if (s->size_of_j < 3)
		str_addf(out, " + j * %s", size_names[s->size_of_j]);
	if (s->size_of_offset < 3)
		str_addf(out, " + %s", size_names[s->size_of_offset]);
}

static char *print_nest(const struct random_nest *n)
{
	struct str out = STR_INIT;
	const char *end = size_names[n->bound_i];
	str_addf(&out, "for (int64_t %s = %d; %s < %s; %s += %d)\n", n->strip ? "t" : "i", n->lo_i,
		 n->strip ? "t" : "i", end, n->strip ? "t" : "i", n->step_i);
	if (n->strip)
		str_addf(&out,
			 "for (int64_t i = t; i < (t + %d < %s + %d ? t + %d : %s + %d); i++)\n",
			 n->strip, end, n->slack_i, n->strip, end, n->slack_i);
	str_addf(&out, "for (int64_t j = %d; j < %s + %d; j++)\nc[", n->lo_j,
		 n->bound_j < 3 ? size_names[n->bound_j] : "i + 1", n->slack_j);
	print_subscript(&out, &n->write);
	str_add(&out, "] = c[");
	print_subscript(&out, &n->read);
	str_add(&out, "];");
	return str_take(&out);
}

static int64_t value_of(const struct subscript *s, int64_t i, int64_t j, const int64_t *sizes)
{
	return s->by_i * i + s->by_j * j + s->offset +
	       (s->size_of_i < 3 ? i * sizes[s->size_of_i] : 0) +
	       (s->size_of_j < 3 ? j * sizes[s->size_of_j] : 0) +
	       (s->size_of_offset < 3 ? sizes[s->size_of_offset] : 0);
}

enum { TOUCH_BASE = 4096, TOUCH_LEN = 16384 };

/* What iterations of the outer loop touch, by doing it. */
struct touched {
	int64_t writer[TOUCH_LEN];
	bool is_second_pass;
};

static bool touch(struct touched *t, const struct random_nest *n, const int64_t *sizes, int64_t i,
		  int64_t by)
{
	int64_t end = (n->bound_j < 3 ? sizes[n->bound_j] : i + 1) + n->slack_j;
	for (int64_t j = n->lo_j; j < end; j++) {
		int64_t w = TOUCH_BASE + value_of(&n->write, i, j, sizes);
		int64_t r = TOUCH_BASE + value_of(&n->read, i, j, sizes);
		CHECK(w >= 0 && w < TOUCH_LEN && r >= 0 && r < TOUCH_LEN);
		if ((t->writer[w] && t->writer[w] != by + 1) ||
		    (t->is_second_pass && t->writer[r] && t->writer[r] != by + 1))
			return true;
		t->writer[w] = by + 1;
	}
	return false;
}

/* Does an iteration of the outer loop touch what another one writes? */
static bool clashes(const struct random_nest *n, const int64_t *sizes)
{
	static struct touched t;
	memset(&t, 0, sizeof(t));
	for (int pass = 0; pass < 2; pass++) {
		t.is_second_pass = pass;
		for (int64_t o = n->lo_i; o < sizes[n->bound_i]; o += n->step_i) {
			int64_t last = sizes[n->bound_i] + n->slack_i;
			int64_t end = !n->strip ? o + 1 : o + n->strip < last ? o + n->strip : last;
			for (int64_t i = o; i < end; i++)
				if (touch(&t, n, sizes, i, o))
					return true;
		}
	}
	return false;
}

TEST(whatever_is_proved_holds_when_it_is_tried)
{
	static const int64_t open_sizes[][3] = { { 8, 33, 5 }, { 13, 20, 7 }, { 5, 3, 9 },
						 { 1, 1, 1 },  { 4, 2, 1 },   { 0, 5, 3 },
						 { 6, 0, 4 },  { 7, 4, 0 },   { 2, 2, 2 },
						 { 3, 17, 4 }, { 20, 3, 11 } };
	struct rng r = { .seed = 20261129 };
	unsigned nr_proved[2] = { 0 };
	for (unsigned t = 0; t < 6000; t++) {
		AUTO_ARENA struct arena a = { 0 };
		struct random_nest nest = draw_nest(&r);
		AUTO_FREE char *body = print_nest(&nest);
		for (int is_sized = 0; is_sized < 2; is_sized++) {
			if (*ask(body, "L0", is_sized, &a))
				continue;
			nr_proved[is_sized]++;
			size_t nr = is_sized ? 1 : ARRAY_LEN(open_sizes);
			for (size_t s = 0; s < nr; s++) {
				bool is_wrong = clashes(&nest, open_sizes[s]);
				if (is_wrong)
					printf("# size set %zu, %s: %s\n", s,
					       is_sized ? "known" : "open", body);
				CHECK(!is_wrong);
			}
		}
	}
	printf("# proved: %u with open sizes, %u with known ones\n", nr_proved[0], nr_proved[1]);
	CHECK(nr_proved[0] > 50 && nr_proved[1] > 300);
}

static const char *reduction(const char *body, const char *name)
{
	static struct arena a;
	AUTO_FREE char *text = xasprintf(KERNEL_HEAD "{\nfloat s = 0, t = 0;\n%s\n}\n", body);
	struct kernel k;
	kernel_init(&k, arena_strdup(&a, text), &kernel_task, &a);
	CHECK(!k.unread);
	const char *op = reduce_operation(kernel_loop(&k.variants[0], "L0"), name);
	kernel_release(&k);
	return op ? op : "none";
}

TEST(reductions_are_known_by_every_use_of_their_name)
{
	CHECK_TEXT(reduction("for (int i = 0; i < n; i++) s += a[i];", "s"), "+");
	CHECK_TEXT(reduction("for (int i = 0; i < n; i++) { s += a[i]; s -= b[i]; }", "s"), "+");
	CHECK_TEXT(reduction("for (int i = 0; i < n; i++) s = a[i] + s;", "s"), "+");
	CHECK_TEXT(reduction("for (int i = 0; i < n; i++) s *= a[i];", "s"), "*");
	CHECK_TEXT(reduction("for (int i = 0; i < n; i++) s = a[i] > s ? a[i] : s;", "s"), "max");
	CHECK_TEXT(reduction("for (int i = 0; i < n; i++) s = s > a[i] ? s : a[i];", "s"), "max");
	CHECK_TEXT(reduction("for (int i = 0; i < n; i++) s = s < a[i] ? s : a[i];", "s"), "min");
	CHECK_TEXT(reduction("for (int i = 0; i < n; i++) s = s < a[i] ? a[i] : s;", "s"), "max");
	CHECK_TEXT(reduction("for (int i = 0; i < n; i++) if (s < a[i]) s = a[i];", "s"), "max");
	CHECK_TEXT(reduction("for (int i = 0; i < n; i++) s = fminf(a[i], s);", "s"), "min");
	CHECK_TEXT(reduction("for (int i = 0; i < n; i++) s = a[i] - s;", "s"), "none");
	CHECK_TEXT(reduction("for (int i = 0; i < n; i++) s += s * a[i];", "s"), "none");
	CHECK_TEXT(reduction("for (int i = 0; i < n; i++) { s += a[i]; c[i] = s; }", "s"), "none");
	CHECK_TEXT(reduction("for (int i = 0; i < n; i++) { s += a[i]; s *= 2; }", "s"), "none");
	CHECK_TEXT(reduction("for (int i = 0; i < n; i++) if (s < a[i]) { s = a[i]; t = i; }", "s"),
		   "none");
	CHECK_TEXT(reduction("for (int i = 0; i < n; i++) s = a[i];", "s"), "none");
}

TEST(an_array_that_is_not_known_has_no_known_offset)
{
	AUTO_ARENA struct arena a = { 0 };
	AUTO_KERNEL struct kernel k = { .a = &a };
	struct env *env = arena_alloc(&a, sizeof(*env));
	struct poly offset = { .nr = 3 };
	kernel_init(&k, KERNEL_CHAIN, &kernel_task, &a);
	const struct variant *v = &k.variants[0];
	CHECK(env_open(env, &v->view, kernel_loop(v, "L0"), &a));
	struct expr *cast = expr_new(&a, EXPR_CAST, "float *", 1);
	cast->items[0] = expr_name(&a, "c");
	CHECK(!env_array(env, cast, &offset));
	CHECK(offset.is_unknown);
	struct expr *moved = expr_binary(&a, "+", cast, expr_number(&a, 1));
	offset = (struct poly){ .nr = 3 };
	CHECK(!env_array(env, moved, &offset));
	CHECK(offset.is_unknown);
}

TEST_MAIN()
