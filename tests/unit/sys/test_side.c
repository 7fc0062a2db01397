#include "sys/side.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "side_rig.h"

/* alone: compares two clocks */

static const char adds[] = RIG_ENTRY "{ for (long i = 0; i < N; i++) OUT[i] = IN[i] + 1; }";

TEST(a_call_computes_and_is_timed_from_outside)
{
	struct rig r;
	rig_open(&r, adds, "-O2");
	rig_start(&r);
	rig_call(&r, NS_PER_S);
	CHECK_INT(r.st.end, SIDE_ALIVE);
	for (int i = 0; i < RIG_FLOATS; i++)
		CHECK(rig_out(&r)[i] == (float)i + 1);
	CHECK(r.time.ns > 100 && r.time.inner_ns > 100);
	CHECK(r.time.inner_ns <= r.time.ns + 100);
	CHECK(!r.time.mxcsr_changed);
	CHECK(r.time.is_stamped && !r.time.is_forged);
	rig_close(&r);
}

TEST(a_sample_of_many_calls_uses_each_calls_own_arguments)
{
	struct err e = { 0 };
	struct rig r;
	rig_open(&r, RIG_ENTRY "{ *OUT += *IN * N; }", "-O2");
	rig_start(&r);
	enum { CALLS = 100 };
	struct side_arg args[CALLS][3];
	for (int64_t i = 0; i < CALLS; i++) {
		args[i][0] = (struct side_arg){ .region = RIG_IN, .offset = (uint64_t)i * 4 };
		args[i][1] = (struct side_arg){ .region = RIG_OUT, .offset = 64 };
		args[i][2] = (struct side_arg){ .is_scalar = true };
		memcpy(args[i][2].scalar, &i, sizeof(i));
	}
	struct side_call call = { .args = args[0], .nr_args = 3, .nr_calls = CALLS };
	CHECK_OK(side_prepare(r.side, &call, &r.st, &e));
	CHECK_OK(side_fire(r.side, &r.time, &r.st, &e));
	CHECK_INT(r.st.end, SIDE_ALIVE);
	CHECK(rig_out(&r)[16] == 328350.0F); /* sum of squares below 100 */
	rig_close(&r);
}

TEST(each_copy_of_the_kernel_can_be_called)
{
	struct err e = { 0 };
	struct rig r;
	rig_open(&r,
		 RIG_ENTRY "{ *OUT = 10; }\n"
			   "void forge_entry1(void *const *args) { *(float *)args[1] = 11; }\n"
			   "void forge_entry2(void *const *args) { *(float *)args[1] = 12; }\n"
			   "void forge_entry4(void *const *args) { *(float *)args[1] = 14; }\n",
		 "-O2");
	rig_start(&r);
	CHECK_INT(side_copies(r.side), 3);
	struct side_arg args[3] = { { .region = RIG_IN },
				    { .region = RIG_OUT },
				    { .is_scalar = true } };
	struct side_call call = { .args = args, .nr_args = 3, .nr_calls = 1 };
	for (call.copy = 0; call.copy < 3; call.copy++) {
		CHECK_OK(side_prepare(r.side, &call, &r.st, &e));
		CHECK_OK(side_fire(r.side, &r.time, &r.st, &e));
		CHECK_INT((int)rig_out(&r)[0], 10 + (int)call.copy);
	}
	CHECK(side_prepare(r.side, &call, &r.st, &e) < 0);
	CHECK_INT(e.kind, ERR_INPUT);
	rig_close(&r);
}

TEST(a_place_outside_its_region_is_our_error)
{
	struct err e = { 0 };
	struct rig r;
	rig_open(&r, adds, "-O2");
	rig_start(&r);
	struct side_arg arg = { .region = RIG_OUT, .offset = RIG_BYTES + 1 };
	struct side_call call = { .args = &arg, .nr_args = 1, .nr_calls = 1 };
	CHECK(side_prepare(r.side, &call, &r.st, &e) < 0);
	arg.region = 2;
	arg.offset = 0;
	CHECK(side_prepare(r.side, &call, &r.st, &e) < 0);
	CHECK_INT(e.kind, ERR_INPUT);
	rig_close(&r);
}

