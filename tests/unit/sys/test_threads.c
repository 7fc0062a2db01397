/* Kernels that use every core: the pool is there, it sleeps soon, and no other thread can be made.
 */
#include "sys/side.h"

#include "side_rig.h"

/* alone: looks whether a pool is quiet */

static const char parallel_add[] = RIG_ENTRY "{ _Pragma(\"omp parallel for\")"
					     " for (long i = 0; i < N; i++) OUT[i] = IN[i] + 1; }";

static void start_with_threads(struct rig *r, unsigned threads)
{
	struct side_spec spec = rig_spec(r);
	spec.threads = threads;
	rig_start_spec(r, &spec);
	if (r->st.end != SIDE_ALIVE)
		printf("# %s\n", r->st.text);
	CHECK_INT(r->st.end, SIDE_ALIVE);
}

TEST(a_parallel_kernel_of_two_threads_computes)
{
	struct rig r;
	rig_open(&r, parallel_add, "-fopenmp");
	start_with_threads(&r, 2);
	for (int round = 0; round < 50; round++) {
		memset(r.regions[RIG_OUT].addr, 0, RIG_BYTES);
		rig_call(&r, NS_PER_S);
		CHECK_INT(r.st.end, SIDE_ALIVE);
		for (int i = 0; i < RIG_FLOATS; i++)
			CHECK(rig_out(&r)[i] == (float)i + 1);
	}
	rig_close(&r);
}

/* The worker ends on the core of the main thread, from where it went to the next one to prepare. */
TEST(a_worker_may_wait_on_the_main_threads_core)
{
	struct rig r;
	struct err e = { 0 };
	struct cpu_list now;
	rig_open(&r, parallel_add, "-fopenmp");
	if (r.cpus.nr < 2)
		SKIP("one core");
	start_with_threads(&r, 2);
	r.wait = SIDE_SLEEP_BESIDE;
	for (int round = 0; round < 50; round++) {
		memset(r.regions[RIG_OUT].addr, 0, RIG_BYTES);
		rig_call(&r, NS_PER_S);
		CHECK_INT(r.st.end, SIDE_ALIVE);
		for (int i = 0; i < RIG_FLOATS; i++)
			CHECK(rig_out(&r)[i] == (float)i + 1);
	}
	CHECK(side_null_rtt_ns(r.side, SIDE_SLEEP_BESIDE, 5) < NS_PER_S);
	CHECK_OK(cpu_usable(&now, &e));
	if (!side_sleeps(r.side)) {
		CHECK_INT(now.nr, 1);
		CHECK_INT(now.ids[0], r.cpus.ids[r.cpus.nr - 1]);
	}
	/* Otherwise it stays on the next core, which must not fall asleep. */
	r.wait = SIDE_SLEEP;
	rig_call(&r, NS_PER_S);
	CHECK_OK(cpu_usable(&now, &e));
	if (!side_sleeps(r.side))
		CHECK_INT(now.ids[0], r.cpus.ids[r.cpus.nr - 2]);
	CHECK_OK(cpu_pin_list(&r.cpus, &e));
	rig_close(&r);
}

TEST(both_threads_really_take_part)
{
	struct rig r;
	rig_open(&r,
		 "int omp_get_thread_num(void);" RIG_ENTRY
		 "{ _Pragma(\"omp parallel\") OUT[omp_get_thread_num()] = 1; }",
		 "-fopenmp");
	start_with_threads(&r, 2);
	rig_call(&r, NS_PER_S);
	CHECK_INT(r.st.end, SIDE_ALIVE);
	CHECK(rig_out(&r)[0] == 1.0F && rig_out(&r)[1] == 1.0F);
	rig_close(&r);
}

TEST(asking_for_more_threads_gives_the_pool)
{
	struct rig r;
	rig_open(&r,
		 "int omp_get_num_threads(void);" RIG_ENTRY
		 "{ _Pragma(\"omp parallel num_threads(16)\") OUT[0] = omp_get_num_threads(); }",
		 "-fopenmp");
	start_with_threads(&r, 2);
	rig_call(&r, NS_PER_S);
	CHECK_INT(r.st.end, SIDE_ALIVE);
	CHECK(rig_out(&r)[0] == 2.0F);
	rig_close(&r);
}

TEST(a_parallel_kernel_on_a_single_thread_side_runs_alone)
{
	struct rig r;
	rig_open(&r, parallel_add, "-fopenmp");
	start_with_threads(&r, 1);
	rig_call(&r, NS_PER_S);
	CHECK_INT(r.st.end, SIDE_ALIVE);
	CHECK(rig_out(&r)[5] == 6.0F);
	rig_close(&r);
}

TEST(an_idle_pool_is_quiet)
{
	struct rig r;
	rig_open(&r, parallel_add, "-fopenmp");
	start_with_threads(&r, 2);
	rig_call(&r, NS_PER_S);
	CHECK(side_is_quiet(r.side, 10 * NS_PER_MS));
	rig_close(&r);
}

