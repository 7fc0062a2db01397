#include "know/certify.h"

#include <math.h>

#include "know/sample.h"

/* The host is a list of what a probe printed. */
struct fake_host {
	const char *out[3];
	int code[3];
	const char *err;
	bool is_unbuilt;
	bool edits_probe;
};

static json_t *run_fake(void *ctx, const char *path, struct err *e)
{
	const struct fake_host *h = ctx;
	json_t *runs = json_array();
	for (size_t i = 0; i < ARRAY_LEN(h->out) && !h->is_unbuilt; i++)
		json_array_append_new(runs,
				      json_pack("{s:i, s:s, s:s, s:s}", "exit", h->code[i], "how",
						"exit 1", "out", h->out[i] ? h->out[i] : "", "err",
						h->err ? h->err : ""));
	if (h->edits_probe)
		CHECK(file_write_text(path, "int main(void) { return 0; }\n", e) == 0);
	return json_pack("{s:s, s:b, s:s, s:o}", "compiler", "gcc (Debian 12.2.0-14) 12.2.0",
			 "built", !h->is_unbuilt, "log", "probe.c:3: error: no such thing\n",
			 "runs", runs);
}

struct world {
	struct sample s;
	struct kb kb;
	const struct kb_entry *entry;
};

static void world_open(struct world *w)
{
	struct err e = { 0 };
	sample_open(&w->s);
	CHECK_OK(kb_load(&w->kb, w->s.dir, NULL, &e));
	w->entry = kb_find(&w->kb, "independent-sums");
	CHECK(w->entry != NULL);
}

static void world_close(struct world *w)
{
	kb_release(&w->kb);
	sample_close(&w->s);
}

static json_t *ask(const struct world *w, struct fake_host *h, struct err *e)
{
	const struct kb_device device = sample_device();
	const struct probe_ops ops = { .run = run_fake, .ctx = h };
	return certify(&w->entry->lesson, &device, "2026-11-30T10:12:44Z", &ops, e);
}

#define GOOD                                                                                       \
	{                                                                                          \
		"gain 3.9 ratio\n", "gain 4 ratio\n", "gain 3.7 ratio\n"                           \
	}

TEST(a_claim_that_holds_in_the_median_certifies)
{
	struct world w;
	struct err e = { 0 };
	world_open(&w);
	/* One of three runs was disturbed. */
	struct fake_host h = { .out = { "gain 3.9 ratio\nx 1 ns\n", "gain 1.01 ratio\nx 2 ns\n",
					"gain 3.7 ratio\nx 3 ns\n" } };
	AUTO_JSON json_t *c = ask(&w, &h, &e);
	CHECK(c != NULL);
	CHECK_INT(certify_state(c), LESSON_certified);
	const json_t *claim = json_array_get(json_object_get(c, "claims"), 0);
	CHECK(json_real_or(claim, "measured", 0) == 3.7);
	CHECK(json_is_null(json_object_get(claim, "high")));
	const json_t *x = json_array_get(json_object_get(c, "values"), 1);
	CHECK_TEXT(json_text_or(x, "name", ""), "x");
	CHECK_INT(json_array_size(json_object_get(x, "runs")), 3);
	world_close(&w);
}

TEST(a_claim_that_does_not_hold_is_refuted)
{
	struct world w;
	struct err e = { 0 };
	world_open(&w);
	struct fake_host h = { .out = { "gain 1.1 ratio\n", "gain 9 ratio\n", "gain 1 ratio\n" } };
	AUTO_JSON json_t *c = ask(&w, &h, &e);
	CHECK_INT(certify_state(c), LESSON_refuted);
	CHECK_OK(cert_put(&w.entry->lesson, c, &e));
	AUTO_JSON json_t *certs = NULL;
	const struct kb_device here = sample_device();
	AUTO_STR struct str why = STR_INIT;
	CHECK_OK(cert_load(&w.entry->lesson, &certs, &e));
	CHECK_INT(cert_state(certs, &w.entry->lesson, &here, &why), LESSON_refuted);
	world_close(&w);
}

TEST(a_probe_that_does_not_apply_says_why)
{
	struct world w;
	struct err e = { 0 };
	world_open(&w);
	struct fake_host h = { .code = { 77, 77, 77 }, .err = "one core only\nand more\n" };
	AUTO_JSON json_t *c = ask(&w, &h, &e);
	CHECK_INT(certify_state(c), LESSON_not_applicable);
	CHECK_TEXT(json_text_or(c, "why", ""), "one core only");
	world_close(&w);
}