TEST(all_pages_of_a_region_can_be_warmed_and_not_one_more)
{
	struct err e = { 0 };
	struct rig r;
	rig_open(&r, RIG_ENTRY "{ OUT[0] = 1; }", "-O2");
	rig_start(&r);
	struct side_arg args[2] = { { .region = RIG_IN }, { .region = RIG_OUT, .offset = 64 } };
	struct side_call call = { .args = args, .nr_args = 2, .nr_calls = 1 };
	args[0].nr_warm_pages = args[1].nr_warm_pages = RIG_BYTES / 4096;
	CHECK_OK(side_prepare(r.side, &call, &r.st, &e));
	CHECK_OK(side_fire(r.side, &r.time, &r.st, &e));
	CHECK_INT(r.st.end, SIDE_ALIVE);
	args[0].nr_warm_pages++;
	CHECK(side_prepare(r.side, &call, &r.st, &e) < 0);
	rig_close(&r);
}

TEST(a_write_to_an_input_names_region_and_byte)
{
	struct side_state st = rig_end_of(RIG_ENTRY "{ ((float *)IN)[10] = 42; }", "-O2");
	CHECK_INT(st.end, SIDE_FAULT_INPUT);
	CHECK_INT(st.region, RIG_IN);
	CHECK_INT(st.offset, 40);
}

TEST(memory_of_an_input_can_not_be_made_writable)
{
	struct side_state st = rig_end_of(
		RIG_ENTRY "{ OUT[0] = sys(10, (long)IN, 4096, 3, 0); ((float *)IN)[0] = 1; }",
		"-O2");
	CHECK_INT(st.end, SIDE_FAULT_INPUT);
}

TEST(one_element_past_an_output_hits_the_guard)
{
	struct side_state st = rig_end_of(RIG_ENTRY "{ OUT[N] = 1; }", "-O2");
	CHECK_INT(st.end, SIDE_FAULT_GUARD);
	CHECK_INT(st.region, RIG_OUT);
	CHECK_INT(st.offset, 0);
	CHECK(!st.is_before);
}

TEST(one_element_before_an_output_hits_the_guard)
{
	struct side_state st = rig_end_of(RIG_ENTRY "{ OUT[-1] = 1; }", "-O2");
	CHECK_INT(st.end, SIDE_FAULT_GUARD);
	CHECK_INT(st.offset, 4);
	CHECK(st.is_before);
}

TEST(reading_past_an_input_hits_the_guard)
{
	struct side_state st = rig_end_of(RIG_ENTRY "{ OUT[0] = IN[N + 5]; }", "-O2");
	CHECK_INT(st.end, SIDE_FAULT_GUARD);
	CHECK_INT(st.region, RIG_IN);
	CHECK_INT(st.offset, 20);
}

TEST(a_null_pointer_is_a_crash)
{
	struct side_state st = rig_end_of(RIG_ENTRY "{ *(volatile int *)0 = 1; }", "-O2");
	CHECK_INT(st.end, SIDE_CRASHED);
	CHECK_INT(st.signal, SIGSEGV);
	CHECK(strstr(st.text, "null pointer"));
}

TEST(endless_recursion_is_a_crash_that_can_still_speak)
{
	struct side_state st =
		rig_end_of("static int f(volatile char *p) { volatile char b[4096]; b[0] = p[0]; "
			   "return f(b) + b[0]; }" RIG_ENTRY "{ char c = 1; OUT[0] = f(&c); }",
			   "-O0");
	CHECK_INT(st.end, SIDE_CRASHED);
	CHECK_INT(st.signal, SIGSEGV);
}

TEST(a_division_by_zero_is_a_crash)
{
	struct side_state st = rig_end_of(
		RIG_ENTRY "{ volatile int a = 7, z = 0; OUT[0] = (float)(a / z); }", "-O1");
	CHECK_INT(st.end, SIDE_CRASHED);
	CHECK_INT(st.signal, SIGFPE);
}

TEST(a_broken_heap_is_a_crash_and_no_forbidden_write)
{
	struct side_state st =
		rig_end_of("void *malloc(unsigned long); void free(void *);" RIG_ENTRY
			   "{ char *p = malloc(100); free(p + 16); OUT[0] = 1; }",
			   "-O0");
	CHECK_INT(st.end, SIDE_CRASHED);
	CHECK_INT(st.signal, SIGABRT);
}

TEST(a_call_of_exit_is_an_exit)
{
	struct side_state st = rig_end_of(RIG_ENTRY "{ sys(231, 3, 0, 0, 0); }", "-O2");
	CHECK_INT(st.end, SIDE_EXITED);
}

TEST(an_endless_loop_ends_at_its_deadline)
{
	struct rig r;
	rig_open(&r, RIG_ENTRY "{ for (;;) __asm__ volatile(\"\"); }", "-O2");
	rig_start(&r);
	pid_t pid = side_pid(r.side);
	uint64_t start = clock_mono_ns();
	rig_call(&r, 100 * NS_PER_MS);
	uint64_t spent = clock_mono_ns() - start;
	CHECK_INT(r.st.end, SIDE_TIMEOUT);
	CHECK(spent >= 100 * NS_PER_MS && spent < 2 * NS_PER_S);
	CHECK(kill(pid, 0) < 0 && errno == ESRCH);
	rig_close(&r);
}

