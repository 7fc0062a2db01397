/*
 * The unit-test frame: each TEST runs in a forked child with a deadline, so that a crash or a hang
 * is one failed test. Output is TAP; the last line is "N passed, N failed". A test name is a claim.
 *
 *   #include "test.h"
 *   TEST(an_empty_list_has_no_items) { struct strv v = {0}; CHECK(v.nr == 0); }
 *   TEST_MAIN()
 *
 * SKIP("reason") ends a test that this machine can not run; it is counted and shown.
 */
#ifndef FORGE_TEST_H
#define FORGE_TEST_H

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef void (*test_fn)(void);

struct test_row {
	const char *name;
	test_fn run;
	struct test_row *next;
};

struct test_list {
	struct test_row *head;
	struct test_row **tail;
};

static struct test_list test_all;

enum { TEST_DEADLINE_S = 60, TEST_EXIT_SKIP = 77 };

static void test_register(struct test_row *row)
{
	if (!test_all.tail)
		test_all.tail = &test_all.head;
	*test_all.tail = row;
	test_all.tail = &row->next;
}

#define TEST(claim)                                                                                \
	static void claim(void);                                                                   \
	__attribute__((constructor)) static void claim##_register(void)                            \
	{                                                                                          \
		static struct test_row row = { #claim, claim, NULL };                              \
		test_register(&row);                                                               \
	}                                                                                          \
	static void claim(void)

#define CHECK(cond)                                                                                \
	do {                                                                                       \
		if (!(cond)) {                                                                     \
			printf("# %s:%d: not true: %s\n", __FILE__, __LINE__, #cond);              \
			fflush(stdout);                                                            \
			exit(1);                                                                   \
		}                                                                                  \
	} while (0)

#define CHECK_TEXT(got, want)                                                                      \
	do {                                                                                       \
		const char *got_ = (got);                                                          \
		const char *want_ = (want);                                                        \
		if (!got_ || strcmp(got_, want_) != 0) {                                           \
			printf("# %s:%d: got \"%s\", want \"%s\"\n", __FILE__, __LINE__,           \
			       got_ ? got_ : "(null)", want_);                                     \
			fflush(stdout);                                                            \
			exit(1);                                                                   \
		}                                                                                  \
	} while (0)

#define CHECK_INT(got, want)                                                                       \
	do {                                                                                       \
		long long got_ = (long long)(got);                                                 \
		long long want_ = (long long)(want);                                               \
		if (got_ != want_) {                                                               \
			printf("# %s:%d: %s is %lld, want %lld\n", __FILE__, __LINE__, #got, got_, \
			       want_);                                                             \
			fflush(stdout);                                                            \
			exit(1);                                                                   \
		}                                                                                  \
	} while (0)

/* For calls that fill `struct err e`: shows the message when they fail. */
#define CHECK_OK(call)                                                                             \
	do {                                                                                       \
		if ((call) < 0) {                                                                  \
			printf("# %s:%d: %s: %s\n", __FILE__, __LINE__, #call, e.text);            \
			fflush(stdout);                                                            \
			exit(1);                                                                   \
		}                                                                                  \
	} while (0)

#define SKIP(why)                                                                                  \
	do {                                                                                       \
		printf("# skipped: %s\n", why);                                                    \
		fflush(stdout);                                                                    \
		exit(TEST_EXIT_SKIP);                                                              \
	} while (0)

static int test_run_one(const struct test_row *row)
{
	fflush(stdout);
	pid_t pid = fork();
	if (pid == 0) {
		alarm(TEST_DEADLINE_S);
		row->run();
		exit(0);
	}
	int status = 0;
	waitpid(pid, &status, 0);
	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	printf("# killed by signal %d%s\n", WTERMSIG(status),
	       WTERMSIG(status) == SIGALRM ? " (deadline)" : "");
	return 1;
}

static int test_main(int argc, char **argv)
{
	unsigned counts[3] = { 0 };
	unsigned n = 0;
	for (struct test_row *row = test_all.head; row; row = row->next) {
		if (argc > 1 && strcmp(argv[1], row->name) != 0)
			continue;
		int code = test_run_one(row);
		bool is_skip = code == TEST_EXIT_SKIP;
		printf("%s %u - %s%s\n", code == 0 || is_skip ? "ok" : "not ok", ++n, row->name,
		       is_skip ? " # SKIP" : "");
		counts[code == 0 ? 0 : is_skip ? 2 : 1]++;
	}
	printf("1..%u\n%u passed, %u failed", n, counts[0], counts[1]);
	if (counts[2])
		printf(", %u skipped", counts[2]);
	printf("\n");
	return counts[1] ? 1 : 0;
}

#define TEST_MAIN()                                                                                \
	int main(int argc, char **argv)                                                            \
	{                                                                                          \
		return test_main(argc, argv);                                                      \
	}

#endif