/* None of these says anything about the hardware, so nothing may come of them. */
static const struct {
	struct fake_host h;
	const char *message;
} failures[] = {
	{ { .out = GOOD, .code = { 0, 1, 0 }, .err = "wrong sum\n" }, "exit 1: wrong sum" },
	{ { .code = { 77, 0, 77 }, .out = GOOD }, "only some of its runs apply" },
	{ { .is_unbuilt = true }, "it does not build: probe.c:3: error: no such thing" },
	{ { .out = { "gain 4 ratio\n", "", "gain 4 ratio\n" } }, "it printed nothing" },
	{ { .out = { "gain 4 ratio\n", "gain 4 ratio\ny 1 ns\n", "gain 4 ratio\n" } },
	  "its runs print different values" },
	{ { .out = { "other 4 ratio\n", "other 4 ratio\n", "other 4 ratio\n" } },
	  "does not print gain, which" },
	{ { .out = { "gain 4 ns\n", "gain 4 ns\n", "gain 4 ns\n" } }, "it prints gain in ns" },
	{ { .out = { "gain 4\n", "gain 4\n", "gain 4\n" } }, "NAME VALUE UNIT" },
	{ { .out = { "gain nan ratio\n", "gain nan ratio\n", "gain nan ratio\n" } },
	  "no finite number" },
	{ { .out = { "gain 0x4 ratio\n", "", "" } }, "no finite number" },
	{ { .out = { "gain 4 bananas\n", "", "" } }, "\"bananas\" is no unit" },
	{ { .out = { "Gain 4 ratio\n", "", "" } }, "\"Gain\" is no name" },
	{ { .out = { "gain 4 ratio\ngain 4 ratio\n", "", "" } }, "gain comes twice" },
	{ { .out = GOOD, .edits_probe = true }, "changed while it ran" },
};

TEST(a_probe_that_fails_shows_nothing)
{
	for (size_t i = 0; i < ARRAY_LEN(failures); i++) {
		struct world w;
		struct err e = { 0 };
		struct fake_host h = failures[i].h;
		world_open(&w);
		AUTO_JSON json_t *c = ask(&w, &h, &e);
		printf("# %s\n", e.text);
		CHECK(c == NULL);
		CHECK(strstr(e.text, failures[i].message));
		world_close(&w);
	}
}

static enum lesson_state state_now(const struct world *w, const struct kb_device *device,
				   struct str *why)
{
	struct err e = { 0 };
	AUTO_KB struct kb kb = { 0 };
	CHECK_OK(kb_load(&kb, w->s.dir, NULL, &e));
	return kb_state(kb_find(&kb, "independent-sums"), device, why);
}

static void certify_it(struct world *w, const struct kb_device *device)
{
	struct err e = { 0 };
	struct fake_host h = { .out = GOOD };
	const struct probe_ops ops = { .run = run_fake, .ctx = &h };
	AUTO_JSON json_t *c = certify(&w->entry->lesson, device, "2026-11-30T10:12:44Z", &ops, &e);
	CHECK(c != NULL);
	CHECK_OK(cert_put(&w->entry->lesson, c, &e));
}

TEST(a_certificate_counts_while_nothing_changed)
{
	struct world w;
	world_open(&w);
	struct kb_device here = sample_device();
	AUTO_STR struct str why = STR_INIT;
	CHECK_INT(state_now(&w, &here, &why), LESSON_uncertified);
	certify_it(&w, &here);
	CHECK_INT(state_now(&w, &here, &why), LESSON_certified);
	here.driver = "Linux 7.2";
	CHECK_INT(state_now(&w, &here, &why), LESSON_stale);
	CHECK_TEXT(why.text, "the driver changed (Linux 6.1, now Linux 7.2)");
	here = sample_device();
	here.driver = "Linux 6.12";
	here.compiler = "gcc (Debian 12.4.0-1) 12.4.0";
	CHECK_INT(state_now(&w, &here, &why), LESSON_certified);
	here = sample_device();
	here.compiler = "gcc 13";
	CHECK_INT(state_now(&w, &here, &why), LESSON_stale);
	here = sample_device();
	here.name = "Other CPU";
	str_clear(&why);
	CHECK_INT(state_now(&w, &here, &why), LESSON_stale);
	CHECK_TEXT(why.text, "measured on Example CPU 9000 @ 2.40GHz only");
	here.family = "aarch64";
	CHECK_INT(state_now(&w, &here, &why), LESSON_not_applicable);
	world_close(&w);
}