TEST(a_side_that_ended_refuses_further_calls)
{
	struct err e = { 0 };
	struct rig r;
	rig_open(&r, RIG_ENTRY "{ __builtin_trap(); }", "-O2");
	rig_start(&r);
	rig_call(&r, NS_PER_S);
	CHECK_INT(r.st.end, SIDE_CRASHED);
	struct side_call call = { .nr_calls = 0 };
	CHECK(side_prepare(r.side, &call, &r.st, &e) < 0);
	CHECK(side_fire(r.side, &r.time, &r.st, &e) < 0);
	CHECK(side_null_rtt_ns(r.side, SIDE_SPIN, 3) == UINT64_MAX);
	rig_close(&r);
}

TEST(a_runner_killed_from_outside_is_infrastructure)
{
	struct rig r;
	rig_open(&r, RIG_ENTRY "{ for (;;) __asm__ volatile(\"\"); }", "-O2");
	rig_start(&r);
	pid_t pid = side_pid(r.side);
	pid_t killer = fork();
	if (killer == 0) {
		clock_sleep_ns(100 * NS_PER_MS);
		kill(pid, SIGKILL);
		_exit(0);
	}
	uint64_t start = clock_mono_ns();
	rig_call(&r, 20 * NS_PER_S);
	CHECK_INT(r.st.end, SIDE_KILLED);
	CHECK(clock_mono_ns() - start < 5 * NS_PER_S);
	waitpid(killer, NULL, 0);
	rig_close(&r);
}

/* Polling a pidfd shows a death at once; the zombie may wait for its reaper. */
static bool dies_within_ms(pid_t pid, int ms)
{
	AUTO_CLOSE int pidfd = (int)syscall(SYS_pidfd_open, pid, 0U);
	struct pollfd fd = { .fd = pidfd, .events = POLLIN };
	return pidfd < 0 || poll(&fd, 1, ms) == 1;
}

TEST(a_runner_dies_with_a_worker_that_was_killed)
{
	struct rig r;
	int ends[2];
	CHECK(pipe(ends) == 0);
	rig_open(&r, adds, "-O2");
	pid_t worker = fork();
	if (worker == 0) {
		rig_start(&r);
		pid_t pid = side_pid(r.side);
		if (write(ends[1], &pid, sizeof(pid)) < 0)
			_exit(1);
		pause();
	}
	close(ends[1]);
	pid_t runner = 0;
	if (read(ends[0], &runner, sizeof(runner)) != (ssize_t)sizeof(runner))
		SKIP("no side could be started");
	kill(worker, SIGKILL);
	waitpid(worker, NULL, 0);
	CHECK(dies_within_ms(runner, 5000));
	rig_close(&r);
}

TEST(an_object_without_entry_or_with_unknown_symbols_can_not_start)
{
	struct side_state st = rig_end_of("void other(void) {}", "-O2");
	CHECK_INT(st.end, SIDE_START_FAILED);
	st = rig_end_of("void no_such_function(void);" RIG_ENTRY "{ no_such_function(); }", "-O2");
	CHECK_INT(st.end, SIDE_START_FAILED);
	CHECK(strstr(st.text, "no_such_function"));
}

TEST(a_missing_runner_is_our_error)
{
	struct err e = { 0 };
	struct rig r;
	rig_open(&r, adds, "-O2");
	struct side_spec spec = rig_spec(&r);
	spec.runner_path = "/no/such/runner";
	CHECK(side_start(&r.side, &spec, &r.st, &e) < 0);
	CHECK(strstr(e.text, "/no/such/runner"));
	rig_close(&r);
}

TEST(changed_floating_point_modes_are_seen_and_undone)
{
	struct rig r;
	rig_open(&r,
		 RIG_ENTRY "{ unsigned m; __asm__ volatile(\"stmxcsr %0\" : \"=m\"(m)); OUT[0] = m;"
			   " m |= 0x8040; __asm__ volatile(\"ldmxcsr %0\" :: \"m\"(m)); }",
		 "-O2");
	rig_start(&r);
	rig_call(&r, NS_PER_S);
	CHECK(r.time.mxcsr_changed);
	rig_call(&r, NS_PER_S);
	CHECK(rig_out(&r)[0] == (float)0x1f80);
	rig_close(&r);
}

