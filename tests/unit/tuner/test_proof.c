#include "kernels.h"

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
	};
	check_claims(claims, ARRAY_LEN(claims), false);
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

TEST_MAIN()