TEST(another_lesson_or_probe_makes_it_stale)
{
	struct world w;
	world_open(&w);
	const struct kb_device here = sample_device();
	AUTO_STR struct str why = STR_INIT;
	certify_it(&w, &here);
	AUTO_FREE char *probe = xasprintf("%s/* more */\n", w.s.probe);
	sample_put(&w.s, "x86-64/independent-sums.probe.c", probe);
	CHECK_INT(state_now(&w, &here, &why), LESSON_stale);
	CHECK_TEXT(why.text, "the probe changed");
	sample_put(&w.s, "x86-64/independent-sums.probe.c", w.s.probe);
	AUTO_FREE char *text = sample_edit(w.s.text, "low = 1.3", "low = 1.2");
	sample_put(&w.s, "x86-64/independent-sums.md", text);
	str_clear(&why);
	CHECK_INT(state_now(&w, &here, &why), LESSON_stale);
	CHECK_TEXT(why.text, "the lesson changed");
	world_close(&w);
}

TEST(devices_keep_a_certificate_each)
{
	struct world w;
	world_open(&w);
	const struct kb_device here = sample_device();
	struct kb_device other = sample_device();
	AUTO_STR struct str ignored = STR_INIT;
	other.name = "Other CPU";
	certify_it(&w, &here);
	certify_it(&w, &other);
	certify_it(&w, &here);
	CHECK_INT(state_now(&w, &here, &ignored), LESSON_certified);
	CHECK_INT(state_now(&w, &other, &ignored), LESSON_certified);
	AUTO_JSON json_t *certs = NULL;
	struct err e = { 0 };
	CHECK_OK(cert_load(&w.entry->lesson, &certs, &e));
	CHECK_INT(json_array_size(json_object_get(certs, "certificates")), 2);
	world_close(&w);
}

TEST(the_certificate_of_the_page_can_be_read)
{
	struct world w;
	struct err e = { 0 };
	world_open(&w);
	AUTO_FREE char *text = page_block(SAMPLE_PAGE, "json", 0);
	sample_put(&w.s, "x86-64/independent-sums.cert.json", text);
	AUTO_JSON json_t *certs = NULL;
	CHECK_OK(cert_load(&w.entry->lesson, &certs, &e));
	CHECK_INT(certify_state(cert_of_device(certs, sample_device().name)), LESSON_certified);
	world_close(&w);
}

static const struct {
	const char *from;
	const char *to;
	const char *message;
} torn[] = {
	{ "\"version\": 1", "\"version\": 2", "version 2, this program reads 1" },
	{ "\"independent-sums\"", "\"other\"", "it is about \"other\"" },
	{ "\"state\": \"certified\"", "\"state\": \"fine\"",
	  "\"fine\" is no state of a certificate" },
	{ "\"driver\"", "\"drivers\"", "driver" },
};

TEST(certificates_that_were_tampered_with_in_form_are_refused)
{
	AUTO_FREE char *good = page_block(SAMPLE_PAGE, "json", 0);
	for (size_t i = 0; i < ARRAY_LEN(torn); i++) {
		struct world w;
		struct err e = { 0 };
		world_open(&w);
		AUTO_FREE char *text = sample_edit(good, torn[i].from, torn[i].to);
		sample_put(&w.s, "x86-64/independent-sums.cert.json", text);
		json_t *certs = NULL;
		CHECK(cert_load(&w.entry->lesson, &certs, &e) < 0);
		printf("# %s\n", e.text);
		CHECK(strstr(e.text, torn[i].message));
		world_close(&w);
	}
}

static const struct {
	const char *then;
	const char *now;
	size_t nr_numbers;
	bool is_same;
} tools[] = {
	{ "gcc (Debian 12.2.0-14) 12.2.0", "gcc (Debian 12.2.0-14+deb12u1) 12.2.0", 1, true },
	{ "gcc (Debian 12.2.0-14) 12.2.0", "gcc (GCC) 12.5.1 20250101", 1, false },
	{ "gcc (GCC) 12.2.0", "gcc (GCC) 12.5.1", 1, true },
	{ "gcc (GCC) 12.2.0", "gcc (GCC) 13.2.0", 1, false },
	{ "gcc (GCC) 1.2.0", "gcc (GCC) 12.2.0", 1, false },
	{ "gcc (GCC) 12.2.0", "clang version 12.2.0", 1, false },
	{ "Linux 6.1", "Linux 6.12", 1, true },
	{ "Linux 6.1", "Linux 5.10", 1, false },
	{ "580.159.04", "580.65.06", 1, true },
	{ "580.159.04", "575.57.08", 1, false },
	{ "Cuda compilation tools, release 13.0, V13.0.88",
	  "Cuda compilation tools, release 13.0, V13.0.48", 2, true },
	{ "Cuda compilation tools, release 13.0, V13.0.88",
	  "Cuda compilation tools, release 13.1, V13.1.80", 2, false },
	{ "", "", 1, true },
	{ "", "gcc (GCC) 12.2.0", 1, false },
	{ "gcc", "gcc", 1, true },
};