TEST(a_changed_precision_of_the_older_unit_is_seen_and_undone)
{
	struct rig r;
	rig_open(&r,
		 RIG_ENTRY
		 "{ unsigned short m; __asm__ volatile(\"fnstcw %0\" : \"=m\"(m)); OUT[0] = m;"
		 " m &= 0xfcff; __asm__ volatile(\"fldcw %0\" :: \"m\"(m)); }",
		 "-O2");
	rig_start(&r);
	rig_call(&r, NS_PER_S);
	CHECK(r.time.mxcsr_changed);
	rig_call(&r, NS_PER_S);
	CHECK(rig_out(&r)[0] == (float)0x037f);
	rig_close(&r);
}

/* The kernel finds orders and reply on the stack of main, side by side, and answers itself. */
TEST(an_answer_that_the_kernel_wrote_is_forged)
{
	struct rig r;
	rig_open(&r,
		 RIG_ENTRY
		 "{ unsigned long *at = __builtin_frame_address(0);\n"
		 "  for (int i = 0; i < 4096; i++) {\n"
		 "    unsigned long o = at[i], p = at[i + 1];\n"
		 "    if (o == p || (o & 4095) || (p & 4095) || o >> 45 != 3 || p >> 45 != 3) "
		 "continue;\n"
		 "    if (((unsigned *)o)[32] != 3) continue; /* the version of the doorbell */\n"
		 "    *(volatile unsigned *)p = *(volatile unsigned *)o; OUT[0] = 5; break; }\n"
		 "  for (volatile long i = 0; i < 3000000; i++); }",
		 "-O1");
	rig_start(&r);
	/* Who looks when the kernel is through sees the runner's own answer, and nothing is gained.
	 */
	for (int tries = 0; tries < 5 && !r.time.is_forged; tries++) {
		rig_call(&r, NS_PER_S);
		CHECK_INT(r.st.end, SIDE_ALIVE);
		CHECK(rig_out(&r)[0] == 5);
		CHECK(r.time.is_stamped != r.time.is_forged);
	}
	CHECK(r.time.is_forged);
	rig_close(&r);
}

TEST(streaming_stores_are_visible_with_the_answer)
{
	struct rig r;
	rig_open(&r,
		 "#include <immintrin.h>\n" RIG_ENTRY
		 "{ for (long i = 0; i < N; i += 4) _mm_stream_ps(OUT + i, _mm_set1_ps(7)); }",
		 "-O2");
	rig_start(&r);
	for (int round = 0; round < 20; round++) {
		memset(r.regions[RIG_OUT].addr, 0, RIG_BYTES);
		rig_call(&r, NS_PER_S);
		CHECK(rig_out(&r)[RIG_FLOATS - 1] == 7.0F);
	}
	rig_close(&r);
}

/* It finds the pages by which it is rung and answers on the stack above it, answers, and works on.
 */
static const char answers_early[] =
	"static unsigned *find(unsigned **bell, void **stack)\n"
	"{\n"
	"	unsigned long *at = (unsigned long *)stack;\n"
	"	for (int i = 0; i < 4096; i++) {\n"
	"		unsigned long orders = at[i], reply = at[i + 1];\n"
	"		if ((orders & 4095) || (reply & 4095) || orders >> 45 != 3 || reply >> "
	"45 != 3\n"
	"		    || orders == reply || *(unsigned *)orders != *(unsigned *)reply + 1)\n"
	"			continue;\n"
	"		*bell = (unsigned *)orders;\n"
	"		return (unsigned *)reply;\n"
	"	}\n"
	"	return 0;\n"
	"}\n" RIG_ENTRY "{\n"
	"	unsigned *bell, *reply = find(&bell, __builtin_frame_address(0));\n"
	"	if (!reply) { OUT[0] = 1; return; }\n"
	"	*(volatile unsigned *)reply = *(volatile unsigned *)bell;\n"
	"	for (volatile long i = 0; i < 50000000; i++) ;\n"
	"	for (long i = 0; i < N; i++) OUT[i] = 3;\n"
	"}\n";