TEST(work_that_goes_on_after_the_return_is_not_quiet)
{
	struct rig r;
	rig_open(&r,
		 "void GOMP_parallel_start(void (*)(void *), void *, unsigned);"
		 "int omp_get_thread_num(void);"
		 "static void work(void *p) { if (omp_get_thread_num()) for (;;) *(volatile int "
		 "*)p += 1; }" RIG_ENTRY "{ GOMP_parallel_start(work, OUT, 2); }",
		 "-fopenmp");
	start_with_threads(&r, 2);
	rig_call(&r, NS_PER_S);
	CHECK_INT(r.st.end, SIDE_ALIVE);
	CHECK(!side_is_quiet(r.side, 10 * NS_PER_MS));
	rig_close(&r);
}

TEST(a_side_falls_asleep_when_all_its_threads_do)
{
	struct rig r;
	rig_open(&r, parallel_add, "-fopenmp");
	start_with_threads(&r, 2);
	rig_call(&r, NS_PER_S);
	CHECK(side_falls_asleep(r.side, NS_PER_S));
	rig_close(&r);
	rig_open(&r,
		 "void GOMP_parallel_start(void (*)(void *), void *, unsigned);"
		 "int omp_get_thread_num(void);"
		 "static void work(void *p) { if (omp_get_thread_num()) for (;;) *(volatile int "
		 "*)p += 1; }" RIG_ENTRY "{ GOMP_parallel_start(work, OUT, 2); }",
		 "-fopenmp");
	start_with_threads(&r, 2);
	rig_call(&r, NS_PER_S);
	CHECK(!side_falls_asleep(r.side, 20 * NS_PER_MS));
	rig_close(&r);
}

static bool pool_modes(struct rig *r)
{
	struct err e = { 0 };
	bool changed = false;
	CHECK_OK(side_pool_modes(r->side, &changed, &r->st, &e));
	CHECK_INT(r->st.end, SIDE_ALIVE);
	return changed;
}

TEST(modes_that_a_pool_thread_kept_are_seen_and_undone)
{
	struct rig r;
	rig_open(&r,
		 "int omp_get_thread_num(void);" RIG_ENTRY
		 "{ _Pragma(\"omp parallel\") { unsigned m; __asm__ volatile(\"stmxcsr %0\" : "
		 "\"=m\"(m)); if (omp_get_thread_num()) { OUT[0] = m & ~0x3f; m = N ? 0x9fc0 : m; "
		 "__asm__ volatile(\"ldmxcsr %0\" :: \"m\"(m)); } } }",
		 "-fopenmp");
	start_with_threads(&r, 2);
	CHECK(!pool_modes(&r));
	rig_call(&r, NS_PER_S);
	CHECK(!r.time.mxcsr_changed);
	CHECK(pool_modes(&r));
	CHECK(!pool_modes(&r));
	rig_call(&r, NS_PER_S);
	CHECK(rig_out(&r)[0] == (float)0x1f80);
	rig_close(&r);
}

TEST(a_pool_that_lost_a_thread_is_not_asked_for_its_modes)
{
	struct rig r;
	rig_open(&r,
		 "int omp_get_thread_num(void);" RIG_ENTRY
		 "{ _Pragma(\"omp parallel num_threads(2)\") OUT[omp_get_thread_num()] = 1; }",
		 "-fopenmp");
	start_with_threads(&r, 3);
	rig_call(&r, NS_PER_S);
	CHECK_INT(r.st.end, SIDE_ALIVE);
	CHECK(side_falls_asleep(r.side, NS_PER_S));
	CHECK(!pool_modes(&r));
	rig_close(&r);
}

TEST(a_fault_in_a_pool_thread_is_placed)
{
	struct rig r;
	rig_open(&r,
		 "int omp_get_thread_num(void);" RIG_ENTRY
		 "{ _Pragma(\"omp parallel\") if (omp_get_thread_num()) ((float *)IN)[3] = 1; }",
		 "-fopenmp");
	start_with_threads(&r, 2);
	rig_call(&r, NS_PER_S);
	CHECK_INT(r.st.end, SIDE_FAULT_INPUT);
	CHECK_INT(r.st.offset, 12);
	rig_close(&r);
}

TEST(a_forbidden_call_in_a_pool_thread_is_named)
{
	struct rig r;
	rig_open(&r,
		 "int omp_get_thread_num(void);" RIG_ENTRY
		 "{ _Pragma(\"omp parallel\") if (omp_get_thread_num()) sys(41, 2, 2, 0, 0); }",
		 "-fopenmp");
	start_with_threads(&r, 2);
	rig_call(&r, NS_PER_S);
	CHECK_INT(r.st.end, SIDE_FORBIDDEN);
	CHECK_INT(r.st.syscall_nr, SYS_socket);
	rig_close(&r);
}

TEST(a_main_thread_that_ends_is_a_death_at_once_though_the_pool_lives_on)
{
	struct rig r;
	rig_open(&r, RIG_ENTRY "{ sys(60, 0, 0, 0, 0); }", "-fopenmp");
	start_with_threads(&r, 2);
	uint64_t begin_ns = clock_mono_ns();
	rig_call(&r, 30 * NS_PER_S);
	printf("# %s\n", r.st.text);
	CHECK_INT(r.st.end, SIDE_EXITED);
	CHECK(clock_mono_ns() - begin_ns < 10 * NS_PER_S);
	rig_close(&r);
}

TEST_MAIN()