TEST(a_tool_is_the_same_one_while_the_numbers_that_count_are)
{
	for (size_t i = 0; i < ARRAY_LEN(tools); i++) {
		printf("# %s, %s\n", tools[i].then, tools[i].now);
		CHECK(cert_is_same_tool(tools[i].then, tools[i].now, tools[i].nr_numbers) ==
		      tools[i].is_same);
	}
}

static json_t *machine_with(json_t *gpu)
{
	return json_pack("{s:s, s:s, s:s, s:s, s:s, s:o}", "cpu", "Some CPU", "isa", "avx2 fma",
			 "kernel", "6.1.0-18-amd64", "arch", "x86_64", "compiler", "gcc 12", "gpu",
			 gpu);
}

TEST(a_machine_with_a_gpu_is_two_devices)
{
	AUTO_JSON json_t *machine =
		machine_with(json_pack("{s:s, s:s, s:s, s:s}", "name", "NVIDIA H200", "capability",
				       "9.0", "driver", "580.159.04", "compiler", "nvcc 13.0"));
	AUTO_KB_DEVICE struct kb_device d = { 0 };
	kb_device_read(&d, "local", machine);
	CHECK_TEXT(kb_device_for(&d, "x86-64")->name, "Some CPU");
	CHECK_TEXT(kb_device_for(&d, "ampere")->name, "Some CPU");
	CHECK(d.gpu && kb_device_for(&d, "hopper") == d.gpu);
	CHECK_TEXT(d.gpu->name, "NVIDIA H200");
	CHECK_TEXT(d.gpu->driver, "580.159.04");
	CHECK_TEXT(d.gpu->compiler, "nvcc 13.0");
	CHECK_TEXT(d.gpu->host, "local");
	CHECK(!d.no_gpu);
}

TEST(a_machine_without_a_gpu_says_why)
{
	AUTO_JSON json_t *machine = machine_with(json_pack("{s:s}", "lack", "no driver"));
	AUTO_KB_DEVICE struct kb_device d = { 0 };
	struct world w;
	AUTO_STR struct str why = STR_INIT;
	kb_device_read(&d, "local", machine);
	world_open(&w);
	AUTO_FREE char *text = sample_edit(w.s.text, "family = \"x86-64\"", "family = \"hopper\"");
	sample_put(&w.s, "x86-64/independent-sums.md", text);
	CHECK_INT(state_now(&w, &d, &why), LESSON_not_applicable);
	CHECK_TEXT(why.text, "it is about hopper, and no GPU is seen here: no driver");
	world_close(&w);
}

TEST(a_certificate_of_a_gpu_names_the_gpu)
{
	AUTO_JSON json_t *machine = machine_with(
		json_pack("{s:s, s:s, s:s, s:s}", "name", "NVIDIA H200", "capability", "9.0",
			  "driver", "580.159.04", "compiler", "gcc (Debian 12.2.0-14) 12.2.0"));
	AUTO_KB_DEVICE struct kb_device d = { 0 };
	struct world w;
	AUTO_STR struct str why = STR_INIT;
	kb_device_read(&d, "local", machine);
	sample_open(&w.s);
	AUTO_FREE char *text = sample_edit(w.s.text, "family = \"x86-64\"", "family = \"hopper\"");
	sample_put(&w.s, "x86-64/independent-sums.md", text);
	struct err e = { 0 };
	CHECK_OK(kb_load(&w.kb, w.s.dir, NULL, &e));
	w.entry = kb_find(&w.kb, "independent-sums");
	certify_it(&w, &d);
	CHECK_INT(state_now(&w, &d, &why), LESSON_certified);
	AUTO_JSON json_t *certs = NULL;
	CHECK_OK(cert_load(&w.entry->lesson, &certs, &e));
	CHECK(cert_of_device(certs, "NVIDIA H200") != NULL);
	d.gpu->driver = "590.1";
	CHECK_INT(state_now(&w, &d, &why), LESSON_stale);
	world_close(&w);
}

TEST(a_machine_is_read_as_a_device)
{
	AUTO_JSON json_t *machine =
		json_pack("{s:s, s:s, s:s, s:s, s:s}", "cpu", "Some CPU", "isa", "avx2 fma",
			  "kernel", "6.1.0-18-amd64", "arch", "x86_64", "compiler", "gcc 12");
	AUTO_KB_DEVICE struct kb_device d = { 0 };
	kb_device_read(&d, "local", machine);
	CHECK_TEXT(d.family, "x86-64");
	CHECK_TEXT(d.name, "Some CPU");
	CHECK_TEXT(d.driver, "Linux 6.1");
	CHECK_TEXT(d.compiler, "gcc 12");
}

TEST_MAIN()