TEST(what_is_written_after_the_answer_was_not_there_at_the_answer)
{
	struct err e = { 0 };
	struct rig r;
	rig_open(&r, answers_early, "-O2");
	rig_start(&r);
	struct side_arg args[3] = { { .region = RIG_IN, .offset = 64 },
				    { .region = RIG_OUT, .offset = 64 },
				    { .is_scalar = true } };
	int64_t n = RIG_FLOATS - 16; /* no pointer to a page but those it looks for */
	memcpy(args[2].scalar, &n, sizeof(n));
	struct side_glimpse g = { .nr = 1, .at = { r.regions[RIG_OUT].addr + 128 }, .len = { 64 } };
	struct side_call call = { .args = args,
				  .nr_args = 3,
				  .nr_calls = 1,
				  .deadline_ns = 5 * NS_PER_S,
				  .glimpse = &g };
	CHECK_OK(side_prepare(r.side, &call, &r.st, &e));
	CHECK_OK(side_fire(r.side, &r.time, &r.st, &e));
	CHECK(rig_out(&r)[16] != 1); /* else it did not find its way */
	for (int i = 0; i < 1000 && rig_out(&r)[RIG_FLOATS - 1] != 3; i++)
		clock_sleep_ns(10 * NS_PER_MS);
	CHECK(rig_out(&r)[RIG_FLOATS - 1] == 3);
	CHECK(memcmp(g.seen[0], g.at[0], g.len[0]) != 0);
	rig_close(&r);
}

TEST(libm_and_malloc_work_inside)
{
	struct side_state st = rig_end_of(
		"float expf(float); void *malloc(unsigned long); void free(void *);"
		"void *realloc(void *, unsigned long);" RIG_ENTRY
		"{ char *p = malloc(1 << 20); p[5] = 1; p = realloc(p, 8 << 20); p[8000000] = 1;"
		"  OUT[0] = expf(IN[1]) + p[5]; free(p); }",
		"-O2");
	CHECK_INT(st.end, SIDE_ALIVE);
}

static int compare_reals(const void *a, const void *b)
{
	const double *x = a;
	const double *y = b;
	return (*x > *y) - (*x < *y);
}

/* The claim on which every verdict rests: after the round trip is taken off, the window as the
 * worker sees it is the kernel's time. Samples in which anything else ran do not count. */
TEST(outside_time_agrees_with_inside_time_within_one_percent)
{
	enum { SAMPLES = 400, ENOUGH = 60 };
	struct rig r;
	rig_open(&r,
		 RIG_ENTRY
		 "{ float s = 1; for (long i = 0; i < 4 * N; i++) s = s * 0.5f + IN[i % N];"
		 " OUT[0] = s; }",
		 "-O2");
	rig_start(&r);
	double rtt_ns = (double)side_null_rtt_ns(r.side, SIDE_SPIN, 201);
	double ratios[SAMPLES];
	size_t nr = 0;
	for (int i = 0; i < SAMPLES; i++) {
		rig_call(&r, NS_PER_S);
		CHECK_INT(r.st.end, SIDE_ALIVE);
		if (r.time.wait_ns < r.time.ns / 200)
			ratios[nr++] = ((double)r.time.ns - rtt_ns) / (double)r.time.inner_ns;
	}
	qsort(ratios, nr, sizeof(ratios[0]), compare_reals);
	printf("# last call %llu us, round trip %.0f ns, %zu clean samples, outside/inside %.4f\n",
	       (unsigned long long)r.time.ns / 1000, rtt_ns, nr, nr ? ratios[nr / 2] : 0);
	if (side_sleeps(r.side) || nr < ENOUGH)
		SKIP("this machine is too busy to time anything");
	CHECK(ratios[nr / 2] > 0.99 && ratios[nr / 2] < 1.01);
	rig_close(&r);
}

TEST(a_parked_side_sleeps_and_can_be_used_again)
{
	struct err e = { 0 };
	struct rig r;
	rig_open(&r, adds, "-O2");
	rig_start(&r);
	struct side_call call = { .nr_calls = 0 };
	CHECK_OK(side_prepare(r.side, &call, &r.st, &e));
	CHECK(side_sleeps(r.side) || !side_is_quiet(r.side, 5 * NS_PER_MS));
	CHECK_OK(side_park(r.side, &r.st, &e));
	CHECK(side_is_quiet(r.side, 5 * NS_PER_MS));
	rig_call(&r, NS_PER_S);
	CHECK_INT(r.st.end, SIDE_ALIVE);
	CHECK(side_is_quiet(r.side, 5 * NS_PER_MS));
	rig_close(&r);
}

TEST(waits_are_taken_off_a_window_but_never_more_than_half_of_it)
{
	const struct side_time calm = { .ns = 1000, .wait_ns = 100 };
	const struct side_time busy = { .ns = 1000, .wait_ns = 999 };
	const struct side_time both = { .ns = 1000, .wait_ns = 1900 };
	CHECK_INT(side_time_worked_ns(&calm), 900);
	CHECK_INT(side_time_worked_ns(&busy), 500);
	CHECK_INT(side_time_worked_ns(&both), 500);
}

TEST_MAIN()
