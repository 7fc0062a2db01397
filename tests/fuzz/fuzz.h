/*
 * The frame of a fuzz target. A target defines LLVMFuzzerTestOneInput and ends in FUZZ_MAIN(words),
 * `words` being a NULL-terminated list of tokens of its language. It runs by itself:
 *
 *   fuzz_toml [-s SECONDS] [-n RUNS] [-r SEED] FILE-OR-FOLDER...
 *
 * runs every file once, then mutations of them until the time is over (none by default). A crash
 * leaves the input in fuzz-crash.bin. With clang's -fsanitize=fuzzer define FUZZ_NO_MAIN.
 */
#ifndef FORGE_FUZZ_H
#define FORGE_FUZZ_H

#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/rng.h"
#include "base/str.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

/* A promise of the code under test. */
#define FUZZ_CHECK(cond)                                                                           \
	do {                                                                                       \
		if (!(cond))                                                                       \
			BUG("not true: %s", #cond);                                                \
	} while (0)

#ifdef FUZZ_NO_MAIN
#define FUZZ_MAIN(words)
#else

enum { FUZZ_MAX_BYTES = 64 * 1024, FUZZ_MAX_MUTATIONS = 8 };

struct fuzz {
	struct str *inputs;
	size_t nr_inputs;
	struct rng rng;
	const char *const *words;
	size_t nr_words;
	double seconds;
	unsigned long runs;
};

/* What the signal handler writes out. */
static const struct str *fuzz_current;

static void fuzz_crashed(int sig)
{
	int fd = open("fuzz-crash.bin", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd >= 0 && write(fd, fuzz_current->text, fuzz_current->len) >= 0)
		(void)!write(STDERR_FILENO, "input left in fuzz-crash.bin\n", 29);
	signal(sig, SIG_DFL);
	raise(sig);
}

/* A sanitizer's report must end in a signal, or the input would be lost. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "abort_on_error=1:handle_abort=0:handle_segv=0";
}

static void fuzz_run(const struct str *input)
{
	/* A copy of exactly this size lets the sanitizer see reads behind the end. */
	AUTO_FREE uint8_t *exact = xmalloc(input->len ? input->len : 1);
	memcpy(exact, input->text, input->len);
	fuzz_current = input;
	LLVMFuzzerTestOneInput(exact, input->len);
}

static void fuzz_add_file(struct fuzz *f, const char *path)
{
	struct err e = { 0 };
	f->inputs = xreallocarray(f->inputs, f->nr_inputs + 1, sizeof(*f->inputs));
	str_init(&f->inputs[f->nr_inputs]);
	if (file_read(path, FUZZ_MAX_BYTES, &f->inputs[f->nr_inputs], &e) < 0) {
		fprintf(stderr, "%s\n", e.text);
		exit(1);
	}
	f->nr_inputs++;
}

static void fuzz_add(struct fuzz *f, const char *path)
{
	struct err e = { 0 };
	AUTO_STRV struct strv names = { 0 };
	if (!file_is_dir(path)) {
		fuzz_add_file(f, path);
		return;
	}
	if (dir_list(path, &names, &e) < 0) {
		fprintf(stderr, "%s\n", e.text);
		exit(1);
	}
	for (size_t i = 0; i < names.nr; i++) {
		AUTO_FREE char *one = path_join(path, names.items[i]);
		fuzz_add_file(f, one);
	}
}

/* Replace `drop` bytes at `at` by the given ones. */
static void fuzz_splice(struct str *s, size_t at, size_t drop, const char *bytes, size_t len)
{
	struct str out = STR_INIT;
	str_add_len(&out, s->text, at);
	str_add_len(&out, bytes, len);
	str_add_len(&out, s->text + at + drop, s->len - at - drop);
	str_release(s);
	*s = out;
}

static size_t fuzz_below(struct fuzz *f, size_t bound)
{
	return (size_t)rng_below(&f->rng, bound);
}

static void fuzz_change_bytes(struct fuzz *f, struct str *s)
{
	size_t at = fuzz_below(f, s->len + 1);
	size_t drop = fuzz_below(f, s->len - at + 1) % 4;
	char bytes[4];
	size_t len = fuzz_below(f, sizeof(bytes) + 1);
	for (size_t i = 0; i < len; i++)
		bytes[i] = (char)fuzz_below(f, 256);
	fuzz_splice(s, at, drop, bytes, len);
}

static void fuzz_insert_word(struct fuzz *f, struct str *s)
{
	const char *word = f->words[fuzz_below(f, f->nr_words)];
	size_t at = fuzz_below(f, s->len + 1);
	size_t drop = fuzz_below(f, 2) ? fuzz_below(f, s->len - at + 1) % 16 : 0;
	fuzz_splice(s, at, drop, word, strlen(word));
}

/* A piece of any input, this one included, put anywhere. */
static void fuzz_copy_piece(struct fuzz *f, struct str *s)
{
	const struct str *from = &f->inputs[fuzz_below(f, f->nr_inputs)];
	size_t start = fuzz_below(f, from->len + 1);
	size_t len = fuzz_below(f, from->len - start + 1);
	fuzz_splice(s, fuzz_below(f, s->len + 1), 0, from->text + start, len);
}

static void fuzz_cut_piece(struct fuzz *f, struct str *s)
{
	size_t at = fuzz_below(f, s->len + 1);
	fuzz_splice(s, at, fuzz_below(f, s->len - at + 1), "", 0);
}

static void fuzz_mutate(struct fuzz *f, struct str *s)
{
	static void (*const ways[])(struct fuzz * f,
				    struct str * s) = { fuzz_change_bytes, fuzz_insert_word,
							fuzz_insert_word, fuzz_copy_piece,
							fuzz_cut_piece };
	size_t nr = 1 + fuzz_below(f, FUZZ_MAX_MUTATIONS);
	for (size_t i = 0; i < nr && s->len < FUZZ_MAX_BYTES; i++)
		ways[fuzz_below(f, ARRAY_LEN(ways))](f, s);
}

static unsigned long fuzz_loop(struct fuzz *f)
{
	unsigned long nr = 0;
	uint64_t end_ns = clock_mono_ns() + (uint64_t)(f->seconds * (double)NS_PER_S);
	while (nr < f->runs || clock_mono_ns() < end_ns) {
		AUTO_STR struct str s = STR_INIT;
		const struct str *from = &f->inputs[fuzz_below(f, f->nr_inputs)];
		str_add_len(&s, from->text, from->len);
		fuzz_mutate(f, &s);
		fuzz_run(&s);
		nr++;
	}
	return nr;
}

static void fuzz_parse(struct fuzz *f, int argc, char **argv)
{
	for (int opt; (opt = getopt(argc, argv, "s:n:r:")) != -1;) {
		if (opt == 's')
			f->seconds = strtod(optarg, NULL);
		else if (opt == 'n')
			f->runs = strtoul(optarg, NULL, 10);
		else if (opt == 'r')
			f->rng.seed = strtoull(optarg, NULL, 0);
		else
			exit(64);
	}
	for (int i = optind; i < argc; i++)
		fuzz_add(f, argv[i]);
	while (f->words[f->nr_words])
		f->nr_words++;
}

static int fuzz_main(int argc, char **argv, const char *const *words)
{
	struct fuzz f = { .words = words, .rng = { .seed = 1 } };
	signal(SIGABRT, fuzz_crashed);
	signal(SIGSEGV, fuzz_crashed);
	fuzz_parse(&f, argc, argv);
	if (f.nr_inputs == 0) {
		fprintf(stderr, "usage: %s [-s SECONDS] [-n RUNS] [-r SEED] FILE-OR-FOLDER...\n",
			argv[0]);
		return 64;
	}
	for (size_t i = 0; i < f.nr_inputs; i++)
		fuzz_run(&f.inputs[i]);
	unsigned long nr = fuzz_loop(&f);
	printf("%zu files, %lu mutations, seed %llu: no crash\n", f.nr_inputs, nr,
	       (unsigned long long)f.rng.seed);
	for (size_t i = 0; i < f.nr_inputs; i++)
		str_release(&f.inputs[i]);
	free(f.inputs);
	return 0;
}

#define FUZZ_MAIN(words)                                                                           \
	int main(int argc, char **argv)                                                            \
	{                                                                                          \
		return fuzz_main(argc, argv, words);                                               \
	}
#endif

#endif
